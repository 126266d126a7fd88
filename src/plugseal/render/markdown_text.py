"""Hostile text in Markdown: nothing mentions, links, closes, opens or runs anything, on GitHub or elsewhere.

A plugin's words stand in code spans and fenced blocks alone, where GitHub makes neither mentions (`@name`, `#1`) nor
links, and where HTML is text. A fence is longer than any inside. Our own words are escaped too: they may quote.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.patterns import lazy
from plugseal.render.text import Line, plain
from plugseal.shown import shown, shown_path

_PUNCTUATION: Final = lazy(r"([\\`*_{}\[\]()<>#+|~&!-])")
_SPEAKS: Final = lazy(r"(?i)@|#\d|://|www\.|\bgh-\d|\b[0-9a-f]{7,64}\b|mailto:|xmpp:")
"""What GitHub makes a mention or a link of, wherever it stands outside code."""


def code(text: str, *, limit: int = 200) -> str:
    """Return hostile text as a code span that may stand anywhere, in a cell of a table too."""
    return _span(shown(text, limit=limit))


def code_shown(safe: str) -> str:
    """Return text that went through `shown()` before as a code span."""
    return _span(safe)


def code_path(path: str) -> str:
    """Return a path as a code span."""
    return _span(shown_path(path) or ".")


def words(text: str) -> str:
    """Return text of ours, whose literals stand in backticks and may be hostile."""
    parts = shown(text, limit=2_000).split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = [f"{parts[-2]}'{parts[-1]}"]
    return "".join(_span(part) if number % 2 else _bare(part) for number, part in enumerate(parts) if part)


def fenced(lines: Iterable[Line | str]) -> Iterator[str]:
    """Yield lines as a block of code whose fence is longer than any inside."""
    rows = [row if isinstance(row, str) else plain(row) for row in lines]
    longest = max((len(run) for row in rows for run in re.findall("`+", row)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}text"
    yield from rows
    yield fence


def _bare(text: str) -> str:
    return _span(text) if _SPEAKS.search(text) else _PUNCTUATION.sub(r"\\\1", text)


def _span(safe: str) -> str:
    # A cell ends at a bar even in code, so a bar is written as `shown` writes what may not stand.
    text = safe.replace("|", "\\x7c") or " "
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    padded = text if not text.strip(" ") or not (text[0] in "` " or text[-1] in "` ") else f" {text} "
    return f"{fence}{padded}{fence}"
