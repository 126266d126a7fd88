"""Values as they stand in a script's text: what can be told without running it, and where it can't be told.

A value is `unknown` where anything computes it. An object or list is `whole` where nothing else can add to it: no
spread, no computed key, no name by which other code of the file could reach it.
"""

from __future__ import annotations

from enum import Enum

from plugseal.model.location import WHOLE_FILE, Span
from plugseal.records import NamedTuple


class Kind(str, Enum):
    """What a value is."""

    OBJECT = "object"
    LIST = "list"
    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    NULL = "null"
    FUNCTION = "function"
    UNKNOWN = "unknown"


class Static(NamedTuple):
    """One value."""

    kind: Kind
    span: Span = WHOLE_FILE
    text: str = ""
    """Of a text its characters, of a number or boolean its spelling."""
    fields: tuple[tuple[str, Static], ...] = ()
    """Of an object: each key once, the last of its values."""
    items: tuple[Static, ...] = ()
    """Of a list."""
    whole: bool = True
    """Whether this is all of an object or list."""
    strings: tuple[str, ...] = ()
    """Of a function: the texts that stand in it."""
    asks: tuple[tuple[str, str | None], ...] = ()
    """Of a function: what it takes of its first parameter, each member once with the text that it is called with, or
    None where that can't be told. The member `*` stands for all of them: the parameter goes elsewhere."""
    result: tuple[Static, ...] = ()
    """Of a function that does nothing but return: what it returns. Empty where that can't be told."""

    def get(self, key: str) -> Static | None:
        """Return the value of an object's key, None where it has none."""
        return dict(self.fields).get(key)


class Exported(NamedTuple):
    """What a script exports as its default."""

    value: Static | None
    """None where there is no default export, or where the file could not be read."""
    reason: str = ""
    """Why it is not known; empty where it is."""
    is_certain: bool = False
    """Whether the reason is a fact of the text: that there is no default export, or more than one."""
