"""Operators over values that are known: concatenation and the little arithmetic that hides text.

Results are bounded before they are computed, so that no expression can grow past `MAX_TEXT` characters.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.resolving.values import AnyValue, Made, Sequence, Values, unique
from plugseal.lang.folded import HOLE, MAX_TEXT, Text
from plugseal.lang.judging.telling import most_telling, text_of

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.parsing.parse import Node

_MAX_NUMBER: Final = 1 << 53
_MAX_DEPTH: Final = 4


_LOOPS: Final = frozenset(("for_statement", "for_in_statement", "while_statement", "do_statement"))
_ENDS: Final = frozenset(
    ("function_declaration", "function_expression", "arrow_function", "method_definition", "program")
)
_MAX_CLIMB: Final = 32


def is_repeated(node: Node) -> bool:
    """Say whether a statement stands in a loop of its function, so that it may run many times."""
    inner = node.parent
    for _ in range(_MAX_CLIMB):
        if inner is None or inner.type in _ENDS:
            return False
        if inner.type in _LOOPS:
            return True
        inner = inner.parent
    return False


def add_all(left: Values, right: Values, *, is_repeated: bool = False) -> Values:
    """Return what `left + right` may be, for each pair of possible values.

    Args:
        left: what stood there before.
        right: what is added.
        is_repeated: whether more may be added after it, so that no text is known to its end.
    """
    found: list[AnyValue] = []
    for one in left[:4] or (None,):
        for other in right[:4] or (None,):
            made = add(one, other)
            if made is not None and is_repeated and made.whole and isinstance(made.value, str):
                made = Text(made.value + HOLE, whole=False)
            if made is not None:
                found.append(made)
    return unique(found)


def add(left: AnyValue | None, right: AnyValue | None) -> Text | None:
    """Return `left + right`; text with holes where only one side is a text that is known."""
    if isinstance(left, Text) and isinstance(right, Text):
        if is_number(left.value) and is_number(right.value):
            return number(float(left.value) + float(right.value))  # type: ignore[arg-type]  # both are numbers
        if left.value is None or right.value is None:
            return None if not (isinstance(left.value, str) or isinstance(right.value, str)) else _join(left, right)
        return _join(left, right)
    one = left if isinstance(left, Text) else right if isinstance(right, Text) else None
    if isinstance(one, Text) and isinstance(one.value, str):
        return join([as_text(left), as_text(right)])
    return None


def _join(left: Text, right: Text) -> Text | None:
    return join([as_text(left), as_text(right)])


def join(parts: list[Text]) -> Text | None:
    """Return texts one after another; None where the whole grows too long."""
    values = [str(part.value) for part in parts]
    if sum(map(len, values)) > MAX_TEXT:
        return None
    return Text("".join(values), all(part.whole for part in parts))


def as_text(value: AnyValue | None, depth: int = 0) -> Text:
    """Return a value as the text that it becomes in a concatenation; a hole where that is not known."""
    if isinstance(value, Text):
        return Text(spelled(value.value), value.whole)
    if isinstance(value, Made) and value.text is not None:
        return value.text
    if isinstance(value, Sequence) and value.size <= 256 and depth < _MAX_DEPTH:
        items = [as_text(item[0], depth + 1) if item else Text(HOLE, whole=False) for item in value.items]
        return join([part for item in items for part in (Text(","), item)][1:]) or Text("")
    return Text(HOLE, whole=False)


def as_texts(values: Values, limit: int) -> list[Text]:
    """Return the texts that an expression may be in a concatenation; a hole where it is unknown, or there are more."""
    if 0 < len(values) <= limit:
        return [as_text(value) for value in values]
    return [*(as_text(one) for one in most_telling(values, limit - 1, text_of)[:limit]), Text(HOLE, whole=False)]


def spelled(value: object) -> str:
    """Return a constant as JavaScript writes it into a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if value is None:
        return "undefined"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < _MAX_NUMBER:
        return str(int(value))
    return str(value)


def is_number(value: object) -> bool:
    """Say whether a constant is a number, and no boolean."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def number(value: float) -> Text | None:
    """Return a number as a value, whole ones as integers; None for one that is no longer exact."""
    if math.isnan(value) or math.isinf(value) or abs(value) > _MAX_NUMBER:
        return None
    return Text(int(value) if float(value).is_integer() else value)


def calculate(operator: str, left: AnyValue, right: AnyValue) -> Text | None:
    """Return the result of an arithmetic operator on two numbers."""
    if not (isinstance(left, Text) and isinstance(right, Text) and is_number(left.value) and is_number(right.value)):
        return None
    a, b = left.value, right.value
    assert isinstance(a, (int, float)) and isinstance(b, (int, float))  # nosec B101  # what `is_number` asked
    if operator in _BITWISE:
        return _bitwise(operator, int(a), int(b))
    if operator == "-":
        return number(float(a) - float(b))
    if operator == "*":
        return number(float(a) * float(b))
    if operator == "/" and b:
        return number(float(a) / float(b))
    if operator == "%" and b:
        return number(math.fmod(a, b))
    if operator == "**" and abs(a) < 1 << 16 and 0 <= b <= 16 and (a >= 0 or float(b).is_integer()):
        return number(float(a) ** float(b))  # a root of less than nothing is no number
    return None


_BITWISE: Final = frozenset(("^", "&", "|", "<<", ">>", ">>>"))


def _bitwise(operator: str, a: int, b: int) -> Text:
    if operator == ">>>":
        return Text((a & 0xFFFFFFFF) >> (b & 31))
    a, b = _signed(a), _signed(b)
    if operator == "^":
        return Text(a ^ b)
    if operator == "&":
        return Text(a & b)
    if operator == "|":
        return Text(a | b)
    return Text(_signed(a << (b & 31)) if operator == "<<" else a >> (b & 31))


def _signed(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value
