"""Functions, classes and type aliases. Type parameters are left out: they are not behaviour."""

from __future__ import annotations

import ast
from typing import Any, Final

from plugseal.lang.python.collecting.newer import TypeAlias
from plugseal.lang.python.cst.convert import Convert, Maker, identifier
from plugseal.lang.python.cst.parameters import annotation, parameters
from plugseal.lang.python.cst.places import Node, until

# Any: only newer Pythons take these.
_NO_TYPE_PARAMETERS: Final[dict[str, Any]] = {"type_params": []} if "type_params" in ast.ClassDef._fields else {}


def _function(node: Node, convert: Convert) -> ast.stmt:
    made: Any = ast.FunctionDef if node.asynchronous is None else ast.AsyncFunctionDef
    body = convert.body(node.body)
    place = until(convert.places.inner(node), body[-1])
    statement: ast.stmt = made(
        name=identifier(node.name.value),
        args=parameters(node.params, convert),
        body=body,
        decorator_list=[convert.expression(part.decorator) for part in node.decorators],
        returns=annotation(node.returns, convert),
        type_comment=None,
        **_NO_TYPE_PARAMETERS,
        **place.fields(),
    )
    return statement


def _class(node: Node, convert: Convert) -> ast.stmt:
    body = convert.body(node.body)
    place = until(convert.places.inner(node), body[-1])
    arguments = convert.arguments((*node.bases, *node.keywords))
    return ast.ClassDef(
        name=identifier(node.name.value),
        bases=arguments[0],
        keywords=arguments[1],
        body=body,
        decorator_list=[convert.expression(part.decorator) for part in node.decorators],
        **_NO_TYPE_PARAMETERS,
        **place.fields(),
    )


def _type_alias(node: Node, convert: Convert) -> ast.stmt:
    name, value = convert.target(node.name), convert.expression(node.value)
    made: ast.stmt = TypeAlias(name=name, type_params=[], value=value, **convert.places.inner(node).fields())
    return made


DEFINITIONS: Final[dict[str, Maker]] = {"FunctionDef": _function, "ClassDef": _class, "TypeAlias": _type_alias}
