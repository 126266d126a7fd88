"""Plugins of Amness that answer what a test says, without a process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plugseal.runtime.amness.description import Description, Item
from plugseal.runtime.amness.loaded import Loaded
from plugseal.runtime.amness.protocol import Answer


class Told:
    """A process that answers what it was told to, and remembers its calls."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)
        self.calls: list[tuple[str, Mapping[str, object]]] = []

    def call(self, method: str, params: Mapping[str, object], **_: object) -> Answer:
        self.calls.append((method, params))
        value = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return value if isinstance(value, Answer) else Answer(value)


THROWN = Answer(failed="boom")


def loaded(
    *answers: Any, has: str = "", name: str = "p", fail_closed: bool = False, **lists: tuple[Item, ...]
) -> Loaded:
    description = Description(
        name=name,
        description="",
        fail_closed=fail_closed,
        functions=frozenset(has.split()),
        tools=lists.get("tools", ()),
        commands=lists.get("commands", ()),
        gates=lists.get("gates", ()),
        cases=(),
        variants={},
    )
    return Loaded(name, f"{name}.ts", "project", description, Told(*answers or [None]))
