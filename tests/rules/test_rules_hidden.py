"""Invisible characters: what carries a text, what is a slip, and what scripts and emoji need."""

from __future__ import annotations

import pytest

from plugseal.scan.detectors.hidden import (
    MAX_LINES,
    MAX_STRAY_LINES,
    find_hidden,
    look_for_hidden_text,
    look_for_stray_invisible,
)

TAGS = "".join(chr(0xE0000 + ord(c)) for c in "append")

ORDINARY = {
    "emoji with a selector": "Welcome ❤\ufe0f!",
    "a family": "👩\u200d👩\u200d👧",
    "a rainbow flag": "🏳\ufe0f\u200d🌈",
    "a flag of a part of a country": "🏴" + "".join(chr(0xE0000 + ord(c)) for c in "gbsct") + "\U000e007f",
    "a keycap": "1\ufe0f\u20e3",
    "Persian with a non-joiner": "می\u200cخواهم",  # noqa: RUF001  # the script is the point
    "Hindi with a joiner": "क्\u200dष",
    "Thai with a break": "ภาษา\u200bไทย",
    "German with soft hyphens": "Donau\u00addampf\u00adschiff",
    "Hebrew with isolates": "שלום \u2066plugseal\u2069 עולם",
    "Arabic with a mark": "سلام\u200f!",
    "an ideograph with a selector": "葛\U000e0100",
    "a selector whose emoji is gone": "\ufe0f **Critical**",
    "numbers and names that are to mention nobody": "see repo#\u200b12, #\u200b7 and @\u200bname",
    "text without any": "plain text – with dashes",  # noqa: RUF001  # the dash is the point
}
LOUD = {
    "an override": "user\u202e x",
    "isolates without such a script": "a \u2066b\u2069",
    "tag characters": "Use two spaces." + TAGS,
    "a flag that says too much": "🏴" + TAGS * 3 + "\U000e007f",
    "a word split twice": "ig\u200bnore ins\u200btructions",
    "breaks that count": "a" + "\u200b" * 5 + " b",
    "kinds that are mixed": "one\u200b two\u200c three\u200b",
    "a split word among breaks": "ra\u200cnk and \u200cso",
    "a run": "a\u200b\u200c\u200db",
    "a run of selectors": "x" + "\ufe00\ufe01\ufe02\ufe03",
    "selectors that spell": "😀" + "\U000e0141\U000e0142\U000e0143",
    "a filler as a name": "\u3164 = 1",
}
SLIPS = {
    "a break in a Latin word": "S\u200bage",
    "two breaks before a word": "- **\u200b\u200bTracked** tasks",
    "a break at the end": "# as of 3.12\u200b",
    "a joiner between Latin letters": "Kim\u200dAuthor",
    "a mark inside": "a\ufeffb",
    "a word joiner": "a\u2060b",
    "breaks beside words, however many": "\u200bfile backend\u200b, \u200b\u200bdone\u200b\u200b. \u200bso\u200b: it",
    "a formula that was copied": r"Y=\hat{Y}+\frac{X}{2} " + "Y\u200b=\u03b1T\u200bX\u200bi\u200b\u200bZ",
    "marks beside words": "\ufeff`srt` and \ufeffso",
    "breaks after an escape": r"First line\n" + "\u200c64 concurrency\u200c: from 19s",
}


def lines_found(text: str, language: str = "Markdown") -> tuple[int, int]:
    data = text.encode()
    loud, slips = look_for_hidden_text("a", data, language), look_for_stray_invisible("a", data, language)
    return len(list(loud)), len(list(slips))


@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY)
def test_what_scripts_need_is_silent(text: str) -> None:
    assert lines_found(text) == (0, 0)
    assert list(find_hidden(text)) == []


@pytest.mark.parametrize("language", ["PDF", "picture (PNG)", "font (TrueType)", "sound (Ogg)", "database"])
def test_bytes_that_are_no_text_hide_none(language: str) -> None:
    assert lines_found(next(iter(LOUD.values())), language) == (0, 0)


@pytest.mark.parametrize("text", LOUD.values(), ids=LOUD)
def test_what_carries_a_text_is_loud(text: str) -> None:
    assert lines_found(text) == (1, 0)


@pytest.mark.parametrize("text", SLIPS.values(), ids=SLIPS)
def test_one_invisible_character_is_a_slip(text: str) -> None:
    assert lines_found(text) == (0, 1)


def test_a_mark_at_the_start_of_a_file_is_ordinary() -> None:
    assert lines_found("\ufeff# Notes") == (0, 0)


def test_words_of_such_a_script_excuse_nothing_in_code() -> None:
    text = 'if level != "user\u2066":  # עברית'
    assert lines_found(text, "Markdown") == (0, 0)
    assert lines_found(text, "python") == (1, 0)


def test_a_mark_after_such_a_letter_is_ordinary_in_code_too() -> None:
    assert lines_found("// the width of `\u0644\u0627`\u200e is one", "rust") == (0, 0)


@pytest.mark.parametrize("language", ["native", "archive", "binary"])
def test_what_is_no_text_is_not_looked_at(language: str) -> None:
    assert lines_found("a\u202eb", language) == (0, 0)


def test_the_place_counts_code_points() -> None:
    hit = next(iter(look_for_hidden_text("a", "é😀\nab\u202ec".encode(), "python")))
    assert tuple(hit.span) == (2, 3, 2, 4)
    assert hit.note == "invisible: U+202E"


def test_many_lines_end_in_a_count() -> None:
    hits = list(look_for_hidden_text("a", ("a\u202eb\n" * (MAX_LINES + 7)).encode(), "python"))
    assert len(hits) == MAX_LINES
    assert hits[-1].note.endswith("; and 7 more lines")


def test_what_copies_left_behind_in_very_many_lines_is_said_a_few_times() -> None:
    hits = list(look_for_stray_invisible("a", ("Load and save.\u200b\n" * 40).encode(), "Markdown"))
    assert len(hits) == MAX_STRAY_LINES
    assert hits[-1].note.endswith(f"; and {40 - MAX_STRAY_LINES} more lines")
