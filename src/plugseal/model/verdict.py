"""What a format's specification and what single hosts say of a plugin: verdicts that are never mixed.

`Plugin.faults` is our own judgement, which is the strictest; these two say what others would do.
None of it is part of the capability document.
"""

from __future__ import annotations

from plugseal.records import NamedTuple


class Skipped(NamedTuple):
    """A part that is not loaded while the rest is."""

    what: str
    """`skills/x`, `mcp.json#server`, …; hostile text."""
    why: str


class Reported(NamedTuple):
    """A field that is ignored and must be reported."""

    field: str
    why: str


class Conformance(NamedTuple):
    """The verdict of the format's own specification."""

    rejected: str | None
    """Why the whole plugin is rejected, None if it is not."""
    loaded: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Kind of component (`skills`, `mcpServers`) to the names that load, sorted; empty where it is rejected."""
    skipped: tuple[Skipped, ...] = ()
    reported: tuple[Reported, ...] = ()


class HostVerdict(NamedTuple):
    """What one host, in one version, would do with the plugin."""

    host: str
    """`lingtai`, `codewhale-0.9.1`, `codewhale-0.9.10`, `amber`; the key under `hosts` in JSON."""
    loads: bool | None
    """None where that can't be told from the files."""
    summary: str
    """One line for people; hostile text inside is shown by `shown()`."""
    data: str = "{}"
    """Everything further as one JSON object, the same for the same bytes; keys keep an order that means something."""
    notes: tuple[str, ...] = ()
    """What the host refuses, skips or warns of, one line for people each: all of it stands in `data` too."""
