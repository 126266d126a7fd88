"""Read what is trusted again, with the rules and readers of today: it changes nothing but the trail."""

from __future__ import annotations

import json

from plugseal.errors import RefusedTransitionError, StateError
from plugseal.model.change import Change
from plugseal.model.look import Look
from plugseal.model.trust import Approval, Done, TrustStatus
from plugseal.trust.actor import current_actor
from plugseal.trust.record import Record
from plugseal.trust.store import Store
from plugseal.verbs.changes import compare
from plugseal.verbs.trust import as_trusted, done_of, is_but_wrapped, now_utc, verify_clock


def recheck(look: Look, store: Store) -> tuple[Done, Change]:
    """Read what is trusted again, with the rules and readers of today.

    Returns:
        What was done, and what the trusted document does not hold: a change about nothing that runs where it holds.

    Raises:
        RefusedTransitionError: it is not trusted, or its content is not what was trusted.
        StateError: it can't be believed or recorded.
    """
    record = store.read(look.subject)
    trust = None if record is None else record.standing.trust
    if record is None or trust is None:
        status, message, verb = TrustStatus.NOT_REVIEWED, "it is not trusted", "review"
    elif look.report.content_receipt != trust.content:
        _verify_unwrapped(look, store, record)
        status, message, verb = TrustStatus.CONTENT_CHANGED, "its content is not what was trusted", "diff"
    else:
        return _recheck(look, store, record, trust)
    hint = f"see `plugseal {verb} {look.id}`"
    raise RefusedTransitionError(f"{message}: nothing to recheck", status=status, place=look.path, hint=hint)


def _verify_unwrapped(look: Look, store: Store, record: Record) -> None:
    """Refuse in words of its own what only `wrap` changed: a reader of today would read the gate's own command."""
    if is_but_wrapped(record, store):
        raise RefusedTransitionError(
            "it is what was trusted, but for a client's configuration in it that `wrap` wrote: nothing to recheck",
            status=TrustStatus.TRUSTED,
            place=look.path,
            hint="put the file back first: `plugseal unwrap FILE`",
        )


def _recheck(look: Look, store: Store, record: Record, trust: Approval) -> tuple[Done, Change]:
    now, by = now_utc(), current_actor()
    look = as_trusted(look, record)
    found = compare(json.loads(store.document(trust.capability)), json.loads(look.document), [], ([], []))
    # What is not seen any more makes no review outdated: all that is there was reviewed.
    change = found._replace(capabilities_removed=(), about=())
    note = "more than was seen when it was trusted" if change.is_about_what_runs else "still within what was trusted"

    def step(current: Record | None) -> Record:
        verify_clock(current, now)
        if current is None or current.standing != record.standing:
            raise StateError("the record changed meanwhile", hint="try again")
        rules = look.inventory.rules_digest
        return current.after(current.standing, action="rechecked", at=now, by=by, note=note, rules=rules)

    return done_of(store.change(look.subject, step), look.title), change
