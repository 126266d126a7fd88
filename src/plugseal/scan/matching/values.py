"""Answer whether a folded value fits a rule's test.

A value that is not known never fits a test of its contents: `literal = false` is the way to ask for it. Texts are cut
to 64 KiB before a pattern sees them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from plugseal.lang.facts import Event, Ref, Unknown, Value
from plugseal.limits import KIB
from plugseal.model.location import Span
from plugseal.rules.rule import NameTest, ValueTest

MAX_MATCHED_CHARACTERS: Final = 64 * KIB
UNKNOWN_WORD: Final = "\ufffd"
"""Stands for an unknown part in a sequence's text."""
_MAX_DEPTH: Final = 8


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str]:
    """Return the compiled pattern that a detector made up of what it met."""
    return re.compile(pattern)


def searches(pattern: re.Pattern[str], text: str) -> bool:
    """Say whether a pattern is found in a text of any length."""
    return pattern.search(text[:MAX_MATCHED_CHARACTERS]) is not None


def fits_name(test: NameTest, name: str) -> bool:
    """Say whether a name fits: exactly, by prefix, or by pattern."""
    if name in test.exact or (test.prefixes and name.startswith(test.prefixes)):
        return True
    return test.matches is not None and searches(test.matches, name)


def fits_value(test: ValueTest, values: Sequence[Value]) -> bool:
    """Say whether an argument fits.

    Args:
        test: what the rule asks.
        values: the argument's one value, nothing where it is not given.
    """
    if test.absent:
        return not values
    if not values:
        return False
    value = values[0]
    if test.literal is not None and is_literal(value) is not test.literal:
        return False
    if test.equals is not None and not any(_equals(wanted, value) for wanted in test.equals):
        return False
    if test.origin is not None and not comes_from(value, test.origin):
        return False
    return test.matches is None or ((text := text_of(value)) is not None and searches(test.matches, text))


def is_literal(value: Value, *, depth: int = 0) -> bool:
    """Say whether all of a value is known."""
    if isinstance(value, (Ref, Unknown)):
        return False
    if isinstance(value, tuple):
        return depth < _MAX_DEPTH and all(is_literal(item, depth=depth + 1) for item in value)
    return True


def comes_from(value: Value, names: Sequence[str], *, depth: int = 0) -> bool:
    """Say whether a value, or a part of it, has one of the names as its origin."""
    if isinstance(value, Ref):
        return is_origin(value.name, names)
    if isinstance(value, tuple) and depth < _MAX_DEPTH:
        return any(comes_from(item, names, depth=depth + 1) for item in value)
    return False


def text_of(value: Value) -> str | None:
    """Return a value as the text that patterns search, None where there is none.

    A sequence is its words joined by one space, so that one pattern fits a shell line and an argument list.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, tuple) and not isinstance(value, (Ref, Unknown)):
        return " ".join(UNKNOWN_WORD if (word := text_of(item)) is None else word for item in value)
    return None


def argument_of(event: Event, key: str) -> tuple[Value, ...]:
    """Return the argument under a rule's key, `0` or `0|args|command`: empty where it is not given."""
    position, *keywords = key.split("|")
    if int(position) < len(event.arguments):
        return (event.arguments[int(position)],)
    return next((found for keyword in keywords if (found := keyword_of(event, keyword))), ())


def keyword_of(event: Event, name: str) -> tuple[Value, ...]:
    """Return the keyword argument of a name: empty where it is not given."""
    return next(((value,) for key, value in event.keywords if key == name), ())


def is_origin(name: str, wanted: Sequence[str]) -> bool:
    """Say whether something of this name, e.g. `base64.b64decode().decode()`, comes from one of the wanted names."""
    name = name.removeprefix("builtins.")
    return any(_begins(name, one.removeprefix("builtins.")) for one in wanted)


def is_within(inner: Span, outer: Span) -> bool:
    """Say whether one place lies inside another."""
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _begins(name: str, wanted: str) -> bool:
    if wanted.endswith("*"):
        return name.startswith(wanted[:-1])
    return name.startswith(wanted) and (len(name) == len(wanted) or name[len(wanted)] in ".([")


def _equals(wanted: str | int | float | bool, value: Value) -> bool:
    """Compare a rule's literal; a boolean asks for the truth of a literal, as the called function would."""
    if isinstance(value, (Ref, Unknown)) or value is None:
        return False
    if isinstance(wanted, bool):
        return isinstance(value, (bool, int, float, str)) and bool(value) is wanted
    return not isinstance(value, (bool, tuple)) and type(value) is type(wanted) and value == wanted
