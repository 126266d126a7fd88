"""Read the packages at a path that an agent's configuration names, as they may be mounted. Runs and writes nothing.

What lingtai documents decides what a package comes to; what the specification refuses on top of it, and what only
passes because nobody looks (a link out, a value that is rewritten into another one), is skipped with its reason. A
command that lingtai documents and the specification refuses keeps its record, with a remark: it can get no receipt, so
it never starts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from plugseal.encode.source import source_digest
from plugseal.errors import IntakeError
from plugseal.intake.read import read_tree
from plugseal.model.plugin import Plugin
from plugseal.model.registry_record import cut_summary
from plugseal.runtime.agent_plugins.files import is_text
from plugseal.runtime.agent_plugins.package import Package, Problem, SearchPath
from plugseal.scan.discover import Keeper
from plugseal.systems.agent_plugins.names import MANIFEST, SERVERS
from plugseal.systems.agent_plugins.package import describe_packages
from plugseal.systems.agent_plugins.paths import is_inside
from plugseal.systems.agent_plugins.rules import Problem as Broken
from plugseal.systems.agent_plugins.rules import check_server
from plugseal.systems.lingtai.paths import ROOT, Gated
from plugseal.systems.lingtai.system import LingtaiReading, read_as_lingtai
from plugseal.systems.reading.reader import PluginReader, dotted, lookup
from plugseal.verbs.anchor import anchor_of

MAX_PACKAGES: Final = 256
"""Packages of one collection; the others are a problem and not looked at."""
_PLACEHOLDER: Final = "${PLUGIN_ROOT}"


def read_paths(agent: str, raw_paths: Iterable[str]) -> tuple[SearchPath, ...]:
    """Return what the configured paths of an agent hold, in their order.

    Args:
        agent: real path of the agent's folder.
        raw_paths: as configured: absolute, of a home folder, or relative to the agent's folder.
    """
    return tuple(_read_path(agent, raw) for raw in raw_paths)


def _read_path(agent: str, raw: str) -> SearchPath:
    resolved = os.path.realpath(os.path.join(agent, os.path.expanduser(raw)))  # noqa: PTH111, PTH118  # text
    if not os.path.isdir(resolved):  # noqa: PTH112  # text
        return SearchPath(raw, resolved, False, (), (Problem("", resolved, f"there is no folder at '{raw}'"),))
    packages: list[Package] = []
    problems: list[Problem] = []
    for folder in _folders(resolved, problems):
        package, found = read_package(folder)
        problems += found
        packages += [replace(package, path=raw)] if package is not None else []
    return SearchPath(raw, resolved, True, tuple(packages), tuple(problems))


def _folders(path: str, problems: list[Problem]) -> Iterator[str]:
    """Yield the package at a path, or those of a collection: its immediate folders with a manifest."""
    if os.path.lexists(f"{path}/{MANIFEST}"):
        yield path
        return
    try:
        names = sorted(os.listdir(path))  # noqa: PTH208  # text
    except OSError as error:
        problems.append(Problem("", path, f"cannot read plugin path: {(error.strerror or '').lower()}"))
        return
    found = [name for name in names if not name.startswith(".") and os.path.lexists(f"{path}/{name}/{MANIFEST}")]
    if len(found) > MAX_PACKAGES:
        why = f"holds {len(found):,} packages: those behind the first {MAX_PACKAGES} are not looked at"
        problems.append(Problem("", path, why))
    yield from (os.path.realpath(f"{path}/{name}") for name in found[:MAX_PACKAGES])


def read_package(folder: str) -> tuple[Package | None, tuple[Problem, ...]]:
    """Return the package in a folder, or None and why there is none.

    Args:
        folder: real path of a folder that has a manifest.
    """
    label = os.path.basename(folder)  # noqa: PTH119  # text
    if not is_text(folder):
        return None, (Problem(label, folder, "its path is no text, and no record can hold it"),)
    path = Path(folder)
    keeper = Keeper(anchor_of(path), asks_hosts=False)
    try:
        tree = read_tree(path, keeper)
    except IntakeError as error:
        return None, (Problem(label, folder, f"cannot read the plugin: {error.message}"),)
    reader = PluginReader(keeper.listing(tree), "")
    manifest = reader.json(MANIFEST)
    (plugin,) = describe_packages(reader.listing, [(reader, manifest)])
    reading = read_as_lingtai(reader)
    why = _rejected(plugin, reading, is_read=manifest is not None)
    if why or manifest is None:
        return None, (Problem(label, f"{folder}/{MANIFEST}", why or f"cannot read {MANIFEST}"),)
    problems = [
        Problem(plugin.name, f"{folder}/{MANIFEST}", f"'{field}' {why}", is_skip=False)
        for field, why in (plugin.conforms.reported if plugin.conforms else ())
    ]
    problems += _skips(plugin, folder, reading)
    is_off = any(what == SERVERS for what, _ in plugin.conforms.skipped) if plugin.conforms else True
    servers, kept_out = ({}, []) if is_off else _servers(reader, plugin.name, folder, reading)
    leaking = {component.removeprefix("skills/") for component, _ in reading.package.leaks}
    homepage = lookup(manifest.value, ("homepage",))
    package = Package(
        name=plugin.name,
        version=plugin.version,
        summary=cut_summary(str(lookup(manifest.value, ("description",)) or "")),
        homepage=homepage if isinstance(homepage, str) else "",
        source=folder,
        digest=source_digest(tree),
        skills=tuple(label for label in reading.package.skills if label not in leaking),
        servers=servers,
        problems=(*problems, *kept_out),
    )
    return package, ()


def _rejected(plugin: Plugin, reading: LingtaiReading, *, is_read: bool) -> str:
    """Return why a whole package is rejected, by lingtai's words where it gets to the end of its manifest."""
    specified = "" if plugin.conforms is None else plugin.conforms.rejected or ""
    if is_read and reading.package.rejected and not reading.package.crashes and not reading.package.leaks:
        return reading.package.rejected
    # What lingtai says otherwise is how it breaks, or what it would read outside or in another way.
    return specified and f"cannot read {MANIFEST}: {specified}"


