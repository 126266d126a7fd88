"""The fixed names of Agent Plugins packages, and of what says in a tree that an agent mounts them."""

from __future__ import annotations

from typing import Final

MANIFEST: Final = "plugin.json"
SERVERS: Final = "mcp.json"
SKILLS: Final = "skills"
INIT_FILE: Final = "init.json"
"""An agent of lingtai: it declares packages."""
REGISTRY_FILE: Final = "mcp_registry.jsonl"
"""Beside it: the servers that lingtai knows."""
