"""Walk a syntax tree once: note scopes, what binds their names, their calls and reads, imports and exports.

Nothing is resolved and nothing recurses: trees nest as deep as they like. Children are visited in the order of the
source, so that bindings of a name stand in that order; assignments are handed to the scope that declares the name once
the scope they stand in is done, since declarations are hoisted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from plugseal.lang.ecmascript.collecting.assigning import hand_over, unescape_names
from plugseal.lang.ecmascript.collecting.classes import note_class
from plugseal.lang.ecmascript.collecting.modules import note_export, note_import
from plugseal.lang.ecmascript.collecting.noting import Collected
from plugseal.lang.ecmascript.collecting.partly import MAX_DEPTH, MAX_NODES, visit_some
from plugseal.lang.ecmascript.collecting.patterns import GUARDED, assign, bind_target, declare
from plugseal.lang.ecmascript.collecting.scope import OPAQUE, Added, Call, Iterated, Keys, Scope, Typed
from plugseal.lang.ecmascript.collecting.signatures import note_declared_function, note_function, type_of
from plugseal.lang.ecmascript.collecting.walk import Walk
from plugseal.lang.ecmascript.parsing import grammar as g

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.parsing.grammar import Grammar
    from plugseal.lang.ecmascript.parsing.parse import Node

_GROWING = frozenset((b"push", b"unshift", b"add", b"set", b"splice"))
_LOGICAL = frozenset((b"||=", b"&&=", b"??="))
_GIVEN = frozenset((g.DESCEND, g.IDENTIFIER, g.MEMBER, g.SUBSCRIPT, g.CALL, g.BINARY, g.NEW))
_NAMED = frozenset((g.IDENTIFIER, g.MEMBER, g.BINARY, g.DESCEND))
_PLACES = frozenset((g.MEMBER, g.SUBSCRIPT))
_tuple = tuple.__new__
"""Makes a named tuple without the call of its own constructor, which takes longer than all else of it."""
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
    if root.descendant_count > MAX_NODES:
        visit_some(collected, collector.visit)
    else:
        for scope in collected.scopes:
            if scope.depth > MAX_DEPTH:
                collected.is_cut = True
                break
            collector.visit(scope)
    if b"\\u" in data:
        unescape_names(collected)
    return collected


class Collector(Walk):
    """The walk over one file."""

    def __init__(self, collected: Collected, *, with_strings: bool) -> None:
        super().__init__(collected)
        self._steps = _steps_of(collected.grammar, with_strings=with_strings)

    def visit(self, scope: Scope) -> None:
        """Walk the body of one scope; the hot loop, where every node of the file passes."""
        self.scope, self.assigned = scope, []
        self.stack = stack = scope.awaiting[::-1]
        scope.awaiting = []
        data, steps, handlers = self.data, self._steps, _HANDLERS
        pop, push, extend, note = stack.pop, stack.append, stack.extend, scope.loads.append
        while stack:
            node = pop()
            step = steps[node.kind_id]
            if step == 0:
                # All children are made to return the named ones: that is too much for a single one.
                if node.named_child_count == 1:
                    push(node.named_child(0))
                else:
                    extend(node.named_children[::-1])
            elif step == 1 or step == 18:
                note((node, data[node.start_byte : node.end_byte]))
            elif step == 2:
                continue
            else:
                handlers[step](self, node)
        hand_over(self, scope)

    def _member(self, node: Node) -> None:
        """Note a chain that is read, with the name that it begins with."""
        codes, f_object = self.grammar.codes, self.grammar.object
        base = node.child_by_field_id(f_object)
        while base is not None and codes[base.kind_id] == 3:
            base = base.child_by_field_id(f_object)
        if base is None:
            return
        if codes[base.kind_id] == 1:
            self.scope.loads.append((node, self.data[base.start_byte : base.end_byte]))
        else:
            self.scope.loads.append((node, None))
            self.stack.append(base)

    def _subscript(self, node: Node) -> None:
        """Note an item that is read, with the name that its chain begins with."""
        codes, f_object = self.grammar.codes, self.grammar.object
        root, index = node.child_by_field_id(f_object), node.child_by_field_id(self.grammar.index)
        if index is not None:
            self.stack.append(index)
        if root is None:
            return
        while root is not None and codes[root.kind_id] == 3:
            root = root.child_by_field_id(f_object)
        if root is not None and codes[root.kind_id] == 1:
            self.scope.loads.append((node, self.text(root)))
        else:
            self.scope.loads.append((node, None))
            if root is not None:
                self.stack.append(root)

    def _call(self, node: Node) -> None:
        function = node.child_by_field_id(self.grammar.function)
        if function is None:
            self.stack.extend(node.named_children[::-1])
        else:
            self._called(node, function)

    def _new(self, node: Node) -> None:
        function = node.child_by_field_id(self.grammar.constructor)
        if function is None:
            self.stack.extend(node.named_children[::-1])
        else:
            self._called(node, function)

    def _called(self, node: Node, function: Node) -> None:
        """Note a call by the names that what is called begins and ends with."""
        grammar, data, scope = self.grammar, self.data, self.scope
        codes, f_object = grammar.codes, grammar.object
        given = node.child_by_field_id(grammar.arguments)
        if given is not None:
            self.stack.extend(given.named_children[::-1])
        base: Node | None = function
        code = codes[function.kind_id]
        last = b""
        if code == 3:
            name = function.child_by_field_id(grammar.property)
            last = data[name.start_byte : name.end_byte] if name is not None else b""
            while base is not None and code == 3:
                base = base.child_by_field_id(f_object)
                code = codes[base.kind_id] if base is not None else 0
        if base is not None and code == 1:
            root = data[base.start_byte : base.end_byte]
            if last in _GROWING:
                self.collected.grown.add(root)
            scope.calls.append(_tuple(Call, (node, function, root, last or root)))
        else:
            scope.calls.append(_tuple(Call, (node, function, None, last)))
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
            if self.collected.types and self.grammar.typed:
                self._note_type(text, node)
        else:
            if value is not None:
                self.collected.taken_apart[value.id] = name
            bind_target(self, name, OPAQUE if value is None else value, node)

    def _import_alias(self, node: Node) -> None:
        """Note TypeScript's `import run = process.exec`, which is a variable by another word."""
        if node.named_child_count == 2:
            name, value = node.named_children
            self.stack.append(value)
            self.scope.bind(self.text(name), value)

    def _note_type(self, name: bytes, node: Node) -> None:
        """Note the type of another module that a variable is declared to be of."""
        type_name = type_of(self, node)
        if type_name is not None and self.collected.type_named(type_name)[0]:
            self.scope.bind(name, Typed(type_name))

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
        grammar, codes, collected = self.grammar, self.grammar.codes, self.collected
        waiting: list[Node] = []
        for child in node.named_children:
            code = codes[child.kind_id]
            if code != g.PAIR:
                waiting.append(child)
                if code == g.METHOD:
                    collected.homes[child.id] = node
                    name = child.child_by_field_id(grammar.name)
                    if name is not None and name.type == "computed_property_name":
                        waiting.extend(name.named_children)
                elif code == g.SHORTHAND:
                    collected.note_key(self.text(child), child, self.scope)
                continue
            key, value = child.child_by_field_id(grammar.key), child.child_by_field_id(grammar.value)
            if key is None or value is None:
                waiting.append(child)
                continue
            if codes[key.kind_id] != g.SKIP:
                waiting.append(key)
            waiting.append(value)
            kind = codes[value.kind_id]
            if kind == g.FUNCTION_EXPRESSION:
                collected.homes[value.id] = node
            elif kind in _GIVEN:
                collected.note_key(self.text(key).strip(b"'\""), value, self.scope)
        self.stack.extend(waiting[::-1])

    def _with(self, node: Node) -> None:
        self.collected.withs.append((node, self.scope))
        self.stack.extend(node.named_children[::-1])

    def _string(self, node: Node) -> None:
        self.collected.strings.append((node, self.scope))


