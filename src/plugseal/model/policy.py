"""What a policy asks of the gate, compiled: plain data that the gate loads without any library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.records import NamedTuple

if TYPE_CHECKING:  # a start without signed reviews does without
    from plugseal.model.team_policy import ReceiptDemand

LEVEL: Final = 1
"""Of enforcement that this version reaches: built environment, limits, tree kill. Levels 2 to 4 are the kernel's."""


class DeniedAbility(NamedTuple):
    """What is denied of what a plugin can do; what is empty is not asked."""

    system: str
    name: str
    """A glob, in small letters."""
    content: str
    capability: str
    """Empty where the whole plugin is denied."""
    objects: tuple[str, ...] | None
    """Globs; None for every object, the unknown one too."""
    reason: str


class PinnedTeam(NamedTuple):
    """What was pinned beside a policy that asks for signed reviews: whose count, and where they lie."""

    files: tuple[tuple[str, bytes], ...]
    """Name and bytes of each file of the team's folder."""
    digest: str
    """SHA-256 over them, as `plugseal receipt verify` shows it."""
    reviews: str
    """The folder of the receipts, absolute; hostile text."""
    pin: str
    """Tells this pinning from any other."""


class DemandedReviews(NamedTuple):
    """The signed reviews that one policy asks for before each start."""

    demand: ReceiptDemand
    origin: str
    """Of the policy."""
    pinned: PinnedTeam | None = None
    """None where nothing was pinned with exactly this policy."""


class GatePolicy(NamedTuple):
    """What a team asks of the gate; the defaults are what holds without a policy."""

    source_must_match: bool = True
    """Whether what lies at the source must still be what was trusted; the copy must in any case."""
    level: int = LEVEL
    """The least level of enforcement."""
    fetches_code: bool = False
    """Whether components may start that fetch code when they start."""
    signatures: int = 0
    """How many people must have signed a review."""
    max_age_days: int = 0
    """How old a trust may be; 0 for any age."""
    deny: tuple[str, ...] = ()
    """IDs, tokens, or `system:name`: what may not start."""
    allow: tuple[str, ...] | None = None
    """IDs or tokens: what alone may start; None where that is not asked."""
    origin: str = "built in"
    """Where the policy comes from, for messages."""
    denied: tuple[DeniedAbility, ...] = ()
    """What may not start whatever else allows it, by what it is or what it can do."""
    reviews: tuple[DemandedReviews, ...] = ()
    """Where signed reviews are asked for: by each policy that does, all of which must be met."""
    authorize: tuple[str, ...] | None = None
    """`ID/TOOL` or `TOKEN/TOOL`: tools without declared access whose calls need no other authorization; None where that
    is not said."""

    def with_other(self, other: GatePolicy) -> GatePolicy:
        """Return the stricter of both in everything."""
        ages = [age for age in (self.max_age_days, other.max_age_days) if age]
        return GatePolicy(
            source_must_match=self.source_must_match or other.source_must_match,
            level=max(self.level, other.level),
            fetches_code=self.fetches_code and other.fetches_code,
            signatures=max(self.signatures, other.signatures),
            max_age_days=min(ages, default=0),
            deny=tuple(dict.fromkeys((*self.deny, *other.deny))),
            allow=_both(self.allow, other.allow),
            authorize=_both(self.authorize, other.authorize),
            denied=tuple(dict.fromkeys((*self.denied, *other.denied))),
            origin=f"{self.origin} and {other.origin}",
            reviews=(*self.reviews, *other.reviews),
        )


def _both(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return what both lists name; a list that is not there names everything."""
    if one is None or other is None:
        return one if other is None else other
    return tuple(name for name in one if name in other)
