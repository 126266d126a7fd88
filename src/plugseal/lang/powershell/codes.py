"""Code that a script is given as a text, and what it means that it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import Nested
from plugseal.lang.folded import HOLE
from plugseal.lang.powershell.values import DECODED, FETCHED, MADE, RESOLVED, Block, Item, Made, text_of
from plugseal.lang.shell.words.marks import OWN

if TYPE_CHECKING:
    from plugseal.lang.powershell.collect import Use
    from plugseal.lang.powershell.subject import Subject
    from plugseal.lang.powershell.tree import Node

LANGUAGE: Final = "PowerShell"
_MAX_TEXT: Final = 65_536


class Codes:
    """The code inside one script."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def run(self, item: Item, use: Use, *, how: str = "", node: Node | None = None) -> None:
        """Say that a value runs as PowerShell."""
        if isinstance(item.value, Block):
            return
        if isinstance(item.value, Made) and item.value.given:
            self.run(item.value.given[0].marked(item.flags), use, how=how, node=node)
            return
        report, function, span = self._subject.report, use.frame.function, self._subject.span(use)
        text = text_of(item)
        sure = "possible" if not text.strip(HOLE) and not item.flags & FETCHED else self._subject.resolution(item)
        report.add(span, "code.dynamic", None, sure, function)
        if item.flags & FETCHED:
            report.add(span, "code.fetched", self._subject.host(item), "resolved", function)
            words = ["iwr", "iex"]
            report.event("pipe", "invoke-webrequest | invoke-expression", span, words, "resolved", function)
        if item.flags & DECODED or (item.flags & MADE and not item.flags & RESOLVED and HOLE not in text):
            report.add(span, "code.obfuscated", None, "resolved", function)
        if item.flags & DECODED:
            report.event("pipe", "decoder | invoke-expression", span, [], "resolved", function)
        self.put(LANGUAGE, text, use, how or "Invoke-Expression", node)

    def put(self, language: str, text: str, use: Use, how: str, node: Node | None = None) -> None:
        """Hand a text to its reader, unless nothing of it is known."""
        if not text.replace(HOLE, "").strip() or len(text) > _MAX_TEXT:
            return
        source = self._subject.source
        place = node or use.node
        anchors = source.anchors(text, place.start, place.end)
        hole = {"PowerShell": "$_", "shell": "${_}", "batch": "%_%"}.get(language, "_")
        plain = text.replace(HOLE, hole).replace(OWN, ".")
        nested = Nested(language, plain, self._subject.span(use), anchors if plain == text else (), "start", how)
        self._subject.report.add_nested(nested, use.frame.function)
