"""Plugins of clients that took over Claude Code's layout: each with what it has besides, and its faults."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.model.plugin import Plugin
from tests import described as _described

_TESTS = Path(__file__).resolve().parents[1]
_SKILL = "---\nname: a\ndescription: b\n---\n\nx\n"


def _one(files: dict[str, object], system: str) -> Plugin:
    texts = {path: what if isinstance(what, str) else json.dumps(what) for path, what in files.items()}
    plugin: Plugin = _described.one(texts, system)
    return plugin


@pytest.mark.parametrize(
    ("files", "system", "line"),
    [
        pytest.param(
            {".kimi-plugin/plugin.json": {"name": "k", "hooks": [{"event": "Stop", "command": "sh a.sh"}]}},
            "kimi",
            "hook Stop.0 hook:Stop sh a.sh",
            id="a hook of Kimi Code, which is a table in a list",
        ),
        pytest.param(
            {"kimi.plugin.json": {"name": "k"}, ".kimi-plugin/plugin.json": {"name": "other"}, "SKILL.md": _SKILL},
            "kimi",
            "skill a prose",
            id="a skill at the root, by the manifest that wins",
        ),
        pytest.param(
            {".kimi-plugin/plugin.json": {"name": "k", "mcpServers": {"f": {"command": "uvx", "args": ["x"]}}}},
            "kimi",
            "server f start uvx x",
            id="a server of Kimi Code",
        ),
        pytest.param(
            {".devin-plugin/plugin.json": {"name": "d", "requiredPlugins": [{"source": "github", "repo": "a/b"}]}},
            "devin",
            "source a/b install",
            id="a plugin that comes along",
        ),
        pytest.param(
            {".devin-plugin/plugin.json": {"name": "d"}, "AGENTS.md": "Run it."},
            "devin",
            "instructions AGENTS.md prose",
            id="rules in every session",
        ),
        pytest.param(
            {
                ".devin-plugin/plugin.json": {"name": "d"},
                "hooks.json": {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sh a.sh"}]}]}},
            },
            "devin",
            "hook Stop.0 hook:Stop sh a.sh",
            id="a hook of Devin",
        ),
        pytest.param(
            {".omp-plugin/plugin.json": {"name": "o", "extensions": ["./a.ts"]}, "a.ts": "1"},
            "omp",
            "module a.ts start",
            id="a module of Oh My Pi",
        ),
        pytest.param(
            {".copilot-plugin/plugin.json": {"name": "c", "mcpServers": {"t": {"command": "t"}}}},
            "copilot",
            "server t start t",
            id="a server of Copilot in VS Code",
        ),
    ],
)
def test_what_a_plugin_contributes_is_described(files: dict[str, object], system: str, line: str) -> None:
    plugin = _one(files, system)
    assert line in _described.lines(plugin)
    assert not plugin.faults


@pytest.mark.parametrize("folder", [".kimi-plugin", ".devin-plugin", ".omp-plugin", ".copilot-plugin"])
def test_a_broken_manifest_is_a_fault_of_its_own_system_alone(folder: str) -> None:
    plugins = _described.described({f"{folder}/plugin.json": "[", "skills/a/SKILL.md": _SKILL})
    assert [bool(plugin.faults) for plugin in plugins] == [True]


def test_a_key_that_nobody_is_known_to_read_is_said_to_be_unknown() -> None:
    plugin = _one({".kimi-plugin/plugin.json": {"name": "k", "tools": [{"command": "x"}]}}, "kimi")
    assert plugin.unknown == ((".kimi-plugin/plugin.json", "tools"),)


def test_a_required_plugin_without_a_place_is_a_fault() -> None:
    plugin = _one({".devin-plugin/plugin.json": {"name": "d", "requiredPlugins": [{"source": "url"}]}}, "devin")
    assert [fault.field for fault in plugin.faults] == ["requiredPlugins.0"]
