"""What a plugin was reviewed to ask its host for: from the stored document, part by part.

A command may say, ask and run; a gate may run. A line for a shell must be one of those that were reviewed, unless it
was reviewed that the lines can't be told. What does not stand in the document is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from plugseal.runtime.approved import Document

_CONTRIBUTES: Final = "contributes"
_ASKS: Final = "asks"
_MAY_ASK: Final = ("commands", "gates")
_ANY_LINE: Final = "runs_any_line"


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What one part may ask for."""

    asks: frozenset[str] = frozenset()
    lines: frozenset[str] = frozenset()
    any_line: bool = False

    def refusal(self, method: str, params: Mapping[str, Any]) -> str:
        """Return why a request is refused, empty where it was reviewed."""
        if method not in self.asks:
            return f"it was not reviewed to `{method}` here"
        if method == "run" and not self.any_line and params.get("cmd") not in self.lines:
            return "this line was not reviewed"
        return ""


def reviewed_for(reviewed: Mapping[str, Reviewed], part: str) -> Reviewed:
    """Return what a part may ask for; one whose name the review could not tell has what that says of such a part.

    Args:
        reviewed: as `parse_reviewed` returns it.
        part: what it contributes, e.g. `gates.jury`.
    """
    return reviewed.get(part) or reviewed.get(part.partition(".")[0]) or Reviewed()


def parse_reviewed(document: Document) -> dict[str, Reviewed]:
    """Return what each part may ask for, by what it contributes, e.g. `commands.lint`."""
    asks: dict[str, frozenset[str]] = {}
    any_line: set[str] = set()
    lines: dict[str, set[str]] = {}
    for component in document.components:
        extra = dict(component.extra)
        part = extra.get(_CONTRIBUTES, "")
        if component.shell and component.command:
            lines.setdefault(part, set()).add(component.command[0])
        if part.startswith(_MAY_ASK) and not component.shell:  # nosec B604  # a field
            asks[part] = frozenset(map(str, json.loads(extra.get(_ASKS, "[]"))))
        if extra.get(_ANY_LINE) == "true":
            any_line.add(part)
    return {part: Reviewed(members, frozenset(lines.get(part, ())), part in any_line) for part, members in asks.items()}
