"""What hostile text looks like on a screen."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from plugseal.shown import display_width, shown, shown_argv, shown_line, shown_path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plain text, 100 % fine: [x] (y) {z} <q> #1 @me", None, id="printable ASCII stays"),
        pytest.param("", "", id="empty"),
        pytest.param("Grüße, 日本語, עברית, हिन्दी, Việt", None, id="letters of all scripts stay"),
        pytest.param("a\nb\tc\rd", r"a\nb\tc\rd", id="line ends and tabs"),
        pytest.param("a\\n", r"a\\n", id="the backslash itself"),
        pytest.param("\x1b[2K\x07\x00\x7f", r"\x1b[2K\x07\x00\x7f", id="control characters"),
        pytest.param("\x9b2J\x85", r"\x9b2J\x85", id="C1 control characters"),
        pytest.param("a\xa0b\u2003c\u3000d", r"a\xa0b\u2003c\u3000d", id="spaces that are not the space"),
        pytest.param("a\u2028b\u2029c", r"a\u2028b\u2029c", id="line and paragraph separators"),
        pytest.param("\u202egpj.exe\u202c", r"\u202egpj.exe\u202c", id="bidirectional overrides"),
        pytest.param("\u2066x\u2069\u200e\u200f\u061c", r"\u2066x\u2069\u200e\u200f\u061c", id="isolates and marks"),
        pytest.param("a\u200bb\u200dc\u2060d\ufeff\xad", r"a\u200bb\u200dc\u2060d\ufeff\xad", id="zero width"),
        pytest.param("\U000e0041\U000e007f", r"\U000e0041\U000e007f", id="tag characters"),
        pytest.param("x\ufe0f\U000e0100", r"x\ufe0f\U000e0100", id="variation selectors"),
        pytest.param("\ue000\U000f0000", r"\ue000\U000f0000", id="private use"),
        pytest.param("\u0378\U000bffff\uffff", r"\u0378\U000bffff\uffff", id="unassigned and noncharacters"),
        pytest.param("\udc80\ud800", r"\udc80\ud800", id="lone surrogates"),
        pytest.param(
            "\u3164\uffa0\u115f\u2800\u034f", r"\u3164\uffa0\u115f\u2800\u034f", id="letters that show nothing"
        ),
        pytest.param("e\u0301 \u0301x", "e\u0301 \\u0301x", id="a mark needs a base"),
        pytest.param("e" + "\u0301" * 5, "e" + "\u0301" * 3 + r"\u0301\u0301", id="a pile of marks"),
        pytest.param("\u0301", r"\u0301", id="a mark at the start, which would sit on our own text"),
        pytest.param("\u200b\u0301", r"\u200b\u0301", id="a mark after an escape"),
        pytest.param("x\u20dd", r"x\u20dd", id="an enclosing mark"),
        pytest.param("👍 ok", None, id="an emoji"),
    ],
)
def test_text_is_shown_as(text: str, expected: str | None) -> None:
    assert shown(text) == (text if expected is None else expected)


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        pytest.param("abcdef", 6, "abcdef", id="exactly at the limit"),
        pytest.param("abcdefg", 6, "abcdef… (+1 character)", id="one over"),
        pytest.param("x" * 2000, 10, "x" * 10 + "… (+1,990 characters)", id="thousands"),
        pytest.param("\x1b" * 5, 10, r"\x1b\x1b… (+3 characters)", id="escapes count in full and are never cut in two"),
        pytest.param("日本語", 2, "日本… (+1 character)", id="code points, not bytes"),
        pytest.param("abc", 0, "… (+3 characters)", id="nothing fits"),
    ],
)
def test_long_text_is_cut_with_a_count(text: str, limit: int, expected: str) -> None:
    assert shown(text, limit=limit) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("##[error]x", r"\x23#[error]x", id="at the start"),
        pytest.param("see ##[group]x", r"see \x23#[group]x", id="in the middle"),
        pytest.param("##vso[task.setvariable]", r"\x23#vso[task.setvariable]", id="Azure"),
        pytest.param("##VSO[x]", r"\x23#VSO[x]", id="Azure in capitals"),
        pytest.param("##teamcity[message text='x']", r"\x23#teamcity[message text='x']", id="TeamCity"),
        pytest.param("###[x]", r"#\x23#[x]", id="more number signs"),
        pytest.param("x##", r"x\x23#", id="where our own bracket may follow"),
        pytest.param("x##vso", r"x\x23#vso", id="a name where our own bracket may follow"),
        pytest.param("::error::x", r"\x3a:error::x", id="GitHub"),
        pytest.param("  ::add-mask::x", r"  \x3a:add-mask::x", id="GitHub after spaces"),
        pytest.param(":x", r"\x3ax", id="one colon, where ours may come before or after"),
        pytest.param("a::b", "a::b", id="colons inside are no command"),
        pytest.param("## Heading", "## Heading", id="a heading is no command"),
    ],
)
def test_commands_to_ci_runners_are_broken(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("a/b c.py", "a/b c.py", id="a space inside"),
        pytest.param(" a.py ", r"\x20a.py\x20", id="spaces at the ends"),
        pytest.param("  ", r"\x20\x20", id="only spaces"),
        pytest.param("a\n.py", r"a\n.py", id="a line end"),
        pytest.param("x\udcff", r"x\udcff", id="a byte that is not UTF-8"),
        pytest.param("d/" * 300, "d/" * 300, id="long paths are not cut at the limit of other text"),
    ],
)
def test_paths_show_what_nobody_would_see(path: str, expected: str) -> None:
    assert shown_path(path) == expected


def test_an_argument_vector_is_shown_as_json_strings() -> None:
    argv = ["npx", "-y", "a b", 'say "hi"', "back\\slash", "", "\x1b\u202e\U000e0041", "日本"]

    text = shown_argv(argv)

    assert text.startswith('"npx" "-y" "a b" "say \\"hi\\"" "back\\\\slash" "" "\\u001b\\u202e\\udb40\\udc41"')
    assert json.loads("[" + text.replace('" "', '", "') + "]") == argv


def test_a_long_argument_is_cut_outside_its_quotes() -> None:
    assert shown_argv(["x" * 12], limit=10) == '"xxxxxxxxxx"… (+2 characters)'


def test_a_runner_command_in_an_argument_stays_json() -> None:
    assert shown_argv(["##[x]", "::x"]) == '"\\u0023#[x]" "\\u003a:x"'


def test_carets_find_their_columns_in_a_shown_line() -> None:
    line = shown_line("\tx = '漢\x1b' + eval(y)\n")

    assert line.text == r"    x = '漢\x1b' + eval(y)"
    assert line.column(1) == 1
    assert line.column(2) == 5, "after a tab"
    assert line.column(8) == 12, "after a wide character: two columns"
    assert line.text[: line.column(13) - 2].endswith("+ "), "one wide character: one column more than characters"
    assert line.column(10_000) == display_width(line.text) + 1, "beyond the end"
    assert line.column(0) == 1


def test_a_long_line_is_cut_around_the_column_in_focus() -> None:
    line = shown_line("a" * 5000 + "eval(x)" + "b" * 5000, 60, focus=5001)

    assert line.text.startswith("(+")
    assert line.text.endswith(" characters)")
    start = line.column(5001) - 1
    assert line.text[start : start + 7] == "eval(x)"
    assert len(line.text) < 120


def test_a_long_line_that_begins_with_the_focus_is_cut_only_at_its_end() -> None:
    line = shown_line("eval(x)" + "b" * 500, 60)

    assert line.text == "eval(x)" + "b" * 53 + "… (+447 characters)"


@pytest.mark.parametrize(
    ("text", "width"), [("", 0), ("abc", 3), ("漢字", 4), ("\uff46", 2), ("e\u0301", 1), ("é", 1), ("👍", 2)]
)
def test_the_width_counts_terminal_columns(text: str, width: int) -> None:
    assert display_width(text) == width


def test_plain_text_needs_no_unicode_tables() -> None:
    code = "import sys, plugseal.shown as s; s.shown('plain'); s.shown('a\\x1b'); print('unicodedata2' in sys.modules)"

    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert out.stdout == "False\n"
