"""Marketplaces of clients: a list of plugins with where each one comes from.

Every entry is something that the client fetches when its user installs it. A place inside the tree is no fetch: what
is there is a unit of its own. One without a commit or a digest is whatever the other side serves that day.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.sources import is_beside, source_package
from plugseal.systems.reading.reader import Document, Path, PluginReader, extras, lookup
from plugseal.systems.reading.units import folder_of, make_configuration

_TOP: Final = frozenset("$schema name description version owner interface metadata plugins displayName".split())
_ENTRY: Final = frozenset(
    "name source description version author homepage repository license keywords category categories tags policy "
    "interface displayName strict publisher icon logo featured skills agents commands".split()
)
_ADDRESSES: Final = ("url", "repo", "repository", "package")


def describe_marketplace(reader: PluginReader, system: str, file: str, *, gate: str) -> Plugin:
    """Return the unit of a marketplace file.

    Args:
        reader: at the folder that the client calls the marketplace's root.
        system: the client's.
        file: the marketplace, relative to that root.
        gate: what the client asks before it installs an entry.
    """
    document = reader.json(file)
    if document is None:
        return make_configuration(system, reader, manifest=file, name=folder_of(reader), covers=(), components=())
    reader.expect_keys(document, reader.table(document), _TOP)
    return make_configuration(
        system,
        reader,
        manifest=file,
        name=reader.text(document, ("name",)) or folder_of(reader),
        description=reader.text(document, ("description",)),
        covers=(),
        components=tuple(_entries(reader, document, gate)),
        extra=extras(reader.table(document), frozenset({"name", "description", "plugins"})),
    )


def _entries(reader: PluginReader, document: Document, gate: str) -> Iterator[Component]:
    plugins = lookup(document.value, ("plugins",))
    for at, entry in enumerate(plugins if isinstance(plugins, list) else []):
        if not isinstance(entry, dict):
            reader.fault_at(document, ("plugins", at), "must be a table")
            continue
        reader.expect_keys(document, entry, _ENTRY, at=("plugins", at))
        yield _entry(reader, document, ("plugins", at), entry, gate)


def _entry(reader: PluginReader, document: Document, path: Path, entry: Mapping[str, object], gate: str) -> Component:
    source = entry.get("source")
    address = _address(source)
    package = source_package(source)
    name = reader.text(document, (*path, "name"), required=True)
    place = document.locate_value((*path, "source"))
    return Component(
        kind=ComponentKind.SOURCE,
        name=name,
        file=document.file,
        span=document.locate((*path, "name")),
        endpoint=address,
        trigger="install",
        gate=gate,
        extra=extras(entry, frozenset({"name"})),
        places=(("endpoint", place), ("extra.source", place)),
        packages=(package,) if package is not None and package.source != "local" else (),
    )


def _address(source: object) -> str | None:
    """Return where an entry is fetched from, None where it lies in the tree; a host's shorthand in full."""
    if isinstance(source, str):
        return source if "://" in source else None
    if not isinstance(source, dict):
        return None
    found = next((source[key] for key in _ADDRESSES if isinstance(source.get(key), str)), None)
    if found is None or is_beside(found):
        return None
    if "://" in found or source.get("source") not in ("github", "npm"):
        return str(found)
    return f"https://github.com/{found}" if source["source"] == "github" else f"npm:{found}"
