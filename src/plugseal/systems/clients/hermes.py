"""Hermes: a Python package with `plugin.yaml` that the host imports into its own process, where it can do everything.

`plugin.yaml` is a common name (Helm has it too): it is Hermes' only beside an `__init__.py`. Plugins of a user are
switched on by name; those of a project's `./.hermes/plugins` are read only where a variable of the user asks for it. A
distribution may register one too, by the entry point `hermes_agent.plugins`.

See: https://hermes-agent.nousresearch.com/docs/user-guide/features/plugins
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.parts import in_process
from plugseal.systems.reading.reader import Document, PluginReader, extras, lookup
from plugseal.systems.reading.units import folder_of, folders_with, make_plugin
from plugseal.systems.system import Listing

_MANIFESTS: Final = ("plugin.yaml", "plugin.yml")
_MODULE: Final = "__init__.py"
_DISTRIBUTION: Final = "pyproject.toml"
_GROUP: Final = "hermes_agent.plugins"
_UNDERSTOOD: Final = frozenset(
    "name version description author kind provides_tools provides_hooks provides_commands requires_env optional_env "
    "pip_dependencies hooks tools homepage license repository manifest_version min_hermes_version tags label platforms "
    "config toolsets category icon requires".split()
)
_USER: Final = "switched on by the user"
_PROJECT: Final = "HERMES_ENABLE_PROJECT_PLUGINS"


class Hermes:
    """Plugins of Hermes."""

    name = "hermes"

    def keeps(self, path: str) -> bool:
        """Keep every manifest, and what says that a distribution is a plugin."""
        return path.rpartition("/")[2] in (*_MANIFESTS, _DISTRIBUTION)

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every plugin."""
        seen: set[str] = set()
        for manifest in _MANIFESTS:
            for root in folders_with(listing, manifest):
                reader = PluginReader(listing, root)
                if reader.is_file(_MODULE) and root not in seen:
                    seen.add(root)
                    yield _describe(reader, manifest)
        for root in folders_with(listing, _DISTRIBUTION):
            yield from _distributions(PluginReader(listing, root))


def _describe(reader: PluginReader, manifest: str) -> Plugin:
    document = reader.yaml(manifest)
    gate = _PROJECT if "/.hermes/plugins/" in f"/{reader.listing.placed(reader.root)}/" else _USER
    module = in_process(_MODULE, "register", trigger="import")._replace(gate=gate)
    components = [module]
    if document is None:
        return make_plugin("hermes", reader, manifest=manifest, name=folder_of(reader), components=components)
    table = reader.table(document)
    reader.expect_keys(document, table, _UNDERSTOOD)
    components += _variables(document, gate)
    return make_plugin(
        "hermes",
        reader,
        manifest=manifest,
        name=reader.text(document, ("name",)) or folder_of(reader),
        version=str(table.get("version", "")),
        description=reader.text(document, ("description",)),
        components=components,
        extra=extras(table, frozenset({"name", "version", "description"})),
    )


def _variables(document: Document, gate: str) -> Iterator[Component]:
    """Yield the variables that a plugin says it needs."""
    for key in ("requires_env", "optional_env"):
        listed = lookup(document.value, (key,))
        for at, item in enumerate(listed if isinstance(listed, list) else []):
            name = item.get("name") if isinstance(item, dict) else item
            if isinstance(name, str):
                yield Component(
                    kind=ComponentKind.SETTING,
                    name=name,
                    file=document.file,
                    span=document.locate_value((key, at)),
                    environment=((name, name),),
                    trigger="install",
                    gate=gate,
                )


def _distributions(reader: PluginReader) -> Iterator[Plugin]:
    """Yield the plugins that a distribution registers: its name, and the module that the host imports."""
    data = reader.listing.kept.get(reader.real(_DISTRIBUTION) or "", b"")
    if _GROUP.encode() not in data:
        return
    document = reader.toml(_DISTRIBUTION)
    points = reader.table(document, ("project", "entry-points", _GROUP))
    if document is None or not points:
        return
    reader.parsed.remove(_DISTRIBUTION)  # Who builds it reads the rest: that is the tools' file.
    components = [_point(reader, document, name, target) for name, target in points.items() if isinstance(target, str)]
    yield make_plugin(
        "hermes",
        reader,
        manifest=_DISTRIBUTION,
        name=reader.text(document, ("project", "name")) or folder_of(reader),
        version=reader.text(document, ("project", "version")),
        components=components,
    )


def _point(reader: PluginReader, document: Document, name: str, target: str) -> Component:
    module = target.partition(":")[0].strip().replace(".", "/")
    places = (f"{folder}{module}{end}" for folder in ("", "src/") for end in (".py", "/__init__.py"))
    file = next((place for place in places if reader.is_file(place)), None)
    span = document.locate(("project", "entry-points", _GROUP, name))
    found = in_process(file or _DISTRIBUTION, name, trigger="import", gate=_USER)
    return found._replace(file=_DISTRIBUTION, span=span, entry=file, extra=(*found.extra, ("target", f'"{target}"')))