def _skips(plugin: Plugin, folder: str, reading: LingtaiReading) -> Iterator[Problem]:
    """Yield what of a package is not represented, but for servers that lingtai itself would take."""
    for component, why in (*reading.package.problems, *reading.package.leaks):
        yield Problem(plugin.name, f"{folder}/{_file_of(component)}", why, component)
    told = {component for component, _ in reading.package.problems}
    for what, why in () if plugin.conforms is None else plugin.conforms.skipped:
        if what == SERVERS and what not in told:
            yield Problem(plugin.name, f"{folder}/{what}", why, what)
    for crash in reading.package.crashes:
        if crash.startswith("RecursionError") and SERVERS not in crash:
            yield Problem(plugin.name, f"{folder}/skills", f"not read to its end: {crash}", "skills/")


def _servers(
    reader: PluginReader, plugin: str, folder: str, reading: LingtaiReading
) -> tuple[dict[str, dict[str, object]], list[Problem]]:
    """Return the servers that may have a record, their own paths absolute, and why others may not."""
    servers, problems = {}, []
    document = reader.json(SERVERS) if reading.package.servers else None
    declared = {} if document is None else reader.declared(document, ("mcpServers",))
    gated: dict[str, dict[str, tuple[str, Gated]]] = {}
    for server, field, value, outcome in reading.package.gated:
        gated.setdefault(server, {})[field] = (value, outcome)
    inside = partial(is_inside, reader.listing, reader.root)
    for name, spec in reading.package.servers.items():
        touched = gated.get(name, {})
        why, remark = _faults(check_server(declared.get(name), inside), declared.get(name))
        why = why or _odd(touched)
        component, place = f"mcp:{name}", f"{folder}/{SERVERS}"
        if why:
            problems.append(Problem(plugin, place, f"server '{name}' skipped: {why}", component))
            continue
        if remark:
            problems.append(Problem(plugin, place, f"server '{name}' never starts: {remark}", component, is_skip=False))
        servers[name] = _absolute(spec, touched, folder)
    return servers, problems


def _faults(broken: Iterable[Broken], spec: object) -> tuple[str, str]:
    """Return what keeps a server out, and what is only remarked, by the specification's rules."""
    command = spec.get("command") if isinstance(spec, dict) else None
    said: dict[str, list[str]] = {"why": [], "remark": []}
    for problem in broken:
        documented = problem.path == ("command",) and _is_documented(command)
        said["remark" if documented else "why"].append(f"`{dotted(problem.path)}` {problem.why}".replace("``", "it"))
    return "; ".join(said["why"]), "; ".join(said["remark"])


def _is_documented(command: object) -> bool:
    """Say whether lingtai's manual takes a command that the specification refuses."""
    if not isinstance(command, str) or any(ord(c) < 32 or ord(c) == 127 for c in command):
        return False
    return command.startswith(("/", f"{_PLACEHOLDER}/")) or ".." in command.split("/")


def _odd(touched: dict[str, tuple[str, Gated]]) -> str:
    """Return what lingtai takes only because it looks too little."""
    for field, (value, outcome) in touched.items():
        if outcome.why:
            return f"{field}: {value!a}: {outcome.why}"
        if value.startswith(_PLACEHOLDER) and value.removeprefix(_PLACEHOLDER)[:1] not in ("", "/"):
            return f"{field}: {value!a}: leads out of the plugin: it is the plugin's folder with something behind it"
    return ""


def _absolute(spec: dict[str, object], touched: dict[str, tuple[str, Gated]], folder: str) -> dict[str, object]:
    """Return a server with its own paths absolute; a word that only looks like one of them stays."""

    def real(field: str, value: object) -> object:
        if field not in touched or not isinstance(value, str):
            return value
        return folder + value.removeprefix(ROOT)

    made = {key: real(key, value) for key, value in spec.items()}
    words = spec.get("args")
    if isinstance(words, list):
        made["args"] = [real(f"args[{number}]", word) for number, word in enumerate(words)]
    return made


def _file_of(component: str) -> str:
    return SERVERS if component.startswith("mcp:") else component
