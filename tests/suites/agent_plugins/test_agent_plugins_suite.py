"""The rules of Agent Plugins 1.0.0, one case for each rule and boundary, written from the specification alone.

The tables beside this file are compact: each line is one package, built in memory of a temporary folder, and the
verdict of the specification on it. Cases marked `decided` are where it leaves room; `docs/reference/agent-plugins.md`
says why.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plugseal.intake.read import read_tree
from plugseal.model.plugin import Plugin
from plugseal.model.verdict import Conformance
from plugseal.scan.discover import Keeper, discover

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

_HERE = Path(__file__).parent
PLUGIN_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
MCP_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
_SKILL = "---\nname: {name}\ndescription: A sample.\n---\n"
_OK_SERVER = {"type": "stdio", "command": "node"}


def _cases(kind: str) -> list[Any]:
    tables = [tomllib.loads(path.read_text("utf-8")) for path in sorted(_HERE.glob("*.toml"))]
    return [pytest.param(case, id=case["id"]) for table in tables if table["kind"] == kind for case in table["cases"]]


def test_there_are_at_least_150_cases_and_each_has_its_own_name() -> None:
    tables = [tomllib.loads(path.read_text("utf-8")) for path in _HERE.glob("*.toml")]
    names = [(table["kind"], case["id"]) for table in tables for case in table["cases"]]
    assert len(names) >= 150
    assert len(names) == len(set(names))
    assert all(case["rule"] for table in tables for case in table["cases"])


@pytest.mark.parametrize("case", _cases("manifest"))
def test_a_manifest_is_judged(case: dict[str, Any], tmp_path: Path) -> None:
    fields = {"$schema": PLUGIN_SCHEMA, "name": "sample"} | json.loads(case.get("fields", "{}"))
    manifest = {key: value for key, value in fields.items() if key not in case.get("without", ())}
    root = _package(tmp_path, {"plugin.json": case.get("raw", json.dumps(manifest)), "mcp.json": _servers({})})
    verdict = _verdict(root)
    assert [row.field for row in verdict.reported] == case.get("reported", [])
    _assert_rejected(verdict, case)
    assert dict(verdict.loaded)["skills"] == (() if "rejected" in case else ("one",))
    assert dict(verdict.loaded)["mcpServers"] == (() if "rejected" in case else ("ok",))
    assert verdict.skipped == ()


@pytest.mark.parametrize("case", _cases("server"))
def test_a_server_is_judged(case: dict[str, Any], tmp_path: Path) -> None:
    root = _package(tmp_path, {"mcp.json": _servers({"s": json.loads(case["spec"])}), "bin/serve": "x", "data/x": "x"})
    for name, target in {"inside": "data", "outside": "../elsewhere", "circle": "circle"}.items():
        (root / name).symlink_to(target)
    verdict = _verdict(root)
    assert verdict.rejected is None
    assert dict(verdict.loaded)["mcpServers"] == (("ok",) if "skip" in case else ("ok", "s"))
    assert [row.what for row in verdict.skipped] == (["mcp.json#s"] if "skip" in case else [])
    assert case.get("skip", "") in "".join(row.why for row in verdict.skipped)


@pytest.mark.parametrize("case", _cases("configuration"))
def test_a_configuration_is_judged(case: dict[str, Any], tmp_path: Path) -> None:
    verdict = _verdict(_package(tmp_path, {"mcp.json": case["raw"]}))
    assert verdict.rejected is None
    assert dict(verdict.loaded)["skills"] == ("one",)
    assert dict(verdict.loaded)["mcpServers"] == tuple(case.get("servers", ()))
    skipped = [row.what for row in verdict.skipped]
    assert skipped == (["mcp.json"] if "disabled" in case else case.get("skipped", []))
    assert case.get("disabled", "") in "".join(f"{row.what} {row.why}" for row in verdict.skipped)


@pytest.mark.parametrize("case", _cases("skill"))
def test_a_skill_is_judged(case: dict[str, Any], tmp_path: Path) -> None:
    text = case.get("raw", "---\n" + case.get("front", "").replace("\\n", "\n") + "\n---\n\n# One\n")
    verdict = _verdict(_package(tmp_path, {"skills/one/SKILL.md": text}))
    assert verdict.rejected is None
    assert dict(verdict.loaded)["skills"] == (() if "skip" in case else ("one",))
    assert [row.what for row in verdict.skipped] == (["skills/one"] if "skip" in case else [])
    assert case.get("skip", "") in "".join(row.why for row in verdict.skipped)


@pytest.mark.parametrize("case", _cases("tree"))
def test_a_tree_is_judged(case: dict[str, Any], tmp_path: Path) -> None:
    outside = {"outside/plugin.json": _manifest(), "outside/mcp.json": _servers({}), "outside/SKILL.md": _skill("a")}
    _write(tmp_path, outside)
    root = tmp_path / "sample"
    files = {f"{folder}/SKILL.md": _skill(folder.rpartition("/")[2]) for folder in case.get("skills", ())}
    if "plugin.json" not in {*case.get("links", ()), *case.get("folders", ())}:
        files["plugin.json"] = _manifest()
    _write(root, files | case.get("files", {}))
    for folder in case.get("folders", ()):
        (root / folder).mkdir(parents=True)
    for name, target in case.get("links", {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)
    verdict = _verdict(root)
    _assert_rejected(verdict, case)
    assert dict(verdict.loaded)["skills"] == tuple(case.get("loaded", ()))
    assert dict(verdict.loaded)["mcpServers"] == tuple(case.get("servers", ()))
    assert [row.what for row in verdict.skipped] == case.get("skipped", [])
    assert verdict.reported == ()


@pytest.mark.parametrize("case", [c for kind in ("manifest", "server", "configuration") for c in _cases(kind)])
def test_what_the_specification_refuses_is_a_fault_of_ours_too(case: dict[str, Any], tmp_path: Path) -> None:
    if "fields" in case or "without" in case or ("raw" in case and "disabled" not in case and "servers" not in case):
        test_files = {"plugin.json": case.get("raw") or _laid_over(case)}
    elif "spec" in case:
        test_files = {"mcp.json": _servers({"s": json.loads(case["spec"])})}
    else:
        test_files = {"mcp.json": case["raw"]}
    plugin = _plugin(_package(tmp_path, test_files))
    assert plugin.conforms is not None
    if plugin.conforms.rejected or plugin.conforms.skipped:
        assert plugin.faults


def _laid_over(case: dict[str, Any]) -> str:
    fields = {"$schema": PLUGIN_SCHEMA, "name": "sample"} | json.loads(case.get("fields", "{}"))
    return json.dumps({key: value for key, value in fields.items() if key not in case.get("without", ())})


def _assert_rejected(verdict: Conformance, case: dict[str, Any]) -> None:
    assert (verdict.rejected is not None) == ("rejected" in case), verdict.rejected
    assert case.get("rejected", "") in (verdict.rejected or "")


def _package(tmp_path: Path, files: dict[str, str]) -> Path:
    root = tmp_path / "sample"
    _write(root, {"plugin.json": _manifest(), "skills/one/SKILL.md": _skill("one")} | files)
    return root


def _write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.replace("@PLUGIN@", PLUGIN_SCHEMA).replace("@MCP@", MCP_SCHEMA).encode("utf-8"))


def _manifest() -> str:
    return json.dumps({"$schema": PLUGIN_SCHEMA, "name": "sample"})


def _servers(further: dict[str, Any]) -> str:
    return json.dumps({"$schema": MCP_SCHEMA, "mcpServers": {"ok": _OK_SERVER} | further})


def _skill(name: str) -> str:
    return _SKILL.format(name=name)


def _plugin(root: Path) -> Plugin:
    keeper = Keeper()
    read_tree(root, keeper)
    [plugin] = [plugin for plugin in discover(keeper.listing()) if plugin.system == "agent-plugins" and not plugin.root]
    return plugin


def _verdict(root: Path) -> Conformance:
    conforms = _plugin(root).conforms
    assert conforms is not None
    return conforms
