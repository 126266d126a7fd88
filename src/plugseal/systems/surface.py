"""What a system says of its format's surfaces: one row for each key that makes its client run, read or grant something.

The rows are data that the code itself uses for triggers and gates, and that `docs/reference/formats.md` is made of. A
system hands its rows out as `surfaces`; a row that nothing reads has no place here.
"""

from __future__ import annotations

from plugseal.records import NamedTuple


class Surface(NamedTuple):
    """One place where a client runs or reads something: client x file x key x trigger x gate."""

    file: str
    """As people know it, below the plugin's or the working folder: `hooks/hooks.json`, `.claude/settings.json`."""
    key: str
    """Dotted, `*` for any name; empty for the whole file."""
    runs: str
    """What happens, in a few words: `a command, by a shell`, `a prompt`, `grants tools`."""
    trigger: str
    """When, in a few words: `session start`, `each tool call`, `on invoke`."""
    gate: str
    """What the client asks for before; a component's own `gate` is this very text."""
    source: str
    """Where the fact is from: the address of a documentation page, or of a file in a repository."""
