"""What a word may be, several texts each with its flags: put together, taken apart into words, within bounds."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.judging.telling import most_telling
from plugseal.lang.shell.words.marks import DISGUISED, SPLIT, UNSURE

if TYPE_CHECKING:
    from plugseal.lang.shell.parsing.parse import Node
    from plugseal.lang.shell.parsing.scanning import Word

MAX_ALTERNATIVES: Final = 6
MAX_TEXT: Final = 65_536
EXPANDED: Final = frozenset(
    ("simple_expansion", "expansion", "command_substitution", "process_substitution", "arithmetic_expansion")
)
"""Nodes that the shell puts something else in the place of."""


def joined(found: list[tuple[str, int]], gap: str, inner: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return everything so far, each with everything that may follow, within bounds."""
    joined: list[tuple[str, int]] = []
    for text, flags in found:
        for more, others in inner:
            if len(text) + len(gap) + len(more) > MAX_TEXT:
                joined.append((HOLE, flags | others))
            else:
                joined.append((text + gap + more, flags | others))
    return few(joined)


def few(found: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return at most `MAX_ALTERNATIVES` texts: of more those that matter most, and a hole for the others."""
    if len(found) <= MAX_ALTERNATIVES:
        return found
    return [*most_telling(found, MAX_ALTERNATIVES - 1, itemgetter(0))[: MAX_ALTERNATIVES - 1], (HOLE, 0)]


def variations(parts: list[list[list[Word]]]) -> list[list[Word]]:
    """Return the words of a command with one of them another than the first it may be, each list one such change."""
    others = [(at, other) for at, part in enumerate(parts) for other in part[1:]]
    if len(others) >= MAX_ALTERNATIVES:
        kept = most_telling(others, MAX_ALTERNATIVES - 2, _texts_of)[: MAX_ALTERNATIVES - 2]
        at = next(at for at, part in enumerate(parts) if len(part) > 1)
        others = [*kept, (at, [word._replace(text=HOLE) for word in parts[at][1]])]
    return [[word for i, one in enumerate(parts) for word in (other if i == at else one[0])] for at, other in others]


def _texts_of(other: tuple[int, list[Word]]) -> str:
    return " ".join(word.text for word in other[1])


def doubted(part: list[list[Word]]) -> list[list[Word]]:
    """Return the alternatives of a word that may be none."""
    return [[word._replace(flags=word.flags | UNSURE) for word in words] for words in part]


def each_word(node: Node, values: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the words that a loop goes through: a variable without quotes gives each of its words, `"${a[@]}"` too."""
    if node.type in ("simple_expansion", "expansion", "command_substitution"):
        return [(word, flags) for text, flags in values for word in text.replace(SPLIT, " ").split() or [text]]
    return [(word, flags) for text, flags in values for word in text.split(SPLIT)]


def with_holes(quoted: str) -> str:
    """Return what single quotes hold; what a text around this one could not know is a hole in quotes too."""
    return quoted.replace("${_}", HOLE) if "${_}" in quoted else quoted


def glued(words: list[Word], data: bytes) -> list[Word]:
    """Return words with those made one that only a continued line parts: the grammar takes it for a blank."""
    found: list[Word] = []
    for word in words:
        before = found[-1] if found else None
        if before is not None and data[before.end : word.start] in (b"\\\n", b"\\\r\n"):
            # A list is broken behind its comma; a name in the middle of its letters is broken to be hidden.
            is_broken = before.text[-1:].isalnum() and word.text[:1].isalnum()
            flags = before.flags | word.flags | (DISGUISED if is_broken else 0)
            found[-1] = before._replace(text=before.text + word.text, flags=flags, end=word.end)
        else:
            found.append(word)
    return found
