"""README's picture shows what the command says today."""

from __future__ import annotations

import re
from html import unescape

from tests.docs.write_picture import COMMAND, PICTURE, ROOT, render_picture


def _said(picture: str) -> list[str]:
    """Return the runs of text of a picture: how they are laid out is rich's affair."""
    return [unescape(run).replace("\xa0", " ").strip() for run in re.findall(r"<text[^>]*>([^<]*)</text>", picture)]


def test_the_picture_says_what_the_command_says() -> None:
    said = _said(PICTURE.read_text(encoding="utf-8"))
    assert said == _said(render_picture()), "draw it again: `python tests/docs/write_picture.py`"
    assert f"$ {COMMAND}" in said


def test_the_picture_fetches_nothing_and_names_no_place_of_a_machine() -> None:
    picture = PICTURE.read_text(encoding="utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "://" not in picture.replace("https://tracker.example.invalid", "")
    assert str(ROOT) not in picture


def test_the_readme_shows_it() -> None:
    assert f"]({PICTURE.relative_to(ROOT).as_posix()})" in (ROOT / "README.md").read_text(encoding="utf-8")
