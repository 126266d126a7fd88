"""What Amness would do with a plugin file: load it, skip a part of it, or refuse to add it.

Its documentation names what keeps a file from loading: no default export that is an object, no name or a bad one, hooks
that are no map of functions, a syntax error. All else that is wrong keeps a part from working, and the file loads. What
`amness plugin add` refuses concerns a file that it copies, never one that stands in the folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from plugseal.model.plugin import ComponentKind, Fault, Plugin
from plugseal.model.verdict import HostVerdict
from plugseal.systems.amness.export import REFUSES, Contributions
from plugseal.systems.components.tools import shared_tools
from plugseal.systems.reading.reader import compact
from plugseal.systems.system import Listing

HOST: Final = "amness"
TOOLS: Final = ("apply_patch", "edit_file", "finish", "memory_search", "sh", "write_file")
"""Tools of Amness itself that its documentation names: those of plugins are added to the same list."""


def build_verdict(found: Contributions, faults: Iterable[Fault]) -> HostVerdict:
    """Return the verdict on a file in a folder of plugins.

    Args:
        found: what it contributes.
        faults: all of its.
    """
    refusals = [fault.message for fault in faults if fault.message.endswith(REFUSES)]
    if found.stops:
        loads, state = False, f"not loaded: {found.stops[0]}"
    elif found.open_because:
        loads, state = None, f"not known whether it loads: {found.open_because}"
    else:
        loads, state = True, "loads once these exact files are approved"
    data = {
        "contributes": found.said,
        "read": found.status,
        "why_not_read": found.reason,
        "not_loaded": found.stops,
        "plugin_add": refusals,
    }
    return HostVerdict(HOST, loads=loads, summary=state, data=compact(data), notes=(*found.stops[1:], *refusals))


def handed_out(plugin: Plugin) -> Plugin:
    """Return a plugin of a folder that Amness does not look at, with the verdict that it has there."""
    (verdict,) = plugin.hosts
    refusals = json.loads(verdict.data)["plugin_add"]
    state = "not loaded from here: `amness plugin add` "
    state += f"refuses it: {refusals[0]}" if refusals else "would copy it"
    notes = tuple(note for note in verdict.notes if note not in refusals)
    return plugin._replace(hosts=(verdict._replace(loads=False, summary=state, notes=notes),))


def beside_each_other(plugins: Sequence[Plugin], listing: Listing, home: str) -> Iterator[Plugin]:
    """Yield the plugins of one folder with what they take from each other, from Amness and from the project.

    Tools stand in one list with those of Amness; a command yields to a project's own of the same name.
    """
    above = home.rpartition("/")[0] if "/" in home else None
    for plugin, shared in zip(plugins, shared_tools(plugins, dict.fromkeys(TOOLS, HOST)), strict=True):
        hidden = [name for name in _commands(plugin) if above and listing.is_file(f"{above}/commands/{name}.md")]
        yield _with(plugin, shared, hidden) if shared or hidden else plugin


def _with(plugin: Plugin, shared: dict[str, list[str]], hidden: list[str]) -> Plugin:
    (verdict,) = plugin.hosts
    notes = [f"the tool `{name}` has the name of one of `{others[0]}`" for name, others in shared.items()]
    notes += [f"skips the command `/{name}`: the project has its own" for name in hidden]
    data = {**json.loads(verdict.data), "shared_tools": shared, "skipped_commands": hidden}
    return plugin._replace(hosts=(verdict._replace(data=compact(data), notes=(*verdict.notes, *notes)),))


def _commands(plugin: Plugin) -> list[str]:
    names = {c.name[1:] for c in plugin.components if c.kind is ComponentKind.COMMAND and c.name.startswith("/")}
    return sorted(names)
