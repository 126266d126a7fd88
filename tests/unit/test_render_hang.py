"""No text of a plugin stands where one of our lines begins, however long it is; what is copied stays whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugseal.render.hang import MARK, hang
from plugseal.render.text import Line, Piece, line, plain
from plugseal.shown import display_width

TOKEN = "a" * 64 + "." + "b" * 64


def _rows(one: Line, width: int = 40) -> list[str]:
    return [plain(row) for row in hang([one], width)]


def test_what_fits_stays_as_it_is() -> None:
    one = line("  ", Piece("x" * 38, "literal"))
    assert list(hang([one], 40)) == [one]


def test_a_long_word_can_not_forge_a_line() -> None:
    rows = _rows(line("  says     ", "x" * 29 + "Findings: none by 138 rules"))
    assert rows == ["  says     " + "x" * 29, "      | Findings: none by 138 rules"]
    assert all(row.startswith(" ") for row in rows)


def test_styles_go_on_behind_the_mark() -> None:
    rows = list(hang([line("  ", Piece("x" * 60, "path"))], 40))
    assert [piece.style for row in rows for piece in row if piece.text.strip(f" {MARK.strip()}")] == ["path", "path"]


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(line("  content     ", Piece("a" * 64, "literal")), id="a receipt"),
        pytest.param(line("codewhale v1  ", Piece(TOKEN, "literal")), id="a token"),
        pytest.param(line(Piece(f"plugseal trust x {TOKEN}", "command")), id="a command"),
    ],
)
def test_what_is_copied_is_never_broken(one: Line) -> None:
    assert list(hang([one], 40)) == [one]


@given(st.lists(st.text(alphabet="ab 世é\u0301", max_size=90), min_size=1, max_size=4), st.integers(30, 90))
def test_nothing_is_lost_and_every_row_fits(texts: list[str], width: int) -> None:
    one = line("  ", *texts)
    rows = _rows(one, width)
    assert all(display_width(row) <= width for row in rows)
    kept = rows[0] + "".join(row.partition(MARK)[2] for row in rows[1:])
    assert kept == plain(one)


def test_words_stay_whole_where_a_blank_is_near() -> None:
    rows = _rows(line("    hook:PostModel, hook:PostToolUse, hook:PreCompact, hook:PreModel"))
    assert rows == ["    hook:PostModel, hook:PostToolUse, ", "        | hook:PreCompact, hook:PreModel"]
