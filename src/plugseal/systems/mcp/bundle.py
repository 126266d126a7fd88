"""MCPB (formerly DXT): a bundle for desktop apps, a folder or an archive with `manifest.json` that brings one server.

The app starts the server as its child and puts values into the manifest: the bundle's folder, folders of the user, and
answers to `user_config`. A table for one platform replaces the command of the others, so each makes a server of its
own. For the type `uv` the app itself installs what `pyproject.toml` asks for.

See: https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.servers import environment, launch_places
from plugseal.systems.components.tools import tool_components
from plugseal.systems.launching.launch import entry_file, inner
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, extras, kind_of, lookup
from plugseal.systems.reading.units import folder_of, folders_with, make_plugin
from plugseal.systems.system import Listing

_MANIFEST: Final = "manifest.json"
_VERSIONS: Final = ("manifest_version", "dxt_version")
_FIELDS: Final = frozenset({"name", "version", "description"})
_UNDERSTOOD: Final = _FIELDS | frozenset(
    "$schema manifest_version dxt_version display_name long_description author repository homepage documentation "
    "support icon icons screenshots localization server tools tools_generated prompts prompts_generated keywords "
    "license privacy_policies compatibility user_config _meta resources".split()
)
_SERVER: Final = frozenset({"type", "entry_point", "mcp_config"})
_CONFIG: Final = frozenset({"command", "args", "env", "platform_overrides", "cwd"})
_TYPES: Final = ("node", "python", "binary", "uv")
_GATE: Final = "the app's dialog at install"
_USUAL: Final = {"node": ("node",), "python": ("python",), "uv": ("uv", "run")}
"""What starts the entry point of a type whose manifest says no command."""


class Mcpb:
    """Bundles for desktop apps."""

    name = "mcpb"

    def keeps(self, path: str) -> bool:
        """Keep every `manifest.json`."""
        return path.rpartition("/")[2] == _MANIFEST

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every bundle; `manifest.json` is a common name, so its keys decide."""
        for root in folders_with(listing, _MANIFEST):
            reader = PluginReader(listing, root)
            data = listing.kept.get(reader.real(_MANIFEST) or "", b"")
            if b'"server"' in data and any(f'"{key}"'.encode() in data for key in _VERSIONS):
                document = reader.json(_MANIFEST)
                if document is None or _is_bundle(document.value):
                    yield _describe(reader, document)


def _is_bundle(value: object) -> bool:
    return isinstance(value, dict) and "server" in value and not value.keys().isdisjoint(_VERSIONS)


def _describe(reader: PluginReader, document: Document | None) -> Plugin:
    if document is None:
        return make_plugin("mcpb", reader, manifest=_MANIFEST, name=folder_of(reader))
    table = reader.table(document)
    reader.expect_keys(document, table, _UNDERSTOOD)
    return make_plugin(
        "mcpb",
        reader,
        manifest=_MANIFEST,
        name=reader.text(document, ("name",), required=True) or folder_of(reader),
        version=reader.text(document, ("version",)),
        description=reader.text(document, ("description",)),
        components=_components(reader, document),
        extra=extras(table, _FIELDS | {"tools", "server", "user_config"}),
    )


def _components(reader: PluginReader, document: Document) -> Iterator[Component]:
    server = reader.table(document, ("server",))
    reader.expect_keys(document, server, _SERVER, at=("server",))
    yield from _servers(reader, document, server)
    if server.get("type") == "uv":
        yield Component(
            kind=ComponentKind.SCRIPT,
            name="uv sync",
            file=_MANIFEST,
            span=document.locate(("server", "type")),
            transport="exec",
            command=("uv", "sync"),
            trigger="install",
            gate=_GATE,
        )
    yield from tool_components(reader, document, ("tools",), keys=("name", "description", "inputSchema"))
    for name, asked in reader.table(document, ("user_config",)).items():
        yield Component(
            kind=ComponentKind.SETTING,
            name=name,
            file=_MANIFEST,
            span=document.locate(("user_config", name)),
            trigger="install",
            gate="asks the user for the value",
            extra=(("schema", compact(asked)),),
        )


def _servers(reader: PluginReader, document: Document, server: Mapping[str, object]) -> Iterator[Component]:
    """Yield the server, then as it is on each platform that replaces its command."""
    kind = server.get("type")
    if kind not in _TYPES:
        reader.fault_at(document, ("server", "type"), f"must be one of {', '.join(_TYPES)}, not {compact(kind)}")
    start = reader.text(document, ("server", "entry_point"))
    entry = inner(start) if start else None
    if start and entry is None:
        reader.fault_at(document, ("server", "entry_point"), f"leaves the bundle: `{start}`")
    if entry is not None and not reader.is_file(entry):
        entry = None  # Often built only when the bundle is packed: no fault of the manifest.
    path: Path = ("server", "mcp_config")
    config = reader.table(document, path)
    reader.expect_keys(document, config, _CONFIG, at=path)
    common = Component(
        kind=ComponentKind.SERVER,
        name=reader.text(document, ("name",)),
        file=_MANIFEST,
        span=document.locate((*path, "command")),
        transport="stdio",
        trigger="start",
        gate=_GATE,
        entry=entry,
        extra=extras(server, frozenset({"mcp_config"})),
    )
    if not config:
        yield common._replace(command=(*_USUAL.get(str(kind), ()), start) if start else ())
        return
    yield _launch(reader, document, path, common)
    for platform, own in reader.table(document, (*path, "platform_overrides")).items():
        place = (*path, "platform_overrides", platform)
        if not isinstance(own, dict):
            reader.fault_at(document, place, f"must be a table, not {kind_of(own)}")
            continue
        reader.expect_keys(document, own, _CONFIG, at=place)
        yield _launch(reader, document, place, common._replace(name=f"{common.name}.{platform}"), base=path)


def _launch(
    reader: PluginReader,
    document: Document,
    path: Path,
    common: Component,
    *,
    base: Path | None = None,
) -> Component:
    """Return the server with the launch table at a path, what it lacks taken from `base`."""

    def place(key: str) -> Path:
        return path if base is None or lookup(document.value, (*path, key)) is not None else base

    program = reader.text(document, (*place("command"), "command"), required=True)
    sources, literals = environment(reader, document, (*place("env"), "env"))
    argv = (program, *reader.texts(document, (*place("args"), "args"))) if program else ()
    return common._replace(
        span=document.locate((*place("command"), "command")),
        command=argv,
        environment=sources,
        literals=literals,
        entry=(entry_file(argv, None, reader.is_file) if argv else None) or common.entry,
        places=launch_places(document, place("command"), reader.table(document, place("command"))),
    )
