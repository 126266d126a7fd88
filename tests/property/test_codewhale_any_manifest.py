"""Whatever a manifest holds: it is described or refused, in the same words each time, and never raises."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.scan.discover import discover
from tests import codewhale_bundles as bundles

WORDS = (
    "schema_version plugin name version description author keywords skills path paths commands hooks mcp_servers "
    "command args env cwd url headers env_headers bearer_token_env_var transport read_timeout required enabled_tools "
    "oauth scopes capabilities network_hosts filesystem_roots lifecycle_mutation when os binaries extensions "
    "net.codewhale mcpServers type $schema a"
).split()
KEYS = st.sampled_from(WORDS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
TEXTS = st.sampled_from(
    [
        "node",
        "",
        " ",
        "..",
        "/x",
        "a/../b",
        "${X}",
        "https://h.invalid/",
        "http://[::1]/",
        "https://%",
        "skills",
        ".",
        "1.0.0",
        "sse",
    ]
) | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    TEXTS | st.integers(-(2**63), 2**63) | st.booleans() | st.floats(-10, 10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)
TABLES = st.dictionaries(KEYS, VALUES, max_size=6)


def as_toml(value: Any) -> str:
    """Return a value as TOML may write it within one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(key)} = {as_toml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    return quoted(value) if isinstance(value, str) else json.dumps(value)


def quoted(text: str) -> str:
    """Return a text as a basic string: JSON's escapes are TOML's, but for characters in two halves and DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@settings(max_examples=300, deadline=None)
@given(about=TABLES, server=TABLES, further=TABLES)
def test_any_plugin_toml_is_described_or_refused(about: Any, server: Any, further: Any) -> None:
    table = {**further, "plugin": {"name": "p", **about}, "mcp_servers": {"a": server}}
    manifest = "".join(f"{quoted(key)} = {as_toml(value)}\n" for key, value in table.items())
    first, second = (bundles.describe(manifest) for _ in range(2))
    assert first == second
    data = bundles.verdict(first, "0.9.1")
    assert data["loads"] <= (not first.faults)
    assert (not first.faults) <= data["valid"]


@settings(max_examples=300, deadline=None)
@given(about=TABLES, server=TABLES, own=VALUES)
def test_any_package_is_described_or_refused(about: Any, server: Any, own: Any) -> None:
    manifest = {"$schema": "https://agent-plugins.org/x", "name": "p", "extensions": {"net.codewhale": own}, **about}
    files = {"plugin.json": json.dumps(manifest), "mcp.json": json.dumps({"mcpServers": {"a": server}})}
    found = [plugin for plugin in discover(bundles.build_tree(files)) if plugin.system == "agent-plugins"]
    for plugin in found:
        data = bundles.verdict(plugin, "0.9.10")
        assert data["loads"] <= data["valid"]
