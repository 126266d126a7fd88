"""A marketplace of Claude Code: entries that say where a plugin comes from, and that may bring components themselves.

A plugin that lies in the tree is a unit of its own. What an entry declares beside it (`strict`) stands here, where it
is written, together with the folders that it names of a plugin without a manifest.

See: https://code.claude.com/docs/en/plugin-marketplaces
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.records import NamedTuple
from plugseal.systems.claude.parts import language_servers
from plugseal.systems.claude.plugin import MANIFEST
from plugseal.systems.claude.prose import agents_of, skills_in, with_commands
from plugseal.systems.claude.surfaces import ENABLED, INSTALL, INVOKED, SPAWNED
from plugseal.systems.components.hooks import hook_components
from plugseal.systems.components.parts import gated, hook_files, prose_at, server_files
from plugseal.systems.components.servers import server_components
from plugseal.systems.components.sources import source_package
from plugseal.systems.launching.launch import inner, shell_entry
from plugseal.systems.reading.reader import Document, Path, PluginReader, extras, kind_of, lookup
from plugseal.systems.reading.units import folder_of, make_configuration

FILE: Final = ".claude-plugin/marketplace.json"
_TOP: Final = frozenset(
    "$schema name description version owner metadata plugins displayName allowCrossMarketplaceDependenciesOn renames "
    "forceRemoveDeletedPlugins".split()
)
_TABLES: Final = ("hooks", "mcpServers", "lspServers")


class Entry(NamedTuple):
    """A plugin of a marketplace."""

    path: Path
    """Where it stands in the file."""
    name: str
    table: Mapping[str, object]
    place: str | None
    """Of a plugin in the tree, its folder below the marketplace's root; None for one that is fetched."""


def read_entries(reader: PluginReader, document: Document) -> Iterator[Entry]:
    """Yield the entries of a marketplace, each with a name."""
    plugins = lookup(document.value, ("plugins",))
    if not isinstance(plugins, list) or len(plugins) > MAX_DECLARED:
        reader.fault_at(document, ("plugins",), f"must be a list of at most {MAX_DECLARED:,}")
        return
    base = inner(reader.text(document, ("metadata", "pluginRoot"))) or ""
    for at, table in enumerate(plugins):
        path: Path = ("plugins", at)
        if not isinstance(table, dict):
            reader.fault_at(document, path, f"must be a table, not {kind_of(table)}")
            continue
        name = reader.text(document, (*path, "name"), required=True)
        yield Entry(path, name, table, _place(table.get("source"), base))


def describe_marketplace(reader: PluginReader) -> Plugin:
    """Return the unit of a marketplace: what it lists, and what its entries declare."""
    document = reader.json(FILE)
    if document is None:
        return make_configuration(
            "claude-code", reader, manifest=FILE, name=f"{folder_of(reader)} marketplace", covers=(), components=()
        )
    reader.expect_keys(document, reader.table(document), _TOP)
    components = [part for entry in read_entries(reader, document) for part in _entry(reader, document, entry)]
    return make_configuration(
        "claude-code",
        reader,
        manifest=FILE,
        name=f"{reader.text(document, ('name',), required=True) or folder_of(reader)} marketplace",
        description=reader.text(document, ("description",)),
        covers=(),
        components=components,
        extra=extras(reader.table(document), frozenset({"name", "description", "plugins"})),
    )


def _place(source: object, base: str) -> str | None:
    if not isinstance(source, str) or "://" in source:
        return None
    return inner(source if "/" in source or source == "." else f"{base}/{source}")


def _entry(reader: PluginReader, document: Document, entry: Entry) -> Iterator[Component]:
    yield _source(reader, document, entry)
    if entry.place is None:
        if entry.table.keys() & set(_TABLES):
            yield from _tables(reader, document, entry)
    elif reader.is_directory(entry.place):
        yield from _declared(reader, document, entry)
    else:
        reader.fault_at(document, (*entry.path, "source"), "names no folder inside the marketplace")


