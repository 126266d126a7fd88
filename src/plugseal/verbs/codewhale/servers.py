"""MCP servers of Codewhale's bundles: what there is, and one operation by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plugseal.errors import UsageError
from plugseal.model.codewhale import ListedServer
from plugseal.runtime.codewhale.pool import LISTS, Pool
from plugseal.runtime.codewhale.server import Server
from plugseal.runtime.remote.endpoint import reviewed_endpoint
from plugseal.verbs.arguments import parse_arguments
from plugseal.verbs.codewhale.start import Start

OnEvent = Callable[[str], None]


def open_pool(start: Start, *, on_event: OnEvent, authorities: str | None = None) -> Pool:
    """Return the servers of a start; nothing is connected. Use it as a context manager.

    Args:
        start: with its registry.
        on_event: told what is left out, and what the pins find.
        authorities: certificates in PEM that alone are believed of remote servers; None for the system's.
    """
    return Pool(start.registry, start.host, on_event=on_event, authorities=authorities)


def list_servers(pool: Pool) -> tuple[ListedServer, ...]:
    """Return the servers that may be asked now."""
    return tuple(_listed(server) for server in pool.servers())


def list_rows(pool: Pool, server: str, kind: str) -> list[dict[str, Any]]:
    """Return what one server has.

    Args:
        pool: of a start.
        server: its ID.
        kind: `tools`, `resources`, `templates` or `prompts`.

    Raises:
        PlugsealError: as `Pool.rows_of`.
    """
    if kind not in LISTS:
        raise UsageError(f"unknown kind `{kind}`", hint=f"one of {', '.join(f'`{name}`' for name in LISTS)}")
    return pool.rows_of(server, kind)


def call_server(pool: Pool, server: str, tool: str, arguments: str) -> dict[str, Any]:
    """Return the whole answer to one call of a tool.

    Args:
        pool: of a start.
        server: its ID.
        tool: its name.
        arguments: a JSON object.

    Raises:
        UsageError: the arguments are no JSON object.
        PlugsealError: as `Pool.call_tool`.
    """
    return pool.call_tool(server, tool, parse_arguments(arguments))


def _listed(server: Server) -> ListedServer:
    component = server.component
    origin = reviewed_endpoint(component.endpoint).shown_origin if component.endpoint else ""
    return ListedServer(server.id, server.authority.bundle, component.transport, origin)
