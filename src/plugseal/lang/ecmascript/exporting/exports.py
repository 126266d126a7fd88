"""Read the default export of a script as far as its text tells it; nothing is run and no other file is looked at.

Names are followed to the constants of the same file, wrappers that only add types are looked through, and so are
imported functions that are known to return what they are given. Everything else is `unknown`, never guessed.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.exporting.export_nodes import (
    IDENTIFIERS,
    defaults,
    plain_names,
    string_of,
    strings_in,
    text_of,
    walk,
)
from plugseal.lang.ecmascript.exporting.first_parameter import asks_of
from plugseal.lang.ecmascript.exporting.static import Exported, Kind, Static
from plugseal.lang.ecmascript.parsing.literals import unescape
from plugseal.lang.ecmascript.parsing.parse import parse_script
from plugseal.model.location import Span

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.parsing.parse import Node

MAX_VALUE_DEPTH: Final = 40
"""A value that nests deeper is unknown."""
_FUNCTIONS: Final = frozenset(
    {"arrow_function", "function_expression", "function_declaration", "generator_function", "method_definition"}
    | {"generator_function_declaration", "function"}
)
_WRAPPERS: Final = frozenset({"parenthesized_expression", "as_expression", "satisfies_expression"})
_WRAPPERS_LAST: Final = frozenset({"type_assertion"})
_ASSIGNMENTS: Final = frozenset(
    {"assignment_expression", "augmented_assignment_expression", "update_expression", "for_in_statement"}
)
_OLD_NAMES: Final = frozenset({"module", "exports"})
"""By which a file that is no module hands out its values; whether a host takes them for a default export is its own."""


def read_default_export(data: bytes, suffix: str, *, identities: Collection[str] = ()) -> Exported:
    """Return the default export of a script.

    Args:
        data: the whole file.
        suffix: of its name, e.g. `.ts`.
        identities: functions that return their argument, believed where the file imports them.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    tree = parse_script(data, suffix)
    if tree is None:
        return Exported(None, "takes too much work to parse")
    if tree.root_node.has_error:
        return Exported(None, "has a syntax error, or newer syntax than is known here")
    return _Reader(data, tree.root_node, identities).exported()


