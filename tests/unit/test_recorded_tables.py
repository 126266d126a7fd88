"""What is recorded of the package's tables is what they say; a table that was changed since is read as it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import plugseal
from plugseal.lang.recorded import RECORD, read_table, render_record

FOLDERS = sorted((Path(plugseal.__file__).parent / "lang").glob("*/tables"))


def test_there_are_folders_of_tables() -> None:
    assert {folder.parent.name for folder in FOLDERS} > {"python", "ecmascript", "programs", "powershell"}


@pytest.mark.parametrize("folder", FOLDERS, ids=[folder.parent.name for folder in FOLDERS])
def test_the_record_of_a_folder_is_current(folder: Path) -> None:
    assert (folder / RECORD).read_bytes() == render_record(folder), "run `python tests/unit/record_tables.py`"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two tables, recorded."""
    (tmp_path / "a.toml").write_text('x = 1\ny = ["\u00e9]", "b"]\n', "utf-8")
    (tmp_path / "b.toml").write_text("[t]\nz = true\n", "utf-8")
    (tmp_path / RECORD).write_bytes(render_record(tmp_path))
    return tmp_path


def test_a_table_is_read_from_the_record(folder: Path) -> None:
    text = (folder / RECORD).read_text("ascii")
    (folder / RECORD).write_text(text.replace('"z":true', '"z":"recorded"'), "ascii")
    assert read_table(folder, "a.toml") == {"x": 1, "y": ["\u00e9]", "b"]}
    assert read_table(folder, "b.toml") == {"t": {"z": "recorded"}}


def test_a_table_that_was_changed_since_is_read_as_it_stands(folder: Path) -> None:
    (folder / "b.toml").write_text("[t]\nz = false\n", "utf-8")
    assert read_table(folder, "b.toml") == {"t": {"z": False}}


def test_without_a_record_tables_are_read_as_they_stand(folder: Path) -> None:
    (folder / RECORD).unlink()
    assert read_table(folder, "b.toml") == {"t": {"z": True}}


def test_each_line_of_a_record_is_json(folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / RECORD).read_text("ascii").splitlines()]
    assert [line[0] for line in lines[1:]] == ["a.toml", "b.toml"]
