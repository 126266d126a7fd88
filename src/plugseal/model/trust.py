"""What is known of the trust in one plugin: pure data, without disk or clock."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from plugseal.records import NamedTuple

if TYPE_CHECKING:  # asked by what shows pins, and never by a start
    from plugseal.model.pins import Pinned


class TrustStatus(str, Enum):
    """How what is on disk now stands to what was trusted; the value is what users read."""

    NOT_REVIEWED = "not-reviewed"
    CAPABILITIES_CHANGED = "capabilities-changed"
    """It can do other things than those that were trusted; said before a difference of content."""
    CONTENT_CHANGED = "content-changed"
    TRUSTED = "trusted"


class Subject(NamedTuple):
    """Which plugin a record is about: trust does not travel by name to another place."""

    system: str
    name: str
    scope: str
    """`workspace`, `user` or `system`."""
    root: str
    """The canonical path of its root, absolute."""


class Actor(NamedTuple):
    """Who acted. It says which account and which programs, never which person: see the threat model."""

    user: str
    uid: int
    terminal: str | None
    """The controlling terminal, None where there is none."""
    parents: tuple[str, ...]
    """Names of the programs that started us, the nearest first."""


class Approval(NamedTuple):
    """What exactly was trusted, when, by whom, and what was known then."""

    content: str
    """The content receipt, 64 hex digits."""
    capability: str
    """The capability receipt, 64 hex digits."""
    at: str
    """UTC, `YYYY-MM-DDThh:mm:ssZ`."""
    by: Actor
    rules: str
    """The digest of the rule set that was asked."""
    scanner: str
    """The version of plugseal."""
    unread: int
    """Files that no reader understood."""
    unknown: int
    """Capabilities whose object is not known."""
    source: str = ""
    """`encode.source.source_digest` of what was trusted, where it lay; empty where it lay in an archive."""
    only: tuple[str, ...] = ()
    """`kind:name` of each component that was trusted; empty for the whole plugin."""
    interpreters: tuple[tuple[str, str, str], ...] = ()
    """(name as in the reviewed command, real path, SHA-256) of the programs outside the stage, taken at trust."""
    derived: str = ""
    """The content receipt of what was made of the copy at trust to be loaded in its place; empty where nothing was."""

    @property
    def token(self) -> str:
        """Return `<content>.<capability>`."""
        return f"{self.content}.{self.capability}"


class Standing(NamedTuple):
    """The state of trust in one plugin, apart from where it is stored and from its trails."""

    incarnation: str
    """32 hex digits, new whenever a record begins; with the generation it names one state for ever."""
    generation: int = 0
    """Grows by one with every transition."""
    enabled: bool = False
    trust: Approval | None = None
    place: tuple[int, int] | None = None
    """(device, inode) of the root when it was last enabled: another clone at the same path is not enabled."""
    forgotten: bool = False
    """Say that only the generation is left of it."""


def status_of(standing: Standing | None, content: str | None, capability: str | None) -> TrustStatus:
    """Return how what is on disk stands to what was trusted.

    Args:
        standing: of the plugin; None where there is no record.
        content: the content receipt of what is on disk now; None where it has none.
        capability: the capability receipt of what is on disk now; None where it has none.
    """
    if standing is None or standing.trust is None:
        return TrustStatus.NOT_REVIEWED
    if standing.trust.capability != capability:
        return TrustStatus.CAPABILITIES_CHANGED
    if standing.trust.content != content:
        return TrustStatus.CONTENT_CHANGED
    return TrustStatus.TRUSTED


class Done(NamedTuple):
    """A transition that was made."""

    action: str
    """As in the trail: `trusted enabled disabled revoked reloaded forgotten`."""
    id: str
    title: str
    """Name and version; hostile text."""
    standing: Standing
    at: str
    """UTC, `YYYY-MM-DDThh:mm:ssZ`."""
    user: str
    entry: int
    """Its number in the reviews."""
    files: int = 0
    """In the staged copy; 0 where none was made."""
    made_secret: str = ""
    """Where the installation's secret was made for this; empty where it was there."""


class ReviewEntry(NamedTuple):
    """One entry of a plugin's reviews."""

    number: int
    at: str
    user: str
    action: str
    content: str | None
    capability: str | None
    generation: int
    note: str
    terminal: str | None
    parents: tuple[str, ...]


class RunEntry(NamedTuple):
    """One entry of a plugin's runs."""

    number: int
    at: str
    user: str
    event: str
    component: str
    reason: str
    detail: str
    milliseconds: int
    times: int
    """How often in a row."""


class TrailView(NamedTuple):
    """A trail as it is shown: what stands whole, and how much there ever was."""

    size: int
    kept: int
    root: str
    """Over all entries, in hex."""
    torn: int = 0
    """Bytes of an incomplete write at its end."""


class Recorded(NamedTuple):
    """Everything recorded about one plugin."""

    id: str
    subject: Subject
    standing: Standing
    reviews: tuple[ReviewEntry, ...]
    reviews_trail: TrailView
    runs: tuple[RunEntry, ...]
    runs_trail: TrailView
    revoked: ReviewEntry | None
    installation: str
    """The installation's public name."""
    pins: tuple[Pinned, ...] = ()
    """What is pinned of its servers."""


class Listed(NamedTuple):
    """One plugin in a list: found on disk, recorded, or both."""

    id: str
    name: str
    """Hostile text."""
    version: str
    system: str
    path: str
    """Where it is, as a user would type it; hostile text."""
    state: str
    """`active`, `enabled, changed`, `trusted`, `trusted, enabled elsewhere`, `changed`, `unstaged`, `not reviewed`,
    `not looked at`, `gone`, `broken record` or `revoked`."""
    next: str
    """What to type; empty where nothing is to be done."""
    components: tuple[tuple[str, str, str], ...] = ()
    """(kind, name, state) of each component: `trusted`, `changed` or `not reviewed`; names are hostile text."""
    note: str = ""


class Verified(NamedTuple):
    """The judgement on one trail."""

    id: str
    """Of the plugin, or what is known instead; hostile text."""
    trail: str
    """`reviews`, `runs` or `export`."""
    size: int
    """Entries there ever were."""
    kept: int
    """Entries that stand whole."""
    kind: str
    """Empty where it is unbroken; else what was done to it, as `TrailError.kind`."""
    message: str
    place: str
    """Hostile text."""

    @property
    def is_unbroken(self) -> bool:
        """Say whether nothing is wrong with it."""
        return not self.kind
