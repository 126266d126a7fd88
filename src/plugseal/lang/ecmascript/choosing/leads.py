"""Whether a name may lead to something that matters, by the way things are written: before anything is resolved.

Most calls and reads of a file begin with a name that can't mean anything that a table knows. Finding that out costs a
look at the form of what the name is bound to; resolving costs ten times as much. There are two questions: whether a
name may stand for something by its name (a module, a function), and whether it may also be what such a thing gave.
Where it can't be told, the answer is yes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.choosing.keepers import asked_of, is_container
from plugseal.lang.ecmascript.choosing.receivers import is_received
from plugseal.lang.ecmascript.collecting.noting import MAX_KEYS
from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.collecting.scope import (
    CLASS,
    PARTS,
    Given,
    Imported,
    Parameter,
    Scope,
    Typed,
    node_of,
    whole_of,
)
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.resolving.names import INTEROP
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Binding
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver
    from plugseal.lang.facts import Interest

_LOCAL: Final = lazy(rb"(?:await\s+)?(?:require|import)\(\s*[\"'`]\.")
_MAX_BYTES: Final = 2_048
_MAX_DEPTH: Final = 24
_MAX_LINKS: Final = 4_096
_LONG: Final = 32
_MAX_PARTS: Final = 64
_INTEROP: Final = frozenset(name.encode() for name in INTEROP)
_GIVING: Final = _INTEROP | frozenset(
    b"require createRequire promisify bind then assign freeze getPrototypeOf get getOwnPropertyDescriptor resolve find"
    b" getBuiltinModule _load call apply construct create deprecate callbackify Proxy Object import map flatMap from at"
    b" pop shift promisifyAll denodeify thenify fromCallback once memoize debounce throttle partial curry values"
    b" entries fromEntries next".split()
)
"""Functions that give back what they are given, or a module."""
_CHOOSING: Final = frozenset((b"||", b"??", b"&&"))
_PLAIN_GLOBALS: Final = frozenset(
    "globals.String globals.Array globals.JSON globals.Number globals.parseInt globals.parseFloat globals.Boolean"
    " globals.decodeURIComponent globals.decodeURI globals.encodeURIComponent globals.unescape globals.escape"
    " globals.atob globals.btoa globals.Math globals.Date globals.Set globals.Map globals.RegExp globals.Error"
    " globals.Symbol globals.TextDecoder globals.URL globals.Uint8Array".split()
)
"""Globals that only make data."""


class Leads:
    """The questions for one file, with their answers so far."""

    def __init__(self, resolver: Resolver, interest: Interest) -> None:
        self._resolver = resolver
        self._grammar = resolver.grammar
        self._data = resolver.data
        self._interest = interest
        self.is_open = bool(resolver.collected.escaped_names)
        """Whether names are written so that only the collector knows them; then nothing is left out."""
        self._names: dict[tuple[bool, bytes, Scope | None], bool] = {}
        self._nodes: dict[tuple[bool, int], bool] = {}
        self._functions: dict[tuple[bool, Scope], bool] = {}
        self._modules: dict[str, bool] = {}
        self._chains: dict[int, bool] = {}
        self._keys: dict[bytes, bool] = {}
        self._this: dict[bool, bool] = {}
        self._stored: set[bytes] | None = None
        self._depth = 0
        self._first = self._data.find(b"constructor")

    def name(self, name: bytes, scope: Scope) -> bool:
        """Say whether a name, read in a scope, may be something that tables know, or what that gave."""
        return self._ask(name, scope, results=True)

    def is_named(self, name: bytes, scope: Scope) -> bool:
        """Say whether a name may stand for something by its name; only that counts where it is read, not called."""
        return self._ask(name, scope, results=False)

    def _ask(self, name: bytes, scope: Scope, *, results: bool) -> bool:
        owner = owner_of(name, scope)
        key = (results, name, owner)
        known = self._names.get(key)
        if known is not None:
            return known
        self._resolver.spend(1)
        if owner is None:
            known = self._global(name)
        elif self._depth > _MAX_DEPTH:
            return True
        else:
            self._names[key] = False  # A name may be made of itself.
            self._depth += 1
            known = name in owner.declared and self._global(name)
            known = known or any(self._binding(binding, owner, results) for binding in owner.bindings[name])
            self._depth -= 1
        self._names[key] = known
        return known

    def _global(self, name: bytes) -> bool:
        values = self._resolver.unbound(name)
        return name in _INTEROP or any(isinstance(one, str) and self._counts(one) for one in values)

    def _counts(self, name: str) -> bool:
        """Say whether a global matters; those that make data do where the environment is followed through them."""
        if name not in _PLAIN_GLOBALS:
            return True
        return self._resolver.takes_whole_environment and any(one.startswith(name) for one in self._interest.calls)

    def _binding(self, binding: Binding, owner: Scope, results: bool) -> bool:
        kind = binding.__class__
        if kind in PARTS:
            binding, owner = whole_of(binding, owner)
            kind = binding.__class__
        if kind is Parameter:
            return self._given(binding, owner, results)  # type: ignore[arg-type]  # the class was compared
        if kind not in _OURS:
            node = node_of(binding)
            return node is not None and self.expression(node, owner, results)
        if isinstance(binding, Imported):
            return self.module(binding.module)
        if isinstance(binding, Scope):
            return results and self._function(binding, results=True)
        if isinstance(binding, Typed):
            module = self._resolver.collected.type_named(binding.name)[0]
            return results and module != "" and self.module(module)
        return isinstance(binding, Given) and len(binding.values) > 0

    def _given(self, parameter: Parameter, owner: Scope, results: bool) -> bool:
        position, is_rest = parameter
        for given, scope in owner.sites:
            for one in given[position:] if is_rest else given[position : position + 1]:
                if self._binding(one, scope, results):
                    return True
        return False

    def _function(self, function: Scope, *, results: bool) -> bool:
        """Say whether what a function gives back, or an object of a class, may matter."""
        key = (results, function)
        known = self._functions.get(key)
        if known is None:
            self._functions[key] = False  # A function may give what it gives itself.
            known = self._functions[key] = self._gives(function, results)
        return known

    def _gives(self, function: Scope, results: bool) -> bool:
        if function.kind != CLASS:
            # What `this` is to a function that is called without an object is the global scope.
            exits = function.exits[:8]
            return any(node.type == "this" or self.expression(node, function, results) for node in exits)
        owner = function.parent or function
        if function.superclass is not None and self.expression(function.superclass, owner, True):
            return True
        members = [*function.bindings.values(), *function.statics.values()]
        return any(self._member(one, owner) for bound in members for one in bound) or self._of_this(True)

    def _member(self, binding: Binding, owner: Scope) -> bool:
        if isinstance(binding, Scope):
            return self._function(binding, results=True)
        return self._binding(binding, owner, True)

    def module(self, module: str) -> bool:
        """Say whether what is imported from a module can matter."""
        known = self._modules.get(module)
        if known is None:
            tables, interest = self._resolver.tables, self._interest
            bare = tables.module_named(module)
            known = self._modules[module] = (
                module.startswith(".")
                or tables.is_module(bare)
                or any(name.startswith(bare) for name in (*interest.calls, *interest.call_prefixes))
            )
        return known

    def expression(self, node: Node, scope: Scope, results: bool) -> bool:
        """Say whether an expression may be something that tables know, or, with `results`, what that gave."""
        key = (results, node.id)
        known = self._nodes.get(key)
        if known is not None:
            return known
        if self._depth > _MAX_DEPTH:
            return True
        self._nodes[key] = False
        self._depth += 1
        known = self._nodes[key] = self._form(node, scope, results)
        self._depth -= 1
        return known

    def _form(self, node: Node, scope: Scope, results: bool) -> bool:
        """Look at the form of an expression: chains from their beginning, choices side by side."""
        grammar, codes = self._grammar, self._grammar.codes
        inner: Node | None = node
        for link in range(_MAX_LINKS):
            if inner is None:
                return False
            if link > _LONG:
                self._resolver.spend(1)  # Links of shorter chains are not counted one by one.
            code = codes[inner.kind_id]
            if code == g.IDENTIFIER or code == g.SHORTHAND:
                return self._ask(self._data[inner.start_byte : inner.end_byte], scope, results=results)
            if code == g.MEMBER or code == g.SUBSCRIPT:
                if code == g.MEMBER and self._names_constructor(inner):
                    return True
                inner = inner.child_by_field_id(grammar.object)
            elif code == g.CALL:
                if self._resolver.bundled and (known := asked_of(self, self._resolver, inner, scope)) is not None:
                    return known
                if not results or self._moves(inner):
                    return self._call(inner, scope, results)
                inner = inner.child_by_field_id(grammar.function)
            elif code == g.NEW:
                if not results or self._of_this(True):
                    return results
                if is_container(self, self._resolver, inner, scope):
                    return True
                inner = inner.child_by_field_id(grammar.constructor)
            elif code == g.BINARY:
                return self._choice(inner, scope, results)
            else:
                return self._other(inner, scope, results)
        return True

    def _names_constructor(self, node: Node) -> bool:
        name = node.child_by_field_id(self._grammar.property)
        return name is not None and self._data[name.start_byte : name.end_byte] == b"constructor"

    def _other(self, node: Node, scope: Scope, results: bool) -> bool:
        function = self._resolver.functions.get(node.id)
        if function is not None:
            return results and self._function(function, results=True)
        kind = node.type
        if kind in ("import", "meta_property", "super"):
            return True
        if kind == "this":
            return self._of_this(results) or is_received(self, self._resolver, scope, results)
        if kind == "object":
            return results and any(self._pair(child, scope) for child in node.named_children[:_MAX_PARTS])
        if kind == "array":
            return any(self.expression(child, scope, results) for child in node.named_children[:_MAX_PARTS])
        if kind == "ternary_expression":
            return any(self.expression(child, scope, results) for child in node.named_children[1:])
        if kind == "sequence_expression":
            return self.expression(node.named_children[-1], scope, results)
        if kind in _INNER:
            children = [child for child in node.named_children if child.type != "comment"]
            return bool(children) and self.expression(children[-1 if kind in _LAST else 0], scope, results)
        return False

    def _pair(self, child: Node, scope: Scope) -> bool:
        if self._grammar.codes[child.kind_id] == g.METHOD:
            function = self._resolver.functions.get(child.id)
            return function is not None and self._function(function, results=True)
        value = child.child_by_field_id(self._grammar.value)
        return self.expression(value if value is not None else child, scope, True)

    def _choice(self, node: Node, scope: Scope, results: bool) -> bool:
        """Say whether one side of `a || b` may matter; sums and comparisons are data."""
        left = node.child_by_field_id(self._grammar.left)
        right = node.child_by_field_id(self._grammar.right)
        if left is None or right is None or self._data[left.end_byte : right.start_byte].strip() not in _CHOOSING:
            return False
        return self.expression(left, scope, results) or self.expression(right, scope, results)

    def _moves(self, call: Node) -> bool:
        """Say whether a call gives back what it is given, by the name of what is called."""
        return self._last(call.child_by_field_id(self._grammar.function)) in _GIVING

    def _last(self, function: Node | None) -> bytes:
        if function is not None and self._grammar.codes[function.kind_id] == g.MEMBER:
            function = function.child_by_field_id(self._grammar.property)
        return self._data[function.start_byte : function.end_byte] if function is not None else b""

    def _call(self, call: Node, scope: Scope, results: bool) -> bool:
        """Say whether a call may give back a module or a function, or what it is given."""
        function = call.child_by_field_id(self._grammar.function)
        given = call.child_by_field_id(self._grammar.arguments)
        if function is None:
            return False
        if self._last(function) in _GIVING:
            these = given.named_children[:8] if given is not None else []
            return any(self.expression(one, scope, results) for one in (*these, function))
        if function.type == "import":
            return True
        if self._grammar.codes[function.kind_id] != g.IDENTIFIER:
            return False
        name = self._data[function.start_byte : function.end_byte]
        owner = owner_of(name, scope)
        bindings = owner.bindings[name] if owner is not None else []
        if any(isinstance(one, Scope) and self._function(one, results=results) for one in bindings):
            return True
        return len(bindings) != 1 or not isinstance(bindings[0], Scope) if self._is_maker(name, scope) else False

    def _is_maker(self, name: bytes, scope: Scope) -> bool:
        """Say whether a name that is called may be `require` or its like under another name."""
        return self._ask(name, scope, results=False)

    def chain(self, node: Node, scope: Scope) -> bool:
        """Say whether a chain that begins with no name may lead anywhere: by the expression that it begins with."""
        grammar, codes = self._grammar, self._grammar.codes
        passed: list[int] = []
        inner: Node | None = node
        answer, bundled = True, self._resolver.bundled
        while inner is not None and len(passed) < _MAX_LINKS:
            known = self._chains.get(inner.id)
            if known is not None:
                answer = known
                break
            passed.append(inner.id)
            code = codes[inner.kind_id]
            if code in (g.MEMBER, g.SUBSCRIPT):
                inner = inner.child_by_field_id(grammar.object)
            elif code == g.CALL and not (
                self._moves(inner) or (bundled and asked_of(self, self._resolver, inner, scope))
            ):
                inner = inner.child_by_field_id(grammar.function)
            else:
                answer = self.expression(inner, scope, True)
                break
        self._chains.update(dict.fromkeys(passed, answer))
        if answer or (codes[node.kind_id] == g.SUBSCRIPT and 0 <= self._first < node.end_byte):
            return True
        return self._data.find(b"constructor", node.start_byte, min(node.end_byte, node.start_byte + _MAX_BYTES)) >= 0

    def holds(self, node: Node, scope: Scope) -> bool:
        """Say whether an expression may be something whose properties matter when they are set."""
        return self.is_open or self.expression(node, scope, True)

    def is_local(self, name: bytes, scope: Scope) -> bool:
        """Say whether a name is another file of the tree as a whole, whose names nobody knows yet."""
        owner = owner_of(name, scope)
        for binding in owner.bindings[name] if owner is not None else ():
            if isinstance(binding, Imported) and binding.module.startswith("."):
                return True
            node = node_of(binding)
            if node is not None and _LOCAL.match(self._data, node.start_byte, node.end_byte):
                return True
        return False

    def is_key(self, name: bytes) -> bool:
        """Say whether some property of this name was given something that may matter."""
        known = self._keys.get(name)
        if known is None:
            self._keys[name] = False
            held = self._resolver.collected.keys.get(name, ())
            known = len(held) > MAX_KEYS or any(self._member(one, scope) for one, scope in held)
            known = self._keys[name] = known or (name in self._resolver.stores and name in self.stored())
        return known

    def _of_this(self, results: bool) -> bool:
        """Say whether some property of some `this` may matter."""
        known = self._this.get(results)
        if known is None:
            self._this[results] = False
            known = self._this[results] = any(
                self._data.startswith(b"this", store.target.start_byte)
                and self._binding(store.value, store.scope, results)
                for stores in self._resolver.stores.values()
                for store in stores
            ) or (results and any(self.is_key(name) for name in self._resolver.collected.keys))
        return known

    def stored(self) -> set[bytes]:
        """Return the properties that were given something that may matter."""
        if self._stored is None:
            self._stored = {
                name
                for name, stores in self._resolver.stores.items()
                if any(self._binding(store.value, store.scope, True) for store in stores[:_MAX_PARTS])
            }
        return self._stored


_OURS: Final = PARTS | {Imported, Scope, Typed, Parameter, Given}
"""Kinds of bindings that are no expressions."""
_SETTING: Final = frozenset(("assignment_expression", "augmented_assignment_expression"))
_INNER: Final = g.WRAPPERS | _SETTING | {"spread_element", "yield_expression"}
_LAST: Final = _SETTING | {"type_assertion"}
