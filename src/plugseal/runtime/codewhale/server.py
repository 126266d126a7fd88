"""One reviewed MCP server as a bundle declares it: its exposed name, its bounds, and which tools may be seen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from plugseal.runtime.approved import Approved
from plugseal.runtime.codewhale.authority import Authority
from plugseal.runtime.codewhale.names import server_id

CONNECT_SECONDS: Final = 10.0
EXECUTE_SECONDS: Final = 60.0
READ_SECONDS: Final = 120.0
MAX_SECONDS: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Server:
    """One server."""

    id: str
    """`plugin-<bytes of the plugin's name>-<plugin>-<server>`."""
    label: str
    """`server:name`, for the gate."""
    component: Approved
    authority: Authority
    connect_seconds: float
    execute_seconds: float
    read_seconds: float
    is_enabled: bool
    is_required: bool
    enabled_tools: frozenset[str]
    """The only ones that may be seen; empty for all."""
    disabled_tools: frozenset[str]

    @property
    def is_remote(self) -> bool:
        """Say whether nothing is started for it."""
        return self.component.endpoint is not None

    def shows(self, tool: object) -> bool:
        """Say whether the reviewed filters let a tool be seen and called."""
        if not isinstance(tool, str) or tool in self.disabled_tools:
            return False
        return not self.enabled_tools or tool in self.enabled_tools


def reviewed_server(component: Approved, authority: Authority) -> Server:
    """Return a server as it was reviewed; bounds that it does not give are Codewhale's."""
    extra = _values(component)
    return Server(
        id=server_id(authority.bundle, component.name),
        label=component.label,
        component=component,
        authority=authority,
        connect_seconds=_seconds(extra, "connect_timeout", CONNECT_SECONDS),
        execute_seconds=_seconds(extra, "execute_timeout", EXECUTE_SECONDS),
        read_seconds=_seconds(extra, "read_timeout", READ_SECONDS),
        is_enabled=extra.get("enabled", True) is True,
        is_required=extra.get("required", False) is True,
        enabled_tools=_names(extra, "enabled_tools"),
        disabled_tools=_names(extra, "disabled_tools"),
    )


def _values(component: Approved) -> Mapping[str, Any]:
    found = {}
    for name, text in component.extra:
        try:
            found[name] = json.loads(text)
        except (ValueError, RecursionError):
            found[name] = text
    return found


def _seconds(extra: Mapping[str, Any], name: str, default: float) -> float:
    value = extra.get(name, default)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return min(max(float(value), 1.0), MAX_SECONDS) if is_number else default


def _names(extra: Mapping[str, Any], name: str) -> frozenset[str]:
    value = extra.get(name)
    return frozenset(word for word in value if isinstance(word, str)) if isinstance(value, list) else frozenset()
