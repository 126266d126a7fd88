"""Constants folded out of expressions, in every language: text that is known in full, or with holes where it is not."""

from __future__ import annotations

from typing import Final

from plugseal.lang.facts import UNKNOWN, Ref, Value

HOLE: Final = "\x00"
"""Stands in text for a stretch that is not known; in a `Text` only where `whole` is false."""
STAND_IN: Final = "_PLUGSEAL_HOLE_"
"""Stands for a hole in a text that a reader of another language is given: a name there, or a part of one."""
_VARIABLES: Final = {"shell": "${_}", "batch": "%_%", "PowerShell": "$_"}
MAX_TEXT: Final = 65_536
"""Characters of one text; what would be longer is not known."""
MAX_ITEMS: Final = 4_096
"""Items of one sequence; those behind are not looked at."""


def filled(text: str, language: str) -> str:
    """Return a text with holes as the reader of its language can read it: a shell's are variables."""
    return text.replace(HOLE, _VARIABLES.get(language, STAND_IN)) if HOLE in text else text


class Text:
    """Text, bytes or a number, known in full or (text only) with holes."""

    __slots__ = ("value", "whole")

    def __init__(self, value: str | bytes | int | float | None, whole: bool = True) -> None:
        self.value = value
        self.whole = whole


def whole(value: Value) -> Value:
    """Return a value without text that is known only in part."""
    if isinstance(value, str) and HOLE in value:
        return UNKNOWN
    if isinstance(value, tuple) and not isinstance(value, Ref) and value is not UNKNOWN:
        return tuple(whole(item) for item in value)
    return value
