"""Call one tool by hand, behind the gate, with all that a client's call has to pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from plugseal.errors import RefusedError, UsageError
from plugseal.model.identity import subject_id
from plugseal.runtime.caller import Caller
from plugseal.runtime.limits import Limits
from plugseal.runtime.supervise import Supervisor
from plugseal.trust.actor import current_actor
from plugseal.trust.store import Store
from plugseal.verbs.arguments import parse_arguments
from plugseal.verbs.run import guard_of

if TYPE_CHECKING:
    from plugseal.verbs.run import OnEvent

SECONDS = 60.0
"""How long an answer may take."""
_OWN_PROTOCOLS: Final = {
    "amber": "plugseal amber call ID TOOL",
    "coding": "plugseal coding call PLUGIN TOOL",
    "amness": "plugseal amness call METHOD",
}
"""Systems whose plugins speak something else than MCP, and what calls them."""


def call_tool(plugin: str, tool: str, arguments: str, store: Store, *, on_event: OnEvent) -> dict[str, Any]:
    """Return the server's whole answer to one call.

    Args:
        plugin: its ID, with `/kind:name` behind it where it has several servers.
        tool: its name.
        arguments: a JSON object.
        store: what was trusted.
        on_event: told what the gate does and what the server says on its standard error.

    Raises:
        UsageError: the arguments are no JSON object, or the plugin is none that speaks MCP.
        RefusedError: the gate refused, or the tool is not what was approved.
        SupervisorError: the server can't be started, or does not answer.
    """
    values = parse_arguments(arguments)
    system = plugin.partition(":")[0]
    if system in _OWN_PROTOCOLS:
        raise UsageError(f"a plugin of `{system}` speaks no MCP", hint=f"call it by `{_OWN_PROTOCOLS[system]}`")
    name, slash, component = plugin.partition("/")
    if slash and not component:
        raise UsageError("no component is named behind the `/`", hint=f"`plugseal show {name}` lists them")
    limits = Limits()
    supervisor = Supervisor(store, name=subject_id, by=current_actor(), limits=limits)
    with supervisor.spawn(name, component or None) as session:
        guard = guard_of(session, store, on_event)
        caller = Caller(session, guard=guard, on_event=on_event, limits=limits, seconds=SECONDS)
        try:
            caller.begin()
            return caller.ask("tools/call", {"name": tool, "arguments": values})
        except RefusedError as error:
            session.refusal = error
            raise
