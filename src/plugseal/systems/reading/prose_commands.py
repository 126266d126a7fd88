"""Commands in Markdown that a client runs before the model sees a word of it: `` !`command` `` and ```` ```! ````.

For Claude Code the inline form counts at the start of a line or behind white space, wherever that is: inside an
ordinary fence too, since the text is searched before anybody reads it as Markdown. For OpenCode it counts behind
anything, and there are no blocks. Linear in the length of the text, whatever is in it.

See: https://code.claude.com/docs/en/skills, https://opencode.ai/docs/commands
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.location import Span
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_FENCE: Final = "```"
_OPEN: Final = "```!"
_OPENCODE: Final = "/.opencode/"
_INLINE: Final = lazy(r"(?<!\S)!`([^`]+)`")
_ANYWHERE: Final = lazy(r"!`([^`]+)`")


class ProseCommand(NamedTuple):
    """A command inside a text."""

    span: Span
    text: str
    """For a shell, as written."""
    is_block: bool


def is_prose(path: str) -> bool:
    """Say whether a file is kept for its front matter and the digest of its text alone."""
    return path.endswith((".md", ".mdc", ".markdown"))


def commands_of(path: str, data: bytes, start: int = 0) -> tuple[ProseCommand, ...]:
    """Return the commands of a file, as the client reads them in whose folder it lies."""
    return (find_inline if _OPENCODE in f"/{path}" else find_commands)(data, start)


def find_commands(data: bytes, start: int = 0) -> tuple[ProseCommand, ...]:
    """Return the commands of a text, by place; of more than `MAX_DECLARED` that many and one, so that it is seen.

    Args:
        data: all bytes of the file.
        start: bytes of the front matter, in which nothing is run.
    """
    if b"!`" not in data and b"```!" not in data:
        return ()
    text = data.decode("utf-8", "replace")
    begin = len(data[:start].decode("utf-8", "replace"))
    blocks = _blocks(text, begin)
    found = [(first, last, True) for first, last in blocks]
    for match in _INLINE.finditer(text, begin):
        if not any(first <= match.start() < last for first, last in _around(blocks, match.start())):
            found.append((match.start(1), match.end(1), False))
    ends = list(accumulate(len(line) + 1 for line in text.split("\n")))
    return tuple(
        ProseCommand(_span(ends, first, last), text[first:last], is_block)
        for first, last, is_block in sorted(found)[: MAX_DECLARED + 1]
        if text[first:last].strip()
    )


def inline_lines(text: str) -> Iterator[str]:
    """Yield the commands of a text in which they count behind anything, such as a template of OpenCode."""
    yield from (line for line in _ANYWHERE.findall(text) if line.strip())


def find_inline(data: bytes, start: int = 0) -> tuple[ProseCommand, ...]:
    """Return the commands of a text in which they count behind anything, and blocks don't."""
    if b"!`" not in data:
        return ()
    text = data.decode("utf-8", "replace")
    begin = len(data[:start].decode("utf-8", "replace"))
    found = [match.span(1) for match in _ANYWHERE.finditer(text, begin) if match[1].strip()]
    ends = list(accumulate(len(line) + 1 for line in text.split("\n")))
    return tuple(
        ProseCommand(_span(ends, first, last), text[first:last], is_block=False)
        for first, last in found[: MAX_DECLARED + 1]
    )


def _blocks(text: str, begin: int) -> list[tuple[int, int]]:
    """Return where the contents of blocks stand, each up to the next fence."""
    found: list[tuple[int, int]] = []
    at = text.find(_OPEN, begin)
    while at >= 0:
        first = at + len(_OPEN)
        last = text.find(_FENCE, first)
        if last < 0:
            break
        inside = text[first:last]
        shift = len(inside) - len(inside.lstrip())
        found.append((first + shift, max(first + shift, last - (len(inside) - len(inside.rstrip())))))
        at = text.find(_OPEN, last + len(_FENCE))
    return found


def _around(blocks: list[tuple[int, int]], offset: int) -> list[tuple[int, int]]:
    """Return the one block that may hold an offset."""
    at = bisect_right(blocks, (offset, len(blocks) and blocks[-1][1]))
    return blocks[at - 1 : at] if at else []


def _span(ends: list[int], first: int, last: int) -> Span:
    start, stop = bisect_right(ends, first), bisect_right(ends, max(first, last - 1))
    line_of = [0, *ends[: stop + 1]]
    return Span(start + 1, first - line_of[start] + 1, stop + 1, last - line_of[stop] + 1)
