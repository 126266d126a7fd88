"""Lines for a shell: which file of the tree such a line runs first, seen from the folder that it is run in."""

from __future__ import annotations

from plugseal.systems.launching.launch import inner, shell_entry
from plugseal.systems.reading.reader import PluginReader


def entry_below(reader: PluginReader, line: str, base: str) -> str | None:
    """Return the plugin's file that a shell line runs first in a folder below the root."""
    if not base:
        return shell_entry(line, reader.is_launchable)
    found = shell_entry(line, lambda path: not path.startswith("../") and reader.is_file(f"{base}/{path}"))
    return f"{base}/{found}" if found is not None else None


def entry_in(reader: PluginReader, line: str, cwd: str | None) -> str | None:
    """Return the plugin's file that a shell line runs first in a working folder as it is written, or in the root."""
    base = inner(cwd) if cwd else None
    below = entry_below(reader, line, base) if base else None
    return below if below is not None else shell_entry(line, reader.is_launchable)
