"""The capability document: everything that was reviewed about what a plugin can do, as data; and its receipt.

Two plugins that can do the same have the same document, wherever they lie and however their manifests are laid out.
It holds no positions, no counts in place of contents, no path above the plugin, no scope and no scanner version.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from plugseal.model.inventory import Capable
from plugseal.model.plugin import Component, Plugin
from plugseal.scan.claims import own_entry

SCHEMA = "urn:plugseal:capabilities:v1"


def build_document(
    plugin: Plugin, capabilities: Iterable[Capable], links: Iterable[tuple[str, str]], *, only: Iterable[str] = ()
) -> dict[str, object]:
    """Return a plugin's capability document.

    Args:
        plugin: as its system describes it.
        capabilities: rows of the scan, in any order, doubles allowed.
        links: (path, target as written) of the links inside the plugin, relative to its root.
        only: `kind:name` of each component where not the whole plugin is meant; the plugin holds just these then.
    """
    covers = {} if plugin.covers is None else {"covers": [_text(path) for path in plugin.covers]}
    rows = {(c.capability, c.object, c.channel, c.trigger) for c in capabilities}
    document: dict[str, object] = {
        "schema": SCHEMA,
        "system": plugin.system,
        "name": _text(plugin.name),
        "version": _text(plugin.version),
        "description": _text(plugin.description),
        "manifest": _text(plugin.manifest),
        "components": _sorted([_component(component) for component in plugin.components]),
        "permissions": [_text(permission) for permission in sorted(set(plugin.permissions))],
        "faults": _faults(plugin),
        "extra": _pairs(plugin.extra),
        "capabilities": [[_text(part) for part in row] for row in sorted(rows, key=_row_order)],
        "links": _pairs(links),
        **covers,
    }
    names = sorted(set(only))
    return {**document, "only": [_text(name) for name in names]} if names else document


def capability_receipt(document: dict[str, object]) -> str:
    """Return the SHA-256, in hex, of a document's canonical bytes (RFC 8785)."""
    return hashlib.sha256(document_bytes(document)).hexdigest()


def document_bytes(document: dict[str, object]) -> bytes:
    """Return a document's canonical bytes (RFC 8785).

    Raises:
        CanonicalError: the document holds what has no canonical form; one that `build_document` made never does.
    """
    from plugseal.encode.canonical import build_canonical

    return build_canonical(document)  # type: ignore[arg-type]  # build_document makes nothing but JSON


def _component(component: Component) -> dict[str, object]:
    """Return a component with all of its launch data; its place in the file is left out."""
    return {
        "kind": component.kind.value,
        "name": _text(component.name),
        "file": _text(component.file),
        "transport": _text(component.transport),
        "command": [_text(word) for word in component.command],
        "shell": component.shell,
        "cwd": _text(component.cwd),
        "environment": _pairs(component.environment),
        "literals": _pairs(component.literals),
        "endpoint": _text(component.endpoint),
        "headers": _pairs(component.headers),
        "trigger": _text(component.trigger),
        "entry": _text(own_entry(component)),
        "extra": _pairs(component.extra),
    }


def _faults(plugin: Plugin) -> list[list[object]]:
    """Return which fields of which manifests were not understood; messages may name lines and are left out."""
    return [[_text(file), _text(field)] for file, field in sorted({(f.file, f.field) for f in plugin.faults})]


def _pairs(pairs: Iterable[tuple[str, str | None]]) -> list[list[object]]:
    return [[_text(first), _text(second)] for first, second in sorted(pairs, key=lambda p: (p[0], p[1] or ""))]


def _row_order(row: tuple[str, str | None, str, str]) -> tuple[object, ...]:
    capability, name, channel, trigger = row
    return (capability, name is not None, name or "", channel, trigger)


def _sorted(items: list[dict[str, object]]) -> list[dict[str, object]]:
    return sorted(items, key=repr)


def _text(text: str | None) -> object:
    """Return text as JSON can hold it: what is no Unicode (names of files may be any bytes) as its bytes in hex."""
    if text is None or text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return {"bytes": text.encode("utf-8", "surrogatepass").hex()}
