"""How much one file may be asked: steps of resolving, and looks at the way things are written, which cost less.

Both are counted where they are done, so that what is found depends on the bytes alone. No clock is asked: on a slower
machine the same file says the same.
"""

from __future__ import annotations

from typing import Final

_LOOKS_PER_STEP: Final = 8


class Fuel:
    """What is left, and whether it was enough."""

    def __init__(self, fuel: int) -> None:
        self.fuel = fuel
        """Steps that are left; below 0 nothing more is resolved."""
        self.is_spent = False
        """Whether it ran out before everything was looked at."""
        self.is_cut = False
        """Whether something was too deep, or too much, to be resolved."""
        self._looks = 0

    def spend(self, looks: int) -> None:
        """Count looks, of which some cost as much as one step."""
        self._looks += looks
        if self._looks >= _LOOKS_PER_STEP:
            self.fuel -= self._looks // _LOOKS_PER_STEP
            self._looks %= _LOOKS_PER_STEP

    def refuel(self, fuel: int) -> None:
        """Go on, once it ran out, with a little more for what is asked last."""
        self.is_spent = True
        self.fuel = fuel
