"""What one file yields while it is judged: facts, events, texts inside it, and what waits for the linker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.facts import Interest, Nested
from plugseal.lang.python.report import Report

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.parse import Node
    from plugseal.lang.ecmascript.places import Places


class ScriptReport(Report):
    """The facts and events of one script, as they come."""

    __slots__ = ("nested",)

    def __init__(self, interest: Interest) -> None:
        super().__init__(interest)
        self.nested: list[Nested] = []

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
        self.nested.append(Nested(language, text, places.span(node), anchors, trigger, how))
