"""The commands of Claude's command and skill files that run before the model sees the text.

`` !`command` `` at the start of a line or behind a blank, and fences that begin with ```` ```! ````. A host runs them
wherever they stand in the text: examples, comments and quotations are no shelter.
See: https://code.claude.com/docs/en/skills
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.facts import Anchor, Nested
from plugseal.lang.prose.fences import programs_of
from plugseal.model.capability import Fact
from plugseal.model.location import Span
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

TRIGGER: Final = "command"
_INLINE: Final = lazy(r"(?:(?<=[ \t])|^)!`([^`\n]{1,8192})`", re.MULTILINE)
_BLOCK: Final = lazy(r"^[ \t]*```!([^\n`]*)\n(.*?)(?:^[ \t]*```|\Z)", re.MULTILINE | re.DOTALL)


class Expansion(NamedTuple):
    """One command, with what it is a fact of."""

    facts: tuple[Fact, ...]
    nested: Nested


def runs_expansions(path: str) -> bool:
    """Say whether a host that knows these marks reads the file at `path`: skills and commands.

    What a skill refers to is read by the model, as a file like any other.
    """
    *folders, name = path.split("/")
    return name.lower() == "skill.md" or "commands" in folders or folders[-1:] == ["skills"]


def iterate_expansions(text: str) -> Iterator[Expansion]:
    """Yield every command in a text that runs before the model sees it."""
    if "!`" not in text and "```!" not in text:
        return
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    for match in _INLINE.finditer(text):
        yield _expansion(match, 1, starts)
    for match in _BLOCK.finditer(text):
        yield _expansion(match, 2, starts)


def _expansion(match: re.Match[str], group: int, starts: list[int]) -> Expansion:
    from bisect import bisect_right

    command = match[group]

    def place(offset: int) -> tuple[int, int]:
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    span = Span(*place(match.start(group)), *place(match.end(group)))
    offset, anchors = match.start(group), []
    for line in command.split("\n"):
        anchors.append(Anchor(offset - match.start(group), *place(offset)))
        offset += len(line) + 1
    names = programs_of(command) or [None]
    facts = [Fact(span, "autorun", name, "direct", "prose", TRIGGER) for name in names]
    facts += [Fact(span, "process.shell", name, "direct", "prose", TRIGGER) for name in names]
    return Expansion(tuple(facts), Nested("shell", command, span, tuple(anchors), TRIGGER, "command expansion"))
