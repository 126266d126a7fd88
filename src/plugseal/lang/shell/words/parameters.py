"""What a function is given by the calls of it that stand in the script: `f() { cat "$1"; }; f notes.txt`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.shell.words.alternatives import few
from plugseal.lang.shell.words.marks import RESOLVED, UNSURE
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    from plugseal.lang.shell.parsing.parse import Node
    from plugseal.lang.shell.parsing.script import Command
    from plugseal.lang.shell.words.folding import Folding

_MOVES: Final = lazy(rb"\bshift\b|\bset[ \t]+--?[ \t]|\bgetopts\b")
"""What makes the words of a function others than it was given."""
_SEVERAL: Final = frozenset(("simple_expansion", "expansion", "command_substitution"))
"""Words that may become several or none, where they stand without quotes."""
_MANY: Final = ('"$@"', '"${', '"$*"')
_MAX_CALLS: Final = 64
_ANY: Final = (0, -1)
Values = list[tuple[str, int]]


class Parameters:
    """The arguments of one script's functions."""

    def __init__(self, folder: Folding) -> None:
        self._folder = folder
        self._calls: dict[str, list[Command]] | None = None
        self._moved: dict[str, bool] = {}
        self._values: dict[tuple[str, int], Values | None] = {}
        self.told: Mapping[str, Set[int]] = {}
        """Arguments that functions run as lines, told where they are called; `ALL` and `EACH` of `lines_given` too."""

    def value(self, name: str, block: int, depth: int) -> Values | None:
        """Return what the calls in the script give a function as its argument of that number; None where none tells."""
        script = self._folder.script
        function = script.blocks[block].function
        if not name.isdigit() or function not in script.functions:
            return None
        key = (function, int(name))
        if not {key[1], *_ANY}.isdisjoint(self.told.get(function, ())):
            return None
        if key not in self._values:
            self._values[key] = None  # A function that calls itself gives itself what it was given.
            self._values[key] = None if self._moves(function) else self._gathered(*key, depth)
        return self._values[key]

    def _moves(self, function: str) -> bool:
        known = self._moved.get(function)
        if known is None:
            node = self._folder.script.functions[function]
            data = self._folder.source.data
            known = self._moved[function] = _MOVES.search(data, node.start_byte, node.end_byte) is not None
        return known

    def _gathered(self, function: str, number: int, depth: int) -> Values | None:
        if self._calls is None:
            self._calls = {}
            for command in self._folder.script.commands:
                if command.first in self._folder.script.functions:
                    self._calls.setdefault(command.first, []).append(command)
        calls = self._calls.get(function, [])
        if not calls or len(calls) > _MAX_CALLS:
            return None
        found: dict[str, int] = {}
        for command in calls:
            for text, flags in self._given(command, number, depth):
                found[text] = found.get(text, 0) | flags
        found = dict(few(list(found.items())))
        more = RESOLVED | (UNSURE if len(found) > 1 else 0)
        return [(text, flags | more) for text, flags in found.items()]

    def _given(self, command: Command, number: int, depth: int) -> Values:
        """Return what one call gives."""
        words = command.arguments
        if any(self._is_several(word) for word in words[:number]):
            return [(HOLE, 0)]
        if len(words) < number:
            return [("", 0)]
        return self._folder.fold(words[number - 1], command.block, depth + 1)

    def _is_several(self, word: Node) -> bool:
        """Say whether a word may become several or none, so that nobody knows the place of those behind it."""
        if word.type in _SEVERAL:
            return True
        text = self._folder.source.of(word)
        return "@" in text and text.startswith(_MANY)
