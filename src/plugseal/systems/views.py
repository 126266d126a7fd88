"""One folder, several plugins: what each client starts of it that another one does not.

Clients read different manifests, so that a review of what one of them shows says nothing of the others. Two components
are one if they start the same: the words of the command, with every client's name for the plugin's own folder taken
for one, and the address. Prose is not compared, since clients differ in what prose they have at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.systems.launching.words import ROOT_NAMES

_STARTING: Final = frozenset(
    {
        ComponentKind.SERVER,
        ComponentKind.HOOK,
        ComponentKind.LANGUAGE_SERVER,
        ComponentKind.MONITOR,
        ComponentKind.MODULE,
    }
)
_CLIENTS: Final = frozenset(
    "agent-plugins antigravity claude-code codex copilot cursor gemini grok hermes kiro openclaw pi".split()
)
_ROOT: Final = lazy(rf"\$\{{?(?:{'|'.join(sorted(ROOT_NAMES))})\}}?/?|\$\{{/\}}")
_Key: TypeAlias = "tuple[object, ...]"


def with_views(plugins: Iterable[Plugin]) -> tuple[Plugin, ...]:
    """Return plugins with what other clients start of their folders besides, in their order."""
    listed = tuple(plugins)
    folders: dict[str, list[Plugin]] = {}
    for plugin in listed:
        if _is_view(plugin):
            folders.setdefault(plugin.root, []).append(plugin)
    return tuple(_with_views(plugin, folders.get(plugin.root, ())) if _is_view(plugin) else plugin for plugin in listed)


def _is_view(plugin: Plugin) -> bool:
    return plugin.system in _CLIENTS and plugin.covers is None and not plugin.single_file


def _with_views(plugin: Plugin, beside: Iterable[Plugin]) -> Plugin:
    others = [other for other in beside if other.system != plugin.system]
    if not others:
        return plugin
    own = {_key(component) for component in _starting(plugin)}
    found = {
        (other.system, f"{component.kind.value} {component.name}")
        for other in others
        for component in _starting(other)
        if _key(component) not in own
    }
    return plugin._replace(views=tuple(sorted(found))) if found else plugin


def _starting(plugin: Plugin) -> Iterable[Component]:
    return (component for component in plugin.components if component.kind in _STARTING)


def _key(component: Component) -> _Key:
    """Return what a component starts, however its client spells the plugin's folder; of a module its file."""
    words = tuple(_ROOT.sub("./", word).replace("././", "./") for word in component.command)
    if not words and not component.endpoint:
        return (component.kind, component.entry or component.name)
    return (component.kind, words, component.endpoint)
