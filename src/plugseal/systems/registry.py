"""The plugin systems that are known, by the names that call them. To add one: one function and one line here.

A system is loaded once a tree holds one of its names, so that a small tree doesn't pay for the rules of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from plugseal.systems.system import System
from plugseal.systems.tooling.names import FOLDERS, NAMES, OTHER_FOLDERS, SUFFIXES


def _agent_plugins() -> System:
    from plugseal.systems.agent_plugins.system import AgentPlugins

    return AgentPlugins()


def _agent_skill() -> System:
    from plugseal.systems.agent_skill.system import AgentSkill

    return AgentSkill()


def _aider() -> System:
    from plugseal.systems.clients.aider import aider

    return aider()


def _amber() -> System:
    from plugseal.systems.amber.system import Amber

    return Amber()


def _amazonq() -> System:
    from plugseal.systems.clients.kiro import amazonq

    return amazonq()


def _amness() -> System:
    from plugseal.systems.amness.system import Amness

    return Amness()


def _amp() -> System:
    from plugseal.systems.clients.settled import amp

    return amp()


def _antigravity() -> System:
    from plugseal.systems.clients.antigravity import Antigravity

    return Antigravity()


def _augment() -> System:
    from plugseal.systems.clients.settled import augment

    return augment()


def _claude_code() -> System:
    from plugseal.systems.claude.system import ClaudeCode

    return ClaudeCode()


def _codewhale() -> System:
    from plugseal.systems.codewhale.system import Codewhale

    return Codewhale()


def _codex() -> System:
    from plugseal.systems.codex.system import Codex

    return Codex()


def _coding() -> System:
    from plugseal.systems.coding.system import Coding

    return Coding()


def _continue() -> System:
    from plugseal.systems.clients.continue_dev import continue_dev

    return continue_dev()


def _copilot() -> System:
    from plugseal.systems.copilot.system import Copilot

    return Copilot()


def _crush() -> System:
    from plugseal.systems.clients.crush import crush

    return crush()


def _cursor() -> System:
    from plugseal.systems.cursor.system import Cursor

    return Cursor()


def _devin() -> System:
    from plugseal.systems.clients.layouts import devin_plugins

    return devin_plugins()


def _factory() -> System:
    from plugseal.systems.clients.settled import factory

    return factory()


def _gemini() -> System:
    from plugseal.systems.gemini.system import Gemini

    return Gemini()


def _git() -> System:
    from plugseal.systems.repository.git import Git

    return Git()


def _github_actions() -> System:
    from plugseal.systems.repository.github_actions import GithubActions

    return GithubActions()


def _goose() -> System:
    from plugseal.systems.clients.goose import Goose

    return Goose()


def _grok() -> System:
    from plugseal.systems.clients.grok import Grok

    return Grok()


def _dify() -> System:
    from plugseal.systems.clients.dify import Dify

    return Dify()


def _hermes() -> System:
    from plugseal.systems.clients.hermes import Hermes

    return Hermes()


def _kilo() -> System:
    from plugseal.systems.opencode.system import kilo

    return kilo()


def _kimi() -> System:
    from plugseal.systems.clients.layouts import kimi

    return kimi()


def _kiro() -> System:
    from plugseal.systems.clients.kiro import Kiro

    return Kiro()


def _mcp_config() -> System:
    from plugseal.systems.mcp.config import McpConfig

    return McpConfig()


def _mcpb() -> System:
    from plugseal.systems.mcp.bundle import Mcpb

    return Mcpb()


def _muse() -> System:
    from plugseal.systems.clients.grok import muse

    return muse()


def _omp() -> System:
    from plugseal.systems.clients.layouts import omp

    return omp()


def _openclaw() -> System:
    from plugseal.systems.clients.openclaw import OpenClaw

    return OpenClaw()


def _opencode() -> System:
    from plugseal.systems.opencode.system import OpenCode

    return OpenCode()


def _pi() -> System:
    from plugseal.systems.clients.pi import Pi

    return Pi()


def _qwen() -> System:
    from plugseal.systems.clients.qwen import Qwen

    return Qwen()


def _theia() -> System:
    from plugseal.systems.clients.settled import theia

    return theia()


def _tooling() -> System:
    from plugseal.systems.tooling.system import Tooling

    return Tooling()


def _vscode() -> System:
    from plugseal.systems.vscode.system import VsCode

    return VsCode()


def _windsurf() -> System:
    from plugseal.systems.clients.windsurf import windsurf

    return windsurf()


def _zed() -> System:
    from plugseal.systems.clients.zed import Zed

    return Zed()


_MCP_NAMES: Final = (
    "~mcp .claude.json claude_desktop_config.json librechat.yaml server.json smithery.yaml smithery.yml "
    "server.yaml server.yml ai-plugin.json agent-card.json agent.json"
)
_TOOL_NAMES: Final = " ".join(sorted({*NAMES, *(f"*{end}" for end in SUFFIXES), *FOLDERS, *OTHER_FOLDERS, "~mise"}))
_SYSTEMS: Final[tuple[tuple[str, Callable[[], System]], ...]] = (
    ("plugin.json", _agent_plugins),
    ("skill.md", _agent_skill),
    (".aider.conf.yml", _aider),
    (".amazonq", _amazonq),
    ("manifest.json .amber amber", _amber),
    (".amness amness", _amness),
    (".amp", _amp),
    (".agents .agent _agents _agent", _antigravity),
    (".augment .augment-guidelines", _augment),
    (".claude .claude-plugin hooks.json", _claude_code),
    ("plugin.toml .codewhale", _codewhale),
    (".codex-plugin .codex .agents plugin.json", _codex),
    ("coding-plugin.json", _coding),
    (".continue .continuerc.json .continuerules", _continue),
    ("plugin.json .github marketplace.json .copilot-plugin", _copilot),
    (".crush crush.json .crush.json crushrc .crushrc", _crush),
    (".cursor-plugin .cursor .cursorrules", _cursor),
    (".devin .devin-plugin", _devin),
    ("manifest.yaml manifest.yml", _dify),
    (".factory", _factory),
    ("gemini-extension.json .gemini", _gemini),
    (".git .gitmodules", _git),
    (".github action.yml action.yaml", _github_actions),
    ("recipe.yaml recipe.yml recipe.json recipes .goose .goosehints", _goose),
    (".grok .grok-plugin", _grok),
    ("plugin.yaml plugin.yml pyproject.toml", _hermes),
    (".kilo kilo.json kilo.jsonc", _kilo),
    (".kimi-plugin kimi.plugin.json", _kimi),
    (".kiro power.md", _kiro),
    (_MCP_NAMES, _mcp_config),
    ("manifest.json", _mcpb),
    (".muse", _muse),
    (".omp-plugin", _omp),
    ("openclaw.plugin.json package.json hook.md", _openclaw),
    (".opencode opencode.json opencode.jsonc tui.json tui.jsonc", _opencode),
    ("package.json .pi", _pi),
    (".qwen qwen-extension.json", _qwen),
    (".theia", _theia),
    (_TOOL_NAMES, _tooling),
    (".vscode *.code-workspace", _vscode),
    (".windsurf .windsurfrules", _windsurf),
    (".zed", _zed),
)
"""The names, in lower case, of files and folders without one of which there is nothing of a system; and its maker.
`*.x` is any name that ends in `.x`, `~mcp` any in which `mcp` stands, `~mise` any with `mise.`.
Links and folders count by their own names, so whatever a system could find has its name somewhere in the listing."""

YIELDING: frozenset[str] = frozenset({"agent-skill", "mcp-config"})
"""Systems whose units are dropped where another system describes the same file as its own component."""

FOLLOWING: frozenset[str] = frozenset({"agent-plugins"})
"""Systems that allow links inside a plugin: their receipts are over the tree as it is once links are followed."""

YIELDING_MANIFESTS: frozenset[str] = frozenset({"hooks/hooks.json"})
"""Files that alone make a plugin only where no other plugin describes them as its own component."""


def all_systems() -> tuple[System, ...]:
    """Return every system, in the order of their names."""
    return _load(tuple(range(len(_SYSTEMS))))


def systems_of(paths: Iterable[str], anchor: str = "") -> tuple[System, ...]:
    """Return the systems of which a tree may hold something.

    Args:
        paths: of all entries of the tree.
        anchor: where its root stands, as `Listing.anchor`.
    """
    folders = {anchor}
    names = set()
    for path in paths:
        folder, _, name = path.rpartition("/")
        name = name.lower()
        names.add(name)
        names.add(f"*.{name.rpartition('.')[2]}")
        if "mcp" in name:
            names.add("~mcp")
        if "mise." in name:
            names.add("~mise")
        folders.add(folder)
    for folder in folders:
        names.update(folder.lower().split("/"))
    return _load(tuple(n for n, (marks, _) in enumerate(_SYSTEMS) if not names.isdisjoint(marks.split())))


@lru_cache(maxsize=64)
def _load(numbers: tuple[int, ...]) -> tuple[System, ...]:
    return tuple(_SYSTEMS[number][1]() for number in numbers)
