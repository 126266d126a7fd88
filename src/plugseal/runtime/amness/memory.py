"""The memory of a plugin in place of the host's own: the first plugin that provides one wins.

Its seven methods exist, since that was looked at when it was loaded; what they return is looked at here, since nobody
else would. A method that fails is a warning and an empty answer, except where notes would be lost unseen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from plugseal.records import NamedTuple
from plugseal.runtime.amness.loaded import Loaded, Plugins, failure

METHODS: Final[Mapping[str, object]] = {
    "list": [],
    "save": None,
    "forget": False,
    "search": [],
    "context": "",
    "delta": "",
    "endTurn": None,
    "warmQuery": None,
}
"""Name of a method to what an empty answer of it is; `warmQuery` is optional."""
_ENTRY: Final = ("name", "type", "description", "content")


class Remembered(NamedTuple):
    """What a method gave."""

    value: Any
    failed: bool = False
    warnings: tuple[str, ...] = ()


def find_memory(plugins: Plugins) -> Loaded | None:
    """Return the plugin whose memory is used."""
    return next((plugin for plugin in plugins if plugin.has("memory")), None)


def call_memory(plugin: Loaded, method: str, args: Sequence[object]) -> Remembered:
    """Call one method of a plugin's memory.

    Args:
        plugin: the one that `find_memory` names.
        method: one of `METHODS`.
        args: as its documentation gives them.

    Raises:
        RefusedError: the plugin's permission was taken.
    """
    if method == "save" and not _is_entry(args):
        return Remembered(None, True, (f"a note needs {', '.join(f'`{key}`' for key in _ENTRY)}, as text",))
    answer = plugin.process.call("memory", {"method": method, "args": list(args)})
    what = f"its memory's `{method}`"
    if answer.failed:
        return Remembered(METHODS[method], True, (failure(plugin, what, answer),))
    empty = METHODS[method]
    value = answer.value
    fits = value is None or empty is None or isinstance(value, type(empty))
    if not fits:
        return Remembered(empty, True, (f"plugin {plugin.name}: {what} returned something else than is documented",))
    return Remembered(empty if value is None else value)


def _is_entry(args: Sequence[object]) -> bool:
    entry = args[0] if args else None
    return isinstance(entry, Mapping) and all(isinstance(entry.get(key), str) for key in _ENTRY)
