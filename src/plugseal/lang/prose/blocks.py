"""Cut a Markdown text into its blocks, line by line, in one pass: headings, paragraphs, items, rows, fences, comments.

It reads as a model does, which sees the source: a fence is one at any depth of indentation, and one that never ends
goes to the end of the text. Front matter is a block of its own. Nothing here judges what a block says.
See: https://spec.commonmark.org/0.31.2/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.prose.lines import Piece, Stretch
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

HEADING: Final = "heading"
PARAGRAPH: Final = "paragraph"
ITEM: Final = "item"
ROW: Final = "row"
FENCE: Final = "fence"
CODE: Final = "code"
"""Indented."""
COMMENT: Final = "comment"
FRONT: Final = "front"

_QUOTE: Final = lazy(r"[ \t]{0,3}>[ \t]?")
_FENCE: Final = lazy(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>[^\n]*)")
_CLOSING: Final = lazy(r"[ \t]*(?P<marks>`{3,}|~{3,})[ \t]*\Z")
_HEADING: Final = lazy(r"[ ]{0,3}(?P<marks>#{1,6})(?:[ \t]+(?![ \t])(?P<text>[^\n]*)|)\Z")
_UNDERLINE: Final = lazy(r"[ ]{0,3}(?:(?P<first>=+)|-+)[ \t]*\Z")
_RULE: Final = lazy(r"[ ]{0,3}(?:[*][ \t]*){3,}\Z|[ ]{0,3}(?:-[ \t]*){3,}\Z|[ ]{0,3}(?:_[ \t]*){3,}\Z")
_ITEM: Final = lazy(r"[ \t]*(?:[-*+\u2022]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_NOTE: Final = lazy(r"""[ ]{0,3}\[[^\]\n]{1,80}\]:(?:[ \t]*(?=[<\#>])<?\#?>?)?[ \t]+(?:"|'|\()(?P<text>[^\n]*)""")
"""A link definition that leads nowhere and has a title: a way to write a comment that no page shows."""
_FRONT: Final = lazy(r"---[ \t]*\Z")
_FRONT_END: Final = lazy(r"(?:---|\.\.\.)[ \t]*\Z")
_SPAN: Final = lazy(r"(?<!`)(`{1,8})(?!`)(?:[^`]|(?!\1(?!`))`)*?(?<!`)\1(?!`)")
"""Code within a line, which a page shows as it stands."""
_COMMAND: Final = lazy(
    r"(?:\$ )?(?:sudo )?(?:curl|wget|iwr|irm|(?:ba|z|da)?sh|npx|npm|pip3?|uvx?|python3?|node|git|docker|chmod|brew|"
    r"powershell|pwsh|eval|source) [^\n]{0,500}?(?:[ ]-|[/|$=])"
)
"""A line that is a command and nothing else."""
_SPECIAL: Final = frozenset(">`~#-*+=_|<[\u20220123456789")
"""What a line begins with that is more than a line of a paragraph."""


class Block(NamedTuple):
    """One block."""

    kind: str
    stretch: Stretch
    info: str = ""
    """The words behind the marks of a fence, the level of a heading."""
    is_quoted: bool = False
    is_open: bool = False
    """A fence or comment that the text ends before."""


def parse_blocks(text: str) -> list[Block]:
    """Return the blocks of a text in order."""
    return list(_Parser(text).blocks())


class _Parser:
    """Where one pass over the lines stands."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._found: list[Block] = []
        self._open: list[Piece] = []
        self._kind = PARAGRAPH
        self._is_quoted = False
        self._is_in_list = False

    def blocks(self) -> Iterator[Block]:
        number = self._skip_front()
        total = len(self._lines)
        while number < total:
            number = self._take(number)
        self._flush()
        return iter(self._found)

    def _skip_front(self) -> int:
        """Take the front matter, and return the index of the line behind it."""
        if not _FRONT.match(self._lines[0]):
            return 0
        for number in range(1, len(self._lines)):
            if _FRONT_END.match(self._lines[number]):
                pieces = tuple(Piece(at + 1, 1, self._lines[at]) for at in range(1, number))
                if pieces:
                    self._found.append(Block(FRONT, Stretch(pieces)))
                return number + 1
        return 0

    def _take(self, number: int) -> int:
        """Take the line at an index and what belongs to it; return the index of the next."""
        line = self._lines[number]
        body = line.lstrip(" \t")
        if not body:
            self._flush()
            self._is_quoted = False
            return number + 1
        if "<!--" in line and _comment_begins(line) >= 0:
            return self._with_comments(number)
        if body[0] not in _SPECIAL:
            self._plain(number, line, len(line) - len(body))
            return number + 1
        quote = 0
        while (match := _QUOTE.match(line, quote)) is not None:
            quote = match.end()
        return self._special(number, line, quote)

    def _special(self, number: int, line: str, quote: int) -> int:
        """Take a line that may begin something: `quote` columns of it are marks of quotation."""
        if bool(quote) is not self._is_quoted and (quote or self._open):
            self._flush()
            self._is_quoted = bool(quote)
        rest = line[quote:] if quote else line
        fence = _FENCE.match(rest)
        if fence is not None and not (fence["marks"][0] == "`" and "`" in fence["info"]):
            self._flush()
            return self._fence(number, fence, is_quoted=bool(quote))
        if self._begins_block(number, rest, quote):
            return number + 1
        item = _ITEM.match(rest)
        if item is not None:
            self._flush(is_list=True)
            self._kind = ITEM
            self._open.append(Piece(number + 1, quote + item.end() + 1, rest[item.end() :]))
        else:
            self._plain(number, line, quote + len(rest) - len(rest.lstrip(" \t")), quote)
        return number + 1

    def _begins_block(self, number: int, rest: str, quote: int) -> bool:
        """Take a heading, an underline, a row, a rule or a note."""
        heading = _HEADING.match(rest)
        if heading is not None:
            self._flush()
            start = quote + (heading.start("text") if heading["text"] is not None else 0)
            self._add(HEADING, (Piece(number + 1, start + 1, heading["text"] or ""),), str(len(heading["marks"])))
            return True
        underline = _UNDERLINE.match(rest) if self._open and self._kind == PARAGRAPH else None
        if underline is not None:
            pieces, self._open = tuple(self._open), []
            self._add(HEADING, pieces, "1" if underline["first"] else "2")
            return True
        if rest.lstrip(" \t").startswith("|"):
            self._flush(is_list=self._is_in_list)
            self._add(ROW, (Piece(number + 1, quote + 1, rest),))
            return True
        note = _NOTE.match(rest)
        if note is not None:
            self._flush()
            self._add(COMMENT, (Piece(number + 1, quote + note.start("text") + 1, note["text"]),))
            return True
        if _RULE.match(rest):
            self._flush()
            return True
        return False

    def _plain(self, number: int, line: str, indent: int, quote: int = 0) -> None:
        """Take a line of running text, or of indented code; `quote` columns of the indentation are marks."""
        is_deep = indent - quote >= 4 or line.startswith("\t")
        is_code = not self._open and is_deep
        # Below an item a page shows text; a model sees a command that stands apart, as in a fence.
        is_code = is_code and (not self._is_in_list or _COMMAND.match(line, indent) is not None)
        if not self._open:
            self._kind = CODE if is_code else PARAGRAPH
            self._is_in_list = self._is_in_list and indent > 0
        elif self._kind == CODE and not is_deep:
            self._flush()
        self._open.append(Piece(number + 1, indent + 1, line[indent:]))

    def _fence(self, number: int, match: re.Match[str], *, is_quoted: bool) -> int:
        """Take a fence, to its end or that of the text; a quoted one also ends with the quotation."""
        marks = match["marks"]
        pieces: list[Piece] = []
        number += 1
        while number < len(self._lines):
            line = self._lines[number]
            quote = 0
            if is_quoted:
                found = _QUOTE.match(line)
                if found is None:
                    break
                quote = found.end()
            closing = _CLOSING.match(line, quote)
            if closing is not None and closing["marks"].startswith(marks):
                self._fenced(pieces, match["info"], is_quoted=is_quoted)
                return number + 1
            pieces.append(Piece(number + 1, quote + 1, line[quote:] if quote else line))
            number += 1
        self._fenced(pieces, match["info"], is_quoted=is_quoted, is_open=True)
        return number

    def _fenced(self, pieces: list[Piece], info: str, *, is_quoted: bool, is_open: bool = False) -> None:
        if pieces:
            self._found.append(Block(FENCE, Stretch(tuple(pieces)), info.strip(), is_quoted, is_open))

    def _with_comments(self, number: int) -> int:
        """Take a line with comments in it: what stands before, between and behind them too."""
        at = 0
        while number < len(self._lines):
            line = self._lines[number]
            start = _comment_begins(line, at)
            if line[at : start if start >= 0 else None].strip():
                self._open.append(Piece(number + 1, at + 1, line[at : start if start >= 0 else None]))
            if start < 0:
                break
            number, at = self._comment(number, start + 4)
        return number + 1

    def _comment(self, number: int, at: int) -> tuple[int, int]:
        """Take a comment, to its end or that of the text; return the index of the line and the column behind it."""
        pieces: list[Piece] = []
        while number < len(self._lines):
            line = self._lines[number]
            end = line.find("-->", at)
            pieces.append(Piece(number + 1, at + 1, line[at:] if end < 0 else line[at:end]))
            if end >= 0:
                break
            number, at = number + 1, 0
        is_open = number >= len(self._lines)
        self._flush(is_list=self._is_in_list)
        self._found.append(Block(COMMENT, Stretch(tuple(pieces)), is_open=is_open))
        return (number, 0) if is_open else (number, end + 3)

    def _add(self, kind: str, pieces: tuple[Piece, ...], info: str = "") -> None:
        self._found.append(Block(kind, Stretch(pieces), info, self._is_quoted))

    def _flush(self, *, is_list: bool | None = None) -> None:
        """End the open paragraph or item."""
        if self._open:
            self._add(self._kind, tuple(self._open))
            self._is_in_list = self._is_in_list or self._kind == ITEM
            self._open = []
        if is_list is not None:
            self._is_in_list = is_list
        self._kind = PARAGRAPH


def _comment_begins(line: str, at: int = 0) -> int:
    """Return where the next comment of a line begins, -1 where none does: within a span of code it is shown."""
    start = line.find("<!--", at)
    if start < 0 or "`" not in line[at:start]:
        return start
    for span in _SPAN.finditer(line, at):
        if start < span.start():
            break
        start = line.find("<!--", span.end()) if start < span.end() else start
    return start
