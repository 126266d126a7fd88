"""What one expression of a script may be, and what those who ask for it ask of the values of the whole script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from plugseal.lang.scripts.parse import Node


class Value(NamedTuple):
    """What an expression may be."""

    text: str | None = None
    """With holes; None where it is no text."""
    name: str = ""
    """A name with dots; a call ends with `()`."""
    is_followed: bool = False
    """Whether it came through a variable or was put together."""


NOTHING: Final = Value()


class Evaluation(Protocol):
    """The values of one script, as `values.py` finds them."""

    def value(self, node: Node, depth: int = 0) -> Value:
        """Return what an expression may be."""

    def last_given(self, node: Node) -> Node | None:
        """Return what a variable was given last before a place, None for none or where that leads in a circle."""
