"""Expressions of libcst as those of `ast`."""

from __future__ import annotations

import ast
from typing import Any, Final

from plugseal.lang.python.cst.convert import Convert, Maker, identifier, kind
from plugseal.lang.python.cst.operators import BINARY, BOOLEAN, COMPARISON, UNARY
from plugseal.lang.python.cst.parameters import parameters
from plugseal.lang.python.cst.places import Node, Place
from plugseal.lang.python.cst.strings import literal, string


def _fields(node: Node, convert: Convert) -> dict[str, int]:
    return convert.places.inner(node).fields()


def _name(node: Node, convert: Convert) -> ast.expr:
    fields = _fields(node, convert)
    words = {"None": None, "True": True, "False": False}
    if node.value in words:
        return ast.Constant(value=words[node.value], kind=None, **fields)
    return ast.Name(id=identifier(node.value), ctx=ast.Load(), **fields)


def _number(node: Node, convert: Convert) -> ast.expr:
    return ast.Constant(value=literal(node.value), kind=None, **_fields(node, convert))


def _ellipsis(node: Node, convert: Convert) -> ast.expr:
    return ast.Constant(value=..., kind=None, **_fields(node, convert))


def _attribute(node: Node, convert: Convert) -> ast.expr:
    value = convert.expression(node.value)
    return ast.Attribute(value=value, attr=identifier(node.attr.value), ctx=ast.Load(), **_fields(node, convert))


def _comparison(node: Node, convert: Convert) -> ast.expr:
    return ast.Compare(
        left=convert.expression(node.left),
        ops=[COMPARISON[kind(part.operator)]() for part in node.comparisons],
        comparators=[convert.expression(part.comparator) for part in node.comparisons],
        **_fields(node, convert),
    )


def _unary(node: Node, convert: Convert) -> ast.expr:
    operand = convert.expression(node.expression)
    return ast.UnaryOp(op=UNARY[kind(node.operator)](), operand=operand, **_fields(node, convert))


def _binary(node: Node, convert: Convert) -> ast.expr:
    chain = [node]
    while kind(chain[-1].left) == "BinaryOperation":
        chain.append(chain[-1].left)
    made = convert.expression(chain[-1].left)
    for part in reversed(chain):
        right = convert.expression(part.right)
        made = ast.BinOp(left=made, op=BINARY[kind(part.operator)](), right=right, **_fields(part, convert))
    return made


def _boolean(node: Node, convert: Convert) -> ast.expr:
    """Join `a and b and c`, which libcst nests to the left, unless parentheses part it."""
    word = kind(node.operator)
    values = [convert.expression(node.right)]
    left = node.left
    while kind(left) == "BooleanOperation" and kind(left.operator) == word and not left.lpar:
        values.append(convert.expression(left.right))
        left = left.left
    values.append(convert.expression(left))
    return ast.BoolOp(op=BOOLEAN[word](), values=values[::-1], **_fields(node, convert))


def _conditional(node: Node, convert: Convert) -> ast.expr:
    test, body, orelse = (convert.expression(part) for part in (node.test, node.body, node.orelse))
    return ast.IfExp(test=test, body=body, orelse=orelse, **_fields(node, convert))


def _lambda(node: Node, convert: Convert) -> ast.expr:
    body = convert.expression(node.body)
    return ast.Lambda(args=parameters(node.params, convert), body=body, **_fields(node, convert))


def _call(node: Node, convert: Convert) -> ast.expr:
    place = convert.places.inner(node)
    positional, keywords = convert.arguments(node.args)
    if len(node.args) == 1 and kind(node.args[0].value) == "GeneratorExp" and not node.args[0].value.lpar:
        # A lone generator has the parentheses of the call.
        _widen(positional[0], Place(convert.places.inner(node.whitespace_after_func).end, place.end))
    return ast.Call(func=convert.expression(node.func), args=positional, keywords=keywords, **place.fields())


def _widen(made: ast.expr, place: Place) -> None:
    for name, value in place.fields().items():
        setattr(made, name, value)


def _await(node: Node, convert: Convert) -> ast.expr:
    return ast.Await(value=convert.expression(node.expression), **_fields(node, convert))


def _yield(node: Node, convert: Convert) -> ast.expr:
    fields = _fields(node, convert)
    if kind(node.value) == "From":
        return ast.YieldFrom(value=convert.expression(node.value.item), **fields)
    return ast.Yield(value=convert.optional(node.value), **fields)


def _subscript(node: Node, convert: Convert) -> ast.expr:
    parts = [_slice(element.slice, convert) for element in node.slice]
    value = convert.expression(node.value)
    made: ast.expr = parts[0]
    last = node.slice[-1]
    has_comma = kind(last.comma) == "Comma"
    if len(parts) > 1 or has_comma or isinstance(made, ast.Starred):
        end = convert.places.outer(_whole(last.slice)).end
        if has_comma:
            end = convert.places.inner(last.comma.whitespace_before).end
            end = end._replace(column=end.column + 1)
        start = convert.places.outer(_whole(node.slice[0].slice)).start
        made = ast.Tuple(elts=parts, ctx=ast.Load(), **Place(start, end).fields())
    return ast.Subscript(value=value, slice=made, ctx=ast.Load(), **_fields(node, convert))


