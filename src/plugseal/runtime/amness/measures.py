"""Numbers and scores: metrics of an eval's run, and graders of sessions that happened."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from plugseal.records import NamedTuple
from plugseal.runtime.amness.loaded import Plugins, failure


class Measured(NamedTuple):
    """What was measured, by `plugin:name`, and what was left out."""

    values: dict[str, float]
    warnings: tuple[str, ...]


class Score(NamedTuple):
    """What a grader gave one session."""

    grader: str
    """`plugin:name`."""
    score: float
    note: str


def measure(plugins: Plugins, ctx: Mapping[str, Any]) -> Measured:
    """Return every metric of one run; one that throws or is no finite number is left out.

    Args:
        plugins: in the order in which they were loaded.
        ctx: `case row outcome dir`.

    Raises:
        RefusedError: a plugin's permission was taken.
    """
    values, warnings = {}, []
    for plugin in plugins:
        for name in plugin.description.names("metrics"):
            answer = plugin.process.call("metric", {"name": name, "ctx": dict(ctx)})
            label = f"{plugin.name}:{name}"
            if answer.failed:
                warnings.append(failure(plugin, f"its metric `{name}`", answer))
            elif _is_number(answer.value):
                values[label] = answer.value
            else:
                warnings.append(f"plugin {plugin.name}: its metric `{name}` is no finite number: left out")
    return Measured(values, tuple(warnings))


def grade(plugins: Plugins, session: Mapping[str, Any]) -> tuple[list[Score], list[str]]:
    """Return the scores of one session, and warnings; nothing from a grader skips the session for it.

    Raises:
        RefusedError: a plugin's permission was taken.
    """
    scores, warnings = [], []
    for plugin in plugins:
        for name in plugin.description.names("graders"):
            answer = plugin.process.call("grader", {"name": name, "session": dict(session)})
            if answer.failed:
                warnings.append(failure(plugin, f"its grader `{name}`", answer))
                continue
            if answer.value is None:
                continue
            score, note = _score(answer.value)
            if score is None:
                warnings.append(f"plugin {plugin.name}: its grader `{name}` gave no score from 0 to 1: left out")
            else:
                scores.append(Score(f"{plugin.name}:{name}", score, note))
    return scores, warnings


def _score(value: object) -> tuple[float | None, str]:
    note = ""
    if isinstance(value, Mapping):
        said = value.get("note")
        note = said if isinstance(said, str) else ""
        value = value.get("score")
    if isinstance(value, bool):
        return float(value), note
    if isinstance(value, int | float) and _is_number(value) and 0 <= value <= 1:
        return float(value), note
    return None, note


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
