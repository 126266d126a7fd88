"""The `match` statement and its patterns."""

from __future__ import annotations

import ast
from typing import Final

from plugseal.lang.python.cst.convert import Convert, Maker, identifier
from plugseal.lang.python.cst.places import Node, Place, until


def _fields(node: Node, convert: Convert) -> dict[str, int]:
    return convert.places.inner(node).fields()


def _match(node: Node, convert: Convert) -> ast.stmt:
    cases = [_case(part, convert) for part in node.cases]
    place = until(convert.places.inner(node), cases[-1].body[-1])
    return ast.Match(subject=convert.expression(node.subject), cases=cases, **place.fields())


def _case(node: Node, convert: Convert) -> ast.match_case:
    pattern = convert.node(node.pattern)
    return ast.match_case(pattern=pattern, guard=convert.optional(node.guard), body=convert.body(node.body))


def _value(node: Node, convert: Convert) -> ast.pattern:
    return ast.MatchValue(value=convert.expression(node.value), **_fields(node.value, convert))


def _singleton(node: Node, convert: Convert) -> ast.pattern:
    value = {"None": None, "True": True, "False": False}[node.value.value]
    return ast.MatchSingleton(value=value, **_fields(node.value, convert))


def _sequence(node: Node, convert: Convert) -> ast.pattern:
    place = convert.places.bracketed(node)
    return ast.MatchSequence(patterns=convert.all(node.patterns), **place.fields())


def _element(node: Node, convert: Convert) -> ast.pattern:
    made: ast.pattern = convert.node(node.value)
    return made


def _star(node: Node, convert: Convert) -> ast.pattern:
    end = convert.places.inner(node.whitespace_before_name).end
    # Without a name it is `*_`, and libcst keeps no node for the underscore.
    end = end._replace(column=end.column + 1) if node.name is None else convert.places.inner(node.name).end
    place = Place(convert.places.inner(node).start, end)
    return ast.MatchStar(name=_name(node.name), **place.fields())


def _mapping(node: Node, convert: Convert) -> ast.pattern:
    return ast.MatchMapping(
        keys=[convert.expression(part.key) for part in node.elements],
        patterns=[convert.node(part.pattern) for part in node.elements],
        rest=_name(node.rest),
        **_fields(node, convert),
    )


def _class(node: Node, convert: Convert) -> ast.pattern:
    return ast.MatchClass(
        cls=convert.expression(node.cls),
        patterns=convert.all(node.patterns),
        kwd_attrs=[identifier(part.key.value) for part in node.kwds],
        kwd_patterns=[convert.node(part.pattern) for part in node.kwds],
        **_fields(node, convert),
    )


def _as(node: Node, convert: Convert) -> ast.pattern:
    pattern = None if node.pattern is None else convert.node(node.pattern)
    return ast.MatchAs(pattern=pattern, name=_name(node.name), **_fields(node, convert))


def _or(node: Node, convert: Convert) -> ast.pattern:
    return ast.MatchOr(patterns=[convert.node(part.pattern) for part in node.patterns], **_fields(node, convert))


def _name(node: Node | None) -> str | None:
    return None if node is None else identifier(node.value)


PATTERNS: Final[dict[str, Maker]] = {
    "Match": _match,
    "MatchValue": _value,
    "MatchSingleton": _singleton,
    "MatchList": _sequence,
    "MatchTuple": _sequence,
    "MatchSequenceElement": _element,
    "MatchStar": _star,
    "MatchMapping": _mapping,
    "MatchClass": _class,
    "MatchAs": _as,
    "MatchOr": _or,
}
