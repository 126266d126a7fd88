"""Hooks: what plugins say at the eight events of the loop, put together by the documented rules.

Rules
- Plugins are asked in the order in which they were loaded. The first `block` stops all later ones; `context` is joined;
  the last `args` win, and each later hook sees those of the one before.
- A hook that throws is a warning, and with `failClosed` a block. So is an answer that is none of the documented forms.
- `PostModel` changes nothing, `PostToolUse` never blocks, `PreToolUse` adds no context; only `PreModel` limits tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from plugseal.runtime.amness.loaded import Loaded, Plugins, failure
from plugseal.runtime.amness.protocol import Answer

CLIPPED: Final = 4000
"""Characters of a reply and of a tool's result that a hook sees."""
BLOCKED: Final = (
    "BLOCKED BY A HOOK: {}\nDo not retry the same call; choose another approach or explain what you could not do."
)
REJECTED: Final = "REJECTED by a hook: {}"
STOPPED: Final = "stopped: {}"
_NO_BLOCK: Final = frozenset({"PostModel", "PostToolUse"})
_NO_CONTEXT: Final = frozenset({"PostModel", "PreToolUse", "PreCompact", "Stop"})
_WORDS: Final = {"PreToolUse": BLOCKED, "Stop": REJECTED, "PreModel": STOPPED}
_CLIPPED: Final = {"PostModel": "text", "PostToolUse": "result"}
_FAILURES: Final = ("ERROR", "DENIED")


@dataclass
class HookOutcome:
    """What all hooks of one event say together."""

    block: str | None = None
    """The message of the one that stopped it."""
    by: str = ""
    """Name of the plugin that stopped it."""
    context: str = ""
    args: Mapping[str, Any] | None = None
    """Replaces the tool's arguments; None where no hook did."""
    tools: tuple[str, ...] | None = None
    """The only tools that may be called in this turn; None for all."""
    then: str = ""
    """Goes to the model if it answers with text alone in this turn."""
    warnings: list[str] = field(default_factory=list)

    def text(self, event: str) -> str:
        """Return what the agent is told of a block; empty where there is none."""
        return "" if self.block is None else _WORDS.get(event, "{}").format(self.block)


def run_hooks(plugins: Plugins, event: str, payload: Mapping[str, Any], *, cwd: str) -> HookOutcome:
    """Ask every plugin that listens to an event.

    Args:
        plugins: in the order in which they were loaded.
        event: one of `description.EVENTS`.
        payload: its own fields, as the host knows them.
        cwd: the working folder.

    Raises:
        RefusedError: a plugin's permission was taken.
    """
    outcome = HookOutcome()
    now = build_payload(event, payload, cwd=cwd)
    for plugin in plugins:
        if not plugin.has(f"hooks.{event}"):
            continue
        answer = plugin.process.call("hook", {"event": event, "payload": now})
        _add(outcome, plugin, event, answer)
        if outcome.block is not None:
            break
        if outcome.args is not None:
            now = {**now, "args": outcome.args}
    return outcome


def build_payload(event: str, payload: Mapping[str, Any], *, cwd: str) -> dict[str, Any]:
    """Return what a hook gets: the event's fields, clipped as documented, with its name and the working folder."""
    built = {**payload, "event": event, "cwd": cwd}
    clipped = _CLIPPED.get(event)
    if event == "PostToolUse" and "ok" not in built:
        built["ok"] = not str(built.get("result", "")).startswith(_FAILURES)
    if clipped is not None and isinstance(built.get(clipped), str):
        built[clipped] = built[clipped][:CLIPPED]
    return built


def _add(outcome: HookOutcome, plugin: Loaded, event: str, answer: Answer) -> None:
    what = f"its hook for {event}"
    if answer.failed:
        _fail(outcome, plugin, event, failure(plugin, what, answer))
    elif isinstance(answer.value, str):
        _add_context(outcome, event, answer.value)
    elif isinstance(answer.value, dict):
        _add_fields(outcome, plugin, event, answer.value)
    elif answer.value is not None:
        _fail(outcome, plugin, event, f"plugin {plugin.name}: {what} returned neither text nor an object")


def _add_fields(outcome: HookOutcome, plugin: Loaded, event: str, fields: Mapping[str, Any]) -> None:
    block, context, args = fields.get("block"), fields.get("context"), fields.get("args")
    if isinstance(context, str):
        _add_context(outcome, event, context)
    if isinstance(args, dict) and event == "PreToolUse":
        outcome.args = args
    if event == "PreModel":
        _add_strategy(outcome, fields)
    if block and event not in _NO_BLOCK:
        outcome.block, outcome.by = block if isinstance(block, str) else "no reason given", plugin.name


def _add_context(outcome: HookOutcome, event: str, text: str) -> None:
    if text and event not in _NO_CONTEXT:
        outcome.context = f"{outcome.context}\n{text}" if outcome.context else text


def _add_strategy(outcome: HookOutcome, fields: Mapping[str, Any]) -> None:
    """Limit the turn: where several plugins do, only the tools that all of them name are left."""
    tools, then = fields.get("tools"), fields.get("then")
    if isinstance(tools, list):
        named = tuple(name for name in tools if isinstance(name, str))
        outcome.tools = named if outcome.tools is None else tuple(name for name in outcome.tools if name in named)
    if isinstance(then, str) and then:
        outcome.then = then


def _fail(outcome: HookOutcome, plugin: Loaded, event: str, warning: str) -> None:
    outcome.warnings.append(warning)
    if plugin.description.fail_closed and event not in _NO_BLOCK:
        outcome.block, outcome.by = warning, plugin.name
