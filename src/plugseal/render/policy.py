"""What a policy asks of the gate, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plugseal.model.policy import DeniedAbility, GatePolicy, PinnedTeam
from plugseal.render.text import GAP, Line, Piece, line
from plugseal.shown import shown, shown_path


def render_policy(
    policy: GatePolicy, *, place: str, team: PinnedTeam | None = None, gone: Sequence[str] = ()
) -> Iterator[Line]:
    """Yield what a policy asks for.

    Args:
        policy: compiled.
        place: where it is kept.
        team: whose signatures count, None where none are asked for.
        gone: receipts that were seen before and are not there; hostile text.
    """
    yield line(Piece("pinned", "good"), f"{GAP}", Piece(shown_path(place), "path"))
    yield line(f"{GAP}level       at least {policy.level}")
    yield line(f"{GAP}source      ", "must be what was trusted" if policy.source_must_match else "may change")
    yield line(f"{GAP}fetchers    ", "may start" if policy.fetches_code else "don't start")
    people = max((asked.demand.threshold for asked in policy.reviews), default=policy.signatures)
    yield line(f"{GAP}signatures  ", f"of {people:,} people" if people else "none asked")
    if team is not None:
        yield line(f"{GAP}team        ", f"sha256 {team.digest}")
        yield line(f"{GAP}receipts    ", Piece(shown_path(team.reviews), "path"))
    for file in gone:
        yield line(f"{GAP}missing     ", Piece(shown_path(file), "path"), " was seen before: restore it, or pin --anew")
    yield line(f"{GAP}trust ages  ", f"after {policy.max_age_days:,} days" if policy.max_age_days else "never")
    for name in policy.deny:
        yield line(f"{GAP}denied      ", shown(name))
    for one in policy.denied:
        yield line(f"{GAP}denied      ", shown(_what(one)), ": ", shown(one.reason))
    for name in policy.allow or ():
        yield line(f"{GAP}allowed     ", shown(name))
    if policy.allow is not None:
        yield line(f"{GAP}nothing else starts")


def _what(one: DeniedAbility) -> str:
    """Return what one table denies: whose, and which capability with which objects."""
    whose = " ".join(part for part in (one.system, one.name, one.content[:8]) if part)
    if not one.capability:
        return whose
    objects = "" if one.objects is None else f" {', '.join(one.objects)}"
    return f"{one.capability}{objects}" + (f" of {whose}" if whose else "")


def render_rotation(place: str, keyid: str, before: tuple[str, str], after: tuple[str, str]) -> Iterator[Line]:
    """Yield what was signed of a change of rules.

    Args:
        place: of the signature.
        keyid: of the key.
        before: digests of the policy and of the team's folder.
        after: the same as changed.
    """
    yield line(Piece("signed", "good"), GAP, Piece(shown_path(place), "path"), f"{GAP}by key {keyid[:16]}")
    for name, old, new in zip(("policy", "team"), before, after, strict=True):
        yield line(f"{GAP}{name:<8}", f"{old} -> {new}" if old != new else f"{old}, as before")
