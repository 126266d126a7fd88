"""Windsurf (and Devin, its successor in name): hooks, rules, workflows and servers of a working folder.

Hooks are flat handlers by event; one before an action (`pre_…`) stops it by ending with 2.
"""

from __future__ import annotations

from plugseal.systems.clients.tables import DEVIN
from plugseal.systems.components.folders import FolderClient, Layout, Settings
from plugseal.systems.system import System

_GATE = "workspace trust"


def windsurf() -> System:
    """Return the system of `.windsurf`."""
    layout = Layout(
        folder=".windsurf",
        hooks=("hooks.json",),
        servers=("mcp_config.json", "mcp.json"),
        instructions=("rules",),
        commands=("workflows",),
        beside=(".windsurfrules",),
        gate=_GATE,
    )
    return FolderClient("windsurf", layout)


def devin() -> System:
    """Return the system of `.devin`."""
    names = ("config.json", "config.local.json")
    layout = Layout(
        folder=".devin",
        hooks=("hooks.json", "hooks.v1.json"),
        servers=("mcp_config.json", "mcp.json"),
        instructions=("rules", "knowledge"),
        commands=("workflows", "playbooks"),
        agents=("agents",),
        settings=tuple(Settings(f".devin/{name}", DEVIN, servers="mcpServers", hooks="hooks") for name in names),
        gate=_GATE,
    )
    return FolderClient("devin", layout)
