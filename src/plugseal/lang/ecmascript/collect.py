"""Walk a syntax tree once: note scopes, what binds their names, their calls and reads, imports and exports.

Nothing is resolved and nothing recurses: trees nest as deep as they like. Children are visited in the order of the
source, so that bindings of a name stand in that order; assignments are handed to the scope that declares the name once
the scope they stand in is done, since declarations are hoisted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.ecmascript import grammar as g
from plugseal.lang.ecmascript.assigning import assign, hand_over, unescape_names
from plugseal.lang.ecmascript.classes import note_class
from plugseal.lang.ecmascript.modules import note_export, note_import
from plugseal.lang.ecmascript.noting import Collected
from plugseal.lang.ecmascript.patterns import GUARDED, Assigned, bind_target, declare
from plugseal.lang.ecmascript.scope import (
    ARROW,
    FUNCTION,
    OPAQUE,
    Added,
    Call,
    Iterated,
    Keys,
    Parameter,
    Scope,
    Typed,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugseal.lang.ecmascript.grammar import Grammar
    from plugseal.lang.ecmascript.parse import Node

_LOGICAL = frozenset((b"||=", b"&&=", b"??="))
_GIVEN = frozenset((g.DESCEND, g.IDENTIFIER, g.MEMBER, g.SUBSCRIPT, g.CALL, g.BINARY, g.NEW))
_NAMED = frozenset((g.IDENTIFIER, g.MEMBER, g.BINARY, g.DESCEND))
_PLACES = frozenset((g.MEMBER, g.SUBSCRIPT))
_COMPARING = frozenset((b"instanceof", b"===", b"!==", b"==", b"!="))


def collect(data: bytes, root: Node, grammar: Grammar, *, with_strings: bool = False) -> Collected:
    """Return what a file holds.

    Args:
        data: the source; nodes count its bytes.
        root: its syntax tree.
        grammar: the one it was parsed with.
        with_strings: whether string literals are noted.
    """
    collected = Collected(data, root, grammar)
    collector = Collector(collected, with_strings=with_strings)
    for scope in collected.scopes:
        collector.visit(scope)
    if b"\\u" in data:
        unescape_names(collected)
    return collected


class Collector:
    """The walk over one file."""

    def __init__(self, collected: Collected, *, with_strings: bool) -> None:
        self.collected = collected
        self.data = collected.data
        self.grammar = collected.grammar
        self.with_strings = with_strings
        self.stack: list[Node] = []
        self.scope = collected.root
        self.assigned: list[Assigned] = []
        handlers: dict[int, Callable[[Node], object]] = {
            g.DECLARATOR: self._declarator,
            g.ASSIGNMENT: self._assignment,
            g.AUGMENTED: self._augmented,
            g.IMPORT: lambda node: note_import(self, node),
            g.EXPORT: lambda node: note_export(self, node),
            g.FUNCTION: self._function,
            g.FUNCTION_EXPRESSION: self.function_scope,
            g.METHOD: self.function_scope,
            g.CLASS: lambda node: note_class(self, node),
            g.CLASS_EXPRESSION: lambda node: note_class(self, node),
            g.FOR_IN: self._for_in,
            g.RETURN: self._return,
            g.UNARY: self._unary,
            g.BINARY: self._binary,
            g.CATCH: self._catch,
            g.ENUM: self._enum,
            g.OBJECT: self._object,
            g.WITH: self._with,
            g.STRING: self._string,
            g.META: lambda _node: None,
        }
        self._handlers = [handlers.get(code) for code in range(64)]

    def text(self, node: Node) -> bytes:
        """Return the source of a node."""
        return self.data[node.start_byte : node.end_byte]

    def visit(self, scope: Scope) -> None:
        """Walk the body of one scope; the hot loop, where every node of the file passes."""
        self.scope, self.assigned = scope, []
        self.stack = stack = scope.awaiting[::-1]
        scope.awaiting = []
        data, codes, handlers = self.data, self.grammar.codes, self._handlers
        f_object, f_index = self.grammar.object, self.grammar.index
        pop, extend, loads = stack.pop, stack.extend, scope.loads
        while stack:
            node = pop()
            code = codes[node.kind_id]
            if code == 0:
                extend(node.named_children[::-1])
            elif code == 1:
                loads.append((node, data[node.start_byte : node.end_byte]))
            elif code == 2:
                continue
            elif code == 3:
                base = node.child_by_field_id(f_object)
                while base is not None and codes[base.kind_id] == 3:
                    base = base.child_by_field_id(f_object)
                if base is None:
                    continue
                if codes[base.kind_id] == 1:
                    loads.append((node, data[base.start_byte : base.end_byte]))
                else:
                    loads.append((node, None))
                    stack.append(base)
            elif code == 5 or code == 6:
                self._call(node, code)
            elif code == 4:
                base, index = node.child_by_field_id(f_object), node.child_by_field_id(f_index)
                if index is not None:
                    stack.append(index)
                self._subscript_base(node, base)
            elif code == 18:
                loads.append((node, data[node.start_byte : node.end_byte]))
            else:
                handler = handlers[code]
                if handler is None:
                    extend(node.named_children[::-1])
                else:
                    handler(node)
        hand_over(self, scope)

    def _subscript_base(self, node: Node, base: Node | None) -> None:
        """Note an item that is read, with the name its chain begins with."""
        if base is None:
            return
        codes = self.grammar.codes
        root: Node | None = base
        while root is not None and codes[root.kind_id] == g.MEMBER:
            root = root.child_by_field_id(self.grammar.object)
        if root is not None and codes[root.kind_id] == g.IDENTIFIER:
            self.scope.loads.append((node, self.text(root)))
        else:
            self.scope.loads.append((node, None))
            if root is not None:
                self.stack.append(root)

    def _call(self, node: Node, code: int) -> None:
        grammar, codes = self.grammar, self.grammar.codes
        function = node.child_by_field_id(grammar.function if code == g.CALL else grammar.constructor)
        if function is None:
            self.stack.extend(node.named_children[::-1])
            return
        given = node.child_by_field_id(grammar.arguments)
        if given is not None:
            self.stack.extend(given.named_children[::-1])
        base: Node | None = function
        while base is not None and codes[base.kind_id] == g.MEMBER:
            base = base.child_by_field_id(grammar.object)
        last = b""
        if base is not function:
            name = function.child_by_field_id(grammar.property)
            last = self.data[name.start_byte : name.end_byte] if name is not None else b""
        if base is not None and codes[base.kind_id] == g.IDENTIFIER:
            root = self.data[base.start_byte : base.end_byte]
            self.scope.calls.append(Call(node, function, root, last or root))
        else:
            self.scope.calls.append(Call(node, function, None, last))
            if base is not None:
                self.stack.append(base)

    def _declarator(self, node: Node) -> None:
        name, value = node.child_by_field_id(self.grammar.name), node.child_by_field_id(self.grammar.value)
        if name is None:
            return
        if value is not None:
            self.stack.append(value)
            if self.grammar.codes[value.kind_id] in _NAMED:
                self.collected.note_alias(value)
        if self.grammar.codes[name.kind_id] == g.IDENTIFIER:
            text = self.text(name)
            if text in GUARDED:
                declare(self.scope, text, node)
            if value is not None:
                self.scope.bind(text, value)
            else:
                self.scope.bindings.setdefault(text, [])
        else:
            if value is not None:
                self.collected.taken_apart[value.id] = name
            bind_target(self, name, OPAQUE if value is None else value, node)

    def _assignment(self, node: Node) -> None:
        left, right = node.child_by_field_id(self.grammar.left), node.child_by_field_id(self.grammar.right)
        if right is not None:
            self.stack.append(right)
        if left is not None and right is not None:
            codes = self.grammar.codes
            if codes[left.kind_id] == g.IDENTIFIER and codes[right.kind_id] in _NAMED:
                self.collected.note_alias(right)
            elif self.grammar.is_kind(left, "object_pattern"):
                self.collected.taken_apart[right.id] = left
            assign(self, left, right)

    def _augmented(self, node: Node) -> None:
        left, right = node.child_by_field_id(self.grammar.left), node.child_by_field_id(self.grammar.right)
        if left is None or right is None:
            return
        self.stack.append(right)
        operator = self.data[left.end_byte : right.start_byte].strip()
        assign(self, left, right if operator in _LOGICAL else Added(node))

    def _function(self, node: Node) -> None:
        scope = self.function_scope(node)
        name = node.child_by_field_id(self.grammar.name)
        if name is not None:
            text = self.text(name)
            if text in GUARDED:
                declare(self.scope, text, node)
            self.scope.bind(text, scope)

    def function_scope(self, node: Node) -> Scope:
        """Note a function: its body is walked later, its parameters are bound now."""
        grammar = self.grammar
        is_arrow = node.kind_id in grammar.arrows
        name = node.child_by_field_id(grammar.name)
        text = self.text(name).decode("utf-8", "replace") if name is not None else "<anonymous>"
        scope = Scope(ARROW if is_arrow else FUNCTION, text, node, self.scope)
        scope.home = self.collected.homes.get(node.id)
        self.collected.scopes.append(scope)
        self.collected.functions[node.id] = scope
        if name is not None and grammar.codes[node.kind_id] == g.FUNCTION_EXPRESSION:
            scope.bind(self.text(name), scope)
        body = node.child_by_field_id(grammar.body)
        if body is not None:
            scope.awaiting.append(body)
            if body.kind_id not in grammar.blocks:
                scope.exits.append(body)
        parameters = node.child_by_field_id(grammar.parameters)
        single = node.child_by_field_id(grammar.parameter) if parameters is None else None
        given = parameters.named_children if parameters is not None else [single] if single is not None else []
        here, self.scope = self.scope, scope
        position = 0
        for one in given:
            if one.kind_id in grammar.comments:
                continue
            simple = self._simple_parameter(one)
            if simple is not None and simple not in GUARDED:
                scope.bind(simple, Parameter(position))
                type_name = self.type_of(one)
                if type_name is not None:
                    scope.bind(simple, Typed(type_name))
            else:
                bind_target(self, one, Parameter(position), None)
            position += 1
        scope.parameters = position
        self.scope = here
        return scope

    def _simple_parameter(self, node: Node) -> bytes | None:
        """Return the name of a parameter that is nothing but a name, typed or not."""
        grammar = self.grammar
        if node.kind_id in grammar.typed_parameters and node.child_by_field_id(grammar.value) is None:
            pattern = node.child_by_field_id(grammar.pattern)
            node = node if pattern is None else pattern
        return self.text(node) if grammar.codes[node.kind_id] == g.IDENTIFIER else None

    def type_of(self, node: Node) -> bytes | None:
        """Return the name of the type that a parameter or a field is declared to be of, if it is one name."""
        if node.kind_id not in self.grammar.typed:
            return None
        annotation = node.child_by_field_id(self.grammar.type)
        for child in annotation.named_children[:1] if annotation is not None else ():
            if child.type == "type_identifier":
                return self.text(child)
        return None

    def _for_in(self, node: Node) -> None:
        grammar = self.grammar
        left, right = node.child_by_field_id(grammar.left), node.child_by_field_id(grammar.right)
        body = node.child_by_field_id(grammar.body)
        self.stack.extend(one for one in (body, right) if one is not None)
        if left is not None and right is not None:
            between = self.data[left.end_byte : right.start_byte].split()
            bind_target(self, left, Keys(right) if b"in" in between else Iterated(right), node)

    def _return(self, node: Node) -> None:
        children = [one for one in node.named_children if one.type != "comment"]
        self.scope.exits.extend(children[:1])
        self.stack.extend(children)

    def _unary(self, node: Node) -> None:
        operand = node.child_by_field_id(self.grammar.argument)
        if operand is None:
            return
        is_type = self.data.startswith(b"typeof", node.start_byte)
        if is_type and self.grammar.codes[operand.kind_id] in (g.IDENTIFIER, g.MEMBER):
            return
        if self.data.startswith(b"delete", node.start_byte) and self.grammar.codes[operand.kind_id] in _PLACES:
            assign(self, operand, OPAQUE)
            return
        self.stack.append(operand)

    def _binary(self, node: Node) -> None:
        left, right = node.child_by_field_id(self.grammar.left), node.child_by_field_id(self.grammar.right)
        if left is None or right is None:
            self.stack.extend(node.named_children[::-1])
            return
        operator = self.data[left.end_byte : right.start_byte].strip()
        codes = self.grammar.codes
        if operator == b"in":
            self.collected.members.append((node, self.scope))
            self.stack.append(left)
            if codes[right.kind_id] not in (g.IDENTIFIER, g.MEMBER):
                self.stack.append(right)
            return
        is_test = operator in _COMPARING
        if not (is_test and codes[right.kind_id] == g.IDENTIFIER):
            self.stack.append(right)
        if not (is_test and codes[left.kind_id] == g.IDENTIFIER):
            self.stack.append(left)

    def _catch(self, node: Node) -> None:
        parameter = node.child_by_field_id(self.grammar.parameter)
        if parameter is not None:
            bind_target(self, parameter, OPAQUE, node)
        body = node.child_by_field_id(self.grammar.body)
        if body is not None:
            self.stack.append(body)

    def _enum(self, node: Node) -> None:
        name, body = node.child_by_field_id(self.grammar.name), node.child_by_field_id(self.grammar.body)
        if name is not None and body is not None:
            self.scope.bind(self.text(name), body)
            self.stack.append(body)

    def _object(self, node: Node) -> None:
        grammar, codes = self.grammar, self.grammar.codes
        children = node.named_children
        for child in children:
            code = codes[child.kind_id]
            if code == g.METHOD:
                self.collected.homes[child.id] = node
            elif code == g.PAIR:
                value = child.child_by_field_id(grammar.value)
                if value is None:
                    continue
                kind = codes[value.kind_id]
                if kind == g.FUNCTION_EXPRESSION:
                    self.collected.homes[value.id] = node
                elif kind in _GIVEN:
                    key = child.child_by_field_id(grammar.key)
                    if key is not None:
                        self.collected.note_key(self.text(key).strip(b"'\""), value, self.scope)
            elif code == g.SHORTHAND:
                self.collected.note_key(self.text(child), child, self.scope)
        self.stack.extend(children[::-1])

    def _with(self, node: Node) -> None:
        self.collected.withs.append((node, self.scope))
        self.stack.extend(node.named_children[::-1])

    def _string(self, node: Node) -> None:
        if self.with_strings:
            self.collected.strings.append((node, self.scope))
