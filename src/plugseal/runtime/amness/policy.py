"""Policy as code: what plugins say of a tool call, and what follows from it together with the host's own rules.

Rules
- Every plugin is asked. Deny beats ask, ask beats allow; nothing is no opinion.
- A broken policy never allows: one that throws, or answers something undocumented, asks, and with `failClosed` denies.
- The host's own denial stands. `allow` skips an ordinary question, never one of the safety floor or on untrusted text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from plugseal.runtime.amness.loaded import Loaded, Plugins, failure

DENIED: Final = "DENIED: {}\nDo not retry this call."


class Action(str, Enum):
    """What a policy says, from the weakest to the strongest."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


_STRENGTH: Final = {Action.ALLOW: 1, Action.ASK: 2, Action.DENY: 3}


@dataclass
class Opinion:
    """The strongest answer of all plugins."""

    action: Action | None = None
    """None where no plugin has an opinion."""
    reason: str = ""
    by: str = ""
    """Name of the plugin whose answer it is."""
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a call."""

    action: Action
    reason: str
    by: str
    """Name of the plugin that decided; empty where it was the host."""

    @property
    def text(self) -> str:
        """Return what the agent sees of a denied call; empty for others."""
        return DENIED.format(self.reason or "not allowed") if self.action is Action.DENY else ""


def ask_policies(plugins: Plugins, tool: str, args: object, *, cwd: str) -> Opinion:
    """Ask every plugin that has a policy about one call.

    Raises:
        RefusedError: a plugin's permission was taken.
    """
    strongest = Opinion()
    for plugin in plugins:
        if not plugin.has("policy"):
            continue
        answer = plugin.process.call("policy", {"call": {"tool": tool, "args": args, "cwd": cwd}})
        if answer.failed:
            warning = failure(plugin, "its policy", answer)
            strongest.warnings.append(warning)
            found: tuple[Action | None, str] = _broken(plugin, warning)
        else:
            found = _parse(plugin, answer.value, strongest.warnings)
        action, reason = found
        if action is not None and _STRENGTH[action] > (0 if strongest.action is None else _STRENGTH[strongest.action]):
            strongest.action, strongest.reason, strongest.by = action, reason, plugin.name
    return strongest


def judge(opinion: Opinion, own: Action, *, floor: bool) -> Verdict:
    """Return what becomes of a call.

    Args:
        opinion: of the plugins.
        own: what the host's own rules say.
        floor: whether it is the safety floor or the check for untrusted text that says so.
    """
    said = opinion.action
    if said is None or own is Action.DENY:
        return Verdict(own, "", "")
    if said is Action.ALLOW and (floor or own is Action.ALLOW):
        return Verdict(own, "", "")
    if said is not Action.ALLOW and _STRENGTH[said] <= _STRENGTH[own]:
        return Verdict(own, opinion.reason, opinion.by)
    return Verdict(said, opinion.reason, opinion.by)


def _parse(plugin: Loaded, value: object, warnings: list[str]) -> tuple[Action | None, str]:
    if value is None:
        return None, ""
    word: Any = value
    reason = ""
    if isinstance(value, Mapping):
        word = value.get("action")
        said = value.get("reason")
        reason = said if isinstance(said, str) else ""
    try:
        return Action(word), reason
    except ValueError:
        warning = f"plugin {plugin.name}: its policy answered neither `allow`, `ask` nor `deny`"
        warnings.append(warning)
        return _broken(plugin, warning)


def _broken(plugin: Loaded, why: str) -> tuple[Action, str]:
    return (Action.DENY if plugin.description.fail_closed else Action.ASK), why