def _source(reader: PluginReader, document: Document, entry: Entry) -> Component:
    """Return where an entry comes from, with a command that makes it or what binds what is fetched."""
    source = entry.table.get("source")
    place = document.locate_value((*entry.path, "source"))
    package = source_package(source)
    if package is None or (entry.place is None and package.source == "local"):
        fault = "is missing" if source is None else "is of a kind that is not known, or leads out"
        reader.fault_at(document, (*entry.path, "source"), fault)
    common = Component(
        kind=ComponentKind.SOURCE,
        name=entry.name,
        file=document.file,
        span=document.locate((*entry.path, "name")),
        trigger="install",
        gate=INSTALL,
        extra=extras(entry.table, frozenset({"name"})),
        places=(("command.0", place), ("endpoint", place), ("extra.source", place)),
    )
    if package is None or package.source == "local":
        return common
    if package.source == "command":
        line = package.name or ""
        entry_file = shell_entry(line, reader.is_launchable)
        return common._replace(transport="exec", command=(line,), shell=True, entry=entry_file)  # noqa: S604  # nosec B604  # a fact
    return common._replace(endpoint=package.name if "://" in (package.name or "") else None, packages=(package,))


def _declared(reader: PluginReader, document: Document, entry: Entry) -> Iterator[Component]:
    """Describe what an entry declares of a plugin in the tree, paths seen from the plugin's own folder."""
    place = entry.place or ""
    has_manifest = reader.exists(f"{place}/{MANIFEST}" if place else MANIFEST)
    below = PluginReader(reader.listing, reader.path(place), mends=True)
    found = [*_tables(below, document, entry)]
    if not has_manifest or not place:
        found += _prose(below, document, entry)
    for fault in below.faults:
        reader.fault(
            fault.file if fault.file == document.file else _joined(place, fault.file),
            fault.message,
            line=fault.line,
            field=fault.field,
        )
    for file, keys in below.unknown.items():
        reader.not_understood.add(file)
        reader.unknown.setdefault(file, []).extend(keys)
    for component in found:
        file = component.file if component.file == document.file else _joined(place, component.file)
        entry_file = component.entry and _joined(place, component.entry)
        yield component._replace(file=file, entry=entry_file, name=f"{entry.name}/{component.name}")


def _tables(reader: PluginReader, document: Document, entry: Entry) -> Iterator[Component]:
    for key in _TABLES:
        path = (*entry.path, key)
        if not isinstance(entry.table.get(key), dict):
            if key in entry.table and entry.place is not None:
                yield from _files(reader, key, _named(reader, document, path))
            continue
        if key == "hooks":
            wrapped = isinstance(lookup(document.value, (*path, "hooks")), dict)
            yield from gated(hook_components(reader, document, (*path, "hooks") if wrapped else path), ENABLED)
        elif key == "mcpServers":
            yield from gated(server_components(reader, document, path), ENABLED)
        else:
            yield from language_servers(reader, document, path)


def _files(reader: PluginReader, key: str, files: Iterable[str]) -> Iterator[Component]:
    """Describe what stands in files that an entry names instead of holding it."""
    if key == "hooks":
        yield from gated(hook_files(reader, files), ENABLED)
    elif key == "mcpServers":
        yield from gated(server_files(reader, files), ENABLED)
    else:
        for file in files:
            document = reader.json(file)
            if document is not None:
                yield from language_servers(reader, document, ())


def _prose(reader: PluginReader, document: Document, entry: Entry) -> Iterator[Component]:
    skills = with_commands(reader, skills_in(reader, _named(reader, document, (*entry.path, "skills"))))
    yield from gated(skills, INVOKED)
    commands = _named(reader, document, (*entry.path, "commands"))
    found = prose_at(reader, commands, ComponentKind.COMMAND, trigger="command")
    yield from gated(with_commands(reader, found), INVOKED)
    agents = prose_at(reader, _named(reader, document, (*entry.path, "agents")), ComponentKind.AGENT, trigger="prose")
    yield from gated(agents_of(agents, in_plugin=True), SPAWNED)


def _named(reader: PluginReader, document: Document, path: Path) -> list[str]:
    """Return the paths that an entry names below its plugin's folder."""
    value = lookup(document.value, path)
    found = []
    for item in value if isinstance(value, list) else [value] if value is not None else []:
        plain = inner(item) if isinstance(item, str) else None
        if plain is None or reader.real(plain) is None:
            reader.fault_at(document, path, f"names nothing inside the plugin: {item}")
        else:
            found.append(plain)
    return found


def _joined(place: str, file: str) -> str:
    while file.startswith("../") and place:
        place, file = place.rpartition("/")[0], file[3:]
    return f"{place}/{file}" if place else file
