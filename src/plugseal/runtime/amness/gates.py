"""Finish gates: checks that must pass before the agent may finish, and the rule that keeps one from trapping it.

A gate may reject one task a limited number of times; then the run finishes all the same, with a warning. The count
begins anew when the task's text changes. A gate that throws is a warning and counts as a pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from plugseal.runtime.amness.description import MAX_REJECTIONS, Item
from plugseal.runtime.amness.hooks import REJECTED
from plugseal.runtime.amness.loaded import AskedOf, Loaded, Plugins, failure
from plugseal.runtime.amness.protocol import WORK_SECONDS, Asked

_FIELDS: Final = ("summary", "task", "changed", "testsAfterLastEdit", "notes")


@dataclass
class GateOutcome:
    """Whether the agent may finish."""

    rejected: str = ""
    """What the agent is told; empty where it may finish."""
    warnings: list[str] = field(default_factory=list)


class Gates:
    """Check the gates of all plugins; counts how often each rejected the same task."""

    def __init__(self) -> None:
        self._task = ""
        self._rejections: dict[tuple[str, str], int] = {}

    def check(self, plugins: Plugins, ctx: Mapping[str, Any], *, cwd: str, asked: AskedOf) -> GateOutcome:
        """Ask each gate in order; the first that rejects ends it.

        Args:
            plugins: in the order in which they were loaded.
            ctx: what is known of the run: `summary task changed testsAfterLastEdit notes`.
            cwd: the working folder.
            asked: who answers what a gate asks for.

        Raises:
            RefusedError: a plugin's permission was taken.
        """
        task = str(ctx.get("task", ""))
        if task != self._task:
            self._task = task
            self._rejections.clear()
        outcome = GateOutcome()
        known = {key: ctx[key] for key in _FIELDS if ctx.get(key) is not None}
        given = {"summary": "", "task": task, "changed": [], "notes": "", **known, "cwd": cwd}
        for plugin in plugins:
            for gate in plugin.description.gates:
                self._ask(outcome, plugin, gate, given, asked(plugin, f"gates.{gate.name}"))
                if outcome.rejected:
                    return outcome
        return outcome

    def _ask(self, outcome: GateOutcome, plugin: Loaded, gate: Item, ctx: Mapping[str, Any], asked: Asked) -> None:
        key = (plugin.name, gate.name)
        before = self._rejections.get(key, 0)
        params = {"index": gate.index, "ctx": {**ctx, "rejections": before}}
        answer = plugin.process.call("gate", params, seconds=WORK_SECONDS, asked=asked)
        label = f'gate "{gate.name}" (plugin {plugin.name})'
        if answer.failed:
            outcome.warnings.append(failure(plugin, f'its gate "{gate.name}"', answer))
            return
        passes, findings = _verdict(answer.value)
        if passes:
            outcome.warnings += [f"{label}: {finding}" for finding in findings]
            return
        if before >= _most(gate):
            outcome.warnings.append(f"finishing despite {label}: {'; '.join(findings)}")
            return
        self._rejections[key] = before + 1
        listed = "".join(f"\n- {finding}" for finding in findings)
        outcome.rejected = REJECTED.format(f"{label} found problems:{listed}")


def _verdict(value: object) -> tuple[bool, list[str]]:
    """Return pass and findings as the host script judged them; anything else is no verdict, and so no pass."""
    if not isinstance(value, dict) or not isinstance(value.get("findings"), list):
        return False, ["gave no verdict"]
    return value.get("pass") is True, [str(finding) for finding in value["findings"]]


def _most(gate: Item) -> int:
    most = gate.data.get("maxRejections")
    if isinstance(most, bool) or not isinstance(most, int | float) or most < 0:
        return MAX_REJECTIONS
    return int(most)
