"""What the plugins of coding clients are made of: paths that a manifest names, prose, hooks and servers in files.

Each client says where it looks, what a key may hold and which gate stands before it; nothing here knows a client.
What a manifest names and is not there is a fault; what a host would look for by itself and is not there is nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from plugseal.model.location import WHOLE_FILE, Span
from plugseal.model.plugin import SKILL_FILE, Component, ComponentKind, Plugin
from plugseal.systems.components.hooks import hook_components
from plugseal.systems.components.lines import entry_below
from plugseal.systems.components.prose import markdown_components, prose_components, skill_components
from plugseal.systems.components.servers import server_components
from plugseal.systems.launching.launch import inner
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, extras, lookup
from plugseal.systems.reading.units import folder_of, make_plugin

METADATA: Final = frozenset(
    "$schema name version description author homepage repository license keywords category categories tags displayName "
    "display_name icon logo interface primaryColor publisher".split()
)
"""Keys of manifests that are only shown."""
HOOKS_FILE: Final = frozenset({"$schema", "version", "description", "hooks", "name"})
_OF_POWERS: Final[Path] = ("powers", "mcpServers")
"""Where Kiro keeps the servers of powers that were installed."""
SERVER_TABLES: Final = ("mcpServers", "mcp_servers", "servers")


def client_plugin(
    system: str,
    reader: PluginReader,
    manifest: str,
    components: Callable[[PluginReader, Document | None], Iterable[Component]],
    *,
    understood: frozenset[str],
    taken: frozenset[str],
) -> Plugin:
    """Return the plugin of a client; one with a broken manifest is what its folders hold.

    Args:
        system: of the client.
        reader: at the plugin's root.
        manifest: relative to it.
        components: what the plugin contributes, by its manifest where that could be read.
        understood: keys of the manifest that the client knows.
        taken: those of them that stand elsewhere in what is returned.
    """
    document = reader.json(manifest)
    found = tuple(components(reader, document))
    if document is None:
        return make_plugin(system, reader, manifest=manifest, name=folder_of(reader), components=found)
    table = reader.table(document)
    reader.expect_keys(document, table, understood)
    return make_plugin(
        system,
        reader,
        manifest=manifest,
        name=reader.text(document, ("name",), required=True) or folder_of(reader),
        version=reader.text(document, ("version",)),
        description=reader.text(document, ("description",)),
        components=found,
        extra=extras(table, taken),
    )


def gated(components: Iterable[Component], gate: str) -> Iterator[Component]:
    """Yield components with the gate that their client puts before them, where they say none themselves."""
    for component in components:
        yield component if component.gate else component._replace(gate=gate)


def named_paths(
    reader: PluginReader, document: Document | None, path: Path, *, missing_is_fault: bool = True
) -> list[str]:
    """Return the paths that a key of a manifest names (text, or texts among other things of a list).

    Tables are left to whoever describes them.

    Args:
        reader: takes the faults.
        document: the manifest, if there is one.
        path: of the key.
        missing_is_fault: whether a path inside the plugin has to be there; some hosts pass over it in silence.
    """
    value = lookup(document.value, path) if document is not None else None
    if document is None or value is None or isinstance(value, dict):
        return []
    found: list[str] = []
    for at, item in enumerate(value if isinstance(value, list) else [value]):
        if isinstance(item, dict):
            continue
        plain = inner(item) if isinstance(item, str) else None
        if plain is not None and not missing_is_fault and not reader.exists(plain):
            continue
        if plain is None or reader.real(plain) is None:
            where = (*path, at) if isinstance(value, list) else path
            reader.fault_at(document, where, f"names nothing inside the plugin: {compact(item)}")
        else:
            found.append(plain)
    return list(dict.fromkeys(found))


def inline_tables(document: Document | None, path: Path) -> Iterator[Path]:
    """Yield where the tables stand that a manifest holds itself under a key: the value, or items of a list."""
    value = lookup(document.value, path) if document is not None else None
    if isinstance(value, dict):
        yield path
    elif isinstance(value, list):
        yield from ((*path, at) for at, item in enumerate(value) if isinstance(item, dict))


def skills_at(reader: PluginReader, places: Iterable[str]) -> Iterator[Component]:
    """Describe the skills of folders, each file once."""
    seen: set[str] = set()
    for place in dict.fromkeys(places):
        folder = place.rpartition("/")[0] if place.endswith(SKILL_FILE) else place
        for component in skill_components(reader, folder):
            if component.kind is not ComponentKind.SKILL or component.file not in seen:
                yield component
            seen.add(component.file)


def prose_at(
    reader: PluginReader,
    places: Iterable[str],
    kind: ComponentKind,
    *,
    trigger: str,
    suffixes: Sequence[str] = (".md",),
) -> Iterator[Component]:
    """Describe the Markdown of folders and single files, each once."""
    seen: set[str] = set()
    for place in dict.fromkeys(places):
        for component in _prose(reader, place, kind, trigger, suffixes):
            if component.kind is not kind or component.file not in seen:
                yield component
            if component.kind is kind:
                seen.add(component.file)


def _prose(
    reader: PluginReader, place: str, kind: ComponentKind, trigger: str, suffixes: Sequence[str]
) -> Iterator[Component]:
    if reader.is_directory(place):
        for suffix in suffixes:
            yield from markdown_components(reader, place, kind, trigger=trigger, suffix=suffix)
    elif reader.exists(place):
        name = place.rpartition("/")[2]
        for suffix in suffixes:
            name = name.removesuffix(suffix)
        yield from prose_components(reader, place, kind, name=name, trigger=trigger)


def hooks_in(reader: PluginReader, document: Document, path: Path, *, known: frozenset[str]) -> Iterator[Component]:
    """Describe the hooks of a table: events, or a table `hooks` of events among `known` keys."""
    if isinstance(lookup(document.value, (*path, "hooks")), dict):
        reader.expect_keys(document, reader.table(document, path), known, at=path)
        path = (*path, "hooks")
    yield from hook_components(reader, document, path)


def hook_files(reader: PluginReader, files: Iterable[str], *, comments: bool = False) -> Iterator[Component]:
    """Describe the hooks of files, each once."""
    for file in dict.fromkeys(files):
        document = reader.json(file, comments=comments) if reader.exists(file) else None
        if document is not None:
            yield from hooks_in(reader, document, (), known=HOOKS_FILE)


def servers_in(
    reader: PluginReader, document: Document, path: Path, *, known: frozenset[str] = frozenset()
) -> Iterator[Component]:
    """Describe the servers of a table: by name, or in a table of servers among `known` keys."""
    table = reader.table(document, path)
    wrapped: list[Path] = [(key,) for key in SERVER_TABLES if isinstance(table.get(key), dict)]
    if isinstance(lookup(table, _OF_POWERS), dict):
        wrapped.append(_OF_POWERS)
    if wrapped:
        reader.expect_keys(document, table, known | {str(keys[0]) for keys in wrapped} | {"$schema"}, at=path)
    for place in [(*path, *keys) for keys in wrapped] or [path]:
        yield from server_components(reader, document, place)


def server_files(reader: PluginReader, files: Iterable[str], *, comments: bool = False) -> Iterator[Component]:
    """Describe the servers of files, each once."""
    for file in dict.fromkeys(files):
        document = reader.json(file, comments=comments) if reader.exists(file) else None
        if document is not None:
            yield from servers_in(reader, document, ())


def context_file(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe a file that the host puts before the model in every session."""
    real = reader.real(file)
    if real is not None and reader.listing.is_file(real) and real not in reader.listing.kept:
        # Its name is the manifest's to choose: the text is read as prose all the same, its front matter means nothing.
        yield Component(kind=ComponentKind.INSTRUCTIONS, name=file, file=file, trigger="prose")
    elif reader.exists(file):
        yield from prose_components(reader, file, ComponentKind.INSTRUCTIONS, name=file, trigger="prose")


