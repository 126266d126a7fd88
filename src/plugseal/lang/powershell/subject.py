"""What those who judge one script share: its values, its report, where things stand, and how sure a value is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.folded import HOLE
from plugseal.lang.powershell.values import DECODED, MADE, RESOLVED, UNSURE, Item

if TYPE_CHECKING:
    from plugseal.lang.powershell.collect import Script, Use
    from plugseal.lang.powershell.folding import Folder
    from plugseal.lang.powershell.report import WindowsReport
    from plugseal.lang.powershell.source import TextSource
    from plugseal.model.location import Span


class Subject:
    """One script that is being judged."""

    def __init__(self, script: Script, folder: Folder, report: WindowsReport, source: TextSource) -> None:
        self.script = script
        self.folder = folder
        self.report = report
        self.source = source
        self.calls: dict[str, set[str]] = {"": set()}
        """Functions by the functions that call them."""

    def span(self, use: Use) -> Span:
        """Return where a use stands."""
        return self.source.span(use.node.start, use.node.end)

    def resolution(self, item: Item, how: str = "direct") -> str:
        """Say how surely a value is what it seems."""
        if how == "possible" or item.flags & UNSURE:
            return "possible"
        return "resolved" if how == "resolved" or item.flags & (RESOLVED | MADE | DECODED) else "direct"

    def host(self, item: Item) -> str | None:
        """Return the host that something was fetched from."""
        from plugseal.lang.judging.objects import cut_object

        return cut_object("host", item.host) if item.host and HOLE not in item.host[:8] else None
