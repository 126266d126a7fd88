"""Read a file of a small language whose whole effect a few words tell: acts and where they stand become facts.

Awk, sed and SQL share it: each says only which acts a text holds. Never raises on any bytes, never runs anything.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import TypeAlias

from plugseal.lang.facts import EntryPoint, FileFacts, Nested, unread
from plugseal.lang.folded import HOLE
from plugseal.lang.judging.objects import cut_object
from plugseal.lang.judging.paths import is_outside, is_secret
from plugseal.model.capability import Fact, fact_order
from plugseal.model.location import Span
from plugseal.records import NamedTuple


class Act(NamedTuple):
    """One thing that a command or a statement does."""

    capability: str
    kind: str
    """What `named` is: `path`, `host`, `package`, `program`, `line` (for a shell), `text`, or empty for nothing."""
    named: str | None
    is_sure: bool = True


PlacedActs: TypeAlias = Callable[[str], Iterator[tuple[int, Act]]]
"""Gives (offset in the text, what is done there), in the order of the text."""


def read_placed_acts(language: str, data: bytes, acts_of: PlacedActs) -> FileFacts:
    """Return the facts of one file; `how` of what it gives to a shell is the language's name."""
    from plugseal.lang.prose.lines import decode_prose  # whoever only tells acts reads no file

    text, reason = decode_prose(data)
    if reason:
        return unread(language, reason)
    starts = [0, *(at + 1 for at, character in enumerate(text) if character == "\n")]
    facts: set[Fact] = set()
    nested: list[Nested] = []
    for offset, act in acts_of(text):
        line = bisect_right(starts, offset)
        column = offset - starts[line - 1] + 1
        span = Span(line, column, line, column + 1)
        facts.update(_facts(act, span))
        if act.kind == "line" and act.named:
            nested.append(Nested("shell", act.named.replace(HOLE, "${_}"), span, (), "start", language))
    return FileFacts(
        language,
        "read",
        facts=tuple(sorted(facts, key=fact_order)),
        entries=(EntryPoint("<module>", "start", 1),),
        nested=tuple(nested),
    )


def _facts(act: Act, span: Span) -> Iterator[Fact]:
    """Yield what an act means, and where it leaves the tree or reads a secret."""
    named = cut_object("program" if act.kind == "line" else act.kind, act.named) if act.named is not None else None
    resolution = "direct" if act.is_sure else "possible"
    yield Fact(span, act.capability, named, resolution, "code", "start")
    if act.kind != "path" or act.named is None:
        return
    if is_outside(act.named):
        yield Fact(span, "path.outside", named, resolution, "code", "start")
    if act.capability == "fs.read" and is_secret(act.named):
        yield Fact(span, "credentials.read", named, resolution, "code", "start")
