"""Who calls which function of the file with what: found by the way things are written, without resolving.

Functions that are called where they stand run when what is around them runs; functions that are handed to a promise or
to a method of arrays get the value, or the items, of what stands before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.collecting.scope import CLASS, FUNCTION, Call, Iterated, Scope, node_of
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.judging.telling import rank

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.noting import Collected
    from plugseal.lang.ecmascript.collecting.scope import Binding
    from plugseal.lang.ecmascript.parsing.parse import Node

MAX_SITES: Final = 6
_MAX_TELLING: Final = 16
"""Calls that are noted where those behind the first ones hand over places of secrets."""
_MAX_LOOKS: Final = 1_000_000
"""Calls that are looked at, those in deep scopes counting more."""
_STEPS: Final = frozenset((b"then", b"finally"))
_EACH: Final = frozenset(
    (b"forEach", b"map", b"flatMap", b"filter", b"some", b"every", b"find", b"findIndex", b"findLast")
)
_FOR_EACH: Final = b"forEach"
_MOVED: Final = frozenset((b"call", b"apply"))
_TELLING: Final = _STEPS | _EACH | _MOVED


def index_sites(collected: Collected) -> None:
    """Note at each function of the file the calls of it."""
    methods = _methods(collected)
    made: set[Scope] = set()
    """Functions that make objects: `this` is one of those in them."""
    looks = 0
    for scope in collected.scopes:
        looks += len(scope.calls) * (16 + scope.depth) // 16
        if looks > _MAX_LOOKS:
            collected.is_cut = True
            return
        for call in scope.calls:
            _index(collected, call, scope, methods, made)
    for function in made:
        function.receiver = None


def _methods(collected: Collected) -> dict[bytes, list[Scope]]:
    """Return the methods of the file's classes and objects by name."""
    found: dict[bytes, list[Scope]] = {}
    for scope in collected.scopes:
        if scope.home is not None and scope.parameters:
            found.setdefault(scope.name.encode("utf-8", "replace"), []).append(scope)
    return found


def _index(collected: Collected, call: Call, scope: Scope, methods: dict[bytes, list[Scope]], made: set[Scope]) -> None:
    code = collected.grammar.codes[call.function.kind_id]
    if code == g.IDENTIFIER and call.root is not None:
        _note_named(collected, call, scope, made)
    elif code == g.MEMBER:
        last = call.last
        if last not in _TELLING and last not in methods:
            return
        if last in _STEPS or last in _EACH:
            _note_callback(collected, call, scope)
        elif last in _MOVED and call.root is None:
            base = call.function.child_by_field_id(collected.grammar.object)
            function = _function_in(collected, base)
            if function is not None:
                given = _given(collected, call.node)
                _note(collected, function, given[1:], scope)
                _runs_here(function, scope)
                _receive(collected, function, given[0] if given else None)
        elif last in methods:
            given = _given(collected, call.node)
            for function in methods[last][:2]:
                _note(collected, function, given, scope)
    elif call.root is None:
        function = _function_in(collected, call.function)
        if function is not None:
            _note(collected, function, _given(collected, call.node), scope)
            _runs_here(function, scope)
            if collected.grammar.codes[call.node.kind_id] != g.NEW:
                _receive(collected, function, None)


def _receive(collected: Collected, function: Scope, given: Binding | None) -> None:
    """Note what `this` is in a function that stands where it is called: what it is given, or the module's scope."""
    if function.home is None and function.kind == FUNCTION:
        node = node_of(given)
        function.receiver = collected.root if node is None else node


def _note_named(collected: Collected, call: Call, scope: Scope, made: set[Scope]) -> None:
    name = call.root or b""
    owner = owner_of(name, scope)
    if owner is None:
        return
    for binding in owner.bindings[name][:MAX_SITES]:
        function: Scope | None = None
        if isinstance(binding, Scope):
            function = binding
        elif (node := node_of(binding)) is not None and collected.grammar.codes[node.kind_id] in _FUNCTIONS:
            function = collected.functions.get(node.id)
        if function is None:
            continue
        if function.kind == CLASS:
            for inner in function.bindings.get(b"constructor", ()):
                if isinstance(inner, Scope):
                    _note(collected, inner, _given(collected, call.node), scope)
        else:
            _note(collected, function, _given(collected, call.node), scope)
            if collected.grammar.codes[call.node.kind_id] == g.NEW:
                made.add(function)
            else:
                _receive(collected, function, None)


_FUNCTIONS: Final = frozenset((g.FUNCTION_EXPRESSION, g.CLASS_EXPRESSION))


def _note_callback(collected: Collected, call: Call, scope: Scope) -> None:
    given = _given(collected, call.node)
    base = call.function.child_by_field_id(collected.grammar.object)
    first = node_of(given[0]) if given else None
    if first is None or base is None:
        return
    function = collected.functions.get(first.id)
    if function is None:
        return
    item = base if call.last in _STEPS else Iterated(base, call.last == _FOR_EACH)
    _note(collected, function, (item,), scope)
    if call.last in _EACH:
        _receive(collected, function, given[1] if len(given) > 1 else None)
    if scope.trigger != "unknown" and call.last in _EACH:
        _runs_here(function, scope)


def _runs_here(function: Scope, scope: Scope) -> None:
    if function.trigger == "unknown":
        function.trigger = scope.trigger


def _function_in(collected: Collected, node: Node | None) -> Scope | None:
    """Return the function that stands in an expression by itself, in parentheses or not."""
    for _ in range(4):
        if node is None:
            return None
        known = collected.functions.get(node.id)
        if known is not None:
            return known
        is_sequence = node.kind_id in collected.grammar.sequences
        if not is_sequence and not collected.grammar.is_kind(node, "parenthesized_expression"):
            return None
        children = [child for child in node.named_children if child.type != "comment"]
        node = children[-1 if is_sequence else 0] if children else None
    return None


def _given(collected: Collected, node: Node) -> tuple[Binding, ...]:
    grammar = collected.grammar
    given = node.child_by_field_id(grammar.arguments)
    if given is None or given.kind_id not in grammar.argument_lists:
        return ()
    found: list[Binding] = []
    for child in given.named_children:
        kind = child.kind_id
        if kind in grammar.spreads:
            break
        if kind not in grammar.comment:
            found.append(child)
    return tuple(found)


def _note(collected: Collected, function: Scope, arguments: tuple[Binding, ...], scope: Scope) -> None:
    collected.passed.update(node.id for one in arguments if (node := node_of(one)) is not None)
    if not (arguments and function.parameters):
        return
    count = len(function.sites)
    if count < MAX_SITES or (count < _MAX_TELLING and any(_tells(collected, one) for one in arguments)):
        function.sites.append((arguments, scope))


def _tells(collected: Collected, binding: Binding) -> bool:
    """Say whether an argument is a literal that leads to a place of secrets."""
    node = node_of(binding)
    if node is None or not collected.grammar.is_kind(node, "string"):
        return False
    return rank(collected.data[node.start_byte + 1 : node.end_byte - 1].decode("utf-8", "replace")) == 0


def mark_inner(collected: Collected) -> None:
    """Give functions that stand inside an entry point the trigger of it."""
    for scope in collected.scopes:
        parent = scope.parent
        if scope.trigger == "unknown" and parent is not None and parent.trigger not in ("import", "unknown"):
            scope.trigger = parent.trigger
