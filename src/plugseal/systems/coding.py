"""Coding: a directory with `coding-plugin.json` that names the process behind the Go contract.

The contract itself knows no files, so the manifest is plugseal's own, described in `docs/reference/coding-plugin.md`:
the identity of the contract's `Manifest`, how the process is started, and the tools that it would tell at run time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.model.verdict import HostVerdict
from plugseal.systems.coding_rules import check_launch, check_manifest, described_tools, trimmed
from plugseal.systems.launch import entry_file
from plugseal.systems.reading import Document, PluginReader, compact, extras, kind_of
from plugseal.systems.servers import argument_vector, environment, launch_places
from plugseal.systems.system import Listing
from plugseal.systems.units import folder_of, folders_with, make_plugin

_MANIFEST: Final = "coding-plugin.json"
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
        return [_judged(plugin, found) for plugin in found]


def _describe(reader: PluginReader, document: Document | None) -> Plugin:
    if document is None:
        return make_plugin("coding", reader, manifest=_MANIFEST, name=folder_of(reader))
    table = reader.table(document)
    check_manifest(reader, document)
    name = trimmed(table.get("id")) or folder_of(reader)
    title = trimmed(table.get("name"))
    components = [*_process(reader, document), *described_tools(reader, document)]
    description = table.get("description")
    return make_plugin(
        "coding",
        reader,
        manifest=_MANIFEST,
        name=name,
        version=trimmed(table.get("version")),
        description=description if isinstance(description, str) else "",
        components=components,
        extra=[*extras(table, _FIELDS), *([("name", title)] if title else [])],
    )


def _process(reader: PluginReader, document: Document) -> Iterator[Component]:
    table = reader.table(document)
    argv = argument_vector(reader, document, (), table)
    sources, literals = environment(reader, document, ("env",))
    # Only a value that is one reference and nothing else is taken from the environment: the rest is text as it stands.
    written = dict(literals)
    sources = tuple((name, None if name in written else source) for name, source in sources)
    for name, value in reader.table(document, ("env",)).items():
        if not isinstance(value, (str, dict, list)):
            reader.fault_at(document, ("env", name), f"must be text, not {kind_of(value)}")
    cwd = reader.text(document, ("cwd",)) or None
    check_launch(reader, document, argv, cwd)
    if not argv:
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


def _judged(plugin: Plugin, others: Iterable[Plugin]) -> Plugin:
    """Return the plugin with the host's verdict: one error fails the whole load, and tool names are not namespaced."""
    mine = {c.name for c in plugin.components if c.kind is ComponentKind.TOOL}
    shared = {
        tool: sorted(other.name for other in others if other is not plugin and _declares(other, tool))
        for tool in sorted(mine)
    }
    shared = {tool: names for tool, names in shared.items() if names}
    first = next(iter(plugin.faults), None)
    why = f"refuses to load it: {first.field or first.file} {first.message}" if first else "loads it"
    notes = [f"`{tool}` is a tool of `{names[0]}` too, and the later one is refused" for tool, names in shared.items()]
    verdict = HostVerdict(
        "coding", loads=first is None, summary="; ".join([why, *notes]), data=compact({"shared_tools": shared})
    )
    return replace(plugin, hosts=(verdict,))


def _declares(plugin: Plugin, tool: str) -> bool:
    return any(c.kind is ComponentKind.TOOL and c.name == tool for c in plugin.components)
