"""What the tables and the rules together say of one qualified name, in every language that resolves names."""

from __future__ import annotations

from typing import Final

from plugseal.lang.judging.table_rule import Rule
from plugseal.records import NamedTuple


class Verdict(NamedTuple):
    """What is known of one qualified name."""

    rules: tuple[Rule, ...]
    is_wanted: bool
    """Whether some rule wants to see its calls."""
    is_read: bool
    """Whether some rule wants to see its reads."""
    is_local: bool
    """Whether it may live in another file of the tree."""
    is_mere_read: bool
    """Whether reading it is the act itself, so that it counts within a longer chain too."""
    matters: bool = True


SILENT: Final = Verdict((), False, False, False, False, False)
"""Of a name that nobody asks for and that can do nothing."""
