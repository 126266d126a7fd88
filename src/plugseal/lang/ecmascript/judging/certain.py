"""Whether a text can be nothing but one of a few literals: `const shell = windows ? "cmd" : "sh"`; any number is one.

The resolver says what an expression may be; beside that something unknown may stand. Here the answer is empty wherever
it is not surely whole: a parameter may be anything, and so may what another file or a call gives.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Final, TypeVar

from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.collecting.scope import Iterated, Parameter, Taken, Within, node_of
from plugseal.lang.ecmascript.judging.fact_values import fact_values
from plugseal.lang.ecmascript.judging.fallback import falls_back
from plugseal.lang.ecmascript.judging.handing import given_to
from plugseal.lang.ecmascript.judging.numeric import is_numeric, takes_number
from plugseal.lang.ecmascript.judging.own_names import own_name, parts_of_own
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.parsing.literals import unescape
from plugseal.lang.ecmascript.resolving.combine import as_text
from plugseal.lang.facts import UNKNOWN, Event, Unknown
from plugseal.lang.folded import Text, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from plugseal.lang.ecmascript.collecting.scope import Binding, Scope
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver
    from plugseal.lang.ecmascript.resolving.values import Arguments

Kind = TypeVar("Kind")
Found = TypeVar("Found")

_MAX_TEXTS: Final = 8
_MAX_STEPS: Final = 100
_MAX_NAME: Final = 80
_NOTHING: Final = frozenset(("null", "undefined"))
"""What a name holds until it is given one of its texts."""
_ENCODINGS: Final = frozenset(quote + name + quote for quote in "'\"" for name in ("base64", "base64url", "hex"))
_A_NUMBER: Final = ["0"]
"""Stands for all numbers: none says anything that another one does not."""
_CHANGES: Final = rb"\s*(?:\?\.|\.)?\s*(?:\b(?:push|unshift|splice|fill|copyWithin)\b|\[[^\]\n]{0,80}\]\s*=[^=])"


def each_choice(resolver: Resolver, arguments: Arguments | None, event: Event) -> list[Event]:
    """Return an event once for each thing that its first argument may be, as far as rules tell these apart.

    What chooses among literals, and surely among nothing else, is each of them; what is known for one caller only is
    that, and unknown.
    """
    if arguments is None or not arguments.positional or not isinstance(event.arguments[0], (str, Unknown)):
        return [event]
    binding, scope = arguments.positional[0]
    values = resolver.bound(binding, scope)
    is_known = event.arguments[0] is not UNKNOWN
    is_open = len(values) > 1 and UNKNOWN in [whole(one) for one in fact_values(resolver, values)]
    if is_known and not is_open and not falls_back(resolver, binding, scope):
        return [event]
    chosen = _Choice(resolver).binding(binding, scope)
    others = [event, event._replace(arguments=(UNKNOWN, *event.arguments[1:]))] if is_known else [event]
    return [event._replace(arguments=(text, *event.arguments[1:])) for text in chosen] or others


class _Choice:
    """One question, with what it has looked at."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.steps = 0
        self.seen: set[tuple[bytes, Scope]] = set()

    def binding(self, binding: Binding, scope: Scope) -> list[str]:
        """Return all texts that a binding can be; nothing where that is not known."""
        if isinstance(binding, Within):
            return self.binding(binding.binding, binding.scope)
        if isinstance(binding, Iterated):
            return self._items(binding.source, scope)
        if isinstance(binding, Parameter):
            return self._parameter(binding, scope)
        if isinstance(binding, Taken):
            return _all(self._objects(binding.source, scope), lambda one: self._property(*one, binding.key))
        node = node_of(binding)
        return self._expression(node, scope) if node is not None else []

    def _parameter(self, parameter: Parameter, function: Scope) -> list[str]:
        """Return all texts that a function can be given."""
        if parameter.is_rest:
            return []
        if takes_number(self.resolver, function, parameter.position):
            return _A_NUMBER
        return _all(given_to(self.resolver, function, parameter.position), lambda one: self._given(*one))

    def _given(self, binding: Binding | None, scope: Scope) -> list[str]:
        self.steps += 1
        if self.steps > _MAX_STEPS:
            return []
        return [""] if binding is None else self.binding(binding, scope)

    def _objects(self, source: Binding | None, scope: Scope) -> list[tuple[Node, Scope]]:
        """Return all objects that something can be, as they are written; nothing where that is not known."""
        self.steps += 1
        if self.steps > _MAX_STEPS:
            return []
        if isinstance(source, Within):
            return self._objects(source.binding, source.scope)
        if isinstance(source, Parameter):
            handed = [] if source.is_rest else given_to(self.resolver, scope, source.position)
            return _all(handed, lambda one: self._objects(*one))
        if isinstance(source, Iterated):
            return self._listed(source.source, scope)
        node = node_of(source)
        return [(_inner(node), scope)] if node is not None and _inner(node).type == "object" else []

    def _listed(self, source: Binding, scope: Scope) -> list[tuple[Node, Scope]]:
        """Return all objects that stand in an array."""
        return self._held(source, scope, self._objects, self._listed)

    def _held(
        self,
        source: Binding,
        scope: Scope,
        item: Callable[[Node, Scope], list[Kind]],
        again: Callable[[Binding, Scope], list[Kind]],
    ) -> list[Kind]:
        """Return what all items of an array can be, which is written out or a name for one that nothing changes.

        Args:
            source: the array.
            scope: where it is read.
            item: what one item can be.
            again: what the items of something else can be that its name stands for.
        """
        node = node_of(source)
        self.steps += 1
        if node is None or self.steps > _MAX_STEPS:
            return []
        node = _inner(node)
        if node.type == "array":
            held = [child for child in node.named_children if child.type != "comment"]
            return _all(held, lambda one: item(one, scope))
        if self.resolver.grammar.codes[node.kind_id] != g.IDENTIFIER or self._is_changed(node):
            return []
        return self._name(node, scope, again)

    def _property(self, node: Node, scope: Scope, key: object) -> list[str]:
        """Return all texts that a property of an object can be, where the object is written in full."""
        found: list[str] = []
        if not isinstance(key, bytes) or self._is_given(key):
            return []
        for child in node.named_children:
            if child.type == "comment":
                continue
            if child.type != "pair":
                return []
            name, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if name is None or value is None or name.type not in ("property_identifier", "string"):
                return []
            if self.resolver.text_at(name).strip("'\"").encode() == key:
                found = self._expression(value, scope)
        return found

    def _is_given(self, key: bytes) -> bool:
        """Say whether a property of that name is set anywhere."""
        pattern = rb"(?:\.|\[['\"])" + re.escape(key[:_MAX_NAME]) + rb"(?:['\"]\])?\s*[+|&?]{0,2}=[^=]"
        return re.search(pattern, self.resolver.data) is not None

    def _expression(self, node: Node, scope: Scope) -> list[str]:
        self.steps += 1
        node = _inner(node)
        if self.steps > _MAX_STEPS:
            return []
        kind = node.type
        if kind in _NOTHING:
            return [""]
        if kind == "await_expression" and node.named_children:
            return self._expression(node.named_children[0], scope)
        if kind in ("string", "number"):
            return [str(as_text(value).value) for value in self.resolver.value(node, scope) if isinstance(value, Text)]
        if is_numeric(self.resolver, node, scope):
            return _A_NUMBER
        if kind == "template_string":
            return self._template(node, scope)
        if kind == "ternary_expression":
            return _all(_branches(self.resolver, node), lambda one: self._expression(one, scope))
        if kind == "binary_expression":
            return self._binary(node, scope)
        own = own_name(self.resolver, node, scope)
        if own:
            return [own]
        code = self.resolver.grammar.codes[node.kind_id]
        if code == g.IDENTIFIER:
            return self._name(node, scope, self.binding)
        if code == g.MEMBER:
            return self._member(node, scope)
        if code != g.CALL:
            return []
        parts = parts_of_own(self.resolver, node, scope)
        return _all_of([self._expression(one, scope) for one in parts]) if parts else self._encoded(node, scope)

    def _member(self, node: Node, scope: Scope) -> list[str]:
        """Return all texts of a property: of an object that is one of several in an array, or that a function gets."""
        grammar = self.resolver.grammar
        base, name = node.child_by_field_id(grammar.object), node.child_by_field_id(grammar.property)
        if base is None or name is None or grammar.codes[base.kind_id] != g.IDENTIFIER:
            return []
        key = self.resolver.data[name.start_byte : name.end_byte]
        return _all(self._name(base, scope, self._objects), lambda one: self._property(*one, key))

    def _encoded(self, node: Node, scope: Scope) -> list[str]:
        """Return what a known text is in base64 or hex: letters and digits, so that one stands for all."""
        resolver, grammar = self.resolver, self.resolver.grammar
        function, given = node.child_by_field_id(grammar.function), node.child_by_field_id(grammar.arguments)
        inner = function.child_by_field_id(grammar.object) if function is not None else None
        if given is None or inner is None or function is None or resolver.text_at(given)[1:-1] not in _ENCODINGS:
            return []
        made, source = inner.child_by_field_id(grammar.function), inner.child_by_field_id(grammar.arguments)
        is_buffer = made is not None and resolver.text_at(made) == "Buffer.from" and owner_of(b"Buffer", scope) is None
        if not is_buffer or source is None or not source.named_children:
            return []
        is_text = resolver.data[function.start_byte : function.end_byte].endswith(b".toString")
        return _A_NUMBER if is_text and self._expression(source.named_children[0], scope) else []

    def _template(self, node: Node, scope: Scope) -> list[str]:
        pieces: list[list[str]] = []
        at = node.start_byte + 1
        for child in node.named_children:
            if child.type != "template_substitution":
                continue
            pieces += [[self._piece(at, child.start_byte)]]
            pieces += [self._expression(child.named_children[0], scope) if child.named_children else []]
            at = child.end_byte
        return _joined([*pieces, [self._piece(at, node.end_byte - 1)]])

    def _piece(self, start: int, end: int) -> str:
        return unescape(self.resolver.data[start:end].decode("utf-8", "replace").replace("\r\n", "\n"))

    def _binary(self, node: Node, scope: Scope) -> list[str]:
        grammar = self.resolver.grammar
        left, right = node.child_by_field_id(grammar.left), node.child_by_field_id(grammar.right)
        operator = node.child_by_field_id(grammar.operator)
        if left is None or right is None or operator is None:
            return []
        if operator.type == "+":
            return _joined([self._expression(left, scope), self._expression(right, scope)])
        if operator.type in ("||", "??"):
            return _all((left, right), lambda one: self._expression(one, scope))
        return []

    def _items(self, source: Binding, scope: Scope) -> list[str]:
        """Return all texts that an item of something can be."""
        node = node_of(source)
        choice = _inner(node) if node is not None else None
        if choice is None or choice.type != "ternary_expression":
            return self._held(source, scope, self._expression, self._items)
        self.steps += 1
        if self.steps > _MAX_STEPS:
            return []
        return _all(_branches(self.resolver, choice), lambda one: self._items(one, scope))

    def _is_changed(self, node: Node) -> bool:
        """Say whether an array may hold more than what it was made with."""
        name = self.resolver.data[node.start_byte : node.end_byte][:_MAX_NAME]
        return re.search(rb"\b" + re.escape(name) + _CHANGES, self.resolver.data) is not None

    def _name(self, node: Node, scope: Scope, look: Callable[[Binding, Scope], list[Kind]]) -> list[Kind]:
        name = self.resolver.data[node.start_byte : node.end_byte]
        owner = owner_of(name, scope)
        if owner is None or (name, owner) in self.seen:
            return []
        self.seen.add((name, owner))
        within = owner
        found = _all(owner.bindings[name], lambda one: look(one, within))
        self.seen.discard((name, owner))
        return found


