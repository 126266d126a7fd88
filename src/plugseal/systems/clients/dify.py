"""Dify: a program that the daemon starts for a workspace, and files that say which of its classes are tools or models.

`manifest.yaml` is a common name: it is Dify's only with `type: plugin` and a `meta.runner`. The daemon installs what
`pyproject.toml` or `requirements.txt` ask for, then runs the module `meta.runner.entrypoint` in a process of its own,
with the network and the files of the daemon's user. `resource.permission` says which services of Dify it may ask, not
what the process may do.

See: https://docs.dify.ai/en/develop-plugin/features-and-specs/plugin-types/plugin-info-by-manifest
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.systems.components.parts import in_process
from plugseal.systems.launching.launch import inner
from plugseal.systems.reading.reader import Document, Path, PluginReader, extras, lookup
from plugseal.systems.reading.units import folder_of, folders_with, make_plugin
from plugseal.systems.system import Listing

_MANIFESTS: Final = ("manifest.yaml", "manifest.yml")
_TYPE: Final = lazy(rb"(?m)^type:[ \t]{0,8}['\"]?plugin\b")
_RUNNER: Final = b"runner:"
"""What stands in every manifest; who has not both need not be parsed."""
_UNDERSTOOD: Final = frozenset(
    "version type author name label description icon icon_dark created_at resource plugins meta tags privacy repo "
    "verified provider_type minimum_dify_version".split()
)
_GATE: Final = "installed in a workspace by who may"
_LISTS: Final = frozenset("tools strategies endpoints events datasources triggers".split())
"""Keys of a provider that name further files."""
_MAX_FILES: Final = 1_024


class Dify:
    """Plugins of Dify."""

    name = "dify"

    def keeps(self, path: str) -> bool:
        """Keep every manifest, and what may be the file of a provider or a tool."""
        return path.endswith((".yaml", ".yml"))

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every plugin."""
        for manifest in _MANIFESTS:
            for root in folders_with(listing, manifest):
                reader = PluginReader(listing, root)
                data = listing.kept.get(reader.real(manifest) or "", b"")
                if _RUNNER in data and _TYPE.search(data):
                    plugin = _describe(reader, manifest)
                    if plugin is not None:
                        yield plugin


def _describe(reader: PluginReader, manifest: str) -> Plugin | None:
    document = reader.yaml(manifest)
    if document is None:  # The reader has remembered why.
        return make_plugin("dify", reader, manifest=manifest, name=folder_of(reader))
    table = reader.table(document)
    if table.get("type") != "plugin" or not isinstance(lookup(table, ("meta", "runner")), dict):
        return None
    reader.expect_keys(document, table, _UNDERSTOOD)
    components = [_program(reader, document), *_provided(reader, document)]
    return make_plugin(
        "dify",
        reader,
        manifest=manifest,
        name=reader.text(document, ("name",), required=True) or folder_of(reader),
        version=str(table.get("version", "")),
        description=_english(table.get("description")),
        components=components,
        permissions=_permissions(lookup(table, ("resource", "permission"))),
        extra=extras(table, frozenset({"name", "version", "description", "plugins", "label", "type"})),
    )


def _english(value: object) -> str:
    """Return a text that may be given in several languages."""
    if isinstance(value, dict):
        value = value.get("llm") or value.get("en_US") or next(iter(value.values()), "")
        return _english(value)
    return value if isinstance(value, str) else ""


def _program(reader: PluginReader, document: Document) -> Component:
    """Return the program that the daemon starts."""
    place = ("meta", "runner", "entrypoint")
    module = reader.text(document, place, required=True)
    names = [f"{module.replace('.', '/')}{end}" for end in (".py", "/__main__.py")]
    entry = next((name for name in names if reader.is_file(name)), None)
    if module and entry is None:
        reader.fault_at(document, place, f"names no module of the plugin: {module}")
    span = document.locate_value(place)
    return Component(
        kind=ComponentKind.EXECUTABLE,
        name="program",
        file=document.file,
        span=span,
        transport="stdio",
        command=("python", "-m", module) if module else (),
        trigger="start",
        gate=_GATE,
        entry=entry,
        places=(("command.2", span),),
    )


def _permissions(value: object) -> Iterator[str]:
    """Yield the services of Dify that a plugin may ask: `storage`, `model.llm`."""
    for service, given in value.items() if isinstance(value, dict) else ():
        if isinstance(given, dict) and given.get("enabled") is True:
            yield str(service)
            yield from (f"{service}.{part}" for part, is_on in given.items() if part != "enabled" and is_on is True)


def _provided(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Yield what the files that a manifest names, and those that these name, say of the program's classes."""
    waiting: list[tuple[str, Document, Path, object]] = [
        (kind, document, ("plugins", kind, at), file)
        for kind, files in reader.table(document, ("plugins",)).items()
        for at, file in enumerate(files if isinstance(files, list) else ())
    ]
    seen: set[str] = set()
    for kind, naming, place, named in waiting:
        file = inner(named) if isinstance(named, str) else None
        if file is None or not reader.is_file(file):
            reader.fault_at(naming, place, f"names no file of the plugin: {named}")
            continue
        if file in seen or len(seen) >= _MAX_FILES:
            continue
        seen.add(file)
        described = reader.yaml(file)
        if described is None:
            continue
        yield from _classes(reader, described, kind)
        for key, files in reader.table(described).items():
            if key in _LISTS and isinstance(files, list):
                waiting += [(key, described, (key, at), one) for at, one in enumerate(files)]


def _classes(reader: PluginReader, described: Document, kind: str) -> Iterator[Component]:
    """Yield a component for each source file that one description names."""
    table = reader.table(described)
    name = lookup(table, ("identity", "name")) or table.get("provider") or table.get("name") or described.file
    for key, value in reader.table(described, ("extra", "python")).items():
        if not key.endswith(("source", "sources")):
            continue
        for source in value if isinstance(value, list) else [value]:
            entry = inner(source) if isinstance(source, str) else None
            if entry is None or not reader.is_file(entry):
                reader.fault_at(described, ("extra", "python", key), f"names no file of the plugin: {source}")
                continue
            is_tool = kind == "tools" and "parameters" in table
            found = in_process(entry, str(name), trigger="tool" if is_tool else "start", gate=_GATE)
            yield found._replace(
                kind=ComponentKind.TOOL if is_tool else ComponentKind.MODULE,
                file=described.file,
                span=described.locate(("extra", "python", key)),
                extra=(("description", _english(table.get("description"))), ("provides", kind)),
            )
