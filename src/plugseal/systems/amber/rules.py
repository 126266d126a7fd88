"""The rules of amber's manifest as amber documents them, each breach a fault with field and line.

Where amber's code is looser, the documented rule holds here: what amber itself would do is said by `amber_host`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind
from plugseal.patterns import lazy
from plugseal.systems.launching.launch import inner
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, kind_of, lookup
from plugseal.systems.reading.texts import SEMVER

MANIFEST: Final = "manifest.json"
PROTOCOL_VERSION: Final = 1
ID: Final = lazy(r"[a-z0-9_]+")
_REQUIRED: Final = ("id", "name", "version", "description", "main")
_OPTIONAL: Final = ("author", "url", "license")
_NODE_TEXTS: Final = ("action", "help", "man")


def check_manifest(reader: PluginReader, document: Document, folder: str | None) -> None:
    """Remember every breach of a rule, all at once; tools and completion are checked where they are described.

    Args:
        reader: takes the faults.
        document: the manifest.
        folder: the directory's name where amber looks for plugins, None elsewhere.
    """
    fields = {field: reader.text(document, (field,), required=True) for field in _REQUIRED}
    for field in _OPTIONAL:
        reader.text(document, (field,))
    _check_id(reader, document, fields["id"], folder)
    if fields["version"].strip() and not SEMVER.fullmatch(fields["version"]):
        reader.fault_at(document, ("version",), "must be a semantic version such as `1.0.0`")
    _check_protocol(reader, document)
    _check_main(reader, document, fields["main"])
    _check_settings(reader, document)


def _check_id(reader: PluginReader, document: Document, plugin: str, folder: str | None) -> None:
    if plugin.strip() and not ID.fullmatch(plugin):
        reader.fault_at(document, ("id",), "may hold small letters, digits and `_` alone")
    elif plugin and folder is not None and plugin != folder:
        reader.fault_at(document, ("id",), f"must be the name of its directory, `{folder}`")


def _check_protocol(reader: PluginReader, document: Document) -> None:
    value = reader.table(document).get("protocol_version")
    if value is None:
        reader.fault_at(document, ("protocol_version",), "is missing")
    elif isinstance(value, bool) or not isinstance(value, int):
        shown = compact(value) if isinstance(value, float) else kind_of(value)
        reader.fault_at(document, ("protocol_version",), f"must be an integer, not {shown}")
    elif value != PROTOCOL_VERSION:
        reader.fault_at(document, ("protocol_version",), f"must be {PROTOCOL_VERSION}, not {value}")


def _check_main(reader: PluginReader, document: Document, main: str) -> None:
    if not main.strip():
        return
    entry = inner(main)
    if entry is None or "\\" in main or (reader.real(entry) is None and reader.exists(entry)):
        reader.fault_at(document, ("main",), "leads out of the plugin")
    elif reader.real(entry) is None:
        reader.fault_at(document, ("main",), "names a file that is not there")
    elif not reader.is_file(entry):
        reader.fault_at(document, ("main",), "names no regular file")
    elif not reader.executable(entry):
        reader.fault_at(document, ("main",), "names a file that is not executable")


def _check_settings(reader: PluginReader, document: Document) -> None:
    for key, value in reader.declared(document, ("settings",)).items():
        if not isinstance(value, (str, int, float)):
            reader.fault_at(document, ("settings", key), f"must be text, a number or a boolean, not {kind_of(value)}")


def completion_components(reader: PluginReader, document: Document, plugin: str) -> Iterator[Component]:
    """Yield the commands of the completion subtree, with faults for what is none.

    amber shows them in its drawer and has no handler for them: a command here starts nothing.
    """
    nodes: deque[tuple[Path, str]] = deque()
    for key in reader.declared(document, ("completion",)):
        if key != plugin:
            reader.fault_at(document, ("completion", key), f"lies outside the plugin's own namespace `{plugin}`")
        nodes.append((("completion", key), f"/{key}"))
    seen = 0
    while nodes:
        place, name = nodes.popleft()
        seen += 1
        if seen > MAX_DECLARED:
            reader.fault_at(document, ("completion",), f"declares more than {MAX_DECLARED:,}: the rest was not read")
            return
        node = lookup(document.value, place)
        if not isinstance(node, dict):
            reader.fault_at(document, place, f"must be a table, not {kind_of(node)}")
            continue
        yield _completion(reader, document, place, name)
        children = reader.table(document, (*place, "children"))
        nodes.extend(((*place, "children", key), f"{name} {key}") for key in children)


def _completion(reader: PluginReader, document: Document, place: Path, name: str) -> Component:
    for field in _NODE_TEXTS:
        reader.text(document, (*place, field))
    node = reader.table(document, place)
    return Component(
        kind=ComponentKind.COMMAND,
        name=name,
        file=document.file,
        span=document.locate(place),
        extra=tuple(sorted((key, compact(value)) for key, value in node.items() if key != "children")),
    )
