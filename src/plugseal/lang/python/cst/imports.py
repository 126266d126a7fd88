"""Import statements; the lazy ones of PEP 810 import too."""

from __future__ import annotations

import ast
from typing import Final

from plugseal.lang.python.cst.convert import Convert, Maker, identifier, kind
from plugseal.lang.python.cst.places import Node, Place


def dotted(node: Node | None) -> str:
    """Return a dotted name as text; empty for none."""
    parts = []
    while node is not None and kind(node) == "Attribute":
        parts.append(identifier(node.attr.value))
        node = node.value
    if node is not None:
        parts.append(identifier(node.value))
    return ".".join(reversed(parts))


def _import(node: Node, convert: Convert) -> ast.stmt:
    return ast.Import(names=[_alias(part, convert) for part in node.names], **convert.places.inner(node).fields())


def _import_from(node: Node, convert: Convert) -> ast.stmt:
    names = [_star(node.names, convert)] if kind(node.names) == "ImportStar" else []
    if not names:
        names = [_alias(part, convert) for part in node.names]
    start = convert.places.inner(node).start
    if node.rpar is not None:
        end = convert.places.inner(node.rpar).end
    else:
        last = names[-1]
        end = Place.of(last).end
    module = dotted(node.module) or None
    return ast.ImportFrom(module=module, names=names, level=len(node.relative), **Place(start, end).fields())


def _alias(node: Node, convert: Convert) -> ast.alias:
    name = None if node.asname is None else identifier(node.asname.name.value)
    return ast.alias(name=dotted(node.name), asname=name, **convert.places.inner(node).fields())


def _star(node: Node, convert: Convert) -> ast.alias:
    return ast.alias(name="*", asname=None, **convert.places.inner(node).fields())


IMPORTS: Final[dict[str, Maker]] = {
    "Import": _import,
    "ImportFrom": _import_from,
    "LazyImport": _import,
    "LazyImportFrom": _import_from,
}
