"""Coding: a directory with `coding-plugin.json` that names the process behind the Go contract.

The contract itself knows no files, so the manifest is plugseal's own, described in `docs/reference/coding-plugin.md`:
the identity of the contract's `Manifest`, how the process is started, and the tools that it would tell at run time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Fault, Plugin
from plugseal.model.verdict import HostVerdict
from plugseal.systems.coding.rules import check_contract, check_format, described_tools, trimmed
from plugseal.systems.components.servers import argument_vector, environment, launch_places
from plugseal.systems.components.tools import shared_tools
from plugseal.systems.launching.launch import entry_file
from plugseal.systems.reading.reader import Document, PluginReader, compact, extras
from plugseal.systems.reading.units import folder_of, folders_with, make_plugin
from plugseal.systems.system import Listing

_MANIFEST: Final = "coding-plugin.json"
_MAX_SHOWN: Final = 5
_FIELDS: Final = frozenset({"id", "name", "version", "command", "args", "cwd", "env", "tools", "description"})


class Coding:
    """Plugins of Coding's supervisor."""

    name = "coding"

    def keeps(self, path: str) -> bool:
        """Keep every `coding-plugin.json`."""
        return path.rpartition("/")[2] == _MANIFEST

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every Coding plugin; each knows which of its tools another declares too."""
        found = []
        for root in folders_with(listing, _MANIFEST):
            reader = PluginReader(listing, root)
            found.append(_describe(reader, reader.json(_MANIFEST)))
        shared = shared_tools([plugin for plugin, _ in found])
        return [_judged(plugin, refused, tools) for (plugin, refused), tools in zip(found, shared, strict=True)]


def _describe(reader: PluginReader, document: Document | None) -> tuple[Plugin, tuple[Fault, ...] | None]:
    """Return a plugin, and what the contract refuses in it: None where its manifest could not be read."""
    if document is None:
        return make_plugin("coding", reader, manifest=_MANIFEST, name=folder_of(reader)), None
    table = reader.table(document)
    check_contract(reader, document)
    refused = tuple(reader.faults)
    title = trimmed(table.get("name"))
    components = [*_process(reader, document), *described_tools(document)]
    description = table.get("description")
    plugin = make_plugin(
        "coding",
        reader,
        manifest=_MANIFEST,
        name=trimmed(table.get("id")) or folder_of(reader),
        version=trimmed(table.get("version")),
        description=description if isinstance(description, str) else "",
        components=components,
        extra=[*extras(table, _FIELDS), *([("name", title)] if title else [])],
    )
    return plugin, refused


def _process(reader: PluginReader, document: Document) -> Iterator[Component]:
    table = reader.table(document)
    argv = argument_vector(reader, document, (), table)
    sources, literals = environment(reader, document, ("env",))
    # Only a value that is one reference and nothing else is taken from the environment: the rest is text as it stands.
    written = dict(literals)
    sources = tuple((name, None if name in written else source) for name, source in sources)
    cwd = reader.text(document, ("cwd",)) or None
    check_format(reader, document, argv, cwd)
    if not argv or not trimmed(argv[0]):
        return
    yield Component(
        kind=ComponentKind.EXECUTABLE,
        name="process",
        file=_MANIFEST,
        span=document.locate(("command",)),
        transport="stdio",
        command=argv,
        cwd=cwd,
        environment=sources,
        literals=literals,
        trigger="start",
        entry=entry_file(argv, cwd, reader.is_file),
        places=launch_places(document, (), table),
    )


def _judged(plugin: Plugin, refused: tuple[Fault, ...] | None, shared: Mapping[str, Sequence[str]]) -> Plugin:
    """Return the plugin with the host's verdict, which rests on the contract alone.

    One error fails the whole load. Tool names are not namespaced, and a registration that fails changes nothing: of
    two plugins with one tool the one that comes later contributes none of its tools.
    """
    told = [f"`{fault.field}` {fault.message}" if fault.field else fault.message for fault in refused or ()]
    loads = None if refused is None else False if refused else _starts(plugin) or None
    rivals: dict[str, list[str]] = {}
    for tool, names in shared.items():
        for name in names:
            rivals.setdefault(name, []).append(tool)
    notes = [_shared_words(name, tools) for name, tools in sorted(rivals.items())]
    verdict = HostVerdict(
        "coding",
        loads=loads,
        summary="; ".join([_summary(told, loads, is_read=refused is not None), *notes[:1]]),
        data=compact({"refuses": told, "shared_tools": shared}),
        notes=(*told, *notes[1:]),
    )
    return plugin._replace(hosts=(verdict,))


def _summary(told: Sequence[str], loads: bool | None, *, is_read: bool) -> str:
    if not is_read:
        return "not known: the manifest could not be read"
    if told:
        more = f", and {len(told) - 1} more" if len(told) > 1 else ""
        return f"refuses to load it: {told[0]}{more}"
    if loads is None:
        return "not known: the process can't be started as the manifest says"
    return "loads it, if the process says what the manifest says"


def _shared_words(other: str, tools: Sequence[str]) -> str:
    shown = ", ".join(f"`{tool}`" for tool in tools[:_MAX_SHOWN])
    more = f" and {len(tools) - _MAX_SHOWN} more" if len(tools) > _MAX_SHOWN else ""
    return (
        f"`{other}` has {shown}{more} too: whichever registers later contributes no tool at all, unless it is told to "
        "replace"
    )


def _starts(plugin: Plugin) -> bool:
    """Say whether there is a process, and nothing wrong with how it starts."""
    broken = {fault.field.partition(".")[0] for fault in plugin.faults} & {"command", "args", "cwd", "env"}
    return not broken and any(component.kind is ComponentKind.EXECUTABLE for component in plugin.components)
