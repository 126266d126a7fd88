"""What stands in `.vscode`: settings, servers, tasks, configurations for the debugger and recommended extensions.

A task with `runOn: folderOpen` runs as soon as the folder is open and trusted, if automatic tasks are allowed; its
command may differ for each operating system, and each of them is described. A task started by hand is a command.

See: https://code.visualstudio.com/docs/editor/tasks
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.parts import gated, hook_files
from plugseal.systems.components.servers import server_components
from plugseal.systems.components.settings import setting_components
from plugseal.systems.launching.launch import inner
from plugseal.systems.reading.reader import Document, Path, PluginReader, lookup
from plugseal.systems.reading.units import make_configuration
from plugseal.systems.vscode.launch import launch_components
from plugseal.systems.vscode.tasks import task_components

_FOLDER: Final = ".vscode"
_HOOKS: Final = "chat.hookFilesLocations"
_TRUST: Final = "workspace trust"
_SERVERS: Final = "workspace trust, and approval of each server and of each change"
_MCP: Final = frozenset({"$schema", "servers", "mcpServers", "inputs", "sandbox"})
_WORKSPACE: Final = frozenset({"folders", "settings", "tasks", "launch", "extensions", "remoteAuthority", "transient"})
_PARTS: Final = ("tasks", "launch", "mcp", "settings", "extensions")


def describe_folder(reader: PluginReader) -> Plugin:
    """Return the unit of one working folder's `.vscode`."""
    present = [f"{_FOLDER}/{part}.json" for part in _PARTS if reader.exists(f"{_FOLDER}/{part}.json")]
    return make_configuration(
        "vscode", reader, manifest=present[0], covers=(_FOLDER,), components=gated(_components(reader, present), _TRUST)
    )


def describe_workspace(reader: PluginReader, file: str) -> Plugin:
    """Return the unit of a workspace file: the same parts, as tables of one document."""
    document = reader.json(file, comments=True)
    found: list[Component] = []
    if document is not None:
        reader.expect_keys(document, reader.table(document), _WORKSPACE)
        for part in _PARTS:
            found += _part(reader, document, part, (part,))
    return make_configuration(
        "vscode",
        reader,
        manifest=file,
        name=file.removesuffix(".code-workspace"),
        covers=(),
        components=gated(found, _TRUST),
    )


def _components(reader: PluginReader, files: list[str]) -> Iterator[Component]:
    for file in files:
        document = reader.json(file, comments=True)
        if document is not None:
            part = file.rpartition("/")[2].removesuffix(".json")
            yield from _part(reader, document, part, ())


def _part(reader: PluginReader, document: Document, part: str, path: Path) -> Iterator[Component]:
    """Describe one part, wherever it stands."""
    if path and lookup(document.value, path) is None:
        return
    if part == "tasks":
        yield from task_components(reader, document, path)
    elif part == "launch":
        yield from launch_components(reader, document, path)
    elif part == "extensions":
        yield from _extensions(reader, document, path)
    elif part == "mcp":
        yield from _servers(reader, document, path)
    else:
        from plugseal.systems.vscode.keys import SETTINGS

        table = reader.table(document, path)
        yield from hook_files(reader, _hook_files(reader, document, (*path, _HOOKS)), comments=True)
        yield from setting_components(reader, document, SETTINGS, path=path, trigger="open", flat=True)
        if isinstance(table.get("mcp"), dict):
            yield from _servers(reader, document, (*path, "mcp"))


def _hook_files(reader: PluginReader, document: Document, path: Path) -> Iterator[str]:
    """Yield the files of hooks in the folder that settings switch on: files, and folders of them.

    One whose place does not speak of hooks is not kept in memory: the settings are then not understood in full.
    """
    places = lookup(document.value, path)
    for place, is_on in places.items() if isinstance(places, dict) else ():
        at = inner(place) if is_on is True else None
        if at is None:
            continue
        names = reader.names(at) if reader.is_directory(at) else ()
        for file in [f"{at}/{name}" for name in names if name.endswith(".json")] or [at]:
            if reader.is_file(file) and (real := reader.real(file)) is not None:
                if real in reader.listing.kept:
                    yield file
                else:
                    reader.unknown_key(document, (*path, place))


def _servers(reader: PluginReader, document: Document, path: Path) -> Iterator[Component]:
    reader.expect_keys(document, reader.table(document, path), _MCP, at=path)
    for key in ("servers", "mcpServers"):
        yield from gated(server_components(reader, document, (*path, key)), _SERVERS)


def _extensions(reader: PluginReader, document: Document, path: Path) -> Iterator[Component]:
    """Describe the extensions that a folder recommends: code that the editor fetches once somebody agrees."""
    known = frozenset({"recommendations", "unwantedRecommendations"})
    reader.expect_keys(document, reader.table(document, path), known, at=path)
    place = (*path, "recommendations")
    for at, name in enumerate(reader.texts(document, place)):
        yield Component(
            kind=ComponentKind.SOURCE,
            name=name,
            file=document.file,
            span=document.locate_value((*place, at)),
            trigger="install",
            gate="the user installs it",
        )
