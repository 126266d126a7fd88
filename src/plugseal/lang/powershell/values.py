"""What an expression of PowerShell may be worth: a value as far as it is known, and how it came to be."""

from __future__ import annotations

from typing import Final, TypeAlias

from plugseal.lang.folded import HOLE
from plugseal.lang.powershell.tree import Node
from plugseal.records import NamedTuple

RESOLVED: Final = 1
"""Came through a variable."""
MADE: Final = 2
"""Was put together from pieces."""
DECODED: Final = 4
"""Was decoded from a text."""
FETCHED: Final = 8
"""Came from the network."""
UNSURE: Final = 16
"""One of several."""
ENVIRONMENT: Final = 32
"""Is the environment itself."""
CLIPBOARD: Final = 64
MAX_TEXT: Final = 65_536
MAX_LIST: Final = 4_096
MAX_ALTERNATIVES: Final = 4


class TypeName(NamedTuple):
    """A type itself."""

    type: str


class Made(NamedTuple):
    """An object of a type."""

    type: str
    given: tuple[Item, ...] = ()
    """What it was made of."""


class Block(NamedTuple):
    """A script block."""

    node: Node


class Table(NamedTuple):
    """A hash table."""

    pairs: tuple[tuple[str, Item], ...]

    def get(self, name: str) -> Item | None:
        """Return what stands under a name."""
        return next((value for key, value in self.pairs if key == name), None)


class Method(NamedTuple):
    """A method that is named and not yet called."""

    target: Item
    name: str


class Many(NamedTuple):
    """A list."""

    items: tuple[Item, ...]


Value: TypeAlias = "str | int | TypeName | Made | Block | Table | Method | Many | None"


class Item(NamedTuple):
    """One value that an expression may have; text that is not known is a hole."""

    value: Value
    flags: int = 0
    host: str | None = None
    """Where it was fetched from."""

    def marked(self, flags: int) -> Item:
        """Return the same with more said of how it came to be."""
        return self if self.flags & flags == flags else self._replace(flags=self.flags | flags)


UNKNOWN: Final = Item(HOLE)


def text_of(item: Item) -> str:
    """Return a value as text; what is not known is a hole."""
    value = item.value
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, int):
        return str(value)
    if value is None:
        return ""
    if isinstance(value, Many):
        return " ".join(text_of(one) for one in value.items[:256])[:MAX_TEXT]
    if isinstance(value, Made) and value.type in ("uri", "io.fileinfo", "io.directoryinfo") and value.given:
        return text_of(value.given[0])
    return HOLE


def items_of(item: Item) -> tuple[Item, ...] | None:
    """Return the elements of a list, of one value itself; None where nothing is known of it."""
    if isinstance(item.value, Many):
        return item.value.items
    return None if item.value == HOLE else (item,)


def number_of(item: Item) -> int | None:
    """Return a whole number, None where it is none."""
    value = item.value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str) and len(value) == 1 and not value.isdigit():
        return ord(value) if value != HOLE else None
    if isinstance(value, str):
        return parse_number(value)
    return None


def parse_number(text: str) -> int | None:
    """Return the whole number that a literal says."""
    text = text.strip().lower().rstrip("lu")
    if len(text) > 18:
        return None
    try:
        return int(text, 0) if text.startswith(("0x", "0b", "-0x")) else int(text, 10)
    except ValueError:
        return None


def flags_of(*items: Item) -> int:
    """Return everything that is said of some values."""
    found = 0
    for item in items:
        found |= item.flags
        if isinstance(item.value, Many):
            for inner in item.value.items[:64]:
                found |= inner.flags
    return found


def host_of(*items: Item) -> str | None:
    """Return where some values came from."""
    return next((item.host for item in items if item.host), None)


def cut(text: str, *items: Item, flags: int = 0) -> Item:
    """Return a text made of others; one that is too long is unknown."""
    value = text if len(text) <= MAX_TEXT else HOLE
    return Item(value, flags_of(*items) | flags, host_of(*items))


def is_sensitive(item: Item) -> bool:
    """Say whether a value is one that nobody should send off."""
    return bool(item.flags & (ENVIRONMENT | CLIPBOARD))
