"""Map what was read in a nested text back to the file that holds it.

Law: a place that an anchor covers is exact in the file; any other is the whole stretch of the text.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Final

from plugseal.lang.facts import Anchor, FileFacts, Nested
from plugseal.lang.folded import STAND_IN
from plugseal.model.capability import Channel, Fact, Resolution, fact_order
from plugseal.model.location import WHOLE_FILE, Span

_NEUTRAL_TRIGGERS = frozenset({"import", "start", "unknown"})
"""What a nested program's own top level says: it runs when the text around it runs it."""

ELSEWHERE: Final = " elsewhere"
"""Ends how a text is run that another machine or a container runs: what it does is only possible here."""


class Places:
    """Places of one nested text in its file."""

    def __init__(self, nested: Nested) -> None:
        self._nested = nested
        self._offsets = [anchor.offset for anchor in nested.anchors]
        lengths = (len(line) + 1 for line in nested.text.split("\n"))
        self._starts = [0, *accumulate(lengths)] if nested.anchors else []

    def span(self, inner: Span) -> Span:
        """Return where a stretch of the nested text stands in the file."""
        if not self._offsets or inner.line == 0:
            return self._nested.span
        start = self._place(inner.line, inner.column)
        # The end is exclusive: the place of the last code point, plus one.
        end = self._place(inner.end_line, inner.end_column - 1) if inner.end_column > 1 else start
        if start is None or end is None:
            return self._nested.span
        return Span(*start, end[0], end[1] + 1)

    def _place(self, line: int, column: int) -> tuple[int, int] | None:
        if line >= len(self._starts):
            return None
        offset = self._starts[line - 1] + column - 1
        at = bisect_right(self._offsets, offset) - 1
        if at < 0:
            return None
        anchor = self._nested.anchors[at]
        if anchor.offset < self._starts[line - 1]:
            return None  # A line ended since, and nobody said where the next one stands.
        return anchor.line, anchor.column + offset - anchor.offset


def mapped(found: FileFacts, nested: Nested) -> FileFacts:
    """Return what was read in a nested text with the places, channel and trigger that it has in its file.

    Args:
        found: what the text's own reader said of it.
        nested: where the text stands.
    """
    places = Places(nested)
    facts = {_mapped_fact(fact, places, nested) for fact in found.facts}
    events = [
        event._replace(span=places.span(event.span), trigger=_trigger(event.trigger, nested)) for event in found.events
    ]
    return found._replace(
        facts=tuple(sorted(facts, key=fact_order)),
        events=tuple(sorted(events, key=lambda event: event.span)),
        pending=(),
        exports=(),
        entries=(),
        nested=tuple(_mapped_nested(inner, places, nested) for inner in found.nested),
    )


def _mapped_fact(fact: Fact, places: Places, nested: Nested) -> Fact:
    if fact.object is not None and STAND_IN in fact.object:
        named = fact.object.replace(STAND_IN, "*")
        fact = fact._replace(object=None if named == "*" else named)
    span = nested.span if fact.span == WHOLE_FILE else places.span(fact.span)
    if ELSEWHERE in nested.how:
        fact = fact._replace(resolution=Resolution.POSSIBLE.value)
    return fact._replace(span=span, channel=Channel.NESTED.value, trigger=_trigger(fact.trigger, nested))


def _mapped_nested(inner: Nested, places: Places, nested: Nested) -> Nested:
    """Place a text inside a text; its own anchors lead into the nested text, and only exact ones lead on."""
    anchors: list[Anchor] = []
    for anchor in inner.anchors:
        place = places.span(Span(anchor.line, anchor.column, anchor.line, anchor.column + 1))
        if place == nested.span:
            anchors = []
            break
        anchors.append(anchor._replace(line=place.line, column=place.column))
    how = f"{nested.how} > {inner.how}" if nested.how else inner.how
    trigger = _trigger(inner.trigger, nested)
    return inner._replace(span=places.span(inner.span), anchors=tuple(anchors), trigger=trigger, how=how)


def _trigger(trigger: str, nested: Nested) -> str:
    return nested.trigger if trigger in _NEUTRAL_TRIGGERS else trigger
