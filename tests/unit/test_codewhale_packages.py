"""Agent Plugins packages as Codewhale 0.9.10 reads them: the same files, other verdicts than the specification's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plugseal.model.plugin import Plugin
from plugseal.scan.discover import discover
from tests import codewhale_bundles as bundles

SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
MCP_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
HOSTS = {"net.codewhale": {"capabilities": {"network_hosts": ["h.invalid"]}}}
REMOTE = {"type": "streamable-http", "url": "https://h.invalid/mcp"}


def read(about: dict[str, Any], servers: Any = None, **files: str) -> Plugin:
    """Return the package of a manifest with other fields and the servers beside it."""
    manifest = {"$schema": SCHEMA, "name": "acme.tools", "version": "1.2.3", **about}
    tree = {"plugin.json": json.dumps({key: value for key, value in manifest.items() if value is not None}), **files}
    if servers is not None:
        tree["mcp.json"] = json.dumps({"$schema": MCP_SCHEMA, "mcpServers": servers})
    found = discover(bundles.build_tree({"server.js": "", "bin/run": "", "skills/s/SKILL.md": "", **tree}))
    return next(plugin for plugin in found if plugin.system == "agent-plugins")


def local(**spec: Any) -> dict[str, Any]:
    return {"a": {"type": "stdio", "command": "node", **spec}}


ACCEPTED: dict[str, tuple[dict[str, Any], Any]] = {
    "the shortest": ({}, None),
    "a schema of another version": ({"$schema": "https://agent-plugins.org/schemas/plugin.json"}, None),
    "no version": ({"version": None}, None),
    "a dot before a hyphen": ({"name": "a.-b"}, None),
    "a name of 64": ({"name": "a" * 64}, None),
    "an author": ({"author": {"name": "A", "email": "a@h.invalid", "url": "https://h.invalid"}}, None),
    "another vendor's extensions": ({"extensions": {"com.other": {"x": 1}}}, None),
    "a server": ({}, local(args=["server.js"])),
    "a server without a type": ({}, {"a": {"command": "node"}}),
    "a contained command without a dot": ({}, local(command="bin/run")),
    "an endpoint with its host": ({"extensions": HOSTS}, {"a": REMOTE}),
    "options of Codewhale's own": ({}, local(extensions={"net.codewhale": {"read_timeout": 9}})),
    "a future surface": ({"extensions": {"net.codewhale": {"hooks": {"path": "bin"}}}}, None),
}
REFUSED: dict[str, tuple[dict[str, Any], Any]] = {
    "no schema": ({"$schema": None, "name": "a"}, local()),
    "a blank schema": ({"$schema": " "}, local()),
    "two hyphens": ({"name": "a--b"}, None),
    "two dots": ({"name": "a..b"}, None),
    "a hyphen first": ({"name": "-a"}, None),
    "a dot last": ({"name": "a."}, None),
    "a capital": ({"name": "A"}, None),
    "a name of 65": ({"name": "a" * 65}, None),
    "an unknown field": ({"licence": "MIT"}, None),
    "a version that is not semantic": ({"version": "1"}, None),
    "an author without a name": ({"author": {"email": "a@h.invalid"}}, None),
    "an author with more": ({"author": {"name": "A", "x": 1}}, None),
    "an author that is a text": ({"author": "A"}, None),
    "extensions that are a list": ({"extensions": []}, None),
    "an unknown key of Codewhale's own": ({"extensions": {"net.codewhale": {"x": 1}}}, None),
    "an unknown type": ({}, {"a": {"type": "websocket", "url": "wss://h.invalid"}}),
    "a command with a URL": ({}, local(url="https://h.invalid")),
    "a URL with arguments": ({"extensions": HOSTS}, {"a": {**REMOTE, "args": ["x"]}}),
    "sse without a URL": ({}, {"a": {"type": "sse"}}),
    "stdio without a command": ({}, {"a": {"type": "stdio", "args": []}}),
    "a host that is not declared": ({}, {"a": REMOTE}),
    "headers": ({"extensions": HOSTS}, {"a": {**REMOTE, "headers": {"X": "y"}}}),
    "a literal variable": ({}, local(env={"X": "literal"})),
    "the host's own variable": ({}, local(env={"PLUGIN_ROOT": "${X}"})),
    "the root as a folder": ({}, local(cwd="${PLUGIN_ROOT}")),
    "an absolute argument": ({}, local(args=["/x"])),
    "one bad server of two": ({}, {**local(), "b": {"type": "nope"}}),
    "an unknown key of a server": ({}, local(timeout=5)),
    "servers that are a list": ({}, []),
}


@pytest.mark.parametrize(("about", "servers"), ACCEPTED.values(), ids=ACCEPTED)
def test_a_package_is_accepted(about: dict[str, Any], servers: Any) -> None:
    data = bundles.verdict(read(about, servers), "0.9.10")
    assert (data["valid"], data["loads"], data["reads"]) == (True, True, "plugin.json"), data["diagnostics"]


@pytest.mark.parametrize(("about", "servers"), REFUSED.values(), ids=REFUSED)
def test_a_package_is_refused_as_a_whole(about: dict[str, Any], servers: Any) -> None:
    data = bundles.verdict(read(about, servers), "0.9.10")
    assert (data["valid"], data["loads"]) == (False, False)
    assert {row["code"] for row in data["diagnostics"]} == {"manifest-invalid"}


def test_what_codewhale_refuses_is_no_fault_of_the_package() -> None:
    plugin = read({}, local(env={"X": "literal"}))
    assert plugin.faults == ()
    assert plugin.conforms is not None
    assert plugin.conforms.rejected is None


def test_a_link_inside_refuses_a_package_that_the_specification_allows() -> None:
    tree = {"plugin.json": json.dumps({"$schema": SCHEMA, "name": "p"}), "x": ""}
    [plugin] = [p for p in discover(bundles.build_tree(tree, links={"y": "x"})) if p.system == "agent-plugins"]
    assert not bundles.verdict(plugin, "0.9.10")["valid"]
    assert plugin.conforms is not None
    assert plugin.conforms.rejected is None


def test_skills_count_where_their_folder_is() -> None:
    data = bundles.verdict(read({}), "0.9.10")
    assert (data["inventory"]["skills"], data["active"], data["compatibility"]) == (1, ["skills"], "full")
