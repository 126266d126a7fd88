"""The parts of records and journals as JSON and back: entries, who acted, ranges and anchors. No disk here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from plugseal.encode.merkle import CompactRange
from plugseal.errors import StateError
from plugseal.model.trust import Actor
from plugseal.trust import fields
from plugseal.trust.plain import Json, parse_plain
from plugseal.trust.trail import Anchor, Entry

ACTIONS: Final = frozenset("trusted enabled disabled revoked reloaded rechecked forgotten".split())
_ENTRY_KEYS: Final = ("n", "at", "action", "by", "content", "capability", "generation", "rules", "note")


class Kept(Mapping[str, Json]):
    """An entry of the reviews as it stands in a record, parsed when somebody looks at it."""

    __slots__ = ("_entry", "_line")

    def __init__(self, line: bytes) -> None:
        """Hold an entry's bytes."""
        self._line = line
        self._entry: Entry | None = None

    def __getitem__(self, key: str) -> Json:
        return self._parsed()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parsed())

    def __len__(self) -> int:
        return len(self._parsed())

    def _parsed(self) -> Entry:
        if self._entry is None:
            self._entry = parse_entry(parse_plain(self._line))
        return self._entry


def anchors_json(anchors: Sequence[Anchor]) -> list[Json]:
    """Return anchors as JSON."""
    return [[range_json(anchor.then), range_json(anchor.since)] for anchor in anchors]


def parse_anchors(value: Json) -> tuple[Anchor, ...]:
    """Return anchors.

    Raises:
        StateError: they are malformed.
    """
    return tuple(_parse_anchor(anchor) for anchor in fields.rows(value))


def range_json(found: CompactRange) -> list[Json]:
    """Return a compact range as JSON."""
    return [found.begin, found.end, [digest.hex() for digest in found.hashes]]


def parse_range(value: Json) -> CompactRange:
    """Return a compact range.

    Raises:
        StateError: it is malformed.
    """
    begin, end, hashes = exactly(value, 3)
    digests = tuple(bytes.fromhex(fields.digest(item)) for item in fields.rows(hashes))
    try:
        return CompactRange(fields.number(begin), fields.number(end), digests)
    except ValueError as error:
        raise StateError("is not what plugseal writes: a range without its hashes") from error


def parse_entry(value: Json) -> Entry:
    """Return one entry of the reviews.

    Raises:
        StateError: it is malformed.
    """
    entry = fields.table(value, _ENTRY_KEYS)
    fields.number(entry["n"])
    fields.moment(entry["at"])
    if fields.text(entry["action"]) not in ACTIONS:
        raise StateError("is not what plugseal writes: an entry of an unknown action")
    parse_actor(entry["by"])
    for key in ("content", "capability", "rules"):
        if entry[key] is not None:
            fields.digest(entry[key])
    fields.number(entry["generation"])
    fields.text(entry["note"])
    return entry


def parse_actor(value: Json) -> Actor:
    """Return who acted.

    Raises:
        StateError: it is malformed.
    """
    user, uid, terminal, parents = exactly(value, 4)
    return Actor(
        fields.text(user),
        fields.number(uid),
        fields.optional_text(terminal),
        tuple(fields.text(parent) for parent in fields.rows(parents)),
    )


def actor_json(by: Actor) -> Json:
    """Return who acted as JSON."""
    return [by.user, by.uid, by.terminal, list(by.parents)]


def exactly(value: Json, count: int) -> list[Json]:
    """Return a list of so many parts.

    Raises:
        StateError: it is anything else.
    """
    found = fields.rows(value)
    if len(found) != count:
        raise StateError(f"is not what plugseal writes: {len(found)} parts where {count} belong")
    return found


def _parse_anchor(value: Json) -> Anchor:
    then, since = exactly(value, 2)
    return Anchor(parse_range(then), parse_range(since))
