"""Claude Code: plugins, marketplaces, and the configuration of working folders.

A plugin is a folder with `.claude-plugin/plugin.json`, one that a marketplace of the tree names, or one whose
`hooks/hooks.json` nobody else describes: the client does without the manifest. A folder with `.claude` is a working
folder, whose settings, servers and prose count as soon as the client is started there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from plugseal.model.plugin import Plugin
from plugseal.patterns import lazy
from plugseal.systems.claude.marketplace import FILE as MARKETPLACE
from plugseal.systems.claude.marketplace import describe_marketplace, read_entries
from plugseal.systems.claude.plugin import MANIFEST, describe_plugin
from plugseal.systems.claude.settings import HOME, MARKS, SERVERS, describe_settings
from plugseal.systems.claude.surfaces import SURFACES
from plugseal.systems.reading.reader import PluginReader, lookup
from plugseal.systems.reading.units import ONLY_SHOWN, folders_with
from plugseal.systems.system import Listing

_HOOKS = "hooks/hooks.json"
_AT_ROOT = "plugin.json"
_OTHERS = (
    MANIFEST,
    ".codex-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    ".devin-plugin/plugin.json",
    ".kimi-plugin/plugin.json",
    ".omp-plugin/plugin.json",
    "gemini-extension.json",
    "plugin.json",
)
"""Manifests beside which hooks have an owner."""
_KEPT = lazy(
    r"(?:.*/)?(?:\.claude-plugin/(?:plugin|marketplace)\.json|\.mcp\.json|\.lsp\.json|monitors\.json|settings\.json"
    r"|settings\.local\.json|\.claude/launch\.json|hooks/[^/]+\.json|(?=[^/]*(?:mcp|server|hook|lsp|monitor))[^/]*\.json|[^/]+\.md)",
    re.I,
)
"""What may be one of the client's files; manifests keep what they name under such names."""


class ClaudeCode:
    """Plugins, marketplaces and settings of Claude Code."""

    name = "claude-code"
    surfaces = SURFACES

    def keeps(self, path: str) -> bool:
        """Keep manifests, settings, hooks, servers and prose."""
        return _KEPT.fullmatch(path) is not None

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield plugins, marketplaces and working folders."""
        found = dict.fromkeys(folders_with(listing, MANIFEST))
        yield from (describe_plugin(PluginReader(listing, root, mends=True)) for root in found)
        without: set[str] = set()
        for root in folders_with(listing, MARKETPLACE):
            yield describe_marketplace(PluginReader(listing, root, mends=True))
            for plugin in _without_manifest(listing, root):
                if plugin.root not in found:
                    without.add(plugin.root)
                    yield plugin
        for root in folders_with(listing, _HOOKS):
            reader = PluginReader(listing, root, mends=True)
            if (
                root not in {*found, *without}
                and not any(reader.exists(manifest) for manifest in _OTHERS)
                and _has_hooks(reader)
            ):
                yield describe_plugin(PluginReader(listing, root, mends=True), has_manifest=False)
        for root in folders_with(listing, HOME):
            reader = PluginReader(listing, root, mends=True)
            if MARKS.intersection(reader.names(HOME)) or (reader.is_directory(HOME) and reader.exists(SERVERS)):
                yield describe_settings(reader)


def _without_manifest(listing: Listing, root: str) -> Iterator[Plugin]:
    """Yield the plugins of a marketplace's tree that have no manifest of their own."""
    reader = PluginReader(listing, root, mends=True)
    document = reader.json(MARKETPLACE)
    for entry in read_entries(reader, document) if document is not None else ():
        if entry.place is None or not reader.is_directory(entry.place):
            continue
        below = PluginReader(listing, reader.path(entry.place), mends=True)
        if below.exists(MANIFEST):
            continue
        _pass_over_shown(below)
        # At the marketplace's own root an entry that names skills has these alone; all else is found as ever.
        names_skills = not entry.place and "skills" in entry.table
        plugin = describe_plugin(below, has_manifest=False, name=entry.name, finds_skills=not names_skills)
        if plugin.components or not names_skills:
            yield plugin


def _pass_over_shown(reader: PluginReader) -> None:
    """Take a `plugin.json` at a plugin's root for read where it only says what the plugin is: the client asks none."""
    document = PluginReader(reader.listing, reader.root).json(_AT_ROOT) if reader.exists(_AT_ROOT) else None
    if document is not None and isinstance(document.value, dict) and document.value.keys() <= ONLY_SHOWN:
        reader.json(_AT_ROOT)


def _has_hooks(reader: PluginReader) -> bool:
    """Say whether a hooks file is one, or is too broken to tell."""
    document = reader.json(_HOOKS)
    return document is None or lookup(document.value, ("hooks",)) is not None
