"""Scripts that are read into each other share their functions: to call one starts no program."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.verbs.scan import scan_path


def _started(root: Path, files: dict[str, str]) -> set[tuple[str, str | None]]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return {(file, fact.object) for file, fact in scan_path(root).facts if fact.capability == "process.exec"}


_LIB = "note() {\n  frobnicate\n}\n"


@pytest.mark.parametrize(
    ("files", "file"),
    [
        pytest.param({"lib/a.sh": _LIB, "run.sh": ". ./lib/a.sh\nnote x\n"}, "run.sh", id="read by its path"),
        pytest.param(
            {"lib/a.sh": _LIB, "bin/run.sh": '. "$(dirname "$0")/../lib/a.sh"\nnote x\n'}, "bin/run.sh", id="beside it"
        ),
        pytest.param(
            {"main.sh": _LIB + "lib/x\n. ./hooks/b.sh\n", "hooks/b.sh": "note x\n"}, "hooks/b.sh", id="by who reads it"
        ),
        pytest.param(
            {"main.sh": _LIB + 'for f in "$1"; do . "$f"; done\n', "hooks/b.sh": "note x\n"},
            "hooks/b.sh",
            id="by one that may read any",
        ),
        pytest.param(
            {"m.sh": ". lib/a.sh\n. lib/b.sh\n", "lib/a.sh": _LIB, "lib/b.sh": "note x\n"}, "lib/b.sh", id="by a third"
        ),
        pytest.param(
            {"lib/a.ps1": "function Note { frobnicate }\n", "run.ps1": '. "$PSScriptRoot\\lib\\a.ps1"\nnote x\n'},
            "run.ps1",
            id="PowerShell",
        ),
    ],
)
def test_a_function_of_another_script_is_no_program(tmp_path: Path, files: dict[str, str], file: str) -> None:
    started = _started(tmp_path, files)
    assert not {(file, "note"), (file, "Note")} & started
    assert "frobnicate" in {name for _, name in started}


@pytest.mark.parametrize(
    ("files", "file", "name"),
    [
        pytest.param({"lib/a.sh": _LIB, "run.sh": "note x\n"}, "run.sh", "note", id="nobody reads it"),
        pytest.param({"a.sh": "rsync() {\n  :\n}\n", "b.sh": ". ./a.sh\nrsync x y\n"}, "b.sh", "rsync", id="a program"),
        pytest.param({"a.sh": _LIB, "b.sh": ". ./a.sh\nnoted x\n"}, "b.sh", "noted", id="another name"),
        pytest.param({"a.sh": _LIB, "b.sh": ". ./a.sh\nsh -c 'note x'\n"}, "b.sh", "note", id="another shell"),
        pytest.param({"a.sh": _LIB, "b.ps1": ". ./a.sh\nnote x\n"}, "b.ps1", "note", id="another language"),
    ],
)
def test_what_may_be_a_program_is_said(tmp_path: Path, files: dict[str, str], file: str, name: str) -> None:
    assert (file, name) in _started(tmp_path, files)


def test_a_line_of_a_workflow_begins_in_the_folder_that_it_names(tmp_path: Path) -> None:
    steps = (
        "on: push\njobs:\n  a:\n    runs-on: x\n"
        "    defaults: {run: {working-directory: packages/a}}\n    steps:\n"
        "      - run: cat ../b/one\n      - working-directory: packages\n        run: |\n          true\n"
        "          cat ../two\n          cat ../../three\n"
        "      - working-directory: ${{ a }}\n        run: cat ../four\n"
    )
    (tmp_path / ".github" / "workflows").mkdir(parents=True)
    (tmp_path / ".github" / "workflows" / "a.yml").write_text(steps, encoding="utf-8")
    facts = [fact for _, fact in scan_path(tmp_path).facts]
    assert {fact.object for fact in facts if fact.capability == "path.outside"} == {"../../three", "../four"}
    assert {(fact.object, fact.span.line) for fact in facts if fact.capability == "fs.read"} == {
        ("../b/one", 7),
        ("../two", 11),
        ("../../three", 12),
        ("../four", 14),
    }
