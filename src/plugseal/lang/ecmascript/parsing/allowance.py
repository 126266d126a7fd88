"""How much work one file may take, however often it is read: what an earlier reading took, a later one lacks.

All of it is counted in steps and bytes, so that it depends on the bytes alone.
"""

from __future__ import annotations

from typing import Final

from plugseal.lang.ecmascript.parsing.parse import MAX_LOST_CALLS, allowed_calls

_BASE_FUEL: Final = 20_000
_FUEL_PER_BYTE: Final = 0.25
_MAX_FUEL: Final = 60_000
"""However large a file is: a second's work. Bundles take most of it to find that they lead into themselves."""


class Allowance:
    """What is left of it."""

    def __init__(self, size: int) -> None:
        """Begin a file of a size in bytes."""
        self.calls = allowed_calls(size)
        """Calls of the parser's progress function: once something was not understood, no more than `lost`."""
        self.fuel = min(_MAX_FUEL, _BASE_FUEL + int(size * _FUEL_PER_BYTE))
        """Steps of the resolver."""
        self.lost = MAX_LOST_CALLS
        """Calls for all tries at what is not understood."""

    def take_calls(self, calls: int) -> None:
        """Count what the parser took to understand the text."""
        self.calls = max(self.calls - calls, 0)

    def lose_calls(self, calls: int) -> None:
        """Count what it took for a text that is not understood, or to find a grammar for such a one."""
        self.lost = max(self.lost - calls, 0)
        self.calls = min(self.calls, self.lost)

    def take_fuel(self, left: int, *, is_spent: bool) -> None:
        """Count what the resolver left of what there was; nothing where it was not enough."""
        self.fuel = 0 if is_spent else max(left, 0)
