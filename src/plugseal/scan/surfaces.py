"""What the manifests alone say that a plugin can do: facts of its components, and where hosts enter it.

A component that launches something yields what is launched, fetched, contacted, asked of the environment and granted.
Objects are as written; nothing is looked up on the machine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from plugseal.model.capability import Capability, Channel, Fact, Resolution
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.launch import hosts, inline_shell, outward_path, shell_commands, variables
from plugseal.systems.packages import fetched_by_line, fetched_packages

_GRANT_KEYS = frozenset(
    {
        "allowed-tools",
        "front.allowed-tools",
        "front.allowedTools",
        "front.permissionMode",
        "allowedTools",
        "alwaysAllow",
        "autoApprove",
        "auto_approve",
        "trust",
        "permissionMode",
        "sandboxEnabled",
    }
)
"""Keys by which a component lets itself off being asked."""
_GRANT_WORDS = re.compile(r"[^\s,()]+(?:\([^)]*\))?")


def manifest_facts(plugin: Plugin) -> list[tuple[str, Fact]]:
    """Return (file below the scanned root, fact) for everything that a plugin's manifests say, sorted and unique."""
    found: set[tuple[str, Fact]] = set()
    for component in plugin.components:
        file = plugin.path_of(component.file)
        for capability, name in _claims(component):
            resolution = Resolution.DIRECT.value
            fact = Fact(component.span, capability.value, name, resolution, Channel.MANIFEST.value, component.trigger)
            found.add((file, fact))
    return sorted(found, key=_order)


def entry_files(plugin: Plugin) -> dict[str, str]:
    """Return the files, relative to the plugin's root, that a host enters first, with the trigger of the component.

    The scanner lifts the triggers `import` and `start` of facts in such a file to this one. A file that several
    components enter has the one that comes first in their order.
    """
    found: dict[str, str] = {}
    for component in plugin.components:
        if component.entry is not None:
            found.setdefault(component.entry, component.trigger)
    return found


def _claims(component: Component) -> Iterator[tuple[Capability, str | None]]:
    """Yield every capability of a component with its object."""
    yield from _starts(component)
    texts = _texts(component)
    for host in dict.fromkeys(host for text in texts for host in hosts(text)):
        yield Capability.NET_OUTBOUND, host
    if component.endpoint and not hosts(component.endpoint):
        yield Capability.NET_OUTBOUND, None
    asked = {source for _, source in component.environment if source}
    for name in sorted(asked.union(*(variables(text) for text in texts))):
        yield Capability.ENV_READ, name
    for path in _outward(component):
        yield Capability.PATH_OUTSIDE, path
    for granted in _grants(component):
        yield Capability.GRANT, granted
    if component.kind is ComponentKind.HOOK:
        yield Capability.AUTORUN, component.entry or _program(component) or component.endpoint


def _starts(component: Component) -> Iterator[tuple[Capability, str | None]]:
    argv = component.command
    if not argv:
        return
    line = argv[0] if component.shell else inline_shell(argv)
    if line is not None:
        yield Capability.PROCESS_SHELL, line
        for package in fetched_by_line(line):
            yield Capability.CODE_FETCHED, package
    if not component.shell:
        yield Capability.PROCESS_EXEC, argv[0]
        if line is None:
            for package in fetched_packages(argv):
                yield Capability.CODE_FETCHED, package


def _program(component: Component) -> str | None:
    if not component.command:
        return None
    if not component.shell:
        return component.command[0]
    first = next(iter(shell_commands(component.command[0])), None)
    return first[0] if first else None


def _texts(component: Component) -> tuple[str, ...]:
    """Return all texts of a component in which variables and URLs count."""
    values = tuple(value for _, value in component.literals + component.headers)
    return (*component.command, *values, *filter(None, (component.endpoint, component.cwd)))


def _outward(component: Component) -> Iterator[str]:
    words = component.command[1:]
    if component.shell and component.command:
        words = tuple(word for words in shell_commands(component.command[0]) for word in words[1:])
    seen = [outward_path(word, component.cwd) for word in words]
    if component.cwd:
        seen.append(outward_path(component.cwd))
    if component.command and not component.shell and component.command[0].startswith((".", "~", "${")):
        seen.append(outward_path(component.command[0], component.cwd))
    yield from dict.fromkeys(path for path in seen if path is not None)


def _grants(component: Component) -> Iterator[str]:
    for key, text in component.extra:
        if key not in _GRANT_KEYS:
            continue
        value = json.loads(text)
        words = _GRANT_WORDS.findall(value) if isinstance(value, str) else value
        if isinstance(words, list):
            yield from (word if isinstance(word, str) else json.dumps(word) for word in words)
        elif words is True:
            yield key.rpartition(".")[2]


def _order(item: tuple[str, Fact]) -> tuple[object, ...]:
    file, fact = item
    return (file, fact.span, fact.capability, fact.object is not None, fact.object or "", fact.trigger)
