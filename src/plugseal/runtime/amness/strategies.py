"""Loop strategies: what may be called in a turn of the model, and the two that Amness brings itself.

A strategy limits tools and adds words; it replaces nothing of the loop. The limit holds when a tool is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from plugseal.errors import UsageError
from plugseal.runtime.amness.hooks import HookOutcome
from plugseal.runtime.amness.tools import NOT_IN_PHASE

EXPLORED_STEPS: Final = 6
"""Steps in which `explore-then-act` allows tools that only read."""
_PLAN: Final = "Write a numbered plan for this task first. Call no tool in this turn."
_CARRY_OUT: Final = "Now carry out the plan, step by step."

Strategy = Callable[[Mapping[str, Any], Sequence[str]], HookOutcome]
"""From the payload of `PreModel` and the tools that only read to what it says."""


def _plan_first(payload: Mapping[str, Any], reading: Sequence[str]) -> HookOutcome:
    del reading
    if payload.get("step") != 0:
        return HookOutcome()
    return HookOutcome(context=_PLAN, tools=(), then=_CARRY_OUT)


def _explore_then_act(payload: Mapping[str, Any], reading: Sequence[str]) -> HookOutcome:
    step = payload.get("step")
    is_early = isinstance(step, int) and step < EXPLORED_STEPS
    return HookOutcome(tools=tuple(reading) if is_early else None)


STRATEGIES: Final[Mapping[str, Strategy]] = {"plan-first": _plan_first, "explore-then-act": _explore_then_act}


def find_strategy(name: str) -> Strategy | None:
    """Return a strategy by its name; None for `off`.

    Raises:
        UsageError: there is none of that name.
    """
    if name in ("", "off"):
        return None
    if name not in STRATEGIES:
        raise UsageError(f"there is no strategy `{name}`", hint=f"one of {', '.join([*STRATEGIES, 'off'])}")
    return STRATEGIES[name]


class Turn:
    """What the present turn of the model allows."""

    def __init__(self) -> None:
        self.then = ""
        """Goes to the model if it answers with text alone; taken once."""
        self._tools: tuple[str, ...] | None = None

    def begin(self, outcome: HookOutcome) -> None:
        """Begin a turn with what `PreModel` said."""
        self._tools, self.then = outcome.tools, outcome.then

    def refusal(self, tool: str) -> str:
        """Return what a call of a tool gets that this turn does not allow; empty where it does."""
        return "" if self._tools is None or tool in self._tools else NOT_IN_PHASE.format(tool)

    def after_text(self) -> str:
        """Return the message that follows an answer without a tool call; empty where that ends the run."""
        then, self.then = self.then, ""
        return then


def add_strategy(outcome: HookOutcome, said: HookOutcome) -> HookOutcome:
    """Return what hooks said together with what a strategy of Amness says: the narrower list of tools holds."""
    if said.tools is not None:
        outcome.tools = (
            said.tools if outcome.tools is None else tuple(name for name in outcome.tools if name in said.tools)
        )
    outcome.then = outcome.then or said.then
    outcome.context = "\n".join(text for text in (said.context, outcome.context) if text)
    return outcome
