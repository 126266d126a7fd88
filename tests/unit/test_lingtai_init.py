"""`init.json`: what an agent declares, what that registers, and what is only come across."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plugseal.intake.read import read_tree
from plugseal.scan.discover import Keeper, discover
from plugseal.systems.lingtai.init import ALIAS, AUTOMATIC, CANONICAL, SKILLS_KEY, declared_paths

PLUGIN = '{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "%s"}'
SERVERS = '{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "mcpServers": %s}'


def _init(plugins: Any = None, alias: Any = None, skills: Any = None) -> dict[str, Any]:
    capabilities = {"plugin": {"paths": alias}, "skills": {"paths": skills}}
    return {"manifest": {"plugins": plugins, "capabilities": capabilities}}


@pytest.mark.parametrize(
    ("init", "expected"),
    [
        pytest.param(_init(["a", "b"]), [(CANONICAL, "a"), (CANONICAL, "b")], id="canonical"),
        pytest.param(_init(None, ["a"]), [(ALIAS, "a")], id="alias"),
        pytest.param(_init(["b"], ["a", "b"]), [(CANONICAL, "b"), (ALIAS, "a")], id="canonical first, each once"),
        pytest.param(_init(["a", "a"]), [(CANONICAL, "a")], id="twice"),
        pytest.param(_init([1, None, "", ["x"], "a"]), [(CANONICAL, "a")], id="what is no text"),
        pytest.param(_init(None, None, ["a"]), [], id="paths of skills declare nothing"),
        *[pytest.param(_init(junk), [], id=f"junk {junk!r}") for junk in (None, "a", [1, 2], [""], {}, True)],
        pytest.param([], [], id="a list"),
        pytest.param({"manifest": {"capabilities": {"plugin": []}}}, [], id="a capability that is a list"),
    ],
)
def test_the_declared_paths_are_found(init: object, expected: list[tuple[str, str]]) -> None:
    assert [tuple(row) for row in declared_paths(init)] == expected


def _write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def _said(root: Path) -> dict[str, dict[str, Any]]:
    """Return lingtai's verdicts by the roots of the packages."""
    keeper = Keeper()
    read_tree(root, keeper)
    plugins = [plugin for plugin in discover(keeper.listing()) if plugin.system == "agent-plugins"]
    return {plugin.root: json.loads(plugin.hosts[0].data) for plugin in plugins}


def _agent(tmp_path: Path, init: Any, **further: str) -> dict[str, dict[str, Any]]:
    server = SERVERS % '{"greeter": {"type": "stdio", "command": "./serve"}}'
    files = {f"plugins/{name}/plugin.json": PLUGIN % name for name in ("alpha", "beta")}
    files |= {f"plugins/{name}/mcp.json": server for name in ("alpha", "beta")}
    _write(tmp_path, files | {"agent/init.json": json.dumps(init)} | further)
    return _said(tmp_path)


def test_a_declared_package_is_registered(tmp_path: Path) -> None:
    said = _agent(tmp_path, _init(["../plugins/alpha"]))
    assert (said["plugins/alpha"]["mount"], said["plugins/beta"]["mount"]) == ("registered", "undeclared")
    [mount] = said["plugins/alpha"]["mounts"]
    assert (mount["init"], mount["key"], mount["path"]) == ("agent/init.json", CANONICAL, "../plugins/alpha")
    assert mount["registry"]["append"] == [
        (
            '{"name": "greeter", "summary": "greeter: MCP server provided by Agent Plugin alpha", '
            '"transport": "stdio", '
            '"source": "plugin:alpha", "command": "<root>/serve", "args": []}'
        )
    ]


def test_a_package_where_skills_live_is_only_discovered(tmp_path: Path) -> None:
    said = _agent(tmp_path, _init(skills=["../plugins"]))
    assert said["plugins/alpha"]["mount"] == "discovered"
    assert said["plugins/alpha"]["mounts"] == [
        {"mount": "discovered", "init": "agent/init.json", "key": SKILLS_KEY, "path": "../plugins"}
    ]


def test_a_collection_is_its_immediate_packages_and_the_first_owner_of_a_server_keeps_it(tmp_path: Path) -> None:
    _write(tmp_path, {"plugins/.hidden/plugin.json": PLUGIN % "hidden", "plugins/deep/er/plugin.json": PLUGIN % "er"})
    said = _agent(tmp_path, _init(["../plugins"]))
    assert {root: row["mount"] for root, row in said.items()} == {
        "plugins/.hidden": "undeclared",
        "plugins/alpha": "registered",
        "plugins/beta": "registered",
        "plugins/deep/er": "undeclared",
    }
    assert said["plugins/beta"]["mounts"][0]["registry"]["append"] == []
    assert said["plugins/beta"]["mounts"][0]["registry"]["skipped"] == [
        {"component": "mcp:greeter", "reason": "name already claimed by plugin 'alpha'"}
    ]


def test_the_second_package_of_a_name_is_not_mounted(tmp_path: Path) -> None:
    _write(tmp_path, {"plugins/twin/plugin.json": PLUGIN % "alpha"})
    said = _agent(tmp_path, _init(["../plugins/twin", "../plugins/alpha"]))
    assert (said["plugins/twin"]["mount"], said["plugins/alpha"]["mount"]) == ("registered", "undeclared")


def test_a_name_that_the_registry_knows_from_somebody_else_is_skipped(tmp_path: Path) -> None:
    human = '{"name": "greeter", "summary": "s", "transport": "stdio", "source": "human", "command": "x"}'
    stale = '{"name": "old", "source": "plugin:gone"}'
    said = _agent(tmp_path, _init(["../plugins/alpha"]), **{"agent/mcp_registry.jsonl": f"{human}\n{stale}\n"})
    registry = said["plugins/alpha"]["mounts"][0]["registry"]
    assert (registry["prune"], registry["append"]) == (["old"], [])
    assert "already registered by 'human'" in registry["skipped"][0]["reason"]


def test_the_folder_beside_init_is_registered_without_a_declaration(tmp_path: Path) -> None:
    _write(tmp_path, {"agent/plugin/one/plugin.json": PLUGIN % "one"})
    said = _agent(tmp_path, _init())
    assert said["agent/plugin/one"]["mounts"][0]["key"] == AUTOMATIC


@pytest.mark.parametrize("path", ["/plugins/alpha", "~/plugins/alpha", "../../plugins/alpha", "not-there", "init.json"])
def test_a_path_that_shows_nothing_of_the_tree_mounts_nothing(path: str, tmp_path: Path) -> None:
    assert _agent(tmp_path, _init([path]))["plugins/alpha"]["mount"] == "undeclared"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"manifest": 1}', '{"scripts": {}}', "[" * 2000])
def test_an_init_file_of_somebody_else_mounts_nothing(text: str, tmp_path: Path) -> None:
    said = _agent(tmp_path, {}, **{"agent/init.json": text})
    assert {row["mount"] for row in said.values()} == {"undeclared"}


def test_a_rejected_package_registers_nothing(tmp_path: Path) -> None:
    said = _agent(tmp_path, _init(["../plugins/alpha"]), **{"plugins/alpha/plugin.json": PLUGIN % "Bad"})
    assert said["plugins/alpha"]["mount"] == "undeclared"
    assert "invalid name" in said["plugins/alpha"]["rejected"]