def _skip(_collector: Collector, _node: Node) -> None:
    """Look at nothing of a node."""


_HANDLED: dict[int, Callable[[Collector, Node], object]] = {
    g.MEMBER: Collector._member,
    g.SUBSCRIPT: Collector._subscript,
    g.CALL: Collector._call,
    g.NEW: Collector._new,
    g.DECLARATOR: Collector._declarator,
    g.IMPORT_ALIAS: Collector._import_alias,
    g.ASSIGNMENT: Collector._assignment,
    g.AUGMENTED: Collector._augmented,
    g.IMPORT: note_import,
    g.EXPORT: note_export,
    g.FUNCTION: note_declared_function,
    g.FUNCTION_EXPRESSION: note_function,
    g.METHOD: note_function,
    g.CLASS: note_class,
    g.CLASS_EXPRESSION: note_class,
    g.FOR_IN: Collector._for_in,
    g.RETURN: Collector._return,
    g.UNARY: Collector._unary,
    g.BINARY: Collector._binary,
    g.CATCH: Collector._catch,
    g.ENUM: Collector._enum,
    g.OBJECT: Collector._object,
    g.WITH: Collector._with,
    g.STRING: Collector._string,
    g.META: _skip,
}
_HANDLERS = tuple(_HANDLED.get(code, _skip) for code in range(g.CODES))
"""What is done with a node of each kind; not held by the collector, which would hold itself and the tree by it."""
_WALKED = frozenset((g.IDENTIFIER, g.SHORTHAND, g.SKIP, *_HANDLED))


@lru_cache(maxsize=6)
def _steps_of(grammar: Grammar, *, with_strings: bool = False) -> list[int]:
    """Return what to do with nodes, by the number of their kind: kinds that nobody handles are only looked into."""
    steps = [code if code in _WALKED else g.DESCEND for code in grammar.codes]
    return steps if with_strings else [g.SKIP if step == g.STRING else step for step in steps]
