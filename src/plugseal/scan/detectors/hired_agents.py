"""Agents that a workflow starts for whoever asks: the words of a stranger are then a prompt, with the agent's tools.

See: https://github.com/anthropics/claude-code-action/blob/main/docs/security.md
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import ManifestHit

_AGENT: Final = lazy(r"\b(?:anthropics/claude-code-(?:base-)?action)@")
_TOOLS: Final = lazy(r"(?i)--?allowed-?tools[= ]+(?:\"([^\"]{0,4000})\"|'([^']{0,4000})'|(\S{1,4000}))")
_ANY_COMMAND: Final = lazy(r"(?:^|[,\s])Bash(?:\(\*?(?::\*)?\))?(?=$|[,\s])")
_ASKS_NOBODY: Final = lazy(r"--dangerously-skip-permissions|bypassPermissions")


def look_for_hired_agents(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find agents that anybody may start and that may run any command."""
    if plugin.system != "github-actions":
        return
    for step in plugin.components:
        given = _with(step) if step.kind is ComponentKind.SOURCE and _AGENT.search(step.name) else {}
        if str(given.get("allowed_non_write_users", "")).strip() != "*":
            continue
        if _may_run_anything(given):
            yield ManifestHit(step, "*", "anybody may start it, and it may run any command")


def _may_run_anything(given: dict[str, Any]) -> bool:
    """Say whether the tools that an agent gets hold the shell without a limit."""
    words = str(given.get("claude_args", ""))
    listed = [next(filter(None, found), "") for found in _TOOLS.findall(words)]
    listed += [str(given.get("allowed_tools", ""))]
    return bool(_ASKS_NOBODY.search(words)) or any(_ANY_COMMAND.search(tools) for tools in listed)


def _with(step: Component) -> dict[str, Any]:
    found = next((json.loads(text) for name, text in step.extra if name == "with"), None)
    return found if isinstance(found, dict) else {}