def _whole(part: Node) -> Node:
    is_plain = kind(part) == "Index" and not getattr(part, "star", None)
    return part.value if is_plain else part


def _slice(node: Node, convert: Convert) -> ast.expr:
    if kind(node) == "Index":
        value = convert.expression(node.value)
        if getattr(node, "star", None):
            return ast.Starred(value=value, ctx=ast.Load(), **_fields(node, convert))
        return value
    lower, upper, step = (convert.optional(part) for part in (node.lower, node.upper, node.step))
    return ast.Slice(lower=lower, upper=upper, step=step, **_fields(node, convert))


def _starred(node: Node, convert: Convert) -> ast.expr:
    start, end = convert.places.inner(node).start, convert.places.outer(node.value).end
    return ast.Starred(value=convert.expression(node.value), ctx=ast.Load(), **Place(start, end).fields())


def _element(node: Node, convert: Convert) -> ast.expr:
    return convert.expression(node.value)


def _tuple(node: Node, convert: Convert) -> ast.expr:
    fields = convert.places.bracketed(node).fields()
    return ast.Tuple(elts=convert.all(node.elements), ctx=ast.Load(), **fields)


def _list(node: Node, convert: Convert) -> ast.expr:
    return ast.List(elts=convert.all(node.elements), ctx=ast.Load(), **_fields(node, convert))


def _set(node: Node, convert: Convert) -> ast.expr:
    return ast.Set(elts=convert.all(node.elements), **_fields(node, convert))


def _dict(node: Node, convert: Convert) -> ast.expr:
    keys = [None if kind(item) == "StarredDictElement" else convert.expression(item.key) for item in node.elements]
    values = [convert.expression(item.value) for item in node.elements]
    return ast.Dict(keys=keys, values=values, **_fields(node, convert))


def _loops(loop: Node | None, convert: Convert) -> list[ast.comprehension]:
    made = []
    while loop is not None:
        target = convert.target(loop.target)
        tests = [convert.expression(part.test) for part in loop.ifs]
        is_async = int(loop.asynchronous is not None)
        source = convert.expression(loop.iter)
        made.append(ast.comprehension(target=target, iter=source, ifs=tests, is_async=is_async))
        loop = loop.inner_for_in
    return made


def _generator(node: Node, convert: Convert) -> ast.expr:
    fields = convert.places.bracketed(node).fields()
    return ast.GeneratorExp(elt=convert.expression(node.elt), generators=_loops(node.for_in, convert), **fields)


def _list_comprehension(node: Node, convert: Convert) -> ast.expr:
    loops = _loops(node.for_in, convert)
    return ast.ListComp(elt=convert.expression(node.elt), generators=loops, **_fields(node, convert))


def _set_comprehension(node: Node, convert: Convert) -> ast.expr:
    loops = _loops(node.for_in, convert)
    return ast.SetComp(elt=convert.expression(node.elt), generators=loops, **_fields(node, convert))


def _dict_comprehension(node: Node, convert: Convert) -> ast.expr:
    key, value = convert.expression(node.key), convert.expression(node.value)
    return ast.DictComp(key=key, value=value, generators=_loops(node.for_in, convert), **_fields(node, convert))


def _starred_dict_comprehension(node: Node, convert: Convert) -> ast.expr:
    """Make `{**d for d in ds}` of PEP 798 a comprehension whose values nobody knows."""
    fields = _fields(node, convert)
    nothing = ast.Constant(value=None, kind=None, **fields)
    loops = _loops(node.for_in, convert)
    return ast.DictComp(key=convert.expression(node.value), value=nothing, generators=loops, **fields)


def _named(node: Node, convert: Convert) -> ast.expr:
    target: Any = convert.target(node.target)
    return ast.NamedExpr(target=target, value=convert.expression(node.value), **_fields(node, convert))


EXPRESSIONS: Final[dict[str, Maker]] = {
    "Name": _name,
    "Integer": _number,
    "Float": _number,
    "Imaginary": _number,
    "Ellipsis": _ellipsis,
    "SimpleString": string,
    "ConcatenatedString": string,
    "FormattedString": string,
    "TemplatedString": string,
    "Attribute": _attribute,
    "Comparison": _comparison,
    "UnaryOperation": _unary,
    "BinaryOperation": _binary,
    "BooleanOperation": _boolean,
    "IfExp": _conditional,
    "Lambda": _lambda,
    "Call": _call,
    "Await": _await,
    "Yield": _yield,
    "Subscript": _subscript,
    "StarredElement": _starred,
    "Element": _element,
    "Tuple": _tuple,
    "List": _list,
    "Set": _set,
    "Dict": _dict,
    "GeneratorExp": _generator,
    "ListComp": _list_comprehension,
    "SetComp": _set_comprehension,
    "DictComp": _dict_comprehension,
    "StarredDictComp": _starred_dict_comprehension,
    "NamedExpr": _named,
}
