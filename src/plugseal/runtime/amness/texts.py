"""What plugins make of texts and messages: the system prompt, the message list, the model's name, the status line."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from plugseal.records import NamedTuple
from plugseal.runtime.amness.loaded import Plugins, failure

MAX_STATUS: Final = 60
"""Characters of a status line."""
STATUS_SECONDS: Final = 1.0
"""How long a status line is kept."""


class Made(NamedTuple):
    """What came of it."""

    value: Any
    warnings: tuple[str, ...] = ()


def build_system(plugins: Plugins, base: str, *, cwd: str) -> Made:
    """Return the system prompt after every plugin, in load order; one that throws or gives no text is passed over.

    Raises:
        RefusedError: a plugin's permission was taken.
    """
    warnings = []
    for plugin in plugins:
        if not plugin.has("system"):
            continue
        answer = plugin.process.call("system", {"base": base, "ctx": {"cwd": cwd}})
        if answer.failed:
            warnings.append(failure(plugin, "its `system`", answer))
        elif isinstance(answer.value, str):
            base = answer.value
        else:
            warnings.append(f"plugin {plugin.name}: its `system` returned no text")
    return Made(base, tuple(warnings))


def build_messages(plugins: Plugins, messages: Sequence[Any], info: Mapping[str, Any]) -> Made:
    """Return the message list after every plugin, in load order.

    Nothing and an empty list keep it; so does a function that throws. Whether a new list is valid is not checked.

    Raises:
        RefusedError: a plugin's permission was taken.
    """
    now, warnings = list(messages), []
    for plugin in plugins:
        if not plugin.has("context"):
            continue
        answer = plugin.process.call("context", {"messages": now, "info": dict(info)})
        if answer.failed:
            warnings.append(failure(plugin, "its `context`", answer))
        elif isinstance(answer.value, list) and answer.value:
            now = answer.value
        elif answer.value is not None and answer.value != []:
            warnings.append(f"plugin {plugin.name}: its `context` returned no list")
    return Made(now, tuple(warnings))


def choose_model(plugins: Plugins, info: Mapping[str, Any], *, known: Sequence[str] | None = None) -> Made:
    """Return the first model's name that is not empty; None for the default one.

    Args:
        plugins: in the order in which they were loaded.
        info: `messages promptTokens tail`.
        known: names that the provider accepts; None where that is not known.

    Raises:
        RefusedError: a plugin's permission was taken.
    """
    warnings = []
    for plugin in plugins:
        if not plugin.has("route"):
            continue
        answer = plugin.process.call("route", {"info": dict(info)})
        if answer.failed:
            warnings.append(failure(plugin, "its `route`", answer))
        elif answer.value is not None and not isinstance(answer.value, str):
            warnings.append(f"plugin {plugin.name}: its `route` returned no name")
        elif answer.value and known is not None and answer.value not in known:
            warnings.append(f"plugin {plugin.name}: its `route` named a model that the provider does not have")
        elif answer.value:
            return Made(answer.value, tuple(warnings))
    return Made(None, tuple(warnings))


class StatusLines:
    """The status lines of all plugins, each kept for a second."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[tuple[str, str, bool], tuple[float, str]] = {}

    def lines(self, plugins: Plugins, *, cwd: str, running: bool) -> list[str]:
        """Return `⟨plugin⟩: ⟨text⟩` of each plugin that has something to say; one that throws is left out.

        Raises:
            RefusedError: a plugin's permission was taken.
        """
        found = []
        for plugin in plugins:
            if plugin.has("status"):
                text = self._text(plugins, plugin.id, cwd=cwd, running=running)
                found += [f"{plugin.name}: {text}"] if text else []
        return found

    def _text(self, plugins: Plugins, plugin_id: str, *, cwd: str, running: bool) -> str:
        key, now = (plugin_id, cwd, running), self._clock()
        at, text = self._kept.get(key, (-STATUS_SECONDS, ""))
        if key in self._kept and now - at < STATUS_SECONDS:
            return text
        plugin = next(one for one in plugins if one.id == plugin_id)
        answer = plugin.process.call("status", {"ctx": {"cwd": cwd, "running": running}})
        text = answer.value if isinstance(answer.value, str) and not answer.failed else ""
        text = " ".join(text.split())[:MAX_STATUS]
        self._kept[key] = (now, text)
        return text
