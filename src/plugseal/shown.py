r"""Turn hostile text into text that is safe and honest on a screen, in a log and in a CI runner.

A plugin's text reaches a person only through here. What could move the cursor, hide, reorder or stack characters,
speak to a terminal or command a CI runner comes out as a visible escape (`\n`, `\x1b`, `\u202e`, `\U000e0041`), and so
does the backslash: without a cut, two different texts never look alike. Escapes are what Python reads in a string
literal. Long text is cut, and says by how much. Nothing here ever raises on any text, and plain ASCII needs no tables.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Final

from plugseal.limits import MAX_PATH_BYTES, MAX_SHOWN_CHARACTERS
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

TAB_COLUMNS: Final = 4
"""A tab in a source line is shown as so many spaces, wherever it stands."""
MAX_MARKS: Final = 3
"""Combining marks on one base that are shown as they are; Hebrew and Vietnamese need three."""

_NAMED: Final = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SPECIAL: Final = lazy(r"[^ -\[\]-~]")
"""What the fast path does not know: the backslash and all but printable ASCII."""
_ASCII_ESCAPED: Final = frozenset("\\\x7f") | frozenset(map(chr, range(32)))
_RUNNER: Final = lazy(r"\A[ \t]*:|#(?=#[\w.-]{0,32}(?:\[|\Z))")
"""A leading `:`, and `##[`, `##vso[`, `##teamcity[` anywhere, also where our own text would supply the bracket.

