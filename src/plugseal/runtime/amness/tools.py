"""Tools and slash commands of plugins: lists without collisions, and calls with checked arguments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from plugseal.records import NamedTuple
from plugseal.runtime.amness.description import Item
from plugseal.runtime.amness.loaded import AskedOf, Loaded, Plugins, failure
from plugseal.runtime.amness.protocol import WORK_SECONDS
from plugseal.runtime.amness.schemas import check_value

OWN_TOOLS: Final = ("apply_patch", "edit_file", "finish", "memory_search", "sh", "write_file")
"""Tools of Amness itself that its documentation names."""
OWN_COMMANDS: Final = ("memory", "plugins", "policy", "prompt", "reload-plugins", "router", "sidebar", "strategy")
"""Commands of Amness itself that its documentation names."""
NOT_IN_PHASE: Final = "ERROR: {} is not allowed in this phase"


class Offered(NamedTuple):
    """One tool or command with the plugin that it is of."""

    plugin: Loaded
    item: Item


class Offers(NamedTuple):
    """What is offered, and what is not."""

    offered: dict[str, Offered]
    warnings: tuple[str, ...]


class Result(NamedTuple):
    """What a tool or a command gave."""

    text: str
    failed: bool = False


def find_tools(plugins: Plugins, taken: Sequence[str] = OWN_TOOLS) -> Offers:
    """Return the tools of all plugins by name; a name that is taken is passed over with a warning."""
    return _find(((plugin, item) for plugin in plugins for item in plugin.description.tools), taken, "tool")


def find_commands(plugins: Plugins, taken: Sequence[str]) -> Offers:
    """Return the commands of all plugins by name; those of Amness and of the project itself win."""
    items = ((plugin, item) for plugin in plugins for item in plugin.description.commands)
    return _find(items, (*OWN_COMMANDS, *taken), "command")


def _find(items: Iterator[tuple[Loaded, Item]], taken: Sequence[str], what: str) -> Offers:
    found: dict[str, Offered] = {}
    warnings = []
    for plugin, item in items:
        if item.name in taken:
            warnings.append(f"plugin {plugin.name}: skips its {what} `{item.name}`: the host has its own")
        elif item.name in found:
            other = found[item.name].plugin.name
            warnings.append(f"plugin {plugin.name}: skips its {what} `{item.name}`: plugin {other} has it")
        else:
            found[item.name] = Offered(plugin, item)
    return Offers(found, tuple(warnings))


def schema_of(item: Item) -> Mapping[str, Any]:
    """Return a tool's schema; that of any object where it says none."""
    schema = item.data.get("schema")
    return schema if isinstance(schema, dict) else {"type": "object"}


def call_tool(offered: Offered, args: Mapping[str, Any], *, cwd: str) -> Result:
    """Return what a tool answers, as text; a failure is text too, never raised.

    Raises:
        RefusedError: the plugin's permission was taken.
    """
    plugin, item = offered
    fault = check_value(args, schema_of(item))
    if fault:
        return Result(f"ERROR: the arguments of {item.name} don't fit its schema: {fault}", failed=True)
    answer = plugin.process.call("tool", {"index": item.index, "args": dict(args), "cwd": cwd}, seconds=WORK_SECONDS)
    if answer.failed:
        return Result(f"ERROR: {answer.failed}", failed=True)
    return Result(answer.value if isinstance(answer.value, str) else json.dumps(answer.value, ensure_ascii=False))


def run_command(offered: Offered, arg: str, *, cwd: str, asked: AskedOf) -> Result:
    """Run a slash command; that it failed is text too, and nothing else breaks.

    Raises:
        RefusedError: the plugin's permission was taken.
    """
    plugin, item = offered
    params = {"index": item.index, "arg": arg, "cwd": cwd}
    answer = plugin.process.call("command", params, seconds=WORK_SECONDS, asked=asked(plugin, f"commands.{item.name}"))
    return Result(failure(plugin, f"/{item.name}", answer), failed=True) if answer.failed else Result("")
