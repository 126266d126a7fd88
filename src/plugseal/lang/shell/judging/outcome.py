"""What a list of words means by itself, and what of its place that depends on: plain data, told by `outcomes.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from plugseal.lang.facts import Nested, Value
    from plugseal.lang.programs import Started
    from plugseal.lang.programs.memo import Told


class Place(NamedTuple):
    """What of a command's place its meaning depends on."""

    path: str
    """Of the script, where a word stands for its folder; else empty."""
    is_joined: bool
    """Whether another file is read into this one, so that an unknown name may be a function of that file."""
    depth: int = 0
    """How many folders below the place of the script's start, where a word leads upwards."""


class Outcome(NamedTuple):
    """What one list of words means."""

    told: Told
    facts: tuple[tuple[str, str | None, str], ...]
    """(capability, object, resolution)."""
    events: tuple[tuple[str, str, tuple[Value, ...], str], ...]
    """(kind, name, arguments, resolution)."""
    nested: tuple[Nested, ...]
    builtins: tuple[Started, ...]
    """The shell's own commands that may do something to the shell."""
    is_fed: bool
    """Whether it may run what it reads, or is a file that it runs."""
    is_fetcher: bool
    """Whether it brings files from elsewhere."""
