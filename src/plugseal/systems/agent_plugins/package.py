"""Describe the Agent Plugins packages of a tree, with every judgement on each.

Three judgements stand side by side and are never mixed: `conforms` is the specification's, `hosts` is what lingtai
would do, and the faults are ours, the strictest: what either a rule or a reader of ours refuses in a manifest. A skill
that breaks a rule of prose is skipped by the specification but is no fault, since hosts load it all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plugseal.model.plugin import Component, Plugin
from plugseal.model.tree import EntryKind
from plugseal.model.verdict import HostVerdict
from plugseal.systems.agent_plugins.names import MANIFEST, SERVERS, SKILLS
from plugseal.systems.agent_plugins.verdict import Package, judge, problems
from plugseal.systems.components.prose import skill_components
from plugseal.systems.components.servers import server_components
from plugseal.systems.reading.reader import Document, PluginReader, compact, dotted, extras
from plugseal.systems.reading.units import folder_of, make_plugin
from plugseal.systems.system import Listing

SYSTEM = "agent-plugins"
_FIELDS = frozenset({"$schema", "name", "version", "description"})
_UNDERSTOOD = _FIELDS | frozenset({"author", "homepage", "repository", "license", "keywords"})
"""All that the specification knows but `extensions`, whose meaning is each client's own."""


def describe_packages(listing: Listing, packages: Iterable[tuple[PluginReader, Document | None]]) -> Iterator[Plugin]:
    """Yield the packages of a tree, in order."""
    found = [Package(reader, manifest, None) for reader, manifest in packages]
    verdicts = _host_verdicts(listing, found) if listing.asks_hosts else {}
    for package in found:
        yield _describe(_with_servers(package))._replace(hosts=verdicts.get(package.reader.root, ()))


def _host_verdicts(listing: Listing, found: Iterable[Package]) -> dict[str, tuple[HostVerdict, ...]]:
    """Return, by root, what the hosts say; which package an agent mounts is a question to all of them at once."""
    from plugseal.systems.codewhale.package import package_verdict
    from plugseal.systems.codewhale.paths import measure_bundles
    from plugseal.systems.lingtai.init import find_mounts
    from plugseal.systems.lingtai.system import build_verdict, read_as_lingtai

    readings = {package.reader.root: read_as_lingtai(package.reader) for package in found}
    mounts = find_mounts(listing, readings)
    measures = measure_bundles(listing, frozenset(readings))
    return {
        root: (build_verdict(reading, mounts.get(root, ())), package_verdict(listing, root, measures[root]))
        for root, reading in readings.items()
    }


def _describe(package: Package) -> Plugin:
    reader, document = package.reader, package.manifest
    if document is None:
        return make_plugin(SYSTEM, reader, manifest=MANIFEST, name=folder_of(reader))._replace(conforms=judge(package))
    components = [*skill_components(reader, SKILLS, nested=True), *_components(package)]
    _add_faults(package)
    table = reader.table(document)
    reader.expect_keys(document, table, _UNDERSTOOD)
    plugin = make_plugin(
        SYSTEM,
        reader,
        manifest=MANIFEST,
        name=reader.text(document, ("name",)) or folder_of(reader),
        version=reader.text(document, ("version",)),
        description=reader.text(document, ("description",)),
        components=components,
        extra=extras(table, _FIELDS),
    )
    return plugin._replace(conforms=judge(package))


def _with_servers(package: Package) -> Package:
    reader = package.reader
    if package.manifest is None or not reader.exists(SERVERS):
        return package
    entry = reader.listing.entries.get(reader.path(SERVERS))
    if entry is not None and entry.kind is EntryKind.DIRECTORY:
        reader.fault(SERVERS, "is no regular file")
        return package
    return package._replace(servers=reader.json(SERVERS))


def _components(package: Package) -> tuple[Component, ...]:
    reader, document = package.reader, package.servers
    if document is None:
        return ()
    reader.expect_keys(document, reader.table(document), frozenset({"$schema", "mcpServers"}))
    return tuple(_as_text(reader, document, found) for found in server_components(reader, document, ("mcpServers",)))


def _as_text(reader: PluginReader, document: Document, component: Component) -> Component:
    """Return a server whose variables all have their values as written: the specification maps none (9.2)."""
    table = reader.table(document, ("mcpServers", component.name, "env"))
    literals = {name: value if isinstance(value, str) else compact(value) for name, value in table.items()}
    return component._replace(
        environment=tuple((name, None) for name in sorted(literals)),
        literals=tuple(sorted(literals.items())),
    )


def _add_faults(package: Package) -> None:
    """Remember what the specification refuses as faults of ours, once for each field."""
    known = {(fault.file, fault.field) for fault in package.reader.faults}
    for document, problem in problems(package):
        # A transport that nobody knows is a fault of the whole server already.
        said_as = problem.path[:-1] if problem.path[-1:] == ("type",) else problem.path
        if not {(document.file, dotted(said_as)), (document.file, dotted(problem.path))} & known:
            package.reader.fault_at(document, problem.path, problem.why)
            if problem.path == ("extensions",):  # Reported and ignored (8.1): the rest loads.
                package.reader.faults[-1] = package.reader.faults[-1]._replace(is_narrow=True)
    if package.servers is not None:
        _add_faults_of_names(package.reader, package.servers)


def _add_faults_of_names(reader: PluginReader, document: Document) -> None:
    """Remember variables that no environment can hold: the specification says nothing of their names."""
    for server, spec in reader.declared(document, ("mcpServers",)).items():
        table = spec.get("env") if isinstance(spec, dict) else None
        for name in table if isinstance(table, dict) else ():
            if not name or "=" in name or "\0" in name:
                reader.fault_at(document, ("mcpServers", server, "env", name), "is no name of a variable")
