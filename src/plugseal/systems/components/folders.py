"""Clients whose configuration of a working folder is hooks, servers and prose at fixed places, as a table.

What such a client has beyond the table has a module of its own, which the table names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.parts import context_file, gated, hook_files, prose_at, server_files
from plugseal.systems.components.prose import files_below
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.reading.units import folders_with, make_configuration
from plugseal.systems.system import Listing

_MARKDOWN: Final = (".md", ".mdc")
More = Callable[[PluginReader, str], Iterator[Component]]
"""Yields what a client has beyond the table, of its folder."""


class Layout(NamedTuple):
    """Where a client keeps what."""

    folder: str
    """Of the client, in a working folder."""
    hooks: tuple[str, ...] = ()
    """Files or folders of JSON below it."""
    servers: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    """Prose beside the folder that is always before the model."""
    more: tuple[str, ...] = ()
    """Further names in the folder that the client reads."""
    gate: str = ""
    server_gate: str = ""

    @property
    def names(self) -> frozenset[str]:
        """The first parts of all that the client reads in its folder."""
        listed = (*self.hooks, *self.servers, *self.instructions, *self.commands, *self.agents, *self.more)
        return frozenset(path.partition("/")[0] for path in listed)


class FolderClient:
    """One client that keeps to a layout."""

    def __init__(self, name: str, layout: Layout, more: More | None = None) -> None:
        """Take the client's name, its layout, and who describes the rest."""
        self.name = name
        self._layout = layout
        self._more = more

    def keeps(self, path: str) -> bool:
        """Keep what is data or prose in the client's folder, and the prose beside it."""
        *folders, name = path.split("/")
        if name in self._layout.beside:
            return True
        return self._layout.folder in folders and name.endswith(
            (".json", ".md", ".mdc", ".yaml", ".yml", ".toml", ".hook")
        )

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield the configuration of every working folder."""
        roots: dict[str, None] = {}
        for root in folders_with(listing, self._layout.folder):
            reader = PluginReader(listing, root)
            if reader.is_directory(self._layout.folder) and not self._layout.names.isdisjoint(
                reader.names(self._layout.folder)
            ):
                roots[root] = None
        for name in self._layout.beside:
            roots.update(dict.fromkeys(folders_with(listing, name)))
        for root in roots:
            yield self._describe(PluginReader(listing, root))

    def _describe(self, reader: PluginReader) -> Plugin:
        folder = self._layout.folder
        files = [f"{folder}/{path}" for path in (*self._layout.hooks, *self._layout.servers, *self._layout.more)]
        present = [path for path in (*files, *self._layout.beside) if reader.is_file(path)]
        return make_configuration(
            self.name,
            reader,
            manifest=present[0] if present else folder,
            covers=(folder, *self._layout.beside),
            components=gated(self._components(reader), self._layout.gate),
        )

    def _components(self, reader: PluginReader) -> Iterator[Component]:
        layout = self._layout
        yield from hook_files(reader, _documents(reader, layout.folder, layout.hooks))
        servers = server_files(reader, _documents(reader, layout.folder, layout.servers), comments=True)
        yield from gated(servers, layout.server_gate or layout.gate)
        for places, kind, trigger in (
            (layout.instructions, ComponentKind.INSTRUCTIONS, "prose"),
            (layout.commands, ComponentKind.COMMAND, "command"),
            (layout.agents, ComponentKind.AGENT, "prose"),
        ):
            below = [f"{layout.folder}/{place}" for place in places]
            yield from prose_at(reader, below, kind, trigger=trigger, suffixes=_MARKDOWN)
        for name in layout.beside:
            yield from context_file(reader, name)
        if self._more is not None:
            yield from self._more(reader, layout.folder)


def _documents(reader: PluginReader, folder: str, places: Iterable[str]) -> Iterator[str]:
    """Yield the JSON files that places stand for."""
    for place in places:
        path = f"{folder}/{place}"
        if reader.is_directory(path):
            yield from sorted(files_below(reader, path, lambda name: name.endswith(".json")))
        elif reader.exists(path):
            yield path
