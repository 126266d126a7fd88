"""One rule of a table: what a name can do, and where among its arguments the object stands."""

from __future__ import annotations

from typing import Any, Final

from plugseal.records import NamedTuple

_KINDS: Final = {
    "process": "program",
    "net": "host",
    "fs": "path",
    "env": "variable",
    "credentials": "path",
}


class Place(NamedTuple):
    """Where an object or a switch stands among a call's arguments."""

    position: int
    """0-based, -1 where only keywords are meant."""
    keywords: tuple[str, ...]


class Condition(NamedTuple):
    """An argument that must have, or must not have, a value."""

    place: Place
    value: object


class Rule(NamedTuple):
    """One thing that a name can do."""

    capability: str
    object: Place | None
    of_receiver: bool
    """Whether `object` stands among the arguments of the call that made the receiver."""
    literal: str | None
    """An object that is always the same."""
    kind: str
    use: str
    """`any`, `call` or `reference`."""
    possible: bool
    when: tuple[Condition, ...]
    unless: tuple[Condition, ...]
    mode: Place | None
    is_needed: bool = False
    """Whether it only holds where the object is given."""
    reads_on: bool = False
    """Whether what is read, from memory too, may name further files."""
    looks: bool = False
    """Whether it only asks for a file: whether there is one, how large it is, whose."""
    set_to: Place | None = None
    """Where the value stands that a variable is set to."""
    base: Place | None = None
    """Where, among the arguments of the call that made the receiver, the address stands that a relative one is of."""


def parse_place(text: str) -> Place:
    """Parse `0|args|program`: at most one position, and keywords."""
    position, keywords = -1, []
    for part in str(text).split("|"):
        if part.isdigit():
            position = int(part)
        elif part:
            keywords.append(part)
    return Place(position, tuple(keywords))


def _conditions(table: dict[str, object]) -> tuple[Condition, ...]:
    return tuple(Condition(parse_place(place), value) for place, value in table.items())


def parse_rule(group: dict[str, Any]) -> Rule:  # Any: TOML, turned into ours here
    """Return one `[[api]]` group of a table as a rule."""
    capability = group["capability"]
    where = group.get("object", "")
    of_receiver = where.startswith("self:")
    literal = where[1:] if where.startswith("=") else None
    place = None if not where or literal is not None else parse_place(where.removeprefix("self:"))
    default_kind = "package" if capability == "code.import" else _KINDS.get(capability.partition(".")[0], "text")
    return Rule(
        capability=capability,
        object=place,
        of_receiver=of_receiver,
        literal=literal,
        kind=group.get("kind", default_kind),
        use=group.get("use", "any"),
        possible=group.get("resolution") == "possible",
        when=_conditions(group.get("when", {})),
        unless=_conditions(group.get("unless", {})),
        mode=parse_place(group["mode"]) if "mode" in group else None,
        is_needed=bool(group.get("given", False)),
        reads_on=bool(group.get("reads_on", False)),
        looks=bool(group.get("looks", False)),
        set_to=parse_place(group["set_to"]) if "set_to" in group else None,
        base=parse_place(group["base"]) if "base" in group else None,
    )