def line_component(
    reader: PluginReader,
    document: Document,
    path: Path,
    *,
    kind: ComponentKind,
    name: str,
    trigger: str,
    gate: str = "",
    base: str = "",
) -> Component:
    """Return the line that stands at a path of a document and is given to a shell.

    Args:
        reader: knows which files are there.
        document: where it stands.
        path: where in it.
        kind: what the host takes it for.
        name: as people call it.
        trigger: when it runs.
        gate: what the host asks first.
        base: the folder below the root in which it runs.
    """
    line = str(lookup(document.value, path))
    return Component(  # noqa: S604  # nosec B604  # a fact about the plugin, nothing is started
        kind=kind,
        name=name,
        file=document.file,
        span=document.locate(path),
        transport="exec",
        command=(line,),
        shell=True,
        cwd=base or None,
        trigger=trigger,
        gate=gate,
        entry=entry_below(reader, line, base),
        places=(("command.0", document.locate_value(path)),),
    )


def unasked(components: Iterable[Component]) -> Iterator[Component]:
    """Yield components with modules marked that a host loads because they lie there, and asks nobody."""
    for component in components:
        if component.kind is ComponentKind.MODULE and not any(part == "autorun" for part, _ in component.places):
            span = component.span if component.span != WHOLE_FILE else Span(1, 1, 1, 1)
            component = component._replace(places=(*component.places, ("autorun", span)))
        yield component


def in_process(file: str, name: str, *, trigger: str = "start", gate: str = "") -> Component:
    """Return a module that the host loads into its own process, where it can do all that the host can."""
    return Component(
        kind=ComponentKind.MODULE,
        name=name,
        file=file,
        span=WHOLE_FILE,
        transport="in-process",
        trigger=trigger,
        gate=gate,
        entry=file,
        extra=(("authority", compact("full: runs inside the host; static evidence only")),),
    )
