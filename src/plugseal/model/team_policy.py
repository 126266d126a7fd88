"""What a team allows in CI, compiled: plain data. Every part knows the line of the file that it stands on."""

from __future__ import annotations

from plugseal.records import NamedTuple

Objects = tuple[str, ...] | None
"""Globs of the objects that are meant; None for every object, the unknown one too."""


class Allowed(NamedTuple):
    """One capability with the objects that it may have."""

    capability: str
    objects: Objects
    line: int


class Denied(NamedTuple):
    """What is denied whatever else allows it; what is empty is not asked."""

    system: str
    name: str
    """A glob."""
    content: str
    capability: str
    objects: Objects
    reason: str
    line: int


class PinnedPlugin(NamedTuple):
    """One plugin that may do more than all, bound by its content or by who signed it, never by its name alone."""

    system: str
    name: str
    content: str
    """The content receipt; empty where the signer binds it."""
    publisher: str
    """The ID of the key that must have signed a review of it; empty where the content binds it."""
    allow: tuple[Allowed, ...]
    launch: tuple[tuple[str, ...], ...] | None
    """The only argument vectors that its components may have; None where that is not asked."""
    line: int


class AllowedServer(NamedTuple):
    """One server that may be there, by its owner and its name, or by exactly what it runs."""

    owner: str
    """Name of the plugin that brings it; empty for a folder's own configuration."""
    name: str
    """A glob."""
    command: tuple[str, ...]
    url: str
    line: int


class Exempted(NamedTuple):
    """One exception: whose, why, and until when."""

    rule: str
    """Of findings; empty where a capability is meant."""
    capability: str
    objects: Objects
    system: str
    name: str
    """Of the plugin; a glob where a content binds it, else a name."""
    path: str
    """A glob of files; empty for all."""
    owner: str
    reason: str
    until: str
    """The last day, `YYYY-MM-DD`."""
    line: int


class ReceiptDemand(NamedTuple):
    """What is asked of signed reviews."""

    team: str
    """The folder of the team, below the policy's own."""
    reviews: str
    threshold: int
    max_age_days: int
    """0 for any age."""
    require_human: bool
    scanner: str
    """The oldest version of plugseal whose reviews count; empty for any."""
    rules: tuple[str, ...]
    """Digests of the rule sets whose reviews count; empty for any."""
    line: int


class TrailDemand(NamedTuple):
    """What is asked of the audit trail that a team commits."""

    exports: str
    """The folder of exports, below the policy's own."""
    checkpoints: str
    """The file of checkpoints, below the policy's own."""
    team: str
    """The folder of the team whose keys sign checkpoints."""
    keep: int
    """How many of the newest entries of a trail must stand whole, if there ever were as many."""
    signed: bool
    """Whether each trail must go on from a checkpoint that somebody of the team signed."""
    line: int


class TeamPolicy(NamedTuple):
    """A whole policy."""

    fail_on: str = "high"
    capabilities: str = "deny"
    """`deny`: what is not allowed fails; `allow`: only what is denied does."""
    packages: str = "any"
    """How surely fetched packages must be pinned: `exact`, `versioned` or `any`."""
    servers: str = "allow"
    commands: tuple[str, ...] | None = None
    """Programs that components may start, in simple commands alone; None where that is not asked."""
    allow: tuple[Allowed, ...] = ()
    deny: tuple[Denied, ...] = ()
    plugins: tuple[PinnedPlugin, ...] = ()
    allowed_servers: tuple[AllowedServer, ...] = ()
    exceptions: tuple[Exempted, ...] = ()
    receipts: ReceiptDemand | None = None
    trail: TrailDemand | None = None
    lines: tuple[tuple[str, int], ...] = ()
    """(key, line) of what else a verdict names."""
    name: str = "plugseal.toml"
    """Of the file as messages name it; hostile text."""
    digest: str = ""
    origin: str = ""
    """Where it comes from, in a few words; hostile text."""

    def line(self, key: str) -> int:
        """Return the line of a key, 0 where it is not written."""
        return dict(self.lines).get(key, 0)
