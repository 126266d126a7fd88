"""Everything that a person must see before they trust a plugin. Pure data."""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.model.change import Change
from plugseal.model.look import Look
from plugseal.model.reach import Reached
from plugseal.model.receipt import HostReceipt
from plugseal.model.trust import Standing, TrustStatus
from plugseal.records import NamedTuple


class Ability(NamedTuple):
    """One capability with its object, and all that is known of it."""

    capability: str
    object: str | None
    """None where it is not known."""
    triggers: tuple[str, ...]
    """When, sorted."""
    channels: tuple[str, ...]
    """Where it was seen, sorted: `code`, `manifest`, …"""
    places: tuple[tuple[str, int], ...]
    """(file relative to the plugin's root, line) of its evidence, sorted; line 0 for the whole file."""
    declared: bool | None
    """Whether the plugin declares it; None where its format has nothing to declare."""
    reached: tuple[Reached, str, int] | None = None
    """The shortest way to one of its places, and that place as in `places`; None where none is known."""


class Review(NamedTuple):
    """One plugin, ready to be judged by a person."""

    look: Look
    status: TrustStatus
    standing: Standing | None
    """As recorded; None where it was never trusted."""
    abilities: tuple[Ability, ...]
    change: Change | None
    """Since it was trusted; None where it never was, or where the trusted copy is not at hand."""
    change_unknown: str = ""
    """Why the change can't be told, where that is so."""
    hosts: tuple[HostReceipt, ...] = ()
    """What hosts with receipts of their own call it."""


def first_places(places: Iterable[tuple[str, int]], count: int) -> tuple[tuple[str, int], ...]:
    """Return a few places, the first of each file before further ones of the same."""
    ordered = sorted(set(places))
    firsts = {file: (file, line) for file, line in reversed(ordered)}
    kept = [place for place in ordered if place in firsts.values()]
    return tuple([*kept, *(place for place in ordered if place not in kept)][:count])