def _all_of(parts: list[list[str]]) -> list[str]:
    """Return what the parts of a path make together; nothing where one of them is not known."""
    return _joined([piece for part in parts for piece in (part, ["/"])][:-1])


def _all(parts: Iterable[Kind], look: Callable[[Kind], list[Found]]) -> list[Found]:
    """Return what all parts can be, nothing where one of them is not known."""
    found: dict[Found, None] = {}
    for part in parts:
        texts = look(part)
        if not texts or len(found) > _MAX_TEXTS:
            return []
        found.update(dict.fromkeys(texts))
    return list(found) if len(found) <= _MAX_TEXTS else []


def _inner(node: Node) -> Node:
    """Return the expression inside parentheses and statements of types."""
    for _ in range(16):
        held = [child for child in node.named_children if child.type != "comment"] if node.type in g.WRAPPERS else []
        if not held:
            break
        node = held[0]
    return node


def _branches(resolver: Resolver, node: Node) -> list[Node]:
    grammar = resolver.grammar
    branches = (node.child_by_field_id(grammar.consequence), node.child_by_field_id(grammar.alternative))
    return [branch for branch in branches if branch is not None]


def _joined(pieces: list[list[str]]) -> list[str]:
    """Return every text that pieces make together."""
    size = 1
    for piece in pieces:
        size *= len(piece)
        if not 0 < size <= _MAX_TEXTS:
            return []
    return list(dict.fromkeys("".join(parts) for parts in product(*pieces)))
