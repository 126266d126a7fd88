"""Offer the tools of Coding's plugins to an MCP client for as long as it stays.

What the contract knows and MCP does not goes along as it can: labels are titles, guidelines stand below the
description, progress is a notification, `data` is structured content and a block of text whose numbers are exact,
`terminate` and the outcome stand in `_meta`. Each call still needs authorization.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from plugseal.errors import NothingToJudgeError
from plugseal.patterns import lazy
from plugseal.runtime.coding.calls import Call
from plugseal.runtime.coding.contract import ContentType, Result
from plugseal.runtime.coding.exact import render_exact
from plugseal.runtime.coding.host import Host
from plugseal.runtime.coding.load import Tool
from plugseal.runtime.coding.wire import build_content
from plugseal.runtime.mcp_parallel import Ask, ParallelMcpServer
from plugseal.runtime.mcp_server import Offer
from plugseal.shown import shown
from plugseal.trust.store import Store
from plugseal.verbs.coding.calls import OnEvent, list_coding, open_coding, progress_text

_NAME: Final = lazy(r"\A[A-Za-z0-9_.-]{1,128}\Z")
"""Of a tool in MCP; clients drop or refuse whole lists with others."""


def serve_coding(
    plugins: Sequence[str],
    store: Store,
    *,
    authorized: frozenset[str],
    on_event: OnEvent,
    patience: Mapping[str, float] | None = None,
    client: tuple[int, int] = (0, 1),
) -> None:
    """Serve one client until it goes away.

    Args:
        plugins: IDs; none for all that are enabled.
        store: what was trusted.
        authorized: names of tools that may be called.
        on_event: told what happens.
        patience: how long things may take, where it is not as usual.
        client: descriptors of its input and output.

    Raises:
        NothingToJudgeError: no plugin of Coding's is enabled.
        PlugsealError: a plugin that was named, or every one that is enabled, can't be opened.
    """
    with open_coding(store, authorized=authorized, on_event=on_event, patience=patience) as host:
        opened = _open(host, plugins, store, on_event)
        for name in host.tools:
            if not _NAME.fullmatch(name):
                on_event(f"tool `{shown(name)}` is not offered: its name is none in MCP")
        _Served(host, opened, client).serve()


def _open(host: Host, plugins: Sequence[str], store: Store, on_event: OnEvent) -> list[str]:
    wanted = plugins or [one.id for one in list_coding(store) if one.state == "enabled"]
    if not wanted:
        raise NothingToJudgeError("no plugin of Coding's is enabled", hint="see them with `plugseal coding list`")
    errors = host.open_all(wanted)
    first = next((error for error in errors.values() if error is not None), None)
    # One of many that can't start keeps no other from serving; one that was named must start.
    if first is not None and (plugins or all(errors.values())):
        raise first
    for plugin, error in errors.items():
        if error is not None:
            on_event(f"{plugin} is not offered: {error.message}")
    return [plugin for plugin, error in errors.items() if error is None]


class _Served:
    """One session of one client over one host."""

    def __init__(self, host: Host, plugins: Sequence[str], client: tuple[int, int]) -> None:
        self._host = host
        self._plugins = plugins
        self._gone: frozenset[str] = frozenset()
        """Plugins whose permission was taken."""
        self._calls: list[tuple[Call, Ask]] = []
        offer = Offer(
            tools=self._tools,
            call=_never,
            name="plugseal-coding",
            watched=lambda: host.descriptors()[0],
            look=self._look,
        )
        self._server = ParallelMcpServer(offer, self._begin, client=client)

    def serve(self) -> None:
        """Serve until the client goes away."""
        self._server.serve()

    def _tools(self) -> Iterator[dict[str, Any]]:
        for held in self._host.tools.values():
            if _NAME.fullmatch(held.tool.name) and held.plugin not in self._gone:
                yield build_mcp_tool(held.tool)

    def _look(self) -> bool:
        """Let plugins go on, and say whether the permission of one was taken since the last time."""
        for call, ask in self._calls:
            if not ask.is_wanted:
                call.cancel()
        self._host.step()
        for call, ask in self._calls:
            if call.result is not None:
                ask.answer(build_mcp_result(call.result))
        self._calls = [(call, ask) for call, ask in self._calls if call.result is None]
        before = self._gone
        self._gone = frozenset(plugin for plugin in self._plugins if self._host.refusal_of(plugin) is not None)
        return self._gone != before

    def _begin(self, name: str, arguments: dict[str, Any], ask: Ask) -> None:
        call = self._host.submit(name, arguments, on_progress=lambda one: ask.progress(progress_text(one)))
        self._calls.append((call, ask))


def build_mcp_tool(tool: Tool) -> dict[str, Any]:
    """Return a tool as MCP lists it."""
    guidelines = "\n".join(f"- {line}" for line in tool.guidelines)
    description = "\n\n".join(text for text in (tool.description, guidelines) if text)
    found = {"name": tool.name, "description": description, "inputSchema": dict(tool.schema)}
    return {**found, "title": tool.label} if tool.label else found


def build_mcp_result(result: Result) -> dict[str, Any]:
    """Return a result as MCP has it."""
    outcome = result.outcome
    about = {
        "status": outcome.status,
        "errorCode": outcome.error_code or None,
        "exitCode": outcome.exit_code,
        "terminate": result.terminate or None,
    }
    content = [build_content(one) for one in result.content]
    if outcome.data is not None:
        content.append({"type": ContentType.TEXT.value, "text": render_exact(outcome.data)})
    found: dict[str, Any] = {
        "content": content,
        "isError": not result.is_success,
        "_meta": {"coding/outcome": {key: value for key, value in about.items() if value is not None}},
    }
    return {**found, "structuredContent": outcome.data} if isinstance(outcome.data, dict) else found


def _never(name: str, arguments: dict[str, Any]) -> Mapping[str, Any]:
    raise AssertionError(f"a call of `{name}` was not begun with {len(arguments)} arguments")
