"""Parameters of functions and lambdas."""

from __future__ import annotations

import ast
from typing import Any

from plugseal.lang.python.cst.convert import Convert, identifier, kind
from plugseal.lang.python.cst.places import Node, Place


def parameters(node: Node, convert: Convert) -> ast.arguments:
    """Return the parameters of a function or lambda."""
    star = node.star_arg
    keyword_only = node.kwonly_params
    positional = (*node.posonly_params, *node.params)
    return ast.arguments(
        posonlyargs=[_parameter(part, convert) for part in node.posonly_params],
        args=[_parameter(part, convert) for part in node.params],
        vararg=_parameter(star, convert) if kind(star) == "Param" else None,
        kwonlyargs=[_parameter(part, convert) for part in keyword_only],
        kw_defaults=[convert.optional(part.default) for part in keyword_only],
        kwarg=None if node.star_kwarg is None else _parameter(node.star_kwarg, convert),
        defaults=[convert.expression(part.default) for part in positional if part.default is not None],
    )


def annotation(node: Node | None, convert: Convert) -> Any:
    """Return an annotation's expression, or None."""
    return None if node is None else convert.expression(node.annotation)


def _parameter(node: Node, convert: Convert) -> ast.arg:
    end = node.name if node.annotation is None else node.annotation.annotation
    place = Place(convert.places.inner(node.name).start, convert.places.outer(end).end)
    return ast.arg(
        arg=identifier(node.name.value),
        annotation=annotation(node.annotation, convert),
        type_comment=None,
        **place.fields(),
    )
