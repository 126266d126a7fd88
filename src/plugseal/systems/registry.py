"""The plugin systems that are known, and which files they need to see. To add one: one line here."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice

from plugseal.model.tree import Entry, EntryKind
from plugseal.systems.agent_plugins import AgentPlugins
from plugseal.systems.agent_skill import AgentSkill
from plugseal.systems.amber import Amber
from plugseal.systems.amness import Amness
from plugseal.systems.claude_code import ClaudeCode
from plugseal.systems.codewhale import Codewhale
from plugseal.systems.codex import Codex
from plugseal.systems.coding import Coding
from plugseal.systems.cursor import Cursor
from plugseal.systems.gemini import Gemini
from plugseal.systems.hermes import Hermes
from plugseal.systems.mcp_config import McpConfig
from plugseal.systems.system import Listing, System

SYSTEMS: tuple[System, ...] = (
    AgentPlugins(),
    AgentSkill(),
    Amber(),
    Amness(),
    ClaudeCode(),
    Codewhale(),
    Codex(),
    Coding(),
    Cursor(),
    Gemini(),
    Hermes(),
    McpConfig(),
)
YIELDING: frozenset[str] = frozenset({"agent-skill", "mcp-config"})
"""Systems whose units are dropped where another system describes the same file as its own component."""

FOLLOWING: frozenset[str] = frozenset({"agent-plugins"})
"""Systems that allow links inside a plugin: their receipts are over the tree as it is once links are followed."""

YIELDING_MANIFESTS: frozenset[str] = frozenset({"hooks/hooks.json"})
"""Files that alone make a plugin only where no other plugin describes them as its own component."""
_MAX_LINKED = 200_000
"""Files looked at behind links; a manifest beyond that is a fault of its plugin."""


def keeps(path: str) -> bool:
    """Say whether any system needs the bytes of the file at `path`."""
    return any(system.keeps(path) for system in SYSTEMS)


def wanted(entries: Iterable[Entry], anchor: str = "") -> frozenset[str]:
    """Return the files that some system needs: by their own name, or by that of a link to them inside the tree.

    Args:
        entries: of the tree.
        anchor: where its root stands, as `Listing.anchor`.
    """
    listed = tuple(entries)
    above = f"{anchor}/" if anchor else ""
    found = {entry.path for entry in listed if entry.kind is EntryKind.FILE and keeps(above + entry.path)}
    links = [entry.path for entry in listed if entry.kind is EntryKind.SYMLINK]
    if links:
        found.update(islice(_link_targets(Listing({e.path: e for e in listed}, {}), links), _MAX_LINKED))
    return frozenset(found)


def _link_targets(listing: Listing, links: Iterable[str]) -> Iterator[str]:
    """Yield the files that a system needs because of the name under which a link inside the tree shows them."""
    paths = sorted(listing.entries)
    looks = 0
    for link in links:
        real = listing.resolve(link)
        if not real:
            continue
        if listing.is_file(real) and keeps(link):
            yield real
        for at in range(bisect_left(paths, f"{real}/"), len(paths)):
            looks += 1
            if looks > _MAX_LINKED or not paths[at].startswith(f"{real}/"):
                break
            if listing.is_file(paths[at]) and keeps(link + paths[at][len(real) :]):
                yield paths[at]
