"""One event of a run, as it goes into the trail: a start, an end, a refusal. Never a value, never a secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from plugseal.model.trust import Actor
from plugseal.records import NamedTuple
from plugseal.trust.parts import actor_json
from plugseal.trust.plain import Json

EVENTS: Final = frozenset("started ended refused stopped pinned denied".split())
_SAME: Final = ("event", "component", "content", "capability", "generation", "reason", "detail")
"""What makes two refusals equal."""


class Run(NamedTuple):
    """One event of a run, before it has a number."""

    at: str
    """UTC, `YYYY-MM-DDThh:mm:ssZ`."""
    event: str
    """One of `EVENTS`."""
    by: Actor
    component: str
    """Kind and name, e.g. `server docs`; hostile text."""
    content: str | None
    """The content receipt that it ran or was refused with."""
    capability: str | None
    generation: int
    level: int
    """Of enforcement; 0 where nothing was started."""
    reason: str
    """Of a refusal or a stop, from the gate's closed list; empty else."""
    detail: str
    """A few words more: an exit status, a file that differs. Never a value of an argument or a variable."""
    milliseconds: int = 0
    """How long it ran."""

    def entry(self) -> dict[str, Json]:
        """Return it as an entry without number and seal."""
        return {
            "at": self.at,
            "event": self.event,
            "by": actor_json(self.by),
            "component": self.component,
            "content": self.content,
            "capability": self.capability,
            "generation": self.generation,
            "level": self.level,
            "reason": self.reason,
            "detail": self.detail,
            "milliseconds": self.milliseconds,
            "count": 1,
        }


def repeats(newest: Mapping[str, Json], run: Run) -> bool:
    """Say whether a refusal is that of the newest entry once more."""
    if run.event not in ("refused", "denied"):
        return False
    entry = run.entry()
    return all(newest[key] == entry[key] for key in _SAME)
