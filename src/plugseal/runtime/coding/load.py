"""Load one plugin by any `Supervisor`: shake hands, list its tools, and refuse what the contract refuses.

One error fails the whole load. Texts are trimmed as Go trims them, blank guidelines dropped; names are not put into a
namespace. A loaded plugin's calls are judged on both ends: arguments by the tool's schema, progress and result by the
contract, and each call has exactly one result.
"""

from __future__ import annotations

import copy
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from plugseal.errors import PlugsealError, RefusedError, SupervisorError
from plugseal.model.texts import trim
from plugseal.runtime.coding.arguments import check_arguments
from plugseal.runtime.coding.checks import Hearing
from plugseal.runtime.coding.contract import (
    PROTOCOL_VERSION,
    Context,
    ExecuteRequest,
    ExecutionMode,
    HostInfo,
    InitializeRequest,
    InitializeResponse,
    ListToolsRequest,
    ListToolsResponse,
    Manifest,
    OnProgress,
    OutcomeStatus,
    ProgressNotification,
    Result,
    Supervisor,
    ToolDescriptor,
)
from plugseal.runtime.coding.exact import check_json
from plugseal.runtime.coding.execution import build_end
from plugseal.shown import shown

ARGUMENTS_INVALID: Final = "arguments_invalid"
"""The call was not sent: its arguments don't fit the tool's schema."""
_MODES: Final = frozenset(mode.value for mode in ExecutionMode)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of a loaded plugin; its texts are hostile."""

    name: str
    description: str
    schema: Mapping[str, Any]  # Any: JSON
    """Of its arguments: an object with `"type": "object"`."""
    label: str
    guidelines: tuple[str, ...]
    mode: ExecutionMode

    def check(self, arguments: object) -> str:
        """Return why arguments can't be sent to it, empty if they can."""
        if not isinstance(arguments, dict):
            return "`arguments` must be an object"
        fault = check_json(arguments)
        return f"`arguments` are no JSON: {fault}" if fault else check_arguments(self.schema, arguments)


@dataclass(frozen=True, slots=True)
class Definition:
    """A loaded plugin."""

    supervisor: Supervisor
    plugin: Manifest
    tools: tuple[Tool, ...]

    def execute(
        self, context: Context, call_id: str, tool: str, arguments: object, on_progress: OnProgress | None = None
    ) -> Result:
        """Make one call and return its one result.

        Args:
            context: what the caller may still want of it.
            call_id: of the call.
            tool: the name of one of its tools.
            arguments: a JSON object; it is copied.
            on_progress: told progress that is right, before this returns.

        Raises:
            SupervisorError: there is no such tool, or the supervisor did not come back with a result.
            RefusedError: the gate took the permission.
        """
        found = find_tool(self.tools, tool)
        fault = found.check(arguments)
        if fault or not isinstance(arguments, dict):
            return build_end(call_id, OutcomeStatus.FAILED, ARGUMENTS_INVALID, fault)
        hearing = Hearing(call_id, on_progress or _unheard)
        request = ExecuteRequest(call_id, found.name, copy.deepcopy(arguments))
        try:
            return hearing.judge(self.supervisor.execute(context, request, hearing.hear))
        except (PlugsealError, OSError) as error:
            raise failed(f"execute plugin tool `{shown(found.name)}`", error) from error
        finally:
            hearing.end()


Asking = InitializeRequest | ListToolsRequest
Answered = InitializeResponse | ListToolsResponse


def load(supervisor: Supervisor | None, host: HostInfo, *, context: Context | None = None) -> Definition:
    """Begin to talk to one plugin, and return it with its tools.

    Args:
        supervisor: of the plugin.
        host: who asks.
        context: what the caller may still want of it.

    Raises:
        SupervisorError: the plugin breaks the contract, or does not answer.
        RefusedError: the gate took the permission.
    """
    if supervisor is None:
        raise SupervisorError("plugin supervisor is required")
    context = context or Context()
    steps = load_steps(host)
    asking = next(steps)
    try:
        while True:
            try:
                answer: Answered
                if isinstance(asking, InitializeRequest):
                    answer = supervisor.initialize(context, asking)
                else:
                    answer = supervisor.list_tools(context, asking)
            except (PlugsealError, OSError) as error:
                asking = steps.throw(error)
            else:
                asking = steps.send(answer)
    except StopIteration as end:
        plugin, tools = end.value
    return Definition(supervisor, plugin, tools)


