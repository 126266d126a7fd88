"""Agent Plugins 1.0.0: a directory with `plugin.json` whose `$schema` is of agent-plugins.org.

`plugin.json` is a common name: one without that `$schema` belongs to another client, or is a fault where the fixed
components stand beside it. A component that fails leaves the others standing.

Three judgements stand side by side and are never mixed: `conforms` is the specification's, `hosts` is what lingtai
would do, and the faults are ours, the strictest: what either a rule or a reader of ours refuses in a manifest. A skill
that breaks a rule of prose is skipped by the specification but is no fault, since hosts load it all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from plugseal.model.plugin import Component, Plugin
from plugseal.model.tree import EntryKind
from plugseal.systems.agent_plugins_verdict import MANIFEST, SERVERS, SKILLS, Package, judge, problems
from plugseal.systems.codewhale_package import package_verdict
from plugseal.systems.codewhale_paths import measure_bundles
from plugseal.systems.lingtai import build_verdict, read_as_lingtai
from plugseal.systems.lingtai_init import INIT_FILE, REGISTRY_FILE, find_mounts
from plugseal.systems.prose import SKILL_FILE, skill_components
from plugseal.systems.reading import Document, PluginReader, dotted, extras, lookup
from plugseal.systems.servers import server_components
from plugseal.systems.system import Listing
from plugseal.systems.units import folder_of, folders_with, make_plugin

_SITE = "agent-plugins.org"
_KEPT = frozenset({MANIFEST, SERVERS, SKILL_FILE, INIT_FILE, REGISTRY_FILE})
_FIELDS = frozenset({"$schema", "name", "version", "description"})
_UNDERSTOOD = _FIELDS | frozenset({"author", "homepage", "repository", "license", "keywords"})
"""All that the specification knows but `extensions`, whose meaning is each client's own."""
_OTHER_HOMES = frozenset({".claude-plugin", ".codex-plugin", ".cursor-plugin", ".plugin", "plugin"})
"""Folders whose `plugin.json` other clients read; `plugin` as in `.github/plugin`."""
_COPILOT_KEYS = frozenset({"agents", "skills", "commands", "hooks", "mcpServers", "lspServers"})
"""Keys that Copilot's own `plugin.json` has and the specification does not."""


class AgentPlugins:
    """Packages of the Agent Plugins specification."""

    name = "agent-plugins"

    def keeps(self, path: str) -> bool:
        """Keep manifests, MCP configurations, skills, and what says which of them an agent of lingtai mounts."""
        return path.rpartition("/")[2] in _KEPT

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every package."""
        packages = list(self._packages(listing))
        readings = {package.reader.root: read_as_lingtai(package.reader) for package in packages}
        mounts = find_mounts(listing, readings)
        measures = measure_bundles(listing, frozenset(readings))
        for package in packages:
            root = package.reader.root
            lingtai = build_verdict(readings[root], mounts.get(root, ()))
            codewhale = package_verdict(listing, root, measures[root])
            yield replace(_describe(_with_servers(package)), hosts=(lingtai, codewhale))

    def _packages(self, listing: Listing) -> Iterator[Package]:
        for root in folders_with(listing, MANIFEST):
            folder = root.rpartition("/")[2]
            if folder in _OTHER_HOMES and (folder != "plugin" or root.endswith(".github/plugin")):
                continue
            package = _read(listing, root)
            if _is_package(package.reader, package.manifest):
                yield package


def _is_package(reader: PluginReader, document: Document | None) -> bool:
    if document is None:
        return True
    schema = lookup(document.value, ("$schema",))
    if isinstance(schema, str) and _SITE in schema:
        return True
    table = document.value if isinstance(document.value, dict) else {}
    if _COPILOT_KEYS & table.keys() or "name" not in table or "id" in table:
        return False
    if any(reader.exists(f"{home}/{MANIFEST}") for home in _OTHER_HOMES):
        return False
    return reader.exists(SERVERS) or reader.is_directory(SKILLS)


def _describe(package: Package) -> Plugin:
    reader, document = package.reader, package.manifest
    components = [*skill_components(reader, SKILLS, nested=True), *_components(package)]
    _add_faults(package)
    table = reader.table(document)
    if document is not None:
        reader.expect_keys(document, table, _UNDERSTOOD)
    named = document is not None and reader.text(document, ("name",))
    plugin = make_plugin(
        "agent-plugins",
        reader,
        manifest=MANIFEST,
        name=named or folder_of(reader),
        version=reader.text(document, ("version",)) if document else "",
        description=reader.text(document, ("description",)) if document else "",
        components=components if document else (),
        extra=extras(table, _FIELDS),
    )
    return replace(plugin, conforms=judge(package))


def _read(listing: Listing, root: str) -> Package:
    reader = PluginReader(listing, root)
    return Package(reader, reader.json(MANIFEST), None)


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
    return server_components(reader, document, ("mcpServers",))


def _add_faults(package: Package) -> None:
    """Remember what the specification refuses as faults of ours, once for each field."""
    known = {(fault.file, fault.field) for fault in package.reader.faults}
    for document, problem in problems(package):
        # A transport that nobody knows is a fault of the whole server already.
        said_as = problem.path[:-1] if problem.path[-1:] == ("type",) else problem.path
        if not {(document.file, dotted(said_as)), (document.file, dotted(problem.path))} & known:
            package.reader.fault_at(document, problem.path, problem.why)
