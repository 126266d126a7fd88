"""What a word may be, several texts each with its flags: put together, taken apart into words, within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.shell.words.marks import SPLIT

if TYPE_CHECKING:
    from plugseal.lang.shell.parsing.parse import Node

MAX_ALTERNATIVES: Final = 6
MAX_TEXT: Final = 65_536


def joined(found: list[tuple[str, int]], gap: str, inner: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return everything so far, each with everything that may follow, within bounds."""
    joined = []
    for text, flags in found:
        for more, others in inner:
            if len(text) + len(gap) + len(more) > MAX_TEXT:
                joined.append((HOLE, flags | others))
            else:
                joined.append((text + gap + more, flags | others))
            if len(joined) >= MAX_ALTERNATIVES:
                return joined
    return joined


def each_word(node: Node, values: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the words that a loop goes through: a variable without quotes gives each of its words, `"${a[@]}"` too."""
    if node.type in ("simple_expansion", "expansion", "command_substitution"):
        return [(word, flags) for text, flags in values for word in text.replace(SPLIT, " ").split() or [text]]
    return [(word, flags) for text, flags in values for word in text.split(SPLIT)]


def with_holes(quoted: str) -> str:
    """Return what single quotes hold; what a text around this one could not know is a hole in quotes too."""
    return quoted.replace("${_}", HOLE) if "${_}" in quoted else quoted