def load_steps(host: HostInfo) -> Generator[Asking, Answered, tuple[Manifest, tuple[Tool, ...]]]:
    """Yield what a plugin is asked when it is loaded, take its answers or errors, and return who it is and its tools.

    Whoever drives this decides how answers are waited for.

    Raises:
        SupervisorError: the plugin breaks the contract, or did not answer.
        RefusedError: the gate took the permission.
    """
    try:
        initialized = yield InitializeRequest(host)
    except (PlugsealError, OSError) as error:
        raise failed("initialize plugin", error) from error
    if not isinstance(initialized, InitializeResponse):
        raise SupervisorError("initialize plugin: that is no answer")
    plugin = _manifest(initialized)
    try:
        listed = yield ListToolsRequest()
    except (PlugsealError, OSError) as error:
        raise failed(f"list tools of plugin `{shown(plugin.id)}`", error) from error
    if not isinstance(listed, ListToolsResponse):
        raise SupervisorError(f"list tools of plugin `{shown(plugin.id)}`: that is no answer")
    return plugin, tuple(_tools(plugin, listed.tools))


def find_tool(tools: tuple[Tool, ...], name: str) -> Tool:
    """Return a tool by its name.

    Raises:
        SupervisorError: there is none.
    """
    found = next((tool for tool in tools if tool.name == name), None)
    if found is None:
        raise SupervisorError(f"there is no tool `{shown(name)}`")
    return found


def failed(doing: str, error: PlugsealError | OSError) -> PlugsealError:
    """Return an error of a supervisor with what was being done; a refusal of the gate stays what it is."""
    if isinstance(error, RefusedError):
        return error
    if isinstance(error, PlugsealError):
        return SupervisorError(f"{doing}: {error.message}", place=error.place, hint=error.hint, details=error.details)
    return SupervisorError(f"{doing}: {(error.strerror or type(error).__name__).lower()}")


def _manifest(answer: InitializeResponse) -> Manifest:
    found = answer.plugin
    plugin = Manifest(id=trim(found.id), version=trim(found.version), name=trim(found.name))
    who = f"plugin `{shown(plugin.id)}`"
    if answer.protocol_version != PROTOCOL_VERSION or isinstance(answer.protocol_version, bool):
        raise SupervisorError(
            f"{who} selected unsupported protocol version {answer.protocol_version} (host requires {PROTOCOL_VERSION})"
        )
    if not plugin.id:
        raise SupervisorError("the plugin has no `id`")
    if not plugin.version:
        raise SupervisorError(f"{who} has no `version`")
    return plugin


def _tools(plugin: Manifest, descriptors: tuple[ToolDescriptor, ...]) -> Iterator[Tool]:
    seen: set[str] = set()
    for number, descriptor in enumerate(descriptors):
        name = trim(descriptor.name)
        where = f"plugin `{shown(plugin.id)}`, tool `{shown(name)}`"
        if not name:
            raise SupervisorError(f"plugin `{shown(plugin.id)}`: tool {number + 1} has no `name`")
        if name in seen:
            raise SupervisorError(f"{where}: an earlier tool has this name")
        seen.add(name)
        yield _tool(descriptor, name, where)


def _tool(descriptor: ToolDescriptor, name: str, where: str) -> Tool:
    schema = descriptor.input_schema
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise SupervisorError(f'{where}: its `inputSchema` must be an object with `"type": "object"`')
    fault = check_json(schema)
    if fault:
        raise SupervisorError(f"{where}: its `inputSchema` is no JSON: {fault}")
    if descriptor.execution_mode not in _MODES:
        raise SupervisorError(f"{where}: its `executionMode` must be `parallel` or `sequential`")
    return Tool(
        name=name,
        description=trim(descriptor.description),
        schema=schema,
        label=trim(descriptor.label),
        guidelines=tuple(line for line in map(trim, descriptor.guidelines) if line),
        mode=ExecutionMode(descriptor.execution_mode),
    )


def _unheard(progress: ProgressNotification) -> None:
    del progress
