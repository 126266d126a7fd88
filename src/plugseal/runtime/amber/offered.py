"""Which tools of which plugins are offered now: those that are trusted and enabled, each under a name of its own.

Of plugins with one ID the host finds the first in the documented order of folders; a tool whose full name two plugins
would have (`a_b` with `c`, `a` with `b_c`) is offered by neither. Whatever is left out is said with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from plugseal.errors import RefusedError, StateError
from plugseal.model.trust import Subject
from plugseal.records import NamedTuple
from plugseal.runtime.amber.manifest import SYSTEM, Declared, Tool, parse_declared
from plugseal.trust.record import Record
from plugseal.trust.store import Store

Rank = Callable[[Subject], "int | None"]
"""Where in the order of folders a plugin is found; None where this workspace does not find it."""


class Plugin(NamedTuple):
    """One enabled plugin."""

    record: Record
    declared: Declared

    @property
    def state(self) -> tuple[str, int]:
        """Return (incarnation, generation) of the record."""
        return self.record.standing.incarnation, self.record.standing.generation


class Offer(NamedTuple):
    """One offered tool."""

    plugin: Plugin
    tool: Tool


class Offered(NamedTuple):
    """Everything that is offered, and what is not."""

    plugins: tuple[Plugin, ...]
    """In the order of their IDs."""
    tools: dict[str, Offer]
    """By registered name."""
    left_out: tuple[tuple[str, str], ...]
    """(tool or plugin, why)."""


def read_enabled(store: Store) -> tuple[list[Plugin], list[tuple[str, str]]]:
    """Return the amber plugins that are trusted and enabled, and what can't be believed, with the reason.

    Raises:
        StateError: the state folder can't be used.
    """
    found, broken = [], []
    for record in store.records():
        if not isinstance(record, Record):
            broken.append((record.file, record.error.message))
            continue
        standing = record.standing
        if record.subject.system != SYSTEM or standing.trust is None or not standing.enabled:
            continue
        try:
            found.append(Plugin(record, parse_declared(store.document(standing.trust.capability))))
        except (StateError, RefusedError) as error:
            broken.append((record.subject.name, error.message))
    return found, broken


def offered(
    plugins: Iterable[Plugin],
    *,
    rank: Rank,
    incompatible: Callable[[Plugin], str] = lambda plugin: plugin.declared.problem,
) -> Offered:
    """Return what is offered of enabled plugins.

    Args:
        plugins: in any order.
        rank: where each is found.
        incompatible: why one is unregistered, empty where it is not.
    """
    left_out: list[tuple[str, str]] = []
    chosen = []
    for plugin in _first_found(plugins, rank, left_out):
        why = incompatible(plugin)
        if why:
            left_out.append((plugin.declared.id, why))
        else:
            chosen.append(plugin)
            left_out += plugin.declared.left_out
    claims = Counter(tool.name for plugin in chosen for tool in plugin.declared.tools)
    tools = {}
    for plugin in chosen:
        for tool in plugin.declared.tools:
            if claims[tool.name] == 1:
                tools[tool.name] = Offer(plugin, tool)
            else:
                left_out.append((tool.name, f"`{plugin.declared.id}` is not the only plugin that has it"))
    return Offered(tuple(chosen), tools, tuple(left_out))


def _first_found(plugins: Iterable[Plugin], rank: Rank, left_out: list[tuple[str, str]]) -> list[Plugin]:
    """Return for each ID the plugin that is found first; two that are found at the same place hide each other."""
    by_id: dict[str, list[tuple[int, Plugin]]] = {}
    for plugin in plugins:
        place = rank(plugin.record.subject)
        if place is not None:
            by_id.setdefault(plugin.declared.id, []).append((place, plugin))
    found = []
    for plugin_id, ranked in sorted(by_id.items()):
        best = min(place for place, _ in ranked)
        # One plugin that was trusted under two scopes is still one.
        first = list({plugin.record.subject.root: plugin for place, plugin in ranked if place == best}.values())
        if len(first) == 1:
            found.append(first[0])
        else:
            left_out.append((plugin_id, f"{len(first)} enabled plugins are called so"))
        left_out += [(plugin_id, "another one is found before it")] * sum(place != best for place, _ in ranked)
    return found
