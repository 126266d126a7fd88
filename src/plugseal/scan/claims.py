"""What the manifests alone claim that a plugin can do: facts of its components, and where hosts enter it.

A component that launches something yields what is launched, fetched, contacted, asked of the environment and granted.
Objects are as written; nothing is looked up on the machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, TypeAlias

from plugseal.lang.classify import is_recipe
from plugseal.model.capability import Capability, Channel, Fact, Resolution, fact_order
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.scan.granted import granted_words
from plugseal.scan.launches import shell_line
from plugseal.systems.launching.launch import (
    base_name,
    hides_host,
    hosts,
    outward_path,
    shell_commands,
    shell_program,
    shell_variables,
    unwrapped,
    variables,
)
from plugseal.systems.launching.packages import on_this_machine, packages_of, passed_variables
from plugseal.systems.reading.texts import READS
from plugseal.systems.reading.units import is_bounded

_DIRECT = Resolution.DIRECT.value
_MANIFEST = Channel.MANIFEST.value
_Claim: TypeAlias = "tuple[str, Capability, str | None]"
"""The part of a component that says so, the capability, its object."""


def manifest_facts(plugin: Plugin) -> list[tuple[str, Fact]]:
    """Return (file below the scanned root, fact) for everything that a plugin's manifests say, sorted and unique."""
    found: set[tuple[str, Fact]] = set()
    for component in plugin.components:
        file = plugin.path_of(component.file)
        if is_recipe(component.file):
            continue  # Its own reader says it, with what its variables stand for.
        places = dict(component.places)
        for part, capability, name in _claims(component):
            span = places.get(part, component.span)
            fact = Fact(span, capability.value, name, _DIRECT, _MANIFEST, component.trigger)
            found.add((file, fact))
    return sorted(found, key=lambda item: (item[0], fact_order(item[1])))


def entry_files(plugin: Plugin) -> dict[str, str]:
    """Return the files, relative to the plugin's root, that a host enters first, with the trigger of the component.

    The scanner lifts the triggers `import` and `start` of facts in such a file to this one. A file that several
    components enter has the trigger that needs the least: one of a host before one of a person.
    """
    found: dict[str, str] = {}
    for component in sorted(plugin.components, key=_asks_a_person):
        if component.entry is not None:
            found.setdefault(component.entry, component.trigger)
    return found


def _asks_a_person(component: Component) -> bool:
    return component.trigger in ("command", "prose", "unknown")


def _claims(component: Component) -> Iterator[_Claim]:
    """Yield every capability of a component with its object and the part that says so."""
    if not is_bounded(component):
        # A fault of the plugin already: what is too long to be looked at may be anything.
        yield "command.0", Capability.UNREAD, component.name
        return
    yield from _starts(component)
    for package in () if component.command else component.packages:
        if package.source != "local":
            yield "extra.source", Capability.CODE_FETCHED, package.name
    line = shell_line(component)
    for part, text in _texts(component):
        for host in hosts(text):
            yield part, Capability.NET_OUTBOUND, host
        for name in shell_variables(text) if text == line else variables(text):
            yield part, Capability.ENV_READ, name
    for name in passed_variables(component.command) if not component.shell else ():
        yield _part_of(component.command, name), Capability.ENV_READ, name
    if component.endpoint and (not hosts(component.endpoint) or hides_host(component.endpoint)):
        yield "endpoint", Capability.NET_OUTBOUND, None
    for name, source in component.environment:
        if source is not None:
            yield f"env.{name}", Capability.ENV_READ, source
    if (fetched := _fetched(component)) is not None:
        yield "endpoint", Capability.CODE_FETCHED, fetched
    for name, capability in _set_variables(component):
        yield f"env.{name}", capability, name
    for part, path in _outward(component):
        yield part, Capability.PATH_OUTSIDE, path
    if component.kind is ComponentKind.SOURCE and _is_disguised(component):
        yield "extra.source", Capability.CODE_OBFUSCATED, component.name
    yield from _put_in(component)
    for key, granted in granted_words(component):
        yield f"extra.{key}", Capability.GRANT, granted
    if ("runs_any_line", "true") in component.extra:
        yield "extra.asks", Capability.PROCESS_SHELL, None
    if _runs_unasked(component):
        own = own_entry(component) or _program(component)
        what = own or component.endpoint or _in_process_file(component) or _loaded(component)
        yield ("autorun" if _has_place(component, "autorun") else "command.0"), Capability.AUTORUN, what


