"""Each fixture of a system is found and described exactly as its `EXPECT.toml` says: nothing missing, nothing more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plugseal.intake.read import read_tree
from plugseal.lang.surfaces import is_surface
from plugseal.model.plugin import Component, Plugin
from plugseal.scan.discover import Keeper, discover, entry_files, manifest_facts
from tests import materialise

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

_TESTS = Path(__file__).resolve().parents[1]
_FIXTURES = _TESTS.parent / "fixtures"
_EXPECTATIONS = sorted(path for path in _FIXTURES.glob("*/*/EXPECT.toml"))


def describe_fixture(fixture: Path, target: Path) -> list[dict[str, Any]]:
    """Build a fixture and return its plugins in the words of `EXPECT.toml`."""
    keeper = Keeper()
    read_tree(materialise.materialise(fixture, target), keeper)
    return [_plugin(plugin) for plugin in discover(keeper.listing())]


def _plugin(plugin: Plugin) -> dict[str, Any]:
    said: dict[str, Any] = {
        "system": plugin.system,
        "name": plugin.name,
        "version": plugin.version,
        "root": plugin.root,
        "manifest": plugin.manifest,
        "single_file": plugin.single_file,
        "read": list(plugin.read),
        "components": [_component(component) for component in plugin.components],
        "permissions": list(plugin.permissions),
        "entries": [f"{file} {trigger}" for file, trigger in entry_files(plugin).items()],
        "faults": [f"{f.file}:{f.line} {f.field}: {f.message}" for f in plugin.faults],
        "facts": [
            " ".join((f"{file}:{fact.span.line}", fact.capability, fact.object or "?", fact.trigger))
            for file, fact in manifest_facts(plugin)
        ],
    }
    return {key: value for key, value in said.items() if value or key == "root"}


def _component(component: Component) -> str:
    parts = [component.kind.value, component.name, component.file, component.trigger, component.transport]
    parts += [f"env:{name}" if source is None else f"env:{name}<-{source}" for name, source in component.environment]
    parts += [f"endpoint:{component.endpoint}"] if component.endpoint else []
    return " ".join([part for part in parts if part] + list(component.command))


@pytest.mark.parametrize(
    "expectation", [pytest.param(path, id=path.parent.relative_to(_FIXTURES).as_posix()) for path in _EXPECTATIONS]
)
def test_a_fixture_is_described_as_expected(expectation: Path, tmp_path: Path) -> None:
    expected = tomllib.loads(expectation.read_text("utf-8")).get("plugin", [])
    assert describe_fixture(expectation.parent, tmp_path / "tree") == expected


def test_every_fixture_of_a_system_has_an_expectation() -> None:
    folders = {p for p in _FIXTURES.glob("*/*") if p.is_dir() and p.parent.name != "sample"}
    assert {path.parent for path in _EXPECTATIONS} == folders
    assert len(folders) > 20


def test_no_fixture_has_a_name_that_a_client_acts_on() -> None:
    live = {"AGENTS.md", "CLAUDE.md", "GEMINI.md", "conftest.py", "setup.py", ".mcp.json", ".envrc"}
    for path in _FIXTURES.rglob("*"):
        assert not path.name.startswith("."), path
        assert path.name not in live, path


_COMMON = {"manifest.yaml"}
"""Names of many other things, objects of Kubernetes among them: what stands in one says whose it is."""


def test_every_manifest_of_data_is_unread_where_no_system_understands_it() -> None:
    manifests = {
        plugin["manifest"]
        for path in _EXPECTATIONS
        for plugin in tomllib.loads(path.read_text("utf-8")).get("plugin", [])
        if plugin["manifest"].endswith((".json", ".toml", ".yaml", ".yml"))
    }
    assert len(manifests) > 5
    assert [name for name in sorted(manifests - _COMMON) if not is_surface(name)] == []
