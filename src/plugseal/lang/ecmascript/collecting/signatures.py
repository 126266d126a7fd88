"""Functions as the walk meets them: a scope for the body, which is walked later, with the parameters bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.partly import MAX_SCOPES
from plugseal.lang.ecmascript.collecting.patterns import GUARDED, bind_target, declare
from plugseal.lang.ecmascript.collecting.scope import ARROW, FUNCTION, Parameter, Scope, Typed
from plugseal.lang.ecmascript.parsing import grammar as g

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.walk import Walk
    from plugseal.lang.ecmascript.parsing.parse import Node


_MAX_PARTS: Final = 8
"""Parts of a type that are looked at."""


def note_declared_function(walk: Walk, node: Node) -> None:
    """Note a declaration: the function, and its name around it."""
    scope = note_function(walk, node)
    name = node.child_by_field_id(walk.grammar.name)
    if name is not None:
        text = walk.text(name)
        if text in GUARDED:
            declare(walk.scope, text, node)
        walk.scope.bind(text, scope)


def note_function(walk: Walk, node: Node) -> Scope:
    """Note a function: its body is walked later, its parameters are bound now."""
    grammar, collected = walk.grammar, walk.collected
    is_arrow = node.kind_id in grammar.arrows
    name = None if is_arrow else node.child_by_field_id(grammar.name)
    text = walk.text(name).decode("utf-8", "replace") if name is not None else "<anonymous>"
    scope = Scope(ARROW if is_arrow else FUNCTION, text, node, walk.scope)
    scope.home = collected.homes.get(node.id)
    if name is not None and scope.home is not None and any(part.type == "get" for part in node.children[:2]):
        scope.is_method = True  # Reading the property gives what it gives.
        collected.note_key(walk.text(name).strip(b"'\""), scope, walk.scope)
    if len(collected.scopes) >= MAX_SCOPES:
        collected.is_cut = True
        walk.stack.clear()  # What is around it is not looked at any further.
        return scope
    collected.scopes.append(scope)
    collected.functions[node.id] = scope
    if name is not None and grammar.codes[node.kind_id] == g.FUNCTION_EXPRESSION:
        scope.bind(walk.text(name), scope)
    body = node.child_by_field_id(grammar.body)
    if body is not None:
        scope.awaiting.append(body)
        if body.kind_id not in grammar.blocks:
            scope.exits.append(body)
    parameters = node.child_by_field_id(grammar.parameters)
    single = node.child_by_field_id(grammar.parameter) if parameters is None else None
    given = parameters.named_children if parameters is not None else [single] if single is not None else []
    _bind_parameters(walk, scope, given)
    return scope


def _bind_parameters(walk: Walk, scope: Scope, parameters: list[Node]) -> None:
    """Bind the parameters of a function in its scope, by their positions."""
    here, walk.scope = walk.scope, scope
    position = 0
    for one in parameters:
        if one.kind_id in walk.grammar.comments:
            continue
        simple = _simple_parameter(walk, one)
        if simple is not None and simple not in GUARDED:
            scope.bind(simple, Parameter(position))
            type_name = type_of(walk, one)
            if type_name is not None:
                scope.bind(simple, Typed(type_name))
        else:
            bind_target(walk, one, Parameter(position), None)
        position += 1
    scope.parameters = position
    walk.scope = here


def _simple_parameter(walk: Walk, node: Node) -> bytes | None:
    """Return the name of a parameter that is nothing but a name, typed or not."""
    grammar = walk.grammar
    if node.kind_id in grammar.typed_parameters and node.child_by_field_id(grammar.value) is None:
        pattern = node.child_by_field_id(grammar.pattern)
        node = node if pattern is None else pattern
    return walk.text(node) if grammar.codes[node.kind_id] == g.IDENTIFIER else None


def type_of(walk: Walk, node: Node) -> bytes | None:
    """Return the name of the type that a parameter, a field or a variable is declared to be of, if it is one name.

    `Page | null`, `Promise<Page>` and `playwright.Page` are one name too.
    """
    if node.kind_id not in walk.grammar.typed:
        return None
    annotation = node.child_by_field_id(walk.grammar.type)
    if annotation is None:
        return None
    parts = annotation.named_children
    if len(parts) == 1 and parts[0].type == "type_identifier":
        return walk.text(parts[0])
    return _one_name(walk, parts)


def _one_name(walk: Walk, parts: list[Node]) -> bytes | None:
    """Return the one name that a type comes down to; unions with `null`, promises and arguments are looked through."""
    waiting, found = parts[:_MAX_PARTS], set[bytes]()
    for _ in range(_MAX_PARTS):
        if not waiting:
            break
        child = waiting.pop()
        kind = child.type
        if kind in ("type_identifier", "nested_type_identifier"):
            found.add(walk.text(child))
        elif kind in ("union_type", "parenthesized_type"):
            waiting.extend(child.named_children[:_MAX_PARTS])
        elif kind == "generic_type":
            name = child.child_by_field_id(walk.grammar.name)
            arguments = child.named_children[-1]
            if name is not None and walk.text(name) in (b"Promise", b"Readonly", b"Awaited"):
                waiting.extend(arguments.named_children[:1])
            elif name is not None:
                waiting.append(name)
        elif kind not in ("literal_type", "predefined_type", "comment"):
            return None
    return found.pop() if len(found) == 1 else None
