"""Whatever a package holds, each verdict on it is given, is the same again, and contradicts itself nowhere."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.model.plugin import Plugin
from plugseal.model.tree import Entry, EntryKind
from plugseal.scan.discover import build_listing, discover

PLUGIN_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
MCP_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
TEXTS = st.one_of(
    st.sampled_from(
        ["stdio", "sse", "node", "./x", "./../x", "..", "${PLUGIN_ROOT}/..", "https://a.invalid/", "http://[", "\0", ""]
    ),
    st.text(max_size=8),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
SERVER_KEYS = st.sampled_from(["type", "command", "args", "env", "cwd", "url", "headers", "x"])
SERVERS = st.dictionaries(TEXTS, st.dictionaries(SERVER_KEYS, VALUES, max_size=5) | VALUES, max_size=3)
MANIFESTS = st.dictionaries(
    st.sampled_from(["$schema", "name", "version", "author", "extensions", "keywords", "x"]), VALUES, max_size=5
)
LINKS = st.dictionaries(
    st.sampled_from(["skills/b", "skills/a/up", "x", "skills/c/SKILL.md", "y"]),
    st.sampled_from(["..", "../..", "a", "x", "y", "../skills", "skills", "/etc", ".", "../../out", "../x"]),
    max_size=4,
)


def _package(manifest: dict[str, Any], configuration: Any, links: dict[str, str]) -> Plugin:
    files = {
        "plugin.json": json.dumps({"$schema": PLUGIN_SCHEMA, "name": "sample"} | manifest),
        "mcp.json": json.dumps(configuration),
        "skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\n",
    }
    folders = {"skills", "skills/a"} | {link.rpartition("/")[0] for link in links} - {""}
    entries = [Entry(path, EntryKind.FILE, len(text), False, "0" * 64) for path, text in files.items()]
    entries += [Entry(path, EntryKind.DIRECTORY, 0, False, None) for path in folders]
    entries += [Entry(path, EntryKind.SYMLINK, 0, False, None, target) for path, target in links.items()]
    listing = build_listing(
        sorted(entries, key=lambda e: e.path.encode()), {path: text.encode() for path, text in files.items()}
    )
    [plugin] = [plugin for plugin in discover(listing) if plugin.manifest == "plugin.json" and not plugin.root]
    return plugin


@settings(max_examples=300, deadline=None)
@given(manifest=MANIFESTS, servers=SERVERS, further=st.dictionaries(TEXTS, VALUES, max_size=1), links=LINKS)
def test_verdicts_hold_together(
    manifest: dict[str, Any], servers: dict[str, Any], further: dict[str, Any], links: dict[str, str]
) -> None:
    if "$schema" in manifest and "agent-plugins.org" not in str(manifest["$schema"]):
        manifest = {key: value for key, value in manifest.items() if key != "$schema"}
    configuration = {"$schema": MCP_SCHEMA, "mcpServers": servers} | further
    plugin = _package(manifest, configuration, links)
    verdict = plugin.conforms
    assert verdict is not None
    loaded = {kind: set(names) for kind, names in verdict.loaded}
    skipped = {row.what for row in verdict.skipped}
    if verdict.rejected is not None:
        assert not loaded["skills"]
        assert not loaded["mcpServers"]
        assert not skipped
        assert plugin.faults
    elif "mcp.json" not in skipped:
        declared = configuration["mcpServers"]
        assert isinstance(declared, dict)
        assert loaded["mcpServers"] | {w.partition("#")[2] for w in skipped if "#" in w} == set(declared)
        assert not {f"mcp.json#{name}" for name in loaded["mcpServers"]} & skipped
    for host in plugin.hosts:
        assert isinstance(json.loads(host.data), dict)
    assert _package(manifest, configuration, links) == plugin
