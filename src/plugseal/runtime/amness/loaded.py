"""A plugin that is loaded, as the parts that call it see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from plugseal.runtime.amness.description import Description
from plugseal.runtime.amness.protocol import CALL_SECONDS, Answer, Asked
from plugseal.runtime.amness.reviewed import Reviewed


class Calls(Protocol):
    """Whoever calls a function of a plugin."""

    def call(
        self, method: str, params: Mapping[str, object], *, seconds: float = CALL_SECONDS, asked: Asked | None = None
    ) -> Answer:
        """Call one function and return what it answered; raises `RefusedError` where the permission was taken."""
        ...


@dataclass(frozen=True)
class Loaded:
    """One plugin whose process runs."""

    id: str
    """Of its record."""
    file: str
    """Its name in the folder of plugins."""
    scope: str
    """`user` or `project`."""
    description: Description
    process: Calls
    reviewed: Mapping[str, Reviewed] = field(default_factory=dict)
    """What each of its parts may ask for, by what it contributes, e.g. `commands.lint`."""

    @property
    def name(self) -> str:
        """Return its name."""
        return self.description.name

    def has(self, function: str) -> bool:
        """Say whether it contributes a function, e.g. `policy` or `hooks.Stop`."""
        return function in self.description.functions


AskedOf = Callable[[Loaded, str], Asked]
"""From a plugin and what it contributes (`commands.lint`) to whoever answers what that asks for."""
Plugins = Sequence[Loaded]
"""In the order in which they were loaded."""


def failure(plugin: Loaded, what: str, answer: Answer) -> str:
    """Return the warning about a function that failed."""
    return f"plugin {plugin.name}: {what} failed: {answer.failed}"
