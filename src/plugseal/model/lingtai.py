"""What is known of an agent of lingtai and its Agent Plugins, as it is shown. Pure data; all text in it is hostile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plugseal.records import NamedTuple


class Refreshed(NamedTuple):
    """What one registration did, or would do."""

    agent: str
    """Real path of the agent's folder."""
    registered: tuple[Mapping[str, Any], ...]
    """Rows as `info` shows them."""
    appended: tuple[str, ...]
    pruned: tuple[str, ...]
    problems: tuple[Mapping[str, str], ...]
    is_changed: bool
    """Whether the registry is another one than before."""
    is_check: bool
    """Whether nothing was written."""


class ServerRow(NamedTuple):
    """One server that a registration gave a record."""

    server: str
    plugin: str
    source: str
    state: str
    """`registered`, `activated`, or `ready` where nothing stands in the way of a start."""
    why: str
    """What stands in the way."""
    step: str
    """What comes next: `refresh`, `activate` (an edit of the agent's configuration), `review`, `enable`, or `serve`;
    empty where only `why` tells."""


class PluginRow(NamedTuple):
    """One plugin that an agent knows."""

    name: str
    version: str
    mount: str
    """`registered` or `discovered`."""
    skills: int
    servers: int
    source: str


class Listed(NamedTuple):
    """What an agent has."""

    plugins: tuple[PluginRow, ...]
    servers: tuple[ServerRow, ...]
    """Those that have a record."""
