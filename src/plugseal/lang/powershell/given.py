"""The words of one command, by parameter and by place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from plugseal.lang.powershell.tree import Node
    from plugseal.lang.powershell.values import Item


class Given(NamedTuple):
    """The words of a command."""

    named: dict[str, Item]
    """By parameter, as it is written, in small letters."""
    positional: list[Item]
    words: list[str]
    """As a program would be given them."""
    others: dict[str, list[Item]]
    """What else a parameter or a place may be, by the same keys as `nodes`."""
    nodes: dict[str, Node]
