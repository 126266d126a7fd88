"""Every system says what its host asks for before anything of a plugin starts: none of them is left blank."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.intake.read import read_tree
from plugseal.model.plugin import ComponentKind
from plugseal.scan.discover import Keeper, discover
from tests.materialise import materialise

_TESTS = Path(__file__).resolve().parents[1]
_FIXTURES = _TESTS.parent / "fixtures"
_SYSTEMS = (
    "aider amazonq amp antigravity augment codex continue copilot crush cursor devin dify factory gemini "
    "github-actions goose grok hermes kilo kimi kiro mcp-config mcpb muse omp openclaw opencode pi qwen theia tooling "
    "vscode windsurf zed".split()
)
_STARTING = frozenset(set(ComponentKind) - {ComponentKind.SKILL, ComponentKind.TOOL, ComponentKind.AGENT})


@pytest.mark.parametrize("system", _SYSTEMS)
def test_what_a_system_starts_has_a_gate(system: str, tmp_path: Path) -> None:
    seen = 0
    for fixture in sorted((_FIXTURES / system).iterdir()):
        keeper = Keeper()
        tree = read_tree(materialise(fixture, tmp_path / fixture.name), keeper)
        for plugin in discover(keeper.listing(tree)):
            started = [c for c in plugin.components if c.kind in _STARTING] if plugin.system == system else []
            assert [c.name for c in started if not c.gate] == []
            seen += len(started)
    assert seen


def test_every_system_of_a_client_is_asked() -> None:
    folders = {path.name for path in _FIXTURES.iterdir() if path.is_dir()}
    own = {
        "agent-plugins",
        "agent-skill",
        "amber",
        "amness",
        "cases",
        "claude-code",
        "codewhale",
        "coding",
        "git",
        "sample",
    }
    assert folders - own == set(_SYSTEMS)
