"""JSON whose numbers stay as they were written: what a tool returns goes on to a model without being rounded.

A fraction that Python would round is a `Number`, a float that knows its text; whole numbers are Python's own, which are
exact. What is not JSON (NaN, other objects, keys that are no text, too deep) is never written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from plugseal.runtime.frames import MAX_DEPTH

_ESCAPED: Final = json.encoder.encode_basestring_ascii


class Number(float):
    """A number with a fraction or an exponent, and the text that it was read from."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Number:
        """Keep a text that is a number in JSON."""
        found = super().__new__(cls, text)
        found.text = text
        return found


def parse_exact(text: str | bytes) -> object:
    """Return the value of a JSON text that was found well formed, its numbers exact.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it nests too deep.
    """
    return json.loads(text, parse_float=Number, parse_int=_whole)


def render_exact(value: object, *, indent: int = 0) -> str:
    """Return a value as JSON in ASCII, numbers as they were written.

    Args:
        value: JSON.
        indent: spaces for each level; 0 for all in one line.

    Raises:
        ValueError: it is no JSON.
    """
    fault = check_json(value)
    if fault:
        raise ValueError(fault)
    return "".join(_pieces(value, indent, 0))


def check_json(value: object, *, depth: int = MAX_DEPTH) -> str:
    """Return why a value can't be written as JSON that every reader reads alike, empty if nothing is wrong.

    Args:
        value: of any type.
        depth: how deep it may nest.
    """
    if isinstance(value, str):
        return "it holds half of a character" if _has_surrogate(value) else ""
    if value is None or isinstance(value, bool | int | Number):
        return ""
    if isinstance(value, float):
        # Infinities and what is no number differ from themselves, or from themselves less themselves.
        return "" if value - value == 0 else "it holds a number that JSON does not know"
    if not isinstance(value, dict | list | tuple):
        return f"it holds a `{type(value).__name__}`, which JSON does not know"
    if depth == 0:
        return f"it nests deeper than {MAX_DEPTH}"
    if isinstance(value, dict) and not all(isinstance(key, str) for key in value):
        return "it holds a key that is no text"
    below = [*value, *value.values()] if isinstance(value, dict) else value
    return next((fault for item in below if (fault := check_json(item, depth=depth - 1))), "")


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _whole(text: str) -> int | Number:
    return Number(text) if text == "-0" else int(text)


def _pieces(value: object, indent: int, level: int) -> Iterator[str]:
    if isinstance(value, Number):
        yield value.text
    elif isinstance(value, dict) and value:
        yield from _inside(
            "{}", [(f"{_ESCAPED(key)}:{' ' * bool(indent)}", item) for key, item in value.items()], indent, level
        )
    elif isinstance(value, list | tuple) and value:
        yield from _inside("[]", [("", item) for item in value], indent, level)
    else:
        yield json.dumps(value)


def _inside(brackets: str, items: list[tuple[str, object]], indent: int, level: int) -> Iterator[str]:
    line = "\n" if indent else ""
    yield brackets[0]
    for number, (head, item) in enumerate(items):
        yield f"{',' if number else ''}{line}{' ' * (indent * (level + 1))}{head}"
        yield from _pieces(item, indent, level + 1)
    yield f"{line}{' ' * (indent * level)}{brackets[1]}"
