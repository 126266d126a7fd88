"""One file that is looked at, and what came of it: what goes to a process of a pool and comes back."""

from __future__ import annotations

from plugseal.lang.classify import Verdict
from plugseal.records import NamedTuple
from plugseal.scan.kept.outcome import Outcome


class Job(NamedTuple):
    """One file to look at."""

    path: str
    data: bytes
    verdict: Verdict
    language: str
    digest: str
    """SHA-256 in hex; empty for a file inside an archive."""


class Looked(NamedTuple):
    """What came of it."""

    outcome: Outcome
    asked: dict[str, bool] | None = None
    """Which modules its reader asked for, with the answers; None where that is not known."""
    is_new: bool = True
    """Whether it was looked at now, not by a scan before."""
