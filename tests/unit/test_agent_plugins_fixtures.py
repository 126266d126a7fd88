"""The packages among the fixtures: what the specification and lingtai say of each, beside `EXPECT.toml`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plugseal.intake.read import read_tree
from plugseal.model.plugin import Plugin
from plugseal.scan.discover import Keeper, discover
from tests.materialise import materialise

_TESTS = Path(__file__).resolve().parents[1]
_FIXTURES = _TESTS.parent / "fixtures"


def _packages(fixture: str, target: Path) -> dict[str, Plugin]:
    keeper = Keeper()
    read_tree(materialise(_FIXTURES / fixture, target), keeper)
    return {plugin.root: plugin for plugin in discover(keeper.listing()) if plugin.conforms is not None}


def _lingtai(plugin: Plugin) -> dict[str, Any]:
    [host] = [host for host in plugin.hosts if host.host == "lingtai"]
    said: dict[str, Any] = json.loads(host.data)
    return {"loads": host.loads} | said


@pytest.mark.parametrize(
    ("fixture", "rejected", "loaded", "skipped", "reported"),
    [
        pytest.param("hello", "", ["greeter", "remote", "hello", "polite"], [], [], id="hello"),
        pytest.param("outward-links", "", ["good"], ["mcp.json", "skills/away", "skills/loop"], [], id="links out"),
        pytest.param(
            "one-bad-server",
            "",
            ["good"],
            [
                "mcp.json#climbing",
                "mcp.json#reserved",
                "mcp.json#unencrypted",
                "mcp.json#untyped",
                "skills/misnamed",
            ],
            ["theme"],
            id="one good part among bad ones",
        ),
        pytest.param("circle-of-links", "", ["plain"], [], [], id="a circle"),
        pytest.param("other-version", "$schema", [], [], None, id="another version"),
        pytest.param("without-schema", "$schema", [], [], [], id="no schema"),
        pytest.param("repeated-keys", "duplicate key", [], [], [], id="repeated keys"),
        pytest.param("directory-manifest", "plugin.json", [], [], [], id="a folder as manifest"),
    ],
)
def test_the_specification_judges_a_fixture(
    fixture: str, rejected: str, loaded: list[str], skipped: list[str], reported: list[str] | None, tmp_path: Path
) -> None:
    verdict = _packages(f"agent-plugins/{fixture}", tmp_path / "tree")[""].conforms
    assert verdict is not None
    assert (verdict.rejected is not None) == bool(rejected)
    assert rejected in (verdict.rejected or "")
    assert [name for _, names in verdict.loaded for name in names] == loaded
    assert [row.what for row in verdict.skipped] == skipped
    assert reported is None or [row.field for row in verdict.reported] == reported


def test_lingtai_loads_what_the_specification_skips(tmp_path: Path) -> None:
    said = _lingtai(_packages("agent-plugins/one-bad-server", tmp_path / "tree")[""])
    assert (said["skills"], said["mcp_registered"]) == (["misnamed"], ["good", "reserved", "unencrypted"])
    assert [row["component"] for row in said["skipped"]] == ["mcp:climbing", "mcp:untyped"]


def test_lingtai_crashes_on_a_circle_that_the_specification_allows(tmp_path: Path) -> None:
    said = _lingtai(_packages("agent-plugins/circle-of-links", tmp_path / "tree")[""])
    assert not said["loads"]
    assert said["crashes"] == ["RecursionError: `skills/group/up` leads back to a folder above it"]


def test_an_agent_registers_collections_and_discovers_the_rest(tmp_path: Path) -> None:
    packages = _packages("agent-plugins/lingtai-agent", tmp_path / "tree")
    said = {root: _lingtai(plugin) for root, plugin in packages.items()}
    assert {root: row["mount"] for root, row in said.items()} == {
        "library/found": "discovered",
        "plugins/clock": "registered",
        "plugins/notes": "registered",
        "single": "registered",
    }
    assert said["single"]["mounts"][0]["key"] == "manifest.capabilities.plugin.paths"
    assert said["plugins/notes"]["mounts"][0]["registry"] == {
        "prune": ["gone"],
        "append": [],
        "skipped": [
            {
                "component": "mcp:notes",
                "reason": "name already registered by 'human' — rename the server in mcp.json or remove the conflict",
            }
        ],
    }


def test_a_skill_that_does_not_conform_has_no_fault(tmp_path: Path) -> None:
    [skill] = _packages("agent-skill/nonconforming", tmp_path / "tree").values()
    assert skill.conforms is not None
    assert skill.conforms.rejected is not None
    assert [row.field for row in skill.conforms.reported] == ["model"]
    assert skill.faults == ()
