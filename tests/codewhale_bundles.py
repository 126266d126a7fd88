"""Codewhale bundles for tests, as listings without a disk: a manifest's text, and what lies beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from plugseal.model.plugin import Plugin
from plugseal.model.tree import Entry, EntryKind
from plugseal.scan.discover import build_listing
from plugseal.systems.codewhale.system import Codewhale
from plugseal.systems.system import Listing

HEAD = 'schema_version = 1\n[plugin]\nname = "p"\nversion = "1.0.0"\n'
"""The shortest manifest that is current and good."""
FILES = {
    "server.js": "serve()\n",
    "mcp/server.js": "serve()\n",
    "skills/hello/SKILL.md": "---\nname: hello\ndescription: d\n---\nhi\n",
    "hooks/a.sh": "echo\n",
}
"""What lies beside a manifest where a test doesn't say otherwise."""


def build_tree(
    files: Mapping[str, str | bytes], *, folders: Iterable[str] = (), links: Mapping[str, str] | None = None
) -> Listing:
    """Return the listing of a tree whose files are all kept."""
    data = {path: text.encode("utf-8") if isinstance(text, str) else text for path, text in files.items()}
    entries = [Entry(path, EntryKind.FILE, len(content), False, "0" * 64) for path, content in data.items()]
    entries += [Entry(path, EntryKind.SYMLINK, 0, False, None, target) for path, target in (links or {}).items()]
    above = {"/".join(e.path.split("/")[:depth]) for e in entries for depth in range(1, e.path.count("/") + 1)}
    entries += [Entry(path, EntryKind.DIRECTORY, 0, False, None) for path in sorted(above | set(folders))]
    return build_listing(sorted(entries, key=lambda entry: entry.path.encode()), data)


def describe(
    manifest: str | bytes,
    files: Mapping[str, str | bytes] = FILES,
    *,
    folders: Iterable[str] = (),
    links: Mapping[str, str] | None = None,
) -> Plugin:
    """Return the one bundle whose manifest lies at the root of a tree."""
    [plugin] = discover(build_tree({"plugin.toml": manifest, **files}, folders=folders, links=links))
    return plugin


def discover(listing: Listing) -> list[Plugin]:
    """Return every Codewhale bundle of a tree."""
    return list(Codewhale().discover(listing))


def fault_fields(plugin: Plugin) -> list[str]:
    """Return the fields that have faults, sorted; a file's path for a fault of another file than the manifest."""
    return sorted({fault.field if fault.file == "plugin.toml" else fault.file for fault in plugin.faults})


def verdict(plugin: Plugin, version: str) -> dict[str, Any]:
    """Return what one version of Codewhale would say."""
    [found] = [host for host in plugin.hosts if host.host == f"codewhale-{version}"]
    return {"loads": found.loads, "summary": found.summary, **json.loads(found.data)}
