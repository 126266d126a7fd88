"""What one file yields while it is judged: facts, events, texts inside it, and what waits for the linker."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from plugseal.lang.facts import Interest, Nested
from plugseal.lang.judging.paths import climbs_out
from plugseal.lang.judging.report import Report
from plugseal.limits import MAX_NESTED_CHARACTERS
from plugseal.model.capability import Fact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugseal.lang.ecmascript.judging.places import Places
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.model.location import Span


class Texts(set[Nested]):
    """Texts inside a file, as many as are read; they may also be asked for by their place."""

    def __init__(self) -> None:
        super().__init__()
        self._by_span: dict[Span, list[Nested]] = {}
        self._characters = 0

    @property
    def is_full(self) -> bool:
        """Whether there were more than are read."""
        return self._characters > MAX_NESTED_CHARACTERS

    def add(self, one: Nested) -> None:
        """Keep a text, unless there are too many."""
        self._characters += len(one.text)
        if self.is_full:
            return
        super().add(one)
        self._by_span.setdefault(one.span, []).append(one)

    def update(self, *others: Iterable[Nested]) -> None:
        """Keep several."""
        for one in chain(*others):
            self.add(one)

    def at(self, span: Span) -> list[Nested]:
        """Return the texts at a place, each once."""
        return [one for one in dict.fromkeys(self._by_span.get(span, ())) if one in self]


class ScriptReport(Report):
    """The facts and events of one script, as they come."""

    __slots__ = ("_depth", "texts")

    def __init__(self, interest: Interest, depth: int = 0) -> None:
        super().__init__(interest)
        self._depth = depth
        """How many folders the file stands in."""
        self.texts = Texts()
        self.nested = self.texts
        """As `texts`: lines for a shell and code for other programs."""

    def _add_path(
        self, span: Span, capability: str, path: str, found: str | None, resolution: str, trigger: str
    ) -> None:
        super()._add_path(span, capability, path, found, resolution, trigger)
        # `__dirname` is not known; but climbing from it by no more folders than there are stays in the tree.
        if path.startswith("*/") and not climbs_out(path[2:], self._depth):
            self.facts.discard(Fact(span, "path.outside", found, resolution, self.channel, trigger))

    def add_nested(self, language: str, text: str, places: Places, node: Node, trigger: str, how: str) -> None:
        """Add a text that runs as code of its own.

        Args:
            language: its reader's name.
            text: what would be run.
            places: of the file.
            node: the expression that gives the text.
            trigger: when it runs.
            how: what runs it.
        """
        is_literal = node.type in ("string", "template_string")
        anchors = places.anchors(node, text) if is_literal else ()
        self.texts.add(Nested(language, text, places.span(node), anchors, trigger, how))

    def place_texts(self, span: Span, places: Places, literals: list[tuple[Node, str]]) -> None:
        """Say of the lines that a call hands on where exactly they stand, if they are its literals.

        Args:
            span: of the call.
            places: of the file.
            literals: the literal arguments of the call, with their texts.
        """
        for node, text in literals:
            for one in [one for one in self.texts.at(span) if one.text == text and not one.anchors]:
                anchors = places.anchors(node, text)
                if anchors:
                    self.texts.discard(one)
                    self.texts.add(one._replace(span=places.span(node), anchors=anchors))