class _Reader:
    """One script."""

    def __init__(self, data: bytes, root: Node, identities: Collection[str]) -> None:
        self._data = data
        self._lines = data.split(b"\n")
        self._root = root
        self._constants: dict[str, Node] = {}
        self._bindings: dict[str, int] = {}
        self._uses: dict[str, int] = {}
        self._changed: set[str] = set()
        self._looked: dict[tuple[int, int], Static] = {}
        """Functions that were looked through, by their ID and how many are around them."""
        self._functions = 0
        """Functions around what is looked at."""
        imported: set[str] = set()
        for node in walk(root):
            if node.type in IDENTIFIERS or node.type == "shorthand_property_identifier_pattern":
                name = text_of(node)
                self._uses[name] = self._uses.get(name, 0) + 1
            elif node.type in _ASSIGNMENTS:
                target = node.child_by_field_name("left") or node.child_by_field_name("argument")
                self._changed.update(map(text_of, plain_names(target)))
        for statement in root.named_children:
            self._declare(statement, imported)
        self._identities = frozenset(identities) & imported

    def exported(self) -> Exported:
        """Return the value of the one default export."""
        statements = self._root.named_children
        found = [node for statement in statements for node in defaults(statement)]
        if len(found) == 1:
            return Exported(self._value(found[0], 0))
        if found:
            return Exported(None, "has more than one default export", is_certain=True)
        if any(statement.type in ("export_statement", "import_statement") for statement in statements):
            return Exported(None, "has no default export", is_certain=True)
        if self._uses.keys() & _OLD_NAMES:
            return Exported(None, "exports by `module.exports`")
        return Exported(None, "has no default export", is_certain=True)

    def _declare(self, statement: Node, imported: set[str]) -> None:
        """Remember the constants, functions and imports of one statement at the top of the file."""
        inner = statement.child_by_field_name("declaration") if statement.type == "export_statement" else statement
        if inner is None:
            return
        if inner.type == "import_statement":
            for node in walk(inner):
                if node.type == "import_specifier":
                    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
                    if name is not None and (alias is None or text_of(alias) == text_of(name)):
                        imported.add(text_of(name))
            return
        if inner.type in _FUNCTIONS:
            self._bind(inner.child_by_field_name("name"), inner)
        elif inner.type == "lexical_declaration" and inner.children[0].type == "const":
            for declarator in inner.named_children:
                value = declarator.child_by_field_name("value")
                if value is not None:
                    self._bind(declarator.child_by_field_name("name"), value)

    def _bind(self, name: Node | None, value: Node) -> None:
        if name is not None and name.type == "identifier":
            self._bindings[text_of(name)] = self._bindings.get(text_of(name), 0) + 1
            self._constants[text_of(name)] = value

    def _value(self, node: Node, depth: int) -> Static:
        if depth > MAX_VALUE_DEPTH:
            return Static(Kind.UNKNOWN, self._span(node))
        kind = node.type
        if kind in _WRAPPERS and node.named_children:
            return self._value(node.named_children[0], depth + 1)
        if kind in _WRAPPERS_LAST and node.named_children:
            return self._value(node.named_children[-1], depth + 1)
        if kind in IDENTIFIERS:
            return self._named(node, depth)
        if kind == "object":
            return self._object(node, depth)
        if kind == "array":
            return self._list(node, depth)
        if kind in _FUNCTIONS:
            return self._function(node, depth)
        if kind == "call_expression":
            return self._call(node, depth)
        return self._scalar(node, depth)

    def _function(self, node: Node, depth: int) -> Static:
        """Look through a function once, however often it is named."""
        key = (node.id, self._functions)
        if key not in self._looked:
            self._looked[key] = Static(
                Kind.FUNCTION,
                self._span(node),
                strings=tuple(strings_in(node)),
                result=self._result(node, depth),
                asks=asks_of(node, self._data),
            )
        return self._looked[key]

    def _scalar(self, node: Node, depth: int) -> Static:
        kind, span = node.type, self._span(node)
        if kind in ("string", "template_string"):
            text = string_of(node)
            text = self._filled(node, depth) if text is None else text
            return Static(Kind.UNKNOWN, span) if text is None else Static(Kind.TEXT, span, text)
        if kind == "number":
            return Static(Kind.NUMBER, span, text_of(node))
        if kind in ("true", "false"):
            return Static(Kind.BOOLEAN, span, kind)
        if kind in ("null", "undefined"):
            return Static(Kind.NULL, span)
        if kind == "binary_expression" and [c.type for c in node.children if not c.is_named] == ["+"]:
            left, right = (self._value(child, depth + 1) for child in node.named_children[:2])
            if left.kind is Kind.TEXT and right.kind is Kind.TEXT:
                return Static(Kind.TEXT, span, left.text + right.text)
        return Static(Kind.UNKNOWN, span)

    def _filled(self, node: Node, depth: int) -> str | None:
        """Return the text of a template whose values are all texts that are known, None of any other."""
        parts, at = [], node.start_byte + 1
        raw = node.text or b""
        for child in node.named_children:
            if child.type == "template_substitution" and len(child.named_children) == 1:
                value = self._value(child.named_children[0], depth + 1)
                if value.kind is not Kind.TEXT:
                    return None
                before = raw[at - node.start_byte : child.start_byte - node.start_byte]
                parts += [unescape(before.decode("utf-8", "replace")), value.text]
                at = child.end_byte
            elif child.type == "template_substitution":
                return None
        rest = raw[at - node.start_byte : -1]
        return "".join([*parts, unescape(rest.decode("utf-8", "replace"))])

    def _result(self, node: Node, depth: int) -> tuple[Static, ...]:
        """Return what a function returns that does nothing else; names inside may be its own, so none is followed."""
        body = node.child_by_field_name("body")
        if body is None or any(child.type in ("async", "*") for child in node.children):
            return ()
        if body.type == "statement_block":
            statements = [child for child in body.named_children if child.type != "comment"]
            if len(statements) != 1 or statements[0].type != "return_statement" or not statements[0].named_children:
                return ()
            body = statements[0].named_children[0]
        self._functions += 1
        try:
            return (self._value(body, depth + 1),)
        finally:
            self._functions -= 1

    def _named(self, node: Node, depth: int) -> Static:
        """Follow a name to a constant of the file; what other code of the file can reach by it may not be whole."""
        name = text_of(node)
        value = self._constants.get(name) if not self._functions else None
        if name == "undefined":
            return Static(Kind.NULL, self._span(node))
        if value is None or self._bindings[name] != 1 or name in self._changed:
            return Static(Kind.UNKNOWN, self._span(node))
        found = self._value(value, depth + 1)
        if found.kind in (Kind.OBJECT, Kind.LIST) and self._uses.get(name, 0) > 2:
            found = found._replace(whole=False)
        return found

    def _call(self, node: Node, depth: int) -> Static:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is not None and arguments is not None and len(arguments.named_children) == 1:
            name = text_of(function)
            own = function.type == "identifier" and name in self._identities and name not in self._constants
            if own or name == "Object.freeze":
                return self._value(arguments.named_children[0], depth + 1)
        return Static(Kind.UNKNOWN, self._span(node))

    def _object(self, node: Node, depth: int) -> Static:
        fields: dict[str, Static] = {}
        whole = True
        for child in node.named_children:
            if child.type == "comment":
                continue
            key = self._key(child, depth)
            if key is None or key == "__proto__":
                whole = False
                continue
            fields.pop(key, None)
            fields[key] = self._field(child, depth)
        return Static(Kind.OBJECT, self._span(node), fields=tuple(fields.items()), whole=whole)

    def _key(self, child: Node, depth: int) -> str | None:
        """Return the key of one part of an object, None where it is computed or a spread."""
        if child.type == "shorthand_property_identifier":
            return text_of(child)
        name = child.child_by_field_name("key" if child.type == "pair" else "name")
        if name is None:
            return None
        if name.type == "computed_property_name":
            value = self._value(name.named_children[0], depth + 1) if name.named_children else None
            return value.text if value is not None and value.kind is Kind.TEXT else None
        return string_of(name) if name.type == "string" else text_of(name)

    def _field(self, child: Node, depth: int) -> Static:
        if child.type == "shorthand_property_identifier":
            return self._named(child, depth + 1)
        if child.type == "method_definition":
            is_accessor = any(part.type in ("get", "set") for part in child.children)
            return Static(Kind.UNKNOWN, self._span(child)) if is_accessor else self._value(child, depth + 1)
        value = child.child_by_field_name("value")
        return Static(Kind.UNKNOWN, self._span(child)) if value is None else self._value(value, depth + 1)

    def _list(self, node: Node, depth: int) -> Static:
        items, whole = [], True
        for child in node.named_children:
            if child.type == "spread_element":
                whole = False
            elif child.type != "comment":
                items.append(self._value(child, depth + 1))
        return Static(Kind.LIST, self._span(node), items=tuple(items), whole=whole)

    def _span(self, node: Node) -> Span:
        (row, column), (end_row, end_column) = node.start_point, node.end_point
        return Span(row + 1, self._column(row, column), end_row + 1, self._column(end_row, end_column))

    def _column(self, row: int, byte: int) -> int:
        line = self._lines[row] if row < len(self._lines) else b""
        return len(line[:byte].decode("utf-8", "replace")) + 1
