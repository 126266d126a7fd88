"""Statements of libcst as those of `ast`. A block ends where its last statement does."""

from __future__ import annotations

import ast
from typing import Any, Final

from plugseal.lang.python.collecting.newer import TryStar
from plugseal.lang.python.cst.convert import Convert, Maker, identifier, kind
from plugseal.lang.python.cst.definitions import DEFINITIONS
from plugseal.lang.python.cst.imports import IMPORTS
from plugseal.lang.python.cst.operators import BINARY
from plugseal.lang.python.cst.places import Node, until


def _fields(node: Node, convert: Convert) -> dict[str, int]:
    return convert.places.inner(node).fields()


def _expression(node: Node, convert: Convert) -> ast.stmt:
    return ast.Expr(value=convert.expression(node.value), **_fields(node, convert))


def _assign(node: Node, convert: Convert) -> ast.stmt:
    targets = [convert.target(part.target) for part in node.targets]
    value = convert.expression(node.value)
    return ast.Assign(targets=targets, value=value, type_comment=None, **_fields(node, convert))


def _assign_annotated(node: Node, convert: Convert) -> ast.stmt:
    is_simple = int(kind(node.target) == "Name" and not node.target.lpar)
    return ast.AnnAssign(
        target=convert.target(node.target),
        annotation=convert.expression(node.annotation.annotation),
        value=convert.optional(node.value),
        simple=is_simple,
        **_fields(node, convert),
    )


def _assign_augmented(node: Node, convert: Convert) -> ast.stmt:
    operator = BINARY[kind(node.operator).removesuffix("Assign")]()
    target, value = convert.target(node.target), convert.expression(node.value)
    return ast.AugAssign(target=target, op=operator, value=value, **_fields(node, convert))


def _delete(node: Node, convert: Convert) -> ast.stmt:
    is_bare = kind(node.target) == "Tuple" and not node.target.lpar
    targets = [part.value for part in node.target.elements] if is_bare else [node.target]
    return ast.Delete(targets=[convert.target(part, ast.Del) for part in targets], **_fields(node, convert))


def _pass(node: Node, convert: Convert) -> ast.stmt:
    return ast.Pass(**_fields(node, convert))


def _break(node: Node, convert: Convert) -> ast.stmt:
    return ast.Break(**_fields(node, convert))


def _continue(node: Node, convert: Convert) -> ast.stmt:
    return ast.Continue(**_fields(node, convert))


def _return(node: Node, convert: Convert) -> ast.stmt:
    return ast.Return(value=convert.optional(node.value), **_fields(node, convert))


def _raise(node: Node, convert: Convert) -> ast.stmt:
    cause = None if node.cause is None else convert.expression(node.cause.item)
    return ast.Raise(exc=convert.optional(node.exc), cause=cause, **_fields(node, convert))


def _assert(node: Node, convert: Convert) -> ast.stmt:
    return ast.Assert(test=convert.expression(node.test), msg=convert.optional(node.msg), **_fields(node, convert))


def _global(node: Node, convert: Convert) -> ast.stmt:
    return ast.Global(names=[identifier(item.name.value) for item in node.names], **_fields(node, convert))


def _nonlocal(node: Node, convert: Convert) -> ast.stmt:
    return ast.Nonlocal(names=[identifier(item.name.value) for item in node.names], **_fields(node, convert))


def _if(node: Node, convert: Convert) -> ast.stmt:
    """Make a chain of `elif`, innermost first, without recursion."""
    chain = [node]
    while kind(chain[-1].orelse) == "If":
        chain.append(chain[-1].orelse)
    orelse = convert.body(chain[-1].orelse)
    for part in reversed(chain):
        body = convert.body(part.body)
        place = until(convert.places.inner(part), (orelse or body)[-1])
        orelse = [ast.If(test=convert.expression(part.test), body=body, orelse=orelse, **place.fields())]
    return orelse[0]


def _while(node: Node, convert: Convert) -> ast.stmt:
    body, orelse = convert.body(node.body), convert.body(node.orelse)
    place = until(convert.places.inner(node), (orelse or body)[-1])
    return ast.While(test=convert.expression(node.test), body=body, orelse=orelse, **place.fields())


def _for(node: Node, convert: Convert) -> ast.stmt:
    made: Any = ast.For if node.asynchronous is None else ast.AsyncFor
    body, orelse = convert.body(node.body), convert.body(node.orelse)
    place = until(convert.places.inner(node), (orelse or body)[-1])
    target, source = convert.target(node.target), convert.expression(node.iter)
    statement: ast.stmt = made(
        target=target, iter=source, body=body, orelse=orelse, type_comment=None, **place.fields()
    )
    return statement


def _with(node: Node, convert: Convert) -> ast.stmt:
    made: Any = ast.With if node.asynchronous is None else ast.AsyncWith
    items = []
    for item in node.items:
        target = None if item.asname is None else convert.target(item.asname.name)
        items.append(ast.withitem(context_expr=convert.expression(item.item), optional_vars=target))
    body = convert.body(node.body)
    place = until(convert.places.inner(node), body[-1])
    statement: ast.stmt = made(items=items, body=body, type_comment=None, **place.fields())
    return statement


def _try(node: Node, convert: Convert) -> ast.stmt:
    made: Any = TryStar if kind(node) == "TryStar" else ast.Try
    body = convert.body(node.body)
    handlers = [_handler(part, convert) for part in node.handlers]
    orelse, final = convert.body(node.orelse), convert.body(node.finalbody)
    place = until(convert.places.inner(node), (final or orelse or handlers or body)[-1])
    statement: ast.stmt = made(body=body, handlers=handlers, orelse=orelse, finalbody=final, **place.fields())
    return statement


def _handler(node: Node, convert: Convert) -> ast.ExceptHandler:
    body = convert.body(node.body)
    name = None if node.name is None else identifier(node.name.name.value)
    place = until(convert.places.inner(node), body[-1])
    return ast.ExceptHandler(type=convert.optional(node.type), name=name, body=body, **place.fields())


STATEMENTS: Final[dict[str, Maker]] = {
    **DEFINITIONS,
    **IMPORTS,
    "Expr": _expression,
    "Assign": _assign,
    "AnnAssign": _assign_annotated,
    "AugAssign": _assign_augmented,
    "Del": _delete,
    "Pass": _pass,
    "Break": _break,
    "Continue": _continue,
    "Return": _return,
    "Raise": _raise,
    "Assert": _assert,
    "Global": _global,
    "Nonlocal": _nonlocal,
    "If": _if,
    "While": _while,
    "For": _for,
    "With": _with,
    "Try": _try,
    "TryStar": _try,
}
