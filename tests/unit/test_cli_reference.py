"""The page of commands is made from the table that the parser uses, and names every exit code."""

from __future__ import annotations

from pathlib import Path

from plugseal.cli import exits
from plugseal.cli.reference_page import BEGIN, END, render_commands_page

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")


def test_the_page_of_commands_is_current() -> None:
    assert PAGE[PAGE.index(BEGIN) : PAGE.index(END) + len(END)] == render_commands_page()


def test_the_page_names_every_exit_code() -> None:
    codes = {value for name, value in vars(exits).items() if name.isupper()}
    assert [code for code in codes if f"\n| {code} | " not in PAGE] == []
