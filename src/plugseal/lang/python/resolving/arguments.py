"""The arguments of one call, resolved when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.folded import HOLE, Text
from plugseal.lang.python.resolving.combine import text_or_hole
from plugseal.lang.python.resolving.texts import plain
from plugseal.lang.python.resolving.values import Arguments, Made, Values

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver


class Given:
    """The arguments of one call, resolved when asked for."""

    __slots__ = ("arguments", "receiver", "resolver")

    def __init__(self, resolver: Resolver, arguments: Arguments, receiver: Made | None) -> None:
        self.resolver = resolver
        self.arguments = arguments
        self.receiver = receiver

    def values(self, position: int, *keywords: str) -> Values:
        """Return what an argument may be; empty where it is missing or unknown."""
        if 0 <= position < len(self.arguments.positional):
            return self.resolver.value(*self.arguments.positional[position])
        if position == 0 and self.arguments.bare:
            return self.arguments.bare
        for keyword in keywords:
            found = self.arguments.keyword(keyword)
            if found is not None:
                return self.resolver.value(*found)
        return ()

    def has(self, position: int) -> bool:
        """Say whether a positional argument was given."""
        return position < len(self.arguments.positional)

    def plain(self, position: int, *keywords: str) -> str | bytes | int | float | None:
        """Return the constant that an argument folds to."""
        return plain(self.values(position, *keywords))

    def texts(self, position: int, *keywords: str) -> list[str]:
        """Return every text that an argument may be."""
        values = self.values(position, *keywords)
        return [v.value for v in values if isinstance(v, Text) and v.whole and isinstance(v.value, str)]

    def last_texts(self) -> list[str]:
        """Return every text that the last positional argument may be."""
        return self.texts(len(self.arguments.positional) - 1)

    def plains(self, position: int, *keywords: str) -> list[str | bytes | int | float | None]:
        """Return every constant that an argument folds to."""
        return [v.value for v in self.values(position, *keywords) if isinstance(v, Text) and v.whole]

    def paths(self, position: int) -> list[Text]:
        """Return every text that an argument may be, holes included; one hole where nothing is known."""
        return [text_or_hole(value) for value in self.values(position)] or [Text(HOLE, whole=False)]

    def every_path(self) -> list[list[Text]]:
        """Return the same of each positional argument."""
        return [self.paths(at) for at in range(len(self.arguments.positional))]

    def after(self, count: int) -> Arguments:
        """Return the arguments without the first ones."""
        arguments = self.arguments
        return Arguments(arguments.positional[count:], arguments.keywords, arguments.rest)
