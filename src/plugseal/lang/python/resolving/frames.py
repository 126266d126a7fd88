"""The frames of one file: scopes with the bindings of a function and a memory of their own, made for one call each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.python.collecting.scope import FUNCTION, Scope
from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.values import Values

_MAX_PER_FILE: Final = 400


class Exits(NamedTuple):
    """What a function gives back, by the way it is written."""

    is_telling: bool
    """Whether it may depend on a parameter."""
    names: set[str]
    """The names that it is made of, on the way too."""


class Frames:
    """The frames of one file."""

    __slots__ = ("_made", "depth", "entered", "exits", "is_answering", "left", "looked_into")

    def __init__(self) -> None:
        self._made: list[Scope] = []
        self.left = _MAX_PER_FILE
        self.depth = 0
        """How many functions are being looked into."""
        self.entered: dict[Scope, int] = {}
        """How often a function is being looked at just now."""
        self.is_answering = False
        """Whether a method that Python calls by itself is being looked into; what it asks may lead back to another."""
        self.looked_into: set[Scope] = set()
        """Functions that are being evaluated for one call's arguments."""
        self.exits: dict[Scope, Exits] = {}
        """What is known of the exits of functions."""

    def make(self, like: Scope, parent: Scope | None, known: dict[str, Values]) -> Scope:
        """Return a new frame, in which some names are known."""
        frame = Scope(FUNCTION, like.name, like.node, parent)
        frame.known.update(known)
        frame.memory = {}
        self._made.append(frame)
        return frame

    def release(self) -> None:
        """Drop everything, as `Resolver.release` does."""
        for scope in self._made:
            scope.release()
        self._made.clear()
        self.exits.clear()
        self.entered.clear()
