"""What is known of the trust in one plugin: pure data, without disk or clock."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


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
    interpreters: tuple[tuple[str, str, str], ...] = ()
    """(name as in the reviewed command, real path, SHA-256) of the programs outside the stage, taken at trust."""

    @property
    def token(self) -> str:
        """Return `<content>.<capability>`."""
        return f"{self.content}.{self.capability}"


@dataclass(frozen=True, slots=True)
class Standing:
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
