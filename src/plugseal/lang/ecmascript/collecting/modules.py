"""Imports and exports as statements; what they bind, and what they pass on. Imports of types alone bind nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.ecmascript.collecting.noting import Export, Import
from plugseal.lang.ecmascript.collecting.scope import OPAQUE, Imported
from plugseal.lang.ecmascript.parsing.literals import unescape

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.walk import Walk
    from plugseal.lang.ecmascript.parsing.parse import Node

_TYPES = frozenset(("type", "typeof"))


def note_import(walk: Walk, node: Node) -> None:
    """Note an import statement."""
    source = node.child_by_field_id(walk.grammar.source)
    is_type = any(child.type in _TYPES for child in node.children)
    clauses = [child for child in node.named_children if child.type in ("import_clause", "import_require_clause")]
    if source is None:
        for clause in clauses:
            _note_required(walk, clause, is_type)
        return
    module = text_of(walk, source)
    if is_type:
        for clause in clauses:
            _hide_types(walk, clause, module)
        return
    names: list[str] = []
    is_whole = not clauses
    for clause in clauses:
        for part in clause.named_children:
            if part.type == "identifier":
                walk.scope.bind(walk.text(part), Imported(module, "default"))
                walk.collected.types[walk.text(part)] = (module, "")
                is_whole = True
            elif part.type == "namespace_import":
                for name in part.named_children[:1]:
                    walk.scope.bind(walk.text(name), Imported(module, ""))
                    walk.collected.types[walk.text(name)] = (module, "")
                is_whole = True
            elif part.type == "named_imports":
                names.extend(_named(walk, part, module))
    if is_whole or names:
        walk.collected.imports.append(Import(module, () if is_whole else tuple(names), node))


def _note_required(walk: Walk, clause: Node, is_type: bool) -> None:
    """Note `import x = require("y")`, whose parts stand in a clause of their own."""
    source = clause.child_by_field_id(walk.grammar.source)
    if source is None or is_type:
        return
    module = text_of(walk, source)
    for name in clause.named_children[:1]:
        walk.scope.bind(walk.text(name), Imported(module, ""))
        walk.collected.types[walk.text(name)] = (module, "")
        walk.collected.imports.append(Import(module, (), name.parent or name))


def _named(walk: Walk, part: Node, module: str) -> list[str]:
    found = []
    for specifier in part.named_children:
        if specifier.type != "import_specifier":
            continue
        name, alias = _both_names(walk, specifier)
        if name is None:
            continue
        member = text_of(walk, name)
        walk.collected.types[walk.text(alias or name)] = (module, member)
        if any(child.type in _TYPES for child in specifier.children):
            walk.scope.bind(walk.text(alias or name), OPAQUE)
            continue
        found.append(member)
        walk.scope.bind(walk.text(alias or name), Imported(module, member))
    return found


def _both_names(walk: Walk, node: Node) -> tuple[Node | None, Node | None]:
    return node.child_by_field_id(walk.grammar.name), node.child_by_field_id(walk.grammar.alias)


def _hide_types(walk: Walk, clause: Node, module: str) -> None:
    """Bind the names of types, which are no values: `import type { Worker }` means no global of that name."""
    waiting = [clause]
    while waiting:
        node = waiting.pop()
        if node.type == "import_specifier":
            name, alias = _both_names(walk, node)
            if name is not None:
                walk.scope.bind(walk.text(alias or name), OPAQUE)
                walk.collected.types[walk.text(alias or name)] = (module, text_of(walk, name))
            continue
        if node.type == "identifier":
            walk.scope.bind(walk.text(node), OPAQUE)
            walk.collected.types[walk.text(node)] = (module, "")
        waiting.extend(node.named_children)


def note_export(walk: Walk, node: Node) -> None:
    """Note an export statement; what it declares or holds is visited like anything else."""
    grammar, collected = walk.grammar, walk.collected
    source = node.child_by_field_id(grammar.source)
    words = {child.type for child in node.children if not child.is_named}
    if "type" in words:
        return
    if source is not None:
        _note_passed_on(walk, node, text_of(walk, source))
        return
    value = node.child_by_field_id(grammar.value)
    declaration = node.child_by_field_id(grammar.declaration)
    if "=" in words and value is None:
        value = next((child for child in reversed(node.named_children) if child.type != "comment"), None)
        if value is not None:
            collected.exports.append(Export("=", value, walk.scope))
    elif "default" in words and (value or declaration) is not None:
        collected.exports.append(Export("default", value or declaration or node, walk.scope))
    elif declaration is not None:
        _note_declared(walk, declaration)
    for child in node.named_children:
        if child.type == "export_clause":
            _note_clause(walk, child)
    walk.stack.extend(child for child in reversed(node.named_children) if child.type != "export_clause")


def _note_passed_on(walk: Walk, node: Node, module: str) -> None:
    collected, scope = walk.collected, walk.scope
    names: list[str] = []
    has_names = False
    for child in node.named_children:
        if child.type == "export_clause":
            has_names = True
            for specifier in child.named_children:
                name, alias = _both_names(walk, specifier)
                if name is None or any(part.type in _TYPES for part in specifier.children):
                    continue
                member = text_of(walk, name)
                names.append(member)
                shown = text_of(walk, alias or name)
                collected.exports.append(Export(shown, Imported(module, member), scope, specifier))
        elif child.type == "namespace_export":
            has_names = True
            for name in child.named_children[:1]:
                collected.exports.append(Export(text_of(walk, name), Imported(module, ""), scope, child))
    if not has_names:
        collected.exports.append(Export("*", Imported(module, ""), scope, node))
    collected.imports.append(Import(module, tuple(names), node, is_export=True))


def _note_declared(walk: Walk, declaration: Node) -> None:
    names: list[Node] = []
    name = declaration.child_by_field_id(walk.grammar.name)
    if name is not None:
        names.append(name)
    for child in declaration.named_children:
        target = child.child_by_field_id(walk.grammar.name) if child.type == "variable_declarator" else None
        waiting = [target] if target is not None else []
        while waiting:
            part = waiting.pop()
            if part.type in ("identifier", "shorthand_property_identifier_pattern"):
                names.append(part)
            elif part.type == "pair_pattern":
                value = part.child_by_field_id(walk.grammar.value)
                waiting.extend([value] if value is not None else [])
            elif part.type in ("object_assignment_pattern", "assignment_pattern"):
                left = part.child_by_field_id(walk.grammar.left)
                waiting.extend([left] if left is not None else [])
            else:
                waiting.extend(part.named_children)
    walk.collected.exports.extend(Export(text_of(walk, one), one, walk.scope) for one in names)


def _note_clause(walk: Walk, clause: Node) -> None:
    for specifier in clause.named_children:
        name, alias = _both_names(walk, specifier)
        if specifier.type == "export_specifier" and name is not None:
            shown = text_of(walk, alias or name)
            walk.collected.exports.append(Export(shown, name, walk.scope, specifier))


def text_of(walk: Walk, node: Node) -> str:
    """Return a name, or the text of a string that stands in its place."""
    text = walk.text(node).decode("utf-8", "replace")
    return unescape(text[1:-1] if node.type == "string" else text)
