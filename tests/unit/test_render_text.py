"""Lines, tables and wrapping."""

from __future__ import annotations

import pytest

from plugseal.errors import PlugsealError
from plugseal.model.explanation import Explanation
from plugseal.render.error import render_error
from plugseal.render.explain import render_explanation
from plugseal.render.text import Piece, backticked, count, join_plain, line, plain, render_table, wrap_list, wrap_words
from plugseal.shown import display_width


def test_columns_of_a_table_are_aligned_by_what_they_take_on_a_screen() -> None:
    rows = [(Piece("日本語"), Piece("X")), (Piece("abc"), Piece("Y")), (Piece("e\u0301"), Piece("Z"))]
    lines = [plain(row) for row in render_table(rows, width=80)]
    starts = [display_width(text[: text.index(mark)]) for text, mark in zip(lines, "XYZ", strict=True)]
    assert starts == [10, 10, 10]


def test_an_empty_table_has_no_lines() -> None:
    assert list(render_table([], width=80)) == []


def test_the_last_column_wraps_below_itself() -> None:
    words = ", ".join(f"word{number}" for number in range(20))
    lines = [plain(row) for row in render_table([(Piece("name"), Piece(words, "literal"))], width=50)]
    assert all(len(text) <= 50 for text in lines)
    assert all(text.startswith(" " * 8) for text in lines[1:])
    assert " ".join(text.strip() for text in lines).removeprefix("name  ") == words


LISTS = {
    "short": ("a, b", 10, ["a, b"]),
    "just too long": ("aaaa, bbbb", 9, ["aaaa,", "bbbb"]),
    "one long word": ("a" * 30, 10, ["a" * 30]),
    "wide": ("日本, 日本", 8, ["日本,", "日本"]),
}


@pytest.mark.parametrize(("text", "width", "rows"), LISTS.values(), ids=LISTS)
def test_lists_break_between_words_only(text: str, width: int, rows: list[str]) -> None:
    assert wrap_list(text, width=width) == rows


def test_what_stands_in_backticks_is_never_broken() -> None:
    text = "see it with `plugseal scan a b c --format json` and then decide"
    rows = wrap_words(text, 30)
    assert any("`plugseal scan a b c --format json`" in row for row in rows)
    assert " ".join(rows) == text


def test_literals_in_messages_get_their_style() -> None:
    assert list(backticked("a `b` c")) == [Piece("a "), Piece("`b`", "literal"), Piece(" c")]


def test_a_lone_backtick_is_only_a_character() -> None:
    assert "".join(piece.text for piece in backticked("it`s")) == "it`s"
    assert "".join(piece.text for piece in backticked("`a` b`")) == "`a` b`"


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 files"), (1, "1 file"), (2, "2 files"), (12345, "12,345 files")], ids=str
)
def test_numbers_and_nouns_agree(number: int, text: str) -> None:
    assert count(number, "file") == text


def test_nothing_is_no_piece() -> None:
    assert line("a", "", Piece("b", "dim")) == (Piece("a"), Piece("b", "dim"))


def test_an_error_shows_hostile_text_as_escapes_everywhere() -> None:
    hostile = "\x1b[2J\u202e"
    text = join_plain(render_error(PlugsealError(hostile, place=hostile, hint=hostile, details=[hostile])))
    assert text.replace("\n", "").isprintable()
    assert text.count("\\x1b[2J\\u202e") == 4


def test_an_explanation_keeps_code_as_it_is_and_wraps_prose() -> None:
    prose = "word " * 40
    page = Explanation(
        "x", "rule", "t", f"{prose}\n\n    code  stays\n    here", "", "", references=("https://e.invalid/",)
    )
    text = join_plain(render_explanation(page))
    assert "\n      code  stays\n      here\n" in text
    assert max(map(len, text.splitlines())) <= 100
    assert text.endswith("Read more\n  https://e.invalid/\n")
