"""What a change loosens in the rules that it is judged by: each is named, and fails the check.

Compared part by part: whatever the head asks less of, or allows more, than the base. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from plugseal.model.checked import Objection
from plugseal.model.finding import Severity
from plugseal.model.policy import GatePolicy
from plugseal.model.team_policy import Allowed, ReceiptDemand, TeamPolicy, TrailDemand

_PACKAGES: Final = ("exact", "versioned", "any")
_REVOKED: Final = frozenset({"revoked.krl", "revoked_keys"})
_BINARY: Final = b"SSHKRL\n"
"""How a list of revoked keys begins that is not one of lines: what stands in it as a line may be a comment."""


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


def find_changed_keys(base: Mapping[str, bytes], head: Mapping[str, bytes], folder: str) -> tuple[Objection, ...]:
    """Return what a change does to the folder of the team: lines of signers that are new, revocations that are gone."""
    found = []
    for name in sorted({*base, *head}):
        before, after = base.get(name), head.get(name)
        if before == after:
            continue
        if before is not None and after is None:
            message = f"`{name}` of the team is gone"
        elif name in _REVOKED and before is not None and after is not None and _revokes_as_much(before, after):
            continue
        elif name == "allowed_signers" and before is not None and after is not None:
            new = len(_lines(after) - _lines(before))
            if not new:
                continue
            message = f"`{name}` lets {new:,} more sign"
        elif name in _REVOKED and before is None:
            continue
        else:
            message = f"`{name}` of the team is another"
        found.append(Objection("governance", message, 0, f"{folder}/{name}", 0))
    return tuple(found)


def _revokes_as_much(before: bytes, after: bytes) -> bool:
    """Say whether a list of lines surely holds all that another one does; of binary ones nobody can tell here."""
    return not before.startswith(_BINARY) and not after.startswith(_BINARY) and _lines(before) <= _lines(after)


def _lines(data: bytes) -> set[bytes]:
    return {line.strip() for line in data.splitlines() if line.strip() and not line.startswith(b"#")}


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
    yield from _more("allows", base.allow, head.allow)
    yield from _more("has another pinned plugin", base.plugins, head.plugins)
    yield from _more("allows another server", base.allowed_servers, head.allowed_servers)
    yield from _more("has another exception", base.exceptions, head.exceptions)
    yield from _fewer(base, head)
    yield from _unpinned(base, head)
    yield from _receipts(base.receipts, head.receipts)
    yield from _trail(base.trail, head.trail)


def _more(
    what: str, base: Iterable[tuple[object, ...]], head: Iterable[tuple[object, ...]]
) -> Iterator[tuple[str, int]]:
    known = {_unplaced(row) for row in base}
    for row in head:
        if _unplaced(row) not in known:
            line = row[-1]
            words = f" `{row[0]}` with more objects" if what == "allows" else ""
            yield f"it {what}{words}", line if isinstance(line, int) else 0


def _unplaced(row: tuple[object, ...]) -> tuple[object, ...]:
    """Return a row without the lines in it: moving a table is no change."""
    return tuple(_without_lines(part) for part in row[:-1])


def _without_lines(part: object) -> object:
    if isinstance(part, tuple) and any(isinstance(one, Allowed) for one in part):
        return tuple(_unplaced(one) if isinstance(one, tuple) else one for one in part)
    return part


def _fewer(base: TeamPolicy, head: TeamPolicy) -> Iterator[tuple[str, int]]:
    left = {_unplaced(row) for row in head.deny}
    for row in base.deny:
        if _unplaced(row) not in left:
            yield f"what was denied for `{row.reason}` is no longer", 0


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
