"""Run the activated servers of an agent's plugins in one host: one call by hand, or all their tools for a client.

Before each call the agent's configuration and registry are looked at again: what is not activated any more is not
called any more. What is started, and whether, is the gate's to decide.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from plugseal.errors import PlugsealError, RefusedError, UsageError
from plugseal.model.decision import Reason
from plugseal.model.identity import subject_id
from plugseal.records import NamedTuple
from plugseal.runtime.agent_plugins.activation import Candidate, find_candidates
from plugseal.runtime.agent_plugins.envelope import NAME as PLUGIN_TOOL
from plugseal.runtime.agent_plugins.envelope import tool_definition
from plugseal.runtime.agent_plugins.files import open_agent
from plugseal.runtime.agent_plugins.host import Host, Start
from plugseal.runtime.agent_plugins.init import ACTIVATION
from plugseal.runtime.agent_plugins.snapshot import read_snapshot
from plugseal.runtime.limits import Limits
from plugseal.runtime.lines import Attend
from plugseal.runtime.mcp_server import McpServer, Offer
from plugseal.runtime.pins import PinGuard, Pinning
from plugseal.runtime.supervise import Held, Session, Supervisor
from plugseal.shown import shown
from plugseal.trust.actor import current_actor
from plugseal.trust.store import Store
from plugseal.verbs.call import SECONDS
from plugseal.verbs.lingtai.agent import parse_agent, plugin_tool
from plugseal.verbs.lingtai.state import plugin_id, verify_matches

if TYPE_CHECKING:
    from plugseal.verbs.run import OnEvent

_INSTRUCTIONS: Final = (
    "Tools of the Agent Plugins that this agent registered and activated, each server behind a gate. "
    "The tool `plugin` says which plugins there are."
)


class _Run(NamedTuple):
    """One agent whose servers are run."""

    agent: Path
    store: Store
    plugins: Collection[str]
    """Names of the plugins that are selected; empty for all."""


class AgentHost:
    """The activated servers of one agent, started; each call looks at configuration and registry again."""

    def __init__(self, run: _Run, host: Host) -> None:
        self._run = run
        self._host = host
        self._own = plugin_tool(run.agent, run.store)
        self.watched = host.watched
        """Returns descriptors that become readable when a server says something or a permission changes."""
        self.look = host.look
        """Hears what servers say unasked, ends those whose permission is gone, and says whether any was lost."""

    def tools(self) -> list[dict[str, Any]]:
        """Return the tool `plugin`, then those of all servers that run, as each describes its own."""
        return [tool_definition(), *self._host.tools()]

    def call(self, tool: str, arguments: dict[str, Any], *, wanted: Attend | None = None) -> dict[str, Any]:
        """Return the whole answer to one call.

        Args:
            tool: its name.
            arguments: of the call.
            wanted: asked now and then, says whether the call is still wanted.

        Raises:
            UsageError: nobody offers it.
            RefusedError: it is not activated any more, its permission is gone, or it is not what was approved.
            SupervisorError: the server does not answer.
        """
        if tool == PLUGIN_TOOL:
            return {"result": _as_result(self._own.answer(arguments))}
        _verify_still(self._run, self._host, tool)
        return self._host.call(tool, arguments, wanted=wanted)


@contextmanager
def open_agent_host(
    agent: Path, store: Store, *, plugins: Collection[str] = (), on_event: OnEvent
) -> Iterator[AgentHost]:
    """Start every activated server of an agent, and end them all at the end of the block.

    Args:
        agent: the agent's folder.
        store: what was trusted.
        plugins: those whose servers are started; all by default.
        on_event: told what the gate does and what servers say on their standard error.

    Raises:
        UsageError: no such plugin is registered.
        SupervisorError: two servers offer a tool of the same name.
        PlugsealError: the agent's files can't be read.
    """
    run = _Run(agent, store, plugins)
    limits = Limits()
    supervisor = Supervisor(store, name=subject_id, by=current_actor(), limits=limits)

    def guard(held: Session | Held) -> PinGuard:
        grant = held.grant
        about = Pinning(store, grant.subject, grant.approval.token, grant.id, grant.component.label)
        return PinGuard(about, on_event=on_event, record=held.note)

    host = Host(guard, on_event=on_event, limits=limits, seconds=SECONDS)
    with host.dispatch(_starts(run, supervisor, on_event)) as started:
        yield AgentHost(run, started)


def call_tool(
    agent: Path, tool: str, arguments: str, store: Store, *, plugins: Collection[str] = (), on_event: OnEvent
) -> dict[str, Any]:
    """Return the whole answer to one call of one tool, all activated servers started.

    Args:
        agent: the agent's folder.
        tool: its name; `plugin` is the host's own, for which nothing is started.
        arguments: a JSON object.
        store: what was trusted.
        plugins: those whose servers are started; all by default.
        on_event: told what the gate does and what servers say on their standard error.

    Raises:
        UsageError: the arguments are no object, or no such plugin or tool is there.
        RefusedError: the gate refused, or the tool is not what was approved.
        SupervisorError: two servers offer a tool of the same name, or one does not answer.
    """
    values = _parse(arguments)
    if tool == PLUGIN_TOOL:
        return {"result": _as_result(plugin_tool(agent, store).answer(values))}
    with open_agent_host(agent, store, plugins=plugins, on_event=on_event) as host:
        return host.call(tool, values)


def serve_tools(agent: Path, store: Store, *, plugins: Collection[str] = (), on_event: OnEvent) -> None:
    """Offer the tools of all activated servers, and the tool `plugin`, to a client on standard input and output.

    Args:
        agent: the agent's folder.
        store: what was trusted.
        plugins: those whose servers are started; all by default.
        on_event: told what the gate does and what servers say on their standard error.

    Raises:
        PlugsealError: as `open_agent_host`, before the client hears anything.
    """
    with open_agent_host(agent, store, plugins=plugins, on_event=on_event) as host:
        servers: list[McpServer] = []

        def attend() -> bool:
            return servers[0].attend()

        offer = Offer(
            tools=host.tools,
            call=lambda tool, arguments: _result_of(host.call(tool, arguments, wanted=attend)),
            name="plugseal-lingtai",
            instructions=_INSTRUCTIONS,
            watched=host.watched,
            look=host.look,
        )
        servers.append(McpServer(offer))
        servers[0].serve()


def _starts(run: _Run, supervisor: Supervisor, on_event: OnEvent) -> Iterator[Start]:
    """Yield the servers that are activated, each with its way through the gate."""
    for name in _foreign(run):
        on_event(f"{name} under `{ACTIVATION}` is no server of a registered plugin: it is not started here")
    for candidate in _selected(run):
        if candidate.why:
            on_event(f"{candidate.server} of {candidate.plugin}: {candidate.why}")
        else:
            yield Start(candidate.server, candidate.plugin, _open(run, supervisor, candidate))


def _open(
    run: _Run, supervisor: Supervisor, candidate: Candidate
) -> Callable[[], AbstractContextManager[Session | Held]]:
    @contextmanager
    def permitted() -> Iterator[Session | Held]:
        verify_matches(candidate, run.store)
        ask = supervisor.spawn if candidate.record["transport"] == "stdio" else supervisor.hold
        with ask(plugin_id(candidate, run.store), f"server:{candidate.server}") as held:
            yield held

    return permitted


def _selected(run: _Run) -> list[Candidate]:
    found = _candidates(run)
    unknown = sorted(set(run.plugins) - {candidate.plugin for candidate in found})
    if unknown:
        raise UsageError(
            f"no registered plugin with a server is called `{shown(unknown[0])}`",
            hint=f"see them with `plugseal lingtai list {shown(os.fspath(run.agent))}`",
        )
    return [candidate for candidate in found if not run.plugins or candidate.plugin in run.plugins]


def _foreign(run: _Run) -> list[str]:
    """Return what the configuration activates that is nobody's here."""
    with open_agent(run.agent) as folder:
        activated = parse_agent(folder)[0].activations
    return [shown(name) for name in activated if name not in {one.server for one in _candidates(run)}]