GitHub's runner trims a line before it looks for `::`, and our own text may supply the second colon (`path:line`); it
finds `##[` anywhere in a line. See: https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
"""
_NUMBER_SIGNS: Final = lazy(r"#(?=#)")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Me"})
_MARKS: Final = frozenset({"Mn", "Mc"})
_BLANK: Final = (
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian variation selectors
    (0x2800, 0x2800),  # Braille blank
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFFA0, 0xFFA0),  # halfwidth Hangul filler
    (0xFFFC, 0xFFFC),  # object replacement
    (0x16FE4, 0x16FE4),  # Khitan filler
    (0x1D159, 0x1D159),  # musical null notehead
    (0xE0000, 0xE0FFF),  # tags and variation selectors supplement
)
"""Code points that show nothing although their category calls them letters, marks or symbols."""
_BLANK_STARTS: Final = tuple(first for first, _ in _BLANK)


class ShownLine(NamedTuple):
    """One line of source, safe to print, that still knows where its code points went."""

    text: str
    columns: tuple[int, ...]
    """Where each kept code point begins, 1-based in columns of a terminal, and one more for the end."""
    first: int
    """The 1-based code point column that the first element of `columns` stands for."""

    def column(self, code_point_column: int) -> int:
        """Return the 1-based terminal column of a 1-based code point column; what was cut maps to the nearest end."""
        index = min(max(code_point_column - self.first, 0), len(self.columns) - 1)
        return self.columns[index]


def shown(text: str, *, limit: int = MAX_SHOWN_CHARACTERS) -> str:
    """Return hostile text as one line that is safe to print anywhere.

    Args:
        text: anything, lone surrogates included.
        limit: how many characters may be shown, escapes counted in full; the rest is cut and counted.
    """
    if len(text) <= limit and _is_plain(text):
        return text
    pieces = _pieces(text[: limit + 1], _escaped)
    kept = _how_many_fit(map(len, pieces), limit)
    return "".join(pieces[:kept]) + _cut_note(len(text) - kept)


def shown_json(text: str) -> str:
    """Return JSON in ASCII with the same value, in which no CI runner finds a command and DEL is an escape too.

    Args:
        text: serialised JSON without anything beyond ASCII.
    """
    if "##" not in text and "\x7f" not in text:
        return text
    return _NUMBER_SIGNS.sub(r"\\u0023", text).replace("\x7f", r"\u007f")


def shown_path(path: str) -> str:
    r"""Return a path of a scanned tree; a space at its ends, which nobody would see, becomes `\x20`."""
    text = shown(path, limit=MAX_PATH_BYTES)
    core = text.strip(" ")
    if core == text:
        return text
    before = len(text) - len(text.lstrip(" "))
    after = len(text) - len(core) - before
    return "\\x20" * before + core + "\\x20" * after


def shown_argv(argv: Iterable[str], *, limit: int = MAX_SHOWN_CHARACTERS) -> str:
    """Return an argument vector as JSON strings with a space between, so that every boundary is visible.

    Args:
        argv: the arguments as they would be executed.
        limit: how many characters of each argument may be shown.
    """
    return " ".join(_json_string(argument, limit) for argument in argv)


def shown_line(line: str, limit: int = MAX_SHOWN_CHARACTERS, *, focus: int = 1) -> ShownLine:
    """Return one line of source for printing, with a map of columns for carets.

    Args:
        line: the line, with or without its line end.
        limit: how many terminal columns of it may be shown.
        focus: the 1-based code point column that must stay visible; a long line is cut before it as well.
    """
    line = line.rstrip("\r\n")
    start = 0 if len(line) <= limit or focus <= limit // 2 else min(focus, len(line)) - 1 - limit // 4
    raw = line[start : start + limit + 1]
    pieces = [" " * TAB_COLUMNS if c == "\t" else piece for c, piece in zip(raw, _pieces(raw, _escaped), strict=True)]
    widths = [display_width(piece) for piece in pieces]
    kept = _how_many_fit(widths, limit)
    head = f"(+{_count(start)}) …" if start else ""
    columns = tuple(accumulate(widths[:kept], initial=display_width(head) + 1))
    text = head + "".join(pieces[:kept]) + _cut_note(len(line) - start - kept)
    return ShownLine(text, columns, start + 1)


def display_width(text: str) -> int:
    """Return how many terminal columns shown text takes: wide East Asian characters two, marks none."""
    if text.isascii():
        return len(text)
    from plugseal.names import category, east_asian_width

    width = 0
    for character in text:
        if east_asian_width(character) in ("W", "F"):
            width += 2
        elif category(character) != "Mn":
            width += 1
    return width


def _is_plain(text: str) -> bool:
    return _SPECIAL.search(text) is None and _RUNNER.search(text) is None


def _pieces(text: str, escape: Callable[[str], str]) -> list[str]:
    """Return what each code point is shown as."""
    if text.isascii():
        pieces = [escape(c) if c in _ASCII_ESCAPED else c for c in text]
    else:
        pieces = _unicode_pieces(text, escape)
    for match in _RUNNER.finditer(text):
        pieces[match.end() - 1] = escape(text[match.end() - 1])
    return pieces


def _unicode_pieces(text: str, escape: Callable[[str], str]) -> list[str]:
    """Return the pieces of text that needs the Unicode tables: a mark needs a visible base, and has few neighbours."""
    from plugseal.names import category

    pieces = []
    marks_left = 0
    for character in text:
        kind = category(character)
        if kind in _MARKS and marks_left and not _is_blank(character):
            marks_left -= 1
            pieces.append(character)
            continue
        is_escaped = character == "\\" or kind in _MARKS or kind in _HIDDEN or _is_blank(character)
        is_escaped = is_escaped and character != " "
        marks_left = 0 if is_escaped or character == " " else MAX_MARKS
        pieces.append(escape(character) if is_escaped else character)
    return pieces


def _is_blank(character: str) -> bool:
    code = ord(character)
    index = bisect_right(_BLANK_STARTS, code) - 1
    return index >= 0 and code <= _BLANK[index][1]


def _escaped(character: str) -> str:
    named = _NAMED.get(character)
    if named is not None:
        return named
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escaped(character: str) -> str:
    named = _NAMED.get(character)
    if named is not None:
        return named
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _json_string(text: str, limit: int) -> str:
    pieces = ['\\"' if piece == '"' else piece for piece in _pieces(text[: limit + 1], _json_escaped)]
    kept = _how_many_fit(map(len, pieces), limit)
    return '"' + "".join(pieces[:kept]) + '"' + _cut_note(len(text) - kept)


def _how_many_fit(sizes: Iterable[int], limit: int) -> int:
    """Return how many leading items have a sum of at most `limit`."""
    return bisect_right(list(accumulate(sizes)), limit)


def _cut_note(left: int) -> str:
    return f"… (+{_count(left)})" if left else ""


def _count(number: int) -> str:
    return f"{number:,} character" + ("" if number == 1 else "s")
