"""Write what the gate does into the runs of a plugin: starts, ends, refusals, pins. Never a value, never a secret."""

from __future__ import annotations

import time

from plugseal.model.trust import Actor
from plugseal.trust.event import Run
from plugseal.trust.record import Record
from plugseal.trust.store import Store


class RunTrail:
    """Write what happens into the runs of a plugin."""

    def __init__(self, store: Store, by: Actor) -> None:
        """Prepare.

        Args:
            store: what was trusted.
            by: who runs this.
        """
        self._store = store
        self._by = by

    def note(
        self,
        record: Record,
        event: str,
        *,
        label: str = "",
        reason: str = "",
        detail: str = "",
        level: int = 0,
        milliseconds: int = 0,
    ) -> None:
        """Record one event, on the disk before this returns.

        Raises:
            StateError: it was not recorded: what it is about must not happen.
        """
        trust = record.standing.trust
        run = Run(
            at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            event=event,
            by=self._by,
            component=label,
            content=None if trust is None else trust.content,
            capability=None if trust is None else trust.capability,
            generation=record.standing.generation,
            level=level,
            reason=reason,
            detail=detail,
            milliseconds=milliseconds,
        )
        self._store.append_run(record.subject, run)
