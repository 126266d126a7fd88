"""Whether a name may lead to something that matters, by the way things are written: before anything is resolved.

Most calls and reads of a file begin with a name that can't mean anything that a table knows. Finding that out costs a
look at what the name is bound to, and at the names in that, as text; resolving costs ten times as much.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript import grammar as g
from plugseal.lang.ecmascript.names import INTEROP, global_values
from plugseal.lang.ecmascript.scope import (
    CLASS,
    Given,
    Imported,
    Iterated,
    Keys,
    Parameter,
    Rest,
    Scope,
    Stored,
    Taken,
    Within,
    node_of,
)

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.parse import Node
    from plugseal.lang.ecmascript.resolve import Resolver
    from plugseal.lang.ecmascript.scope import Binding
    from plugseal.lang.facts import Interest

_WORD: Final = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_LOCAL: Final = re.compile(rb"(?:await\s+)?(?:require|import)\(\s*[\"'`]\.")
_WHOLE_ENVIRONMENT: Final = re.compile(rb"process\.env\b(?!\s*(?:\?\.|\.(?!\.)|\[))")
_MAX_BYTES: Final = 2_048
"""Of a longer expression it is not asked what it holds: it may lead anywhere."""
_MAX_DEPTH: Final = 24
_MAX_LINKS: Final = 4_096
_ALWAYS: Final = frozenset((b"constructor", b"import", b"this", b"super"))
"""Words in an expression that lead on by themselves."""
_GIVING: Final = frozenset(
    b"require createRequire promisify bind then assign freeze getPrototypeOf get getOwnPropertyDescriptor resolve"
    b" getBuiltinModule _load call apply construct create deprecate callbackify Proxy Object import".split()
) | frozenset(name.encode() for name in INTEROP)
"""Functions that give back what they are given, or a module."""
_DATA: Final = frozenset(
    "template_string array regex number true false null undefined unary_expression update_expression"
    " jsx_element".split()
)
_PLAIN_GLOBALS: Final = frozenset(
    "globals.String globals.Array globals.JSON globals.Number globals.parseInt globals.parseFloat globals.Boolean"
    " globals.decodeURIComponent globals.decodeURI globals.encodeURIComponent globals.unescape globals.escape"
    " globals.atob globals.btoa globals.Math globals.Date globals.Set globals.Map globals.RegExp globals.Error"
    " globals.Symbol globals.TextDecoder globals.URL globals.Uint8Array".split()
)
"""Globals that only make data."""


class Leads:
    """The question for one file, with its answers so far."""

    def __init__(self, resolver: Resolver, interest: Interest) -> None:
        self._resolver = resolver
        self._data = resolver.data
        self._interest = interest
        self._known: dict[tuple[bytes, Scope | None], bool] = {}
        self._named: dict[tuple[bytes, Scope], bool] = {}
        self._modules: dict[str, bool] = {}
        self._depth = 0
        self._words: dict[int, frozenset[bytes]] = {}
        self._stored: set[bytes] | None = None
        self._this: bool | None = None
        self._follows: bool | None = None
        self._this_named: bool | None = None
        self._chains: dict[int, bool] = {}
        self.is_open = bool(resolver.collected.escaped_names)
        """Whether names are written so that only the collector knows them; then nothing is left out."""

    def name(self, name: bytes, scope: Scope) -> bool:
        """Say whether a name, read in a scope, may lead anywhere."""
        owner: Scope | None = scope
        while owner is not None and (name not in owner.bindings or owner.kind == CLASS):
            owner = owner.parent
        key = (name, owner)
        known = self._known.get(key)
        if known is not None:
            return known
        if owner is None:
            known = self._global(name)
        else:
            if self._depth > _MAX_DEPTH:
                return True
            self._known[key] = False  # A name may be made of itself.
            self._depth += 1
            known = any(self._binding(binding, owner) for binding in owner.bindings[name])
            known = known or (name in owner.declared and self._global(name)) or name.decode("latin-1") in INTEROP
            self._depth -= 1
        self._known[key] = known
        return known

    def is_named(self, name: bytes, scope: Scope) -> bool:
        """Say whether a name may stand for something by its name, not for what a call of it gave.

        Only that counts where it is read and not called.
        """
        owner: Scope | None = scope
        while owner is not None and (name not in owner.bindings or owner.kind == CLASS):
            owner = owner.parent
        if owner is None:
            return self._global(name)
        key = (name, owner)
        known = self._named.get(key)
        if known is None:
            if self._depth > _MAX_DEPTH:
                return True
            self._named[key] = False
            self._depth += 1
            known = any(self._names(binding, owner) for binding in owner.bindings[name])
            known = known or (name in owner.declared and self._global(name))
            self._depth -= 1
            self._named[key] = known
        return known

    def _names(self, binding: Binding, owner: Scope) -> bool:
        for _ in range(_MAX_DEPTH):
            if isinstance(binding, (Taken, Rest, Iterated)):
                binding = binding.source
            elif isinstance(binding, Within):
                owner = binding.scope
                binding = binding.binding
            else:
                break
        if isinstance(binding, Parameter):
            return any(
                self._names(one, scope)
                for given, scope in owner.sites
                for one in (given[binding.position :] if binding.is_rest else given[binding.position :][:1])
            )
        node = node_of(binding)
        if node is None:
            return isinstance(binding, Imported) and self.module(binding.module)
        return self._names_in(node, owner)

    def _names_in(self, node: Node, scope: Scope) -> bool:
        grammar, codes = self._resolver.grammar, self._resolver.grammar.codes
        inner: Node | None = node
        for _ in range(_MAX_DEPTH):
            if inner is None:
                return False
            code = codes[inner.kind_id]
            if code == g.IDENTIFIER:
                return self.is_named(self._data[inner.start_byte : inner.end_byte], scope)
            if code in (g.MEMBER, g.SUBSCRIPT):
                inner = inner.child_by_field_id(grammar.object)
            elif code == g.CALL:
                return self._gives_name(inner, scope)
            elif code in (g.NEW, g.STRING, g.FUNCTION_EXPRESSION, g.OBJECT):
                return False
            elif code == g.BINARY:
                return self._chosen(inner, scope)
            elif inner.type == "ternary_expression":
                branches = (inner.child_by_field_id(grammar.consequence), inner.child_by_field_id(grammar.alternative))
                return any(self._deeper(branch, scope) for branch in branches)
            elif inner.type in g.WRAPPERS:
                inner = next((child for child in inner.named_children if child.type != "comment"), None)
            else:
                if inner.type == "this":
                    return self._this_names()
                return inner.type not in _DATA and self.expression(inner, scope)
        return True

    def _chosen(self, node: Node, scope: Scope) -> bool:
        """Say whether one side of `a || b` may stand for a name; sums and comparisons are data."""
        left = node.child_by_field_id(self._resolver.grammar.left)
        right = node.child_by_field_id(self._resolver.grammar.right)
        if left is None or right is None:
            return False
        operator = self._data[left.end_byte : right.start_byte].strip()
        return operator in (b"||", b"??", b"&&") and (self._deeper(left, scope) or self._deeper(right, scope))

    def _deeper(self, node: Node | None, scope: Scope) -> bool:
        if node is None:
            return False
        if self._depth > _MAX_DEPTH:
            return True
        self._depth += 1
        answer = self._names_in(node, scope)
        self._depth -= 1
        return answer

    def _this_names(self) -> bool:
        """Say whether some property of some `this` may stand for a name."""
        if self._this_named is None:
            self._this_named = False
            self._this_named = any(
                self._data.startswith(b"this", store.target.start_byte) and self._names(store.value, store.scope)
                for stores in self._resolver.stores.values()
                for store in stores
            )
        return self._this_named

    def _gives_name(self, call: Node, scope: Scope) -> bool:
        """Say whether a call may give back a module or a function rather than a result."""
        grammar, codes = self._resolver.grammar, self._resolver.grammar.codes
        function = call.child_by_field_id(grammar.function)
        if function is None:
            return False
        code = codes[function.kind_id]
        if code == g.MEMBER:
            name = function.child_by_field_id(grammar.property)
            last = self._data[name.start_byte : name.end_byte] if name is not None else b""
            return last in _GIVING and self.expression(call, scope)
        if code == g.IDENTIFIER:
            return self._calls_giver(self._data[function.start_byte : function.end_byte], call, scope)
        return function.type == "import" or self.expression(call, scope)

    def _calls_giver(self, name: bytes, call: Node, scope: Scope) -> bool:
        owner: Scope | None = scope
        while owner is not None and (name not in owner.bindings or owner.kind == CLASS):
            owner = owner.parent
        if owner is None:
            return name in _GIVING and self.expression(call, scope)
        bindings = owner.bindings[name]
        if len(bindings) == 1 and isinstance(bindings[0], Scope):
            function = bindings[0]
            return any(self._names_in(node, function) for node in function.exits[:8])
        return name in _GIVING or (self.is_named(name, scope) and self.expression(call, scope))

    def _global(self, name: bytes) -> bool:
        text = name.decode("utf-8", "replace")
        values = global_values(self._resolver, text)
        return text in INTEROP or any(isinstance(one, str) and self._counts(one) for one in values)

    def _counts(self, name: str) -> bool:
        """Say whether a global matters; those that make data do where the environment is followed through them."""
        if name not in _PLAIN_GLOBALS:
            return True
        if self._follows is None:
            self._follows = _WHOLE_ENVIRONMENT.search(self._data) is not None
        return self._follows and any(one.startswith(name) for one in self._interest.calls)

    def _binding(self, binding: Binding, owner: Scope) -> bool:
        for _ in range(_MAX_DEPTH):
            if isinstance(binding, (Taken, Rest, Iterated, Keys)):
                binding = binding.source
            elif isinstance(binding, Stored):
                binding = binding.value
            elif isinstance(binding, Within):
                owner = binding.scope
                binding = binding.binding
            else:
                break
        if isinstance(binding, Imported):
            return self.module(binding.module)
        if isinstance(binding, Scope):
            return self._function(binding)
        if isinstance(binding, Parameter):
            return any(
                self._binding(one, scope)
                for given, scope in owner.sites
                for one in (given[binding.position :] if binding.is_rest else given[binding.position :][:1])
            )
        node = node_of(binding)
        return self.expression(node, owner) if node is not None else isinstance(binding, Given)

    def _function(self, function: Scope) -> bool:
        if function.kind != CLASS:
            exits = function.exits[:8]
            # What `this` is to a function that is called without an object is the global scope.
            return any(node.type == "this" or self.expression(node, function) for node in exits)
        owner = function.parent or function
        if function.superclass is not None and self.expression(function.superclass, owner):
            return True
        members = [*function.bindings.values(), *function.statics.values()]
        if any(self._binding(one, owner) for bound in members for one in bound):
            return True
        return self.this()

    def module(self, module: str) -> bool:
        """Say whether what is imported from a module can matter."""
        known = self._modules.get(module)
        if known is None:
            tables = self._resolver.tables
            bare = tables.module_named(module)
            known = self._modules[module] = (
                module.startswith(".")
                or tables.is_module(bare)
                or any(name.startswith(bare) for name in self._interest.calls)
                or (
                    self._interest.call_prefixes != ()
                    and any(prefix.startswith(bare) for prefix in self._interest.call_prefixes)
                )
            )
        return known

    def is_local(self, name: bytes, scope: Scope) -> bool:
        """Say whether a name is another file of the tree as a whole, whose names nobody knows yet."""
        owner: Scope | None = scope
        while owner is not None and (name not in owner.bindings or owner.kind == CLASS):
            owner = owner.parent
        for binding in owner.bindings[name] if owner is not None else ():
            if isinstance(binding, Imported) and binding.module.startswith("."):
                return True
            node = node_of(binding)
            if node is not None and _LOCAL.match(self._data, node.start_byte, node.end_byte):
                return True
        return False

    def expression(self, node: Node, scope: Scope) -> bool:
        """Say whether an expression may lead anywhere, by the names in it."""
        words = self._words.get(node.id)
        if words is None:
            function = self._resolver.functions.get(_inside(node).id)
            if function is not None:
                return self._function(function)
            if node.end_byte - node.start_byte > _MAX_BYTES:
                return True
            found = frozenset(_WORD.findall(self._data, node.start_byte, node.end_byte))
            words = self._words[node.id] = found
        if words & _ALWAYS:
            return b"this" not in words or len(words & _ALWAYS) > 1 or self.this()
        return any(self.name(word, scope) for word in words)

    def chain(self, node: Node, scope: Scope) -> bool:
        """Say whether a chain that begins with no name may lead anywhere: by the expression that it begins with."""
        grammar, codes = self._resolver.grammar, self._resolver.grammar.codes
        passed: list[int] = []
        inner: Node | None = node
        answer = True
        while inner is not None and len(passed) < _MAX_LINKS:
            known = self._chains.get(inner.id)
            if known is not None:
                answer = known
                break
            passed.append(inner.id)
            code = codes[inner.kind_id]
            if code in (g.MEMBER, g.SUBSCRIPT):
                inner = inner.child_by_field_id(grammar.object)
            elif code == g.CALL:
                inner = inner.child_by_field_id(grammar.function)
            elif code == g.NEW:
                inner = inner.child_by_field_id(grammar.constructor)
            elif code == g.IDENTIFIER:
                answer = self.name(self._data[inner.start_byte : inner.end_byte], scope)
                break
            elif inner.type == "await_expression" and inner.named_children:
                inner = inner.named_children[0]
            else:
                answer = self.this() if inner.type == "this" else self.expression(inner, scope)
                break
        written = self._data.find(b"constructor", node.start_byte, min(node.end_byte, node.start_byte + _MAX_BYTES))
        self._chains.update(dict.fromkeys(passed, answer))
        return answer or written >= 0

    def holds(self, node: Node, scope: Scope) -> bool:
        """Say whether an expression may be something whose properties matter when they are set."""
        code = self._resolver.grammar.codes[node.kind_id]
        return code in (g.CALL, g.NEW) or self.is_open or self._names_in(node, scope) or self.chain(node, scope)

    def this(self) -> bool:
        """Say whether some property of some `this` may lead anywhere."""
        if self._this is None:
            self._this = False
            self._this = any(
                self._data.startswith(b"this", store.target.start_byte) and self._binding(store.value, store.scope)
                for stores in self._resolver.stores.values()
                for store in stores
            )
        return self._this

    def stored(self) -> set[bytes]:
        """Return the properties that were given something that may lead anywhere."""
        if self._stored is None:
            self._stored = {
                name
                for name, stores in self._resolver.stores.items()
                if any(self._binding(store.value, store.scope) for store in stores[:64])
            }
        return self._stored


def _inside(node: Node) -> Node:
    """Return what stands in parentheses."""
    for _ in range(4):
        if node.type != "parenthesized_expression" or node.named_child_count != 1:
            break
        node = node.named_children[0]
    return node
