"""What a change loosens in the rules that it is judged by: each is named, and fails the check.

Compared part by part: whatever the head asks less of, or allows more, than the base. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

from plugseal.model.checked import Objection
from plugseal.model.finding import Severity
from plugseal.model.policy import GatePolicy
from plugseal.model.team_policy import (
    Allowed,
    Denied,
    Exempted,
    Objects,
    PinnedPlugin,
    ReceiptDemand,
    TeamPolicy,
    TrailDemand,
)
from plugseal.policy.objects import is_allowed_object

Row = TypeVar("Row")
_PACKAGES: Final = ("exact", "versioned", "any")


def find_loosened(base: TeamPolicy, head: TeamPolicy) -> tuple[Objection, ...]:
    """Return what a head's policy loosens, at its lines."""
    return tuple(Objection("governance", message, 0, head.name, line) for message, line in _loosened(base, head))


def find_gate_loosened(base: GatePolicy, head: GatePolicy, name: str) -> tuple[Objection, ...]:
    """Return what a head's policy loosens for the gates of those who pin it.

    Args:
        base: what the base's asks of the gate.
        head: what the head's does.
        name: of the policy.
    """
    return tuple(Objection("governance", f"`[gate]`: {message}", 0, name, 0) for message in _gate(base, head))


def _loosened(base: TeamPolicy, head: TeamPolicy) -> Iterator[tuple[str, int]]:
    if Severity(head.fail_on).rank > Severity(base.fail_on).rank:
        yield f"`fail-on` rises from {base.fail_on} to {head.fail_on}", head.line("fail-on")
    for key, was, now in (
        ("capabilities", base.capabilities, head.capabilities),
        ("servers", base.servers, head.servers),
    ):
        if (was, now) == ("deny", "allow"):
            yield f"`{key}` are no longer denied by default", head.line(key)
    if _PACKAGES.index(head.packages) > _PACKAGES.index(base.packages):
        yield f"`packages` may be {head.packages}, not only {base.packages}", head.line("packages")
    if base.commands is not None and (head.commands is None or set(head.commands) - set(base.commands)):
        yield "more `commands` may start", head.line("commands")
    for row in head.allow:
        if not _is_within(row, base.allow, _allows_less):
            yield f"it allows `{row.capability}` with more objects", row.line
    for plugin in head.plugins:
        if not _is_within(plugin, base.plugins, _pins_less):
            yield "it has another pinned plugin", plugin.line
    for server in head.allowed_servers:
        if not _is_within(server, base.allowed_servers, lambda new, old: new[:-1] == old[:-1]):
            yield "it allows another server", server.line
    for exception in head.exceptions:
        if not _is_within(exception, base.exceptions, _excepts_less):
            yield "it has another exception", exception.line
    yield from _fewer(base, head)
    yield from _unpinned(base, head)
    yield from _receipts(base.receipts, head.receipts)
    yield from _trail(base.trail, head.trail)


def _is_within(row: Row, base: Iterable[Row], is_less: Callable[[Row, Row], bool]) -> bool:
    """Say whether the base had a row that gives all that one of the head does."""
    return any(is_less(row, one) for one in base)


def _allows_less(new: Allowed, old: Allowed) -> bool:
    return new.capability == old.capability and _are_within(new.capability, new.objects, old.objects)


def _pins_less(new: PinnedPlugin, old: PinnedPlugin) -> bool:
    if new[:4] != old[:4] or not all(_is_within(row, old.allow, _allows_less) for row in new.allow):
        return False
    return old.launch is None or (new.launch is not None and set(new.launch) <= set(old.launch))


def _excepts_less(new: Exempted, old: Exempted) -> bool:
    """Compare what is excepted and until when; who owns it may change, and what for may be said in other words."""
    if (new.rule, new.capability, new.path, new.system, new.name) != (
        old.rule,
        old.capability,
        old.path,
        old.system,
        old.name,
    ):
        return False
    return new.until <= old.until and _are_within(new.capability, new.objects, old.objects)


def _are_within(capability: str, new: Objects, old: Objects) -> bool:
    """Say whether objects are surely among others: each is one of them, or no glob and allowed by one of them."""
    if old is None or new is None:
        return old is None
    left = [one for one in new if one not in old]
    if any(set(one) & set("*?") for one in left):
        return False
    return all(is_allowed_object(old, capability, one) for one in left)


def _fewer(base: TeamPolicy, head: TeamPolicy) -> Iterator[tuple[str, int]]:
    for row in base.deny:
        if not _is_within(row, head.deny, _denies_less):
            yield f"what was denied for `{row.reason}` is no longer", 0


def _denies_less(old: Denied, new: Denied) -> bool:
    """Say whether a head's denial covers one of the base, whatever reason it names."""
    return old[:4] == new[:4] and (new.objects is None or _are_within(old.capability, old.objects, new.objects))


def _unpinned(base: TeamPolicy, head: TeamPolicy) -> Iterator[tuple[str, int]]:
    """Yield the plugins whose starts are bound no more; what they may do beyond others is none of a loss."""
    left = {row[:4] for row in head.plugins}
    for row in base.plugins:
        if row.launch is not None and row[:4] not in left:
            yield f"what `{row.name}` may start is pinned no more", 0


def _receipts(base: ReceiptDemand | None, head: ReceiptDemand | None) -> Iterator[tuple[str, int]]:
    if base is None:
        return
    if head is None:
        yield "signed reviews are no longer required", 0
        return
    if head.threshold < base.threshold:
        yield f"{head.threshold} must sign, not {base.threshold}", head.line
    if base.max_age_days and not 0 < head.max_age_days <= base.max_age_days:
        yield "older reviews count", head.line
    if base.require_human and not head.require_human:
        yield "nobody need touch a key any more", head.line
    if (head.team, head.reviews) != (base.team, base.reviews):
        yield "keys or reviews are read from another folder", head.line
    if base.scanner and head.scanner != base.scanner:
        yield "reviews by another version of plugseal count", head.line
    if base.rules and set(head.rules or ("*",)) - set(base.rules):
        yield "reviews by other rules count", head.line


def _gate(base: GatePolicy, head: GatePolicy) -> Iterator[str]:
    if base.source_must_match and not head.source_must_match:
        yield "the source may differ from what was trusted"
    if head.fetches_code and not base.fetches_code:
        yield "what fetches code may start"
    if head.level < base.level:
        yield f"level {head.level} is enough, not {base.level}"
    if head.signatures < base.signatures:
        yield f"{head.signatures} must have signed, not {base.signatures}"
    if base.max_age_days and not 0 < head.max_age_days <= base.max_age_days:
        yield "older trust counts"
    if set(base.deny) - set(head.deny):
        yield "less is denied by name"
    if base.allow is not None and (head.allow is None or set(head.allow) - set(base.allow)):
        yield "more may start"
    if set(head.authorize or ()) - set(base.authorize or ()):
        yield "calls of more tools need no other authorization"


def _trail(base: TrailDemand | None, head: TrailDemand | None) -> Iterator[tuple[str, int]]:
    if base is None:
        return
    if head is None:
        yield "an audit trail is no longer required", 0
        return
    if head.keep < base.keep:
        yield f"{head.keep} entries must stand whole, not {base.keep}", head.line
    if base.signed and not head.signed:
        yield "checkpoints need no signature any more", head.line
    if head[:3] != base[:3]:
        yield "the trail, its checkpoints or their keys are read from another place", head.line
