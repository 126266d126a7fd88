"""What one file contributes to a scan, whoever scanned it: this process, one of a pool, or an earlier scan."""

from __future__ import annotations

from plugseal.lang.facts import FileFacts
from plugseal.model.capability import Fact
from plugseal.model.finding import Finding
from plugseal.records import NamedTuple


class Outcome(NamedTuple):
    """Everything known of one file by itself: a pure function of its bytes and of what `FileScan` was told."""

    facts: tuple[Fact, ...] = ()
    """Those of the texts inside it too; sorted, unique."""
    findings: tuple[Finding, ...] = ()
    unread: str = ""
    """Why it, or a part of it, was not read; empty where all was."""
    channel: str = ""
    """The channel of what is unread, where it is not `code`."""
    linkable: FileFacts | None = None
    """What other files may use of it or it of them, nothing else: language, `pending`, `exports`; None without."""
    calling: FileFacts | None = None
    """Which lines lead to which functions, nothing else: language, `entries`, `functions`, `calls`; None without."""
