"""The plugins of a tree that a test gives as text: no disk, no scan of code."""

from __future__ import annotations

from collections.abc import Mapping

from plugseal.model.plugin import Component, Plugin
from plugseal.model.tree import Entry, EntryKind
from plugseal.scan.discover import build_listing, discover
from plugseal.systems.wanted import wanted


def described(files: Mapping[str, str], system: str = "") -> list[Plugin]:
    """Return the plugins of a tree, of one system alone if it is named.

    Args:
        files: path to text.
        system: whose plugins.
    """
    found: dict[str, Entry] = {}
    for path, text in files.items():
        parts = path.split("/")
        for end in range(1, len(parts)):
            folder = "/".join(parts[:end])
            found[folder] = Entry(folder, EntryKind.DIRECTORY, 0, False, None)
        found[path] = Entry(path, EntryKind.FILE, len(text), False, "00")
    entries = sorted(found.values(), key=lambda entry: entry.path)
    kept = {path: files[path].encode() for path in wanted(entries)}
    return [plugin for plugin in discover(build_listing(entries, kept)) if system in ("", plugin.system)]


def one(files: Mapping[str, str], system: str) -> Plugin:
    """Return the only plugin of a system in a tree."""
    (plugin,) = described(files, system)
    return plugin


def lines(plugin: Plugin) -> list[str]:
    """Return a plugin's components as `kind name trigger words…`, in their order."""
    return [line(component) for component in plugin.components]


def line(component: Component) -> str:
    """Return one component as `kind name trigger words…`."""
    parts = [component.kind.value, component.name, component.trigger, *component.command, component.endpoint or ""]
    return " ".join(part for part in parts if part)
