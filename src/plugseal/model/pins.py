"""Pins of what a server says of itself: its tools, prompts, resource templates and instructions, whole. Pure data.

A snapshot maps a kind to names, and each name to its definition as canonical JSON: all fields, whatever they are
called. Two snapshots are equal exactly if their digests are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

from plugseal.records import NamedTuple

INSTRUCTIONS: Final = "instructions"
TOOLS: Final = "tools"
PROMPTS: Final = "prompts"
TEMPLATES: Final = "resource templates"
KINDS: Final = (TOOLS, PROMPTS, TEMPLATES, INSTRUCTIONS)
_SINGULAR: Final = {TOOLS: "tool", PROMPTS: "prompt", TEMPLATES: "resource template", INSTRUCTIONS: "instructions"}
_DOMAIN: Final = b"plugseal-pins-v1\x00"
Snapshot = Mapping[str, Mapping[str, str]]


class Pinned(NamedTuple):
    """What is pinned of one component."""

    label: str
    """`kind:name` of the component; hostile text."""
    approved: Snapshot
    """What was there at the first start, or what was approved since."""
    seen: Snapshot
    """What was seen last where that is something else; empty where it is not."""

    @property
    def drifts(self) -> tuple[Drift, ...]:
        """Return how what was seen last differs from what was approved."""
        return tuple(compare_snapshots(self.approved, self.seen)) if self.seen else ()


class Field(NamedTuple):
    """One field that differs; hostile text."""

    path: str
    before: str | None
    """As JSON; None where it was not there."""
    after: str | None


class Drift(NamedTuple):
    """One definition that is not what was approved."""

    kind: str
    name: str
    """Hostile text."""
    what: str
    """`changed`, `new` or `gone`."""
    fields: tuple[Field, ...] = ()

    @property
    def title(self) -> str:
        """Return how it is called, e.g. `tool note`; hostile text."""
        return f"{_SINGULAR.get(self.kind, self.kind)} {self.name}".rstrip()


def build_definition(value: object) -> str:
    """Return a definition as canonical JSON: the same text for the same fields in any order."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def snapshot_digest(snapshot: Snapshot) -> str:
    """Return the digest that an approval names, 64 hex digits."""
    plain = {kind: dict(names) for kind, names in snapshot.items()}
    return sha256(_DOMAIN + json.dumps(plain, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def compare_snapshots(approved: Snapshot, seen: Snapshot) -> Iterator[Drift]:
    """Yield what differs in kinds that both have, in the order of kinds and names."""
    for kind in KINDS:
        if kind not in approved or kind not in seen:
            continue
        before, after = approved[kind], seen[kind]
        for name in sorted({*before, *after}):
            if before.get(name) != after.get(name):
                yield compare_definitions(kind, name, before.get(name), after.get(name))


def compare_definitions(kind: str, name: str, before: str | None, after: str | None) -> Drift:
    """Return how one definition differs, field by field."""
    if before is None or after is None:
        return Drift(kind, name, "new" if before is None else "gone")
    old, new = dict(_fields(json.loads(before))), dict(_fields(json.loads(after)))
    paths = [*old, *(path for path in new if path not in old)]
    differing = tuple(Field(path, old.get(path), new.get(path)) for path in paths if old.get(path) != new.get(path))
    return Drift(kind, name, "changed", differing)


def _fields(value: Any, path: str = "") -> Iterator[tuple[str, str]]:  # Any: JSON
    waiting: list[tuple[str, Any]] = [(path, value)]
    while waiting:
        at, item = waiting.pop()
        if isinstance(item, dict) and item:
            waiting.extend((f"{at}.{key}" if at else key, below) for key, below in item.items())
        elif isinstance(item, list) and item:
            waiting.extend((f"{at}[{number}]", below) for number, below in enumerate(item))
        else:
            yield at, json.dumps(item, ensure_ascii=False)
