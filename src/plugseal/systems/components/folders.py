"""Clients whose configuration of a working folder is hooks, servers, settings and prose at fixed places, as a table.

What such a client has beyond the table has a module of its own, which the table names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.records import NamedTuple
from plugseal.systems.components.hooks import hook_components
from plugseal.systems.components.parts import context_file, gated, hook_files, prose_at, server_files
from plugseal.systems.components.prose import files_below
from plugseal.systems.components.servers import server_components
from plugseal.systems.components.settings import setting_components
from plugseal.systems.reading.reader import Document, PluginReader
from plugseal.systems.reading.units import folders_with, make_configuration
from plugseal.systems.system import Listing

_MARKDOWN: Final = (".md", ".mdc")
More = Callable[[PluginReader, str], Iterator[Component]]
"""Yields what a client has beyond the table, of its folder."""


class Settings(NamedTuple):
    """A file of settings, in which servers and hooks may be one thing among many."""

    file: str
    """Below the working folder."""
    roles: str
    """What its keys do, as `settings.parse_roles` reads it."""
    servers: str = ""
    """The key of its table of servers."""
    hooks: str = ""
    """The key of its table of events."""
    is_dotted: bool = False
    """Whether keys hold their dots themselves."""


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
    settings: tuple[Settings, ...] = ()
    scripts: tuple[str, ...] = ()
    """Shell scripts beside the folder that the client runs when it starts."""
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
        if name in (*self._layout.beside, *self._layout.scripts) or any(
            _is_at(path, settings.file) for settings in self._layout.settings
        ):
            return True
        return self._layout.folder in folders and name.endswith(
            (".json", ".md", ".mdc", ".yaml", ".yml", ".toml", ".hook")
        )

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield the configuration of every working folder."""
        layout = self._layout
        roots: dict[str, None] = {}
        for root in folders_with(listing, layout.folder):
            reader = PluginReader(listing, root)
            if reader.is_directory(layout.folder) and not layout.names.isdisjoint(reader.names(layout.folder)):
                roots[root] = None
        for name in (*layout.beside, *layout.scripts, *(settings.file for settings in layout.settings)):
            roots.update(dict.fromkeys(folders_with(listing, name)))
        for root in roots:
            yield self._describe(PluginReader(listing, root))

    def _describe(self, reader: PluginReader) -> Plugin:
        folder = self._layout.folder
        settings = [one.file for one in self._layout.settings]
        files = [f"{folder}/{path}" for path in (*self._layout.hooks, *self._layout.servers, *self._layout.more)]
        beside = (*self._layout.scripts, *self._layout.beside)
        present = [path for path in (*settings, *files, *beside) if reader.exists(path)]
        present = [path for path in present if not reader.is_directory(path)]
        return make_configuration(
            self.name,
            reader,
            manifest=present[0] if present else folder,
            covers=(folder, *settings, *beside),
            components=gated(self._components(reader), self._layout.gate),
        )

    def _components(self, reader: PluginReader) -> Iterator[Component]:
        layout = self._layout
        for settings in layout.settings:
            yield from _settings(reader, settings, layout.server_gate or layout.gate)
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
        for name in layout.scripts:
            if reader.is_file(name):
                yield _script(name)
        if self._more is not None:
            yield from self._more(reader, layout.folder)


def _is_at(path: str, file: str) -> bool:
    return path == file or path.endswith(f"/{file}")


def _settings(reader: PluginReader, settings: Settings, server_gate: str) -> Iterator[Component]:
    """Describe what a file of settings runs, grants, redirects, and whom it serves."""
    document = _parse(reader, settings.file) if reader.exists(settings.file) else None
    if document is None:
        return
    yield from setting_components(reader, document, settings.roles, flat=settings.is_dotted)
    if settings.servers:
        yield from gated(server_components(reader, document, (settings.servers,)), server_gate)
    if settings.hooks:
        yield from hook_components(reader, document, (settings.hooks,), but=_SWITCHES)


_SWITCHES: Final = frozenset({"enabled", "disabled"})
"""Keys of a table of events that are none."""


def _script(file: str) -> Component:
    return Component(
        kind=ComponentKind.SCRIPT,
        name=file,
        file=file,
        transport="exec",
        command=("bash", file),
        trigger="start",
        entry=file,
    )


def _parse(reader: PluginReader, file: str) -> Document | None:
    if file.endswith(".toml"):
        return reader.toml(file)
    return reader.yaml(file) if file.endswith((".yaml", ".yml")) else reader.json(file, comments=True)


def _documents(reader: PluginReader, folder: str, places: Iterable[str]) -> Iterator[str]:
    """Yield the JSON files that places stand for."""
    for place in places:
        path = f"{folder}/{place}"
        if reader.is_directory(path):
            yield from sorted(files_below(reader, path, lambda name: name.endswith(".json")))
        elif reader.exists(path):
            yield path