def _put_in(component: Component) -> Iterator[_Claim]:
    """Yield the files that a client puts into a text before a model or a server sees it."""
    listed = dict(component.extra).get(READS)
    if listed is None:
        return
    from plugseal.lang.judging.paths import is_secret  # few texts have any

    for path in json.loads(listed):
        part = f"extra.{READS}" if _has_place(component, f"extra.{READS}") else "extra.prompt"
        yield part, Capability.FS_READ, path
        if is_secret(path):
            yield part, Capability.CREDENTIALS_READ, path
        outside = outward_path(path, component.cwd)
        if outside is not None:
            yield part, Capability.PATH_OUTSIDE, outside


def own_entry(component: Component) -> str | None:
    """Return the plugin's own file that a component runs first, None where it has none.

    One that lies beside the plugin is found only where more than the plugin is scanned, so no receipt may rest on it.
    """
    entry = component.entry
    return None if entry is None or entry.startswith("../") else entry


_UNASKED = frozenset({ComponentKind.MONITOR, ComponentKind.SCRIPT, ComponentKind.SETTING})
"""Kinds that run by themselves if they run anything at all."""


def _runs_unasked(component: Component) -> bool:
    """Say whether a host runs it without being asked; a script that only a person calls has the trigger `command`.

    One whose trigger is not known runs elsewhere, as the steps of a build server do.
    """
    if component.kind is ComponentKind.HOOK:
        return True
    if _has_place(component, "autorun"):
        return component.trigger not in ("command", "unknown")
    runs = bool(component.command) or (component.kind is ComponentKind.SCRIPT and own_entry(component) is not None)
    runs = runs or (component.kind is ComponentKind.SETTING and _loaded(component) is not None)
    return component.kind in _UNASKED and runs and component.trigger not in ("command", "unknown")


def _set_variables(component: Component) -> Iterator[tuple[str, Capability]]:
    """Yield the variables that a component sets: all of a client's own, of a program's those that load code."""
    if not component.literals:
        return
    from plugseal.scan.detectors.environment import loads_code

    for name, value in component.literals:
        loads = loads_code(name, value)
        if loads or component.kind is ComponentKind.SETTING:
            yield name, Capability.ENV_WRITE
        if loads:
            yield name, Capability.CODE_DYNAMIC


def _fetched(component: Component) -> str | None:
    """Return what an install takes from elsewhere because of a dependency, or of a setting that names a registry."""
    if component.kind not in (ComponentKind.SOURCE, ComponentKind.SETTING) or not _has_place(component, "autorun"):
        return None
    from plugseal.lang.recipes.sources import aliased  # most plugins depend on registries alone

    source = _source(component)
    return aliased(source) or (source if component.endpoint and source else component.endpoint)


def _is_disguised(component: Component) -> bool:
    source = _source(component)
    if not source:
        return False
    from plugseal.lang.recipes.sources import disguised_package

    return disguised_package(component.name, source)


def _source(component: Component) -> str:
    """Return where a dependency comes from, as written; empty where that is not said."""
    text = dict(component.extra).get("source")
    value = json.loads(text) if text else ""
    return value if isinstance(value, str) else ""


def _loaded(component: Component) -> str | None:
    """Return what a tool loads or fetches where it starts no program: a dependency, a variable that loads code."""
    if component.kind is ComponentKind.SOURCE:
        return component.name
    return next((name for name, capability in _set_variables(component) if capability is Capability.CODE_DYNAMIC), None)


def _has_place(component: Component, part: str) -> bool:
    return any(name == part for name, _ in component.places)


