"""What assignments and patterns bind: names, attributes, items. Iterative, since targets nest."""

from __future__ import annotations

import ast

from plugseal.lang.python.collecting.noting import Noting, bind
from plugseal.lang.python.collecting.owners import owner_of
from plugseal.lang.python.collecting.scope import OPAQUE, Binding, Item, Scope, Store, Stored


def bind_target(target: ast.expr, value: Binding, at: Noting) -> None:
    """Note what an assignment to any kind of target binds; iterative, since targets nest."""
    waiting: list[tuple[ast.expr, Binding]] = [(target, value)]
    while waiting:
        target, value = waiting.pop()
        if isinstance(target, ast.Name):
            bind(at.scope, target.id, value)
        elif isinstance(target, ast.Attribute):
            _store_attribute(target, value, at)
        elif isinstance(target, ast.Subscript):
            at.scope.note("subscripts", target)
            at.below.append(target.value)
            at.below.append(target.slice)
            if isinstance(target.value, ast.Name):
                _bind_item(at.scope, target.value.id, Stored(target.slice, value))
        elif isinstance(target, ast.Starred):
            of = value if isinstance(value, Item) and value.how == "at" else Item(value, "at")
            waiting.append((target.value, Item(of.source, "rest", of.place)))
        elif isinstance(target, (ast.Tuple, ast.List)):
            waiting.extend(reversed(_unpacked(target.elts, value)))


def _bind_item(scope: Scope, name: str, stored: Stored) -> None:
    """Note `name[key] = value` where the name lives, so that every scope sees the item."""
    owner = owner_of(name, scope)
    if owner is not None:
        owner.bindings[name].append(stored)


def _unpacked(targets: list[ast.expr], value: Binding) -> list[tuple[ast.expr, Binding]]:
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(targets):
        starred = any(isinstance(item, ast.Starred) for item in (*targets, *value.elts))
        if not starred:
            return list(zip(targets, value.elts, strict=True))
    pairs: list[tuple[ast.expr, Binding]] = []
    after_star = False
    for index, target in enumerate(targets):
        position = index - len(targets) if after_star else index
        pairs.append((target, Item(value, "at", position)))
        after_star = after_star or isinstance(target, ast.Starred)
    return pairs


def _store_attribute(target: ast.Attribute, value: Binding, at: Noting) -> None:
    base: ast.expr = target.value
    receiver = at.scope.receiver
    if receiver is not None and isinstance(base, ast.Name) and base.id == receiver[0]:
        receiver[1].attributes.setdefault(target.attr, []).append((at.scope, value))
        return
    at.scope.note("stores", Store(target, value))
    while isinstance(base, ast.Attribute):
        base = base.value
    if not isinstance(base, ast.Name):
        at.below.append(base)


def bind_pattern(pattern: ast.pattern, value: Binding, at: Noting) -> None:
    """Note what a pattern binds when it matches a value."""
    waiting: list[tuple[ast.pattern, Binding]] = [(pattern, value)]
    while waiting:
        pattern, value = waiting.pop()
        if isinstance(pattern, ast.MatchAs):
            if pattern.name is not None:
                bind(at.scope, pattern.name, value)
            if pattern.pattern is not None:
                waiting.append((pattern.pattern, value))
        elif isinstance(pattern, ast.MatchOr):
            waiting.extend((inner, value) for inner in pattern.patterns)
        elif isinstance(pattern, ast.MatchSequence):
            waiting.extend((inner, Item(value, "at", at)) for at, inner in enumerate(pattern.patterns))
        elif isinstance(pattern, ast.MatchStar):
            if pattern.name is not None:
                bind(at.scope, pattern.name, Item(value, "rest"))
        elif isinstance(pattern, ast.MatchMapping):
            waiting.extend(
                (inner, _item_of(value, key)) for key, inner in zip(pattern.keys, pattern.patterns, strict=True)
            )
            if pattern.rest is not None:
                bind(at.scope, pattern.rest, value)
        elif isinstance(pattern, ast.MatchClass):
            at.below.append(pattern.cls)
            waiting.extend((inner, OPAQUE) for inner in pattern.patterns)
            for attribute, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
                waiting.append((inner, _attribute_of(value, attribute)))


def _item_of(value: Binding, key: ast.expr) -> Binding:
    """Return what a pattern takes from under a key of what it matches."""
    if not isinstance(value, ast.expr):
        return OPAQUE
    return ast.copy_location(ast.Subscript(value, key, ast.Load()), value)


def _attribute_of(value: Binding, name: str) -> Binding:
    """Return what a pattern takes from an attribute of what it matches."""
    if not isinstance(value, ast.expr):
        return OPAQUE
    return ast.copy_location(ast.Attribute(value, name, ast.Load()), value)
