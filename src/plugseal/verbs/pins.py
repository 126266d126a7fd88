"""Approve what a server says of itself now, by the digest of exactly what was seen."""

from __future__ import annotations

import hmac

from plugseal.errors import RefusedTransitionError
from plugseal.model.pins import Pinned, snapshot_digest
from plugseal.runtime.runs import RunTrail
from plugseal.trust.actor import current_actor
from plugseal.trust.pins import Pins, change_pins, read_pins
from plugseal.trust.record import Record
from plugseal.trust.store import Store


def pins_of(record: Record, store: Store) -> tuple[Pinned, ...]:
    """Return what is pinned of a plugin as it is trusted now.

    Raises:
        StateError: it can't be believed.
    """
    trust = record.standing.trust
    return () if trust is None else tuple(read_pins(store, record.subject, trust.token).values())


def approve_pins(record: Record, snapshot: str, store: Store) -> Pinned:
    """Approve what was seen last, if its digest is exactly this one.

    Args:
        record: of the plugin.
        snapshot: the digest that `plugseal show` prints, whole.
        store: where it is recorded.

    Raises:
        RefusedTransitionError: nothing that was seen has this digest.
        StateError: it can't be recorded.
    """
    trust = record.standing.trust
    done: list[Pinned] = []

    def change(pins: Pins) -> Pins:
        for label, pinned in pins.items():
            if pinned.seen and hmac.compare_digest(snapshot_digest(pinned.seen).encode(), snapshot.encode()):
                done.append(Pinned(label, pinned.seen, {}))
                return {**pins, label: done[0]}
        raise RefusedTransitionError(
            "nothing that was seen has this digest",
            hint="see what was seen with `plugseal show`, and copy its last line",
        )

    if trust is None:
        raise RefusedTransitionError("it is not trusted", hint="review and trust it first")
    change_pins(store, record.subject, trust.token, change=change)
    RunTrail(store, current_actor()).note(record, "pinned", label=done[0].label, detail=f"approved {snapshot[:16]}")
    return done[0]
