"""Walk a TypeScript tree and note what becomes blank; what can't is a fault. See `erase` for the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.erasing.erased_members import erase_abstract, erase_member, erase_parameter, remove_member
from plugseal.lang.ecmascript.erasing.erasing import AMBIGUOUS, Edit, Notes, end_with_comma
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugseal.lang.ecmascript.parsing.parse import Node

_BLANK: Final = frozenset(
    """
    type_annotation type_predicate_annotation asserts_annotation opting_type_annotation omitting_type_annotation
    adding_type_annotation type_parameters implements_clause
    """.split()
)
_STATEMENTS: Final = frozenset(
    "ambient_declaration interface_declaration type_alias_declaration function_signature".split()
)
_MEMBERS: Final = frozenset("abstract_method_signature method_signature index_signature".split())
_MAKES_CODE: Final = {
    "enum_declaration": "`enum` makes code",
    "import_alias": "`import … =` makes code",
    "import_require_clause": "`import … = require()` makes code",
    "decorator": "a decorator makes code",
}
_NO_VALUE: Final = frozenset("interface_declaration type_alias_declaration ambient_declaration empty_statement".split())
_BEFORE_VALUE: Final = "a type before such a value can't be erased: write it behind, with `as`"
_TAKEN_FOR_MORE: Final = (b"function", b"class", b"async", b"let")
"""Words that begin a statement of another kind where no type stands before them."""
_GOES_ON: Final = lazy(rb"(?:\s|//[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*[-+<]")
"""What follows type arguments that are none."""
_RANK: Final = {
    word: rank
    for rank, words in enumerate(
        (
            ("??",),
            ("||",),
            ("&&",),
            ("|",),
            ("^",),
            ("&",),
            ("==", "!=", "===", "!=="),
            ("<", ">", "<=", ">=", "in", "instanceof"),
            ("<<", ">>", ">>>"),
            ("+", "-"),
            ("*", "/", "%"),
            ("**",),
        ),
        1,
    )
    for word in words
}


class Eraser:
    """Note the edits of one file."""

    def __init__(self, source: bytes) -> None:
        self.notes = Notes(source)
        self._source = source
        self._waiting: list[Node] = []
        self._handlers: dict[str, Callable[[Node], None]] = {
            **dict.fromkeys(_BLANK, self.notes.blank),
            **dict.fromkeys(_STATEMENTS, self._statement),
            **dict.fromkeys(_MEMBERS, lambda node: remove_member(self.notes, node)),
            **dict.fromkeys(_MAKES_CODE, lambda node: self.notes.fault(node, _MAKES_CODE[node.type])),
            **dict.fromkeys(("internal_module", "module"), self._namespace),
            **dict.fromkeys(("as_expression", "satisfies_expression"), self._as),
            **dict.fromkeys(("public_field_definition", "method_definition"), self._member),
            **dict.fromkeys(("required_parameter", "optional_parameter"), self._parameter),
            **dict.fromkeys(("import_specifier", "export_specifier"), self._specifier),
            "abstract_class_declaration": self._abstract_class,
            "arrow_function": self._arrow,
            "type_arguments": self._arguments,
            "binary_expression": self._binary,
            "export_statement": self._export,
            "import_statement": self._import,
            "instantiation_expression": self._instantiation,
            "non_null_expression": self._non_null,
            "type_assertion": self._assertion,
            "variable_declarator": self._declarator,
        }

    def walk(self, root: Node) -> Notes:
        """Look at every node that stays, and return what was noted."""
        self._waiting = [root]
        while self._waiting:
            node = self._waiting.pop()
            handler = self._handlers.get(node.type) if node.is_named else None
            if handler is None:
                self._into(node)
            else:
                handler(node)
        return self.notes

    def _into(self, node: Node) -> None:
        # In the order of the text: what was erased before a statement is known when that is looked at.
        self.notes.list_children(node)
        self._waiting += reversed(node.children)

    def _statement(self, node: Node) -> None:
        first = node.children[0] if node.children else node
        if first.type in ("declare", "type", "interface"):
            self.notes.verify_same_line(first)
        self._erase_statement(node)

    def _erase_statement(self, node: Node) -> None:
        while node.parent is not None and node.parent.type in ("export_statement", "expression_statement"):
            node = node.parent
        self.notes.remove(node)

    def _namespace(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        if body is not None and not _has_no_value(body):
            self.notes.fault(node, "a namespace with values makes code")
            return
        self.notes.verify_same_line(node.children[0])
        self._erase_statement(node)

    def _export(self, node: Node) -> None:
        second = node.children[1] if len(node.children) > 1 else node
        if second.type == "=":
            self.notes.fault(node, "`export =` makes code")
        elif second.type == "as" or (second.type == "type" and node.child_by_field_name("declaration") is None):
            self._erase_statement(node)
        elif second.type == "ERROR" and second.text == b"type" and len(node.children) > 2:
            # `export type * from`: the grammar knows all of it but the word.
            self.notes.known.add(second.start_byte)
            self._erase_statement(node)
        else:
            self._into(node)

    def _import(self, node: Node) -> None:
        if len(node.children) > 1 and node.children[1].type == "type":
            self._erase_statement(node)
        else:
            self._into(node)

    def _specifier(self, node: Node) -> None:
        if node.children[0].type == "type":
            self.notes.edits.append(Edit(node.start_byte, end_with_comma(node)))

    def _as(self, node: Node) -> None:
        value, word, parent, first = node.children[0], node.children[1], node.parent, ""
        if self.notes.is_broken(value, word):
            self.notes.fault(word, AMBIGUOUS)
        self.notes.verify_lines(node.children[-1])
        if parent is not None and _goes_on(parent, node):
            # TypeScript ends the statement here: nothing can be called or asked of an `as` without parentheses.
            first = ";"
            if not self.notes.has_line_end(node.end_byte, _after(node)):
                self.notes.fault(node, AMBIGUOUS)
        elif parent is not None and _binds_tighter(parent, node, value):
            self.notes.fault(node, AMBIGUOUS)
        self.notes.edits.append(Edit(word.start_byte, node.end_byte, first))
        self._waiting.append(value)

    def _arguments(self, node: Node) -> None:
        if _GOES_ON.match(self._source, node.end_byte):
            # Before these signs TypeScript reads comparisons.
            self.notes.fault(node, AMBIGUOUS)
        self.notes.blank(node)

    def _binary(self, node: Node) -> None:
        left, sign, right = node.children[0], node.children[1], node.children[-1]
        follows = self._source[right.start_byte : right.start_byte + 1] in (b"(", b"`")
        closes = sign.type in (">", ">>", ">>>") and "<" in self.notes.text(left)
        if closes and (follows or self.notes.is_broken(sign, right)):
            # TypeScript reads type arguments here, before a call, a template or a line's end; the grammar comparisons.
            self.notes.fault(node, AMBIGUOUS)
        self._into(node)

    def _instantiation(self, node: Node) -> None:
        parent = node.parent
        if parent is not None and _goes_on(parent, node):
            self.notes.fault(node, AMBIGUOUS)
        self._into(node)

    def _non_null(self, node: Node) -> None:
        value, mark = node.children[0], node.children[-1]
        if self.notes.is_broken(value, mark):
            self.notes.fault(mark, AMBIGUOUS)
        self.notes.blank(mark)
        self._waiting.append(value)

    def _assertion(self, node: Node) -> None:
        kind, value = node.children[0], node.children[-1]
        begins = self._source[value.start_byte : value.start_byte + 16]
        if begins.startswith((b"{", *_TAKEN_FOR_MORE)) or self.notes.is_broken(kind, value):
            self.notes.fault(node, _BEFORE_VALUE)
        self.notes.blank(kind)
        self._waiting.append(value)

    def _declarator(self, node: Node) -> None:
        for child in node.children:
            if child.type == "!":
                self.notes.blank(child)
        self._into(node)

    def _parameter(self, node: Node) -> None:
        if erase_parameter(self.notes, node):
            self._into(node)

    def _abstract_class(self, node: Node) -> None:
        erase_abstract(self.notes, node)
        self._into(node)

    def _member(self, node: Node) -> None:
        if erase_member(self.notes, node):
            self._into(node)

    def _arrow(self, node: Node) -> None:
        generics, parameters = node.child_by_field_name("type_parameters"), node.child_by_field_name("parameters")
        kind = node.child_by_field_name("return_type")
        if generics is not None and parameters is not None:
            opening = parameters.children[0]
            if self.notes.has_line_end(generics.start_byte, opening.start_byte):
                # `return <T>` above `(x)` would return nothing: the parenthesis takes the type's place.
                self.notes.blank(generics, first="(")
                self.notes.blank(opening)
        if kind is not None and parameters is not None:
            closing = parameters.children[-1]
            if self.notes.has_line_end(closing.start_byte, kind.end_byte):
                # No line may end between the parenthesis and the arrow.
                self.notes.blank(closing)
                self.notes.blank(kind, last=")")
        self._into(node)


def _has_no_value(body: Node) -> bool:
    """Say whether nothing in a namespace has a value; namespaces nest as deep as they like."""
    waiting = list(body.named_children)
    while waiting:
        node: Node | None = waiting.pop()
        if node is not None and node.type == "expression_statement" and len(node.children) == 1:
            node = node.children[0]
        if node is not None and node.type == "export_statement":
            node = node.child_by_field_name("declaration")
        if node is None:
            return False
        inner = node.child_by_field_name("body")
        if node.type == "internal_module" and inner is not None:
            waiting += inner.named_children
        elif not node.is_extra and node.type not in _NO_VALUE:
            return False
    return True


def _goes_on(parent: Node, node: Node) -> bool:
    """Say whether something is called or asked of a node as it stands."""
    return (
        parent.type in ("call_expression", "member_expression", "subscript_expression") and parent.children[0] == node
    )


def _after(node: Node) -> int:
    following = node.next_sibling
    return node.end_byte if following is None else following.start_byte


def _binds_tighter(parent: Node, node: Node, value: Node) -> bool:
    """Say whether what follows would take a part of the value once the type between is gone."""
    if parent.type != "binary_expression" or parent.children[0] != node or value.type != "binary_expression":
        return False
    outer, inner = (_RANK.get(one.children[1].type, 0) for one in (parent, value))
    return outer > inner
