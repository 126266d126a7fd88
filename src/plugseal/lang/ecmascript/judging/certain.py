"""Whether a text can be nothing but one of a few literals: `const shell = windows ? "cmd" : "sh"`; any number is one.

The resolver says what an expression may be; beside that something unknown may stand. Here the answer is empty wherever
it is not surely whole: a parameter may be anything, and so may what another file or a call gives.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Final, TypeVar

from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.collecting.scope import CLASS, Iterated, Parameter, Within, node_of
from plugseal.lang.ecmascript.judging.fact_values import fact_values
from plugseal.lang.ecmascript.judging.numeric import is_numeric, takes_number
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.parsing.literals import unescape
from plugseal.lang.ecmascript.resolving.combine import as_text
from plugseal.lang.facts import UNKNOWN, Event, Unknown
from plugseal.lang.folded import Text, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from plugseal.lang.ecmascript.collecting.scope import Binding, Scope
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolve import Resolver
    from plugseal.lang.ecmascript.resolving.values import Arguments

Kind = TypeVar("Kind")

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
    if is_known and (len(values) < 2 or UNKNOWN not in [whole(one) for one in fact_values(resolver, values)]):
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
            return _A_NUMBER if not binding.is_rest and takes_number(self.resolver, scope, binding.position) else []
        node = node_of(binding)
        return self._expression(node, scope) if node is not None else []

    def _expression(self, node: Node, scope: Scope) -> list[str]:
        self.steps += 1
        node = _inner(node)
        if self.steps > _MAX_STEPS:
            return []
        kind = node.type
        if kind in _NOTHING:
            return [""]
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
        code = self.resolver.grammar.codes[node.kind_id]
        if code == g.IDENTIFIER:
            return self._name(node, scope, self.binding)
        return self._encoded(node, scope) if code == g.CALL else []

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
        self.steps += 1
        if node is None or self.steps > _MAX_STEPS:
            return []
        node = _inner(node)
        if node.type == "array":
            held = [child for child in node.named_children if child.type != "comment"]
            return _all(held, lambda one: self._expression(one, scope))
        if node.type == "ternary_expression":
            return _all(_branches(self.resolver, node), lambda one: self._items(one, scope))
        if self.resolver.grammar.codes[node.kind_id] != g.IDENTIFIER or self._is_changed(node):
            return []
        return self._name(node, scope, self._items)

    def _is_changed(self, node: Node) -> bool:
        """Say whether an array may hold more than what it was made with."""
        name = self.resolver.data[node.start_byte : node.end_byte][:_MAX_NAME]
        return re.search(rb"\b" + re.escape(name) + _CHANGES, self.resolver.data) is not None

    def _name(self, node: Node, scope: Scope, look: Callable[[Binding, Scope], list[str]]) -> list[str]:
        name = self.resolver.data[node.start_byte : node.end_byte]
        owner: Scope | None = scope
        while owner is not None and (name not in owner.bindings or owner.kind == CLASS):
            owner = owner.parent
        if owner is None or (name, owner) in self.seen:
            return []
        self.seen.add((name, owner))
        within = owner
        found = _all(owner.bindings[name], lambda one: look(one, within))
        self.seen.discard((name, owner))
        return found


def _all(parts: Iterable[Kind], look: Callable[[Kind], list[str]]) -> list[str]:
    """Return what all parts can be, nothing where one of them is not known."""
    found: dict[str, None] = {}
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
