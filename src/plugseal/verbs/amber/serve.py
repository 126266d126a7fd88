"""Use amber's plugins: one call by hand, or a host that offers them all to an MCP client for as long as it stays."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugseal.errors import NothingToJudgeError, UsageError
from plugseal.model.identity import subject_id
from plugseal.model.trust import Subject
from plugseal.runtime.amber.advertise import advertisement
from plugseal.runtime.amber.envelope import Envelope
from plugseal.runtime.amber.host import COMPONENT, Host
from plugseal.runtime.amber.offered import Rank
from plugseal.runtime.amber.session import PluginFailedError
from plugseal.runtime.mcp_server import McpServer, Offer
from plugseal.runtime.supervise import Supervisor
from plugseal.trust.actor import current_actor
from plugseal.trust.store import Store
from plugseal.verbs.amber.places import rank_in
from plugseal.verbs.arguments import parse_arguments

if TYPE_CHECKING:
    # Who serves names no plugin, and loads no scanner.
    from plugseal.verbs.amber.find import Found

OnEvent = Callable[[str], None]
"""Called with a line of ours for the user."""


def _say_nothing(text: str) -> None:
    del text


def call_amber(
    found: Found, tool: str, arguments: str, store: Store, *, workspace: Path, on_event: OnEvent
) -> Envelope:
    """Return the envelope of one call.

    Args:
        found: the plugin.
        tool: its name, as the plugin declares it or as it is registered.
        arguments: a JSON object.
        store: what was trusted.
        workspace: in which paths among the arguments stay.
        on_event: told what the gate does, and what the plugin says beside its answer.

    Raises:
        UsageError: the arguments are no JSON object.
        RefusedError: the gate refused.
        SupervisorError: it can't be started.
        StateError: what is stored can't be believed.
        NothingToJudgeError: nothing is recorded about it.
    """
    values = parse_arguments(arguments)
    if found.record is None:
        from plugseal.verbs.amber.find import review_words

        raise NothingToJudgeError(
            f"nothing is recorded about `{found.path.name}`", hint=f"read it with `{review_words(found)}`"
        )
    subject, standing = found.record.subject, found.record.standing
    supervisor = Supervisor(store, name=subject_id, by=current_actor())
    if standing.trust is None or not standing.enabled:
        with supervisor.spawn(subject_id(subject), COMPONENT):
            raise AssertionError("the gate let a plugin through that is not enabled")
    with _host(store, supervisor, _this_one(subject), workspace, on_event) as host:
        registered = tool if tool.startswith(f"plugin_{subject.name}_") else f"plugin_{subject.name}_{tool}"
        envelope = host.call(registered, values)
    if envelope.error is not None and not isinstance(envelope.error, PluginFailedError | UsageError):
        raise envelope.error
    return envelope


def serve_amber(store: Store, *, workspace: Path, on_event: OnEvent) -> None:
    """Offer the tools of enabled plugins to the MCP client on standard input and output, until it goes away.

    Args:
        store: what was trusted.
        workspace: in which paths among arguments stay, and whose own plugins count.
        on_event: told what happens.

    Raises:
        SupervisorError: the client broke a bound.
        StateError: the state folder can't be used.
    """
    with open_amber_host(store, workspace=workspace, on_event=on_event) as host:

        def call(name: str, arguments: dict[str, Any]) -> Mapping[str, Any]:
            return _result(host.call(name, arguments, server.attend))

        server = McpServer(
            Offer(
                tools=lambda: [_tool(host, name) for name in host.offered.tools],
                call=call,
                name="plugseal-amber",
                instructions=advertisement(host.offered),
                watched=host.descriptors,
                look=host.look,
            )
        )
        server.serve()


def open_amber_host(store: Store, *, workspace: Path, on_event: OnEvent = _say_nothing) -> Host:
    """Return a host of the enabled plugins that are found from a workspace; use it as a context manager.

    Args:
        store: what was trusted.
        workspace: in which paths among arguments stay.
        on_event: told what happens.

    Raises:
        StateError: the state folder can't be used.
    """
    supervisor = Supervisor(store, name=subject_id, by=current_actor())
    return _host(store, supervisor, rank_in(workspace), workspace, on_event)


def _host(store: Store, supervisor: Supervisor, rank: Rank, workspace: Path, on_event: OnEvent) -> Host:
    real = os.path.realpath(workspace)
    return Host(store, supervisor, name=subject_id, rank=rank, workspace=real, on_event=on_event)


def _this_one(subject: Subject) -> Rank:
    return lambda other: 0 if other == subject else None


def _tool(host: Host, name: str) -> dict[str, Any]:
    tool = host.offered.tools[name].tool
    return {"name": name, "description": tool.description, "inputSchema": dict(tool.schema)}


def _result(envelope: Envelope) -> dict[str, Any]:
    """Return what an MCP client gets of an envelope."""
    meta = {"_meta": {"amber/meta": dict(envelope.meta)}} if envelope.meta else {}
    return {"content": [{"type": "text", "text": envelope.output}], "isError": not envelope.ok, **meta}
