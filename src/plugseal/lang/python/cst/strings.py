"""String literals of all kinds: what their tokens mean, and how neighbours join.

`ast` joins adjacent literals into one node; whatever interpolates makes the whole an f-string.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, Final

from plugseal.lang.python.collecting.newer import Interpolation, TemplateStr
from plugseal.lang.python.cst.convert import ConversionError, Convert, kind
from plugseal.lang.python.cst.places import Node, Place
from plugseal.patterns import lazy

_PLAIN_NUMBER: Final = lazy(r"0|[1-9][0-9]{0,17}")
_PLAIN_STRING: Final = lazy(r"""'[^'\\\r\n]+'|"[^"\\\r\n]+\"""")
"""The commonest literals, told apart since `literal_eval` compiles each token that it is given."""
_DOUBLED: Final = lazy(r"\{\{|\}\}")
_ESCAPE_OR_QUOTE: Final = lazy(r'\\.|\\\Z|"', re.DOTALL)
_SHIELDED: Final = {'"': '\\"', "\\": "\\\\"}
"""What would end the token that is built around a stretch of text: a quote, and a backslash before a brace."""
_NAMED: Final = lazy(r"(?<!\\)((?:\\\\)*)\\N\{[^}]{0,200}\}")
_INTERPOLATED: Final = frozenset({"FormattedString", "TemplatedString"})
_TEXT_PARTS: Final = frozenset({"FormattedStringText", "TemplatedStringText"})


def literal(token: str) -> Any:
    """Return the value of a number's or string's token.

    Raises:
        ConversionError: it has none.
    """
    if _PLAIN_NUMBER.fullmatch(token):
        return int(token)
    if _PLAIN_STRING.fullmatch(token):
        return token[1:-1]
    try:
        return ast.literal_eval(token)
    except (ValueError, SyntaxError) as error:
        # A character whose name is newer than this interpreter's Unicode is no fault of the file.
        newer = _NAMED.sub("\\1\ufffd", token)
        if newer != token:
            return literal(newer)
        raise ConversionError("bad literal") from error


def string(node: Node, convert: Convert) -> ast.expr:
    """Return a literal, or several side by side, as one node."""
    pieces = list(_pieces(node))
    fields = convert.places.inner(node).fields()
    if not any(kind(piece) in _INTERPOLATED for piece in pieces):
        return _constant(pieces, fields)
    values: list[ast.expr] = []
    for piece in pieces:
        if kind(piece) in _INTERPOLATED:
            _append_parts(values, piece.parts, convert, place=convert.places.inner(node), token=piece.start)
        else:
            _append_text(values, literal(piece.value), fields)
    made = TemplateStr if kind(pieces[0]) == "TemplatedString" else ast.JoinedStr
    return made(values=values, **fields)


def _pieces(node: Node) -> Iterator[Node]:
    while kind(node) == "ConcatenatedString":
        yield node.left
        node = node.right
    yield node


def _constant(pieces: list[Node], fields: dict[str, int]) -> ast.expr:
    values = [literal(piece.value) for piece in pieces]
    if len({type(value) for value in values}) > 1:
        raise ConversionError("bad literal")
    empty: Any = b"" if isinstance(values[0], bytes) else ""
    prefix = "u" if pieces[0].value.startswith("u") else None
    return ast.Constant(value=empty.join(values), kind=prefix, **fields)


def _append_text(values: list[ast.expr], text: str, fields: dict[str, int]) -> None:
    if not isinstance(text, str):
        raise ConversionError("bad literal")
    last = values[-1] if values else None
    if isinstance(last, ast.Constant) and isinstance(last.value, str):
        last.value += text
    elif text:
        values.append(ast.Constant(value=text, kind=None, **fields))


def _append_parts(values: list[ast.expr], parts: Any, convert: Convert, *, place: Place, token: str) -> None:
    """Append the parts of an interpolated string, whose prefix and opening quote are `token`.

    All get the `place` of the whole string, since where parts stand differs between versions of Python.
    """
    fields = place.fields()
    is_raw = "r" in token.lower().rstrip("'\"")
    for part in parts:
        if kind(part) in _TEXT_PARTS:
            _append_text(values, _decoded(part.value, is_raw=is_raw), fields)
            continue
        if part.equal is not None:
            _append_text(values, convert.places.source(part, part.whitespace_after_expression)[1:], fields)
        spec = None
        if part.format_spec is not None:
            inner: list[ast.expr] = []
            _append_parts(inner, part.format_spec, convert, place=place, token=token)
            spec = ast.JoinedStr(values=inner, **fields)
        conversion = ord(part.conversion) if part.conversion else -1
        if part.equal is not None and not part.conversion and spec is None:
            conversion = ord("r")
        values.append(_interpolated(part, convert, conversion=conversion, spec=spec, fields=fields))


def _interpolated(
    part: Node, convert: Convert, *, conversion: int, spec: ast.JoinedStr | None, fields: dict[str, int]
) -> ast.expr:
    value = convert.expression(part.expression)
    if kind(part) == "TemplatedStringExpression":
        source = convert.places.source(part.expression, part.expression)
        made: ast.expr = Interpolation(value=value, str=source, conversion=conversion, format_spec=spec, **fields)
        return made
    return ast.FormattedValue(value=value, conversion=conversion, format_spec=spec, **fields)


def _decoded(text: str, *, is_raw: bool) -> str:
    """Return what a stretch of an interpolated string means: braces are doubled, escapes as in any string."""
    text = _DOUBLED.sub(lambda match: match[0][0], text)
    if is_raw or "\\" not in text:
        return text.replace("\r\n", "\n").replace("\r", "\n")
    shielded = _ESCAPE_OR_QUOTE.sub(lambda match: _SHIELDED.get(match[0], match[0]), text)
    decoded: str = literal(f'"""{shielded}"""')
    return decoded
