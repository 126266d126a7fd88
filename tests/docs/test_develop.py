"""The page for whoever works on plugseal names what is there, and every part of the house."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/guide/develop.md").read_text("utf-8")
SOURCE = ROOT / "src/plugseal"
PLACES = (ROOT, SOURCE, ROOT / "tests", SOURCE / "lang/python", SOURCE / "lang/shell", SOURCE / "systems")


def test_every_path_that_the_page_names_is_there() -> None:
    named = re.findall(r"`([a-z_.]+(?:/[a-z_.*]+)*(?:/|\.py))`", PAGE)
    assert len(named) > 30
    assert [path for path in named if not any(list(place.glob(path.rstrip("/"))) for place in PLACES)] == []


def test_every_part_of_the_house_is_named() -> None:
    parts = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert {part for part in parts if f"`{part}/`" not in PAGE} == set()


def test_every_folder_of_tests_is_named() -> None:
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and list(path.glob("*.py"))}
    held = {"docs", "rules", "expected", "transcripts"}
    assert {one for one in folders - held if not one.startswith("runtime_") and f"`{one}/`" not in PAGE} == set()