def _candidates(run: _Run) -> tuple[Candidate, ...]:
    with open_agent(run.agent) as folder:
        init, lines = parse_agent(folder)
        snapshot = read_snapshot(run.store.home, folder.path)
    return () if snapshot is None else find_candidates(init, snapshot, lines)


def _verify_still(run: _Run, host: Host, tool: str) -> None:
    """Refuse a call of a server that is not activated any more, or not in the same way."""
    owner = host.owner_of(tool)
    if owner is None:
        raise _not_offered(host, tool)
    for candidate in _candidates(run):
        if candidate.server == owner and not candidate.why:
            verify_matches(candidate, run.store)
            return
    raise RefusedError(
        Reason.REVOKED_MEANWHILE.value,
        f"`{owner}` is not activated any more",
        hint="see why with `plugseal lingtai list`",
    )


def _not_offered(host: Host, tool: str) -> PlugsealError:
    if host.refused:
        # It may be the tool of one that does not run: the reason of that is what helps.
        return next(iter(host.refused.values()))
    return UsageError(
        f"no activated server offers `{shown(tool)}`",
        hint="see what is registered and activated: `plugseal lingtai list`",
    )


def _as_result(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer of the host's own tool as MCP has results."""
    text = json.dumps(answer, ensure_ascii=True)
    return {"content": [{"type": "text", "text": text}], "isError": answer.get("status") in ("error", "failed")}


def _result_of(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a server's result; its error becomes one that the client's model can read."""
    result = answer.get("result")
    if isinstance(result, dict):
        return result
    error = answer.get("error")
    told = error.get("message") if isinstance(error, dict) else None
    return {"content": [{"type": "text", "text": shown(str(told or "the server failed"))}], "isError": True}


def _parse(arguments: str) -> dict[str, Any]:
    try:
        values = json.loads(arguments)
    except (ValueError, RecursionError) as error:
        raise UsageError("the arguments are no JSON", hint="""for example '{"text": "hello"}'""") from error
    if not isinstance(values, dict):
        raise UsageError("the arguments are no JSON object", hint="""for example '{"text": "hello"}'""")
    return values