def _starts(component: Component) -> Iterator[_Claim]:
    argv = component.command
    if not argv:
        return
    line = shell_line(component)
    if not component.shell and own_entry(component) is None:
        # Its own entry file is the plugin itself: what that can do is said by its code.
        yield "command.0", Capability.PROCESS_EXEC, argv[0]
    if line is not None:
        yield _part_of(argv, line), Capability.PROCESS_SHELL, shell_program(line)
    if not component.shell and own_entry(component) is None:
        yield from _words(argv)
    for package in packages_of(argv, shell=component.shell):  # nosec B604  # a field
        part = _part_of(argv, package.name or "", line)
        yield part, Capability.CODE_FETCHED, package.name
        if not hosts(package.name or ""):
            yield part, Capability.NET_OUTBOUND, None  # A registry, or a mirror that the machine's settings name.


_SAID_BY_WORDS: Final = frozenset(
    {
        Capability.FS_READ,
        Capability.FS_WRITE,
        Capability.FS_DELETE,
        Capability.FS_META,
        Capability.ENV_BULK,
        Capability.CREDENTIALS_READ,
        Capability.PERSISTENCE,
        Capability.PRIVILEGE,
        Capability.SYSTEM_INFO,
        Capability.DEVICE_CAPTURE,
        Capability.CODE_OBFUSCATED,
        Capability.NET_LISTEN,
    }
)
"""What the words of an argument vector say beyond what is launched, fetched and contacted."""


_SAID_OTHERWISE: Final = frozenset("docker podman nerdctl npx uvx bunx pnpx node echo true".split())
"""Programs of which all that counts is said by other parts: packages, the plugin's own files, paths outside of it."""


def _words(argv: tuple[str, ...]) -> Iterator[_Claim]:
    """Yield what a well-known program does by its words; a file of the plugin with such a name is not that program."""
    program = unwrapped(argv)[:1]
    if not program or base_name(program[0]) in _SAID_OTHERWISE or program[0].startswith((".", "$")):
        return
    from plugseal.lang.programs import acts_of_words

    for act in acts_of_words(argv):
        capability = Capability(act.capability)
        if capability in _SAID_BY_WORDS and act.is_sure:
            named = act.named if act.kind in ("path", "text") else None
            yield _part_of(argv, named), capability, named


def _part_of(argv: tuple[str, ...], *texts: str | None) -> str:
    """Return the part that holds one of the texts, the program's where none does."""
    for text in texts:
        for index, word in enumerate(argv):
            if text and text in word:
                return f"command.{index}"
    return "command.0"


def _program(component: Component) -> str | None:
    if not component.command:
        return None
    return shell_program(component.command[0]) if component.shell else component.command[0]


def _in_process_file(component: Component) -> str | None:
    """Return the file whose code a hook in the host's own process is, as the scanner names the plugin's own files."""
    return component.file if component.transport == "in-process" else None


def _texts(component: Component) -> Iterator[tuple[str, str]]:
    """Yield all texts of a component in which variables and URLs count, with the part that holds them."""
    yield from ((f"command.{index}", word) for index, word in enumerate(component.command))
    yield from ((f"env.{name}", value) for name, value in component.literals)
    yield from ((f"header.{name}", value) for name, value in component.headers)
    for part, text in (("endpoint", component.endpoint), ("cwd", component.cwd)):
        if text:
            yield part, text


def _outward(component: Component) -> Iterator[tuple[str, str]]:
    """Yield the paths that lead out of the plugin, with the part that names each."""
    words = [(f"command.{index}", word) for index, word in enumerate(on_this_machine(component.command))]
    if component.shell and words:
        words = [("command.0", word) for words in shell_commands(component.command[0]) for word in words[1:]]
    if component.kind is ComponentKind.SOURCE:
        words = [*words, ("extra.source", _source(component))]
    for part, word in words:
        path = outward_path(word, component.cwd)
        if path is not None:
            yield part, path
    outside = outward_path(component.cwd) if component.cwd else None
    if outside is not None:
        yield "cwd", outside
