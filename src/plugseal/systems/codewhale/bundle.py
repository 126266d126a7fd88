"""One Codewhale bundle: its components, everything wrong with it, and what two versions of Codewhale would do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plugseal.encode.codewhale import MANIFESTS, BundleInventory
from plugseal.limits import MIB
from plugseal.model.plugin import SKILL_FILE, Component, ComponentKind, Fault, Plugin
from plugseal.systems.codewhale.check import Check
from plugseal.systems.codewhale.manifest import (
    LEGACY_VERSION,
    SPELLINGS,
    build_inventory,
    check_manifest,
    declared_permissions,
    is_legacy,
)
from plugseal.systems.codewhale.paths import Measures, check_bundle
from plugseal.systems.codewhale.surfaces import bundle_components
from plugseal.systems.codewhale.verdict import FUTURE, Diagnostic, Evidence, build_verdicts, server_id
from plugseal.systems.reading.reader import Document, PluginReader, extras
from plugseal.systems.reading.texts import trim
from plugseal.systems.reading.units import folder_of, make_plugin
from plugseal.systems.system import Listing

_MANIFEST = MANIFESTS[-1]
_TABLES = frozenset({"plugin", "mcp_servers", "capabilities"})
"""What components, permissions and the plugin's own fields say already."""


def describe_link(listing: Listing, path: str, *, code: str) -> Plugin:
    """Return the broken plugin that a link in the place of a bundle is.

    Args:
        listing: the tree.
        path: the link's.
        code: Codewhale's own word for it.
    """
    parent, _, name = path.rpartition("/")
    reader = PluginReader(listing, parent)
    reader.fault(name, "is a symbolic link: Codewhale loads nothing through it")
    plugin = make_plugin("codewhale", reader, manifest=name, name=name, single_file=True)
    found = [Diagnostic("error", code, "is a symbolic link", name)]
    return _with_verdicts(plugin, BundleInventory(), found, errors=reader.faults, reader=reader)


def describe_bundle(
    reader: PluginReader,
    document: Document | None,
    measures: Measures,
    *,
    home: str | None,
    taken: dict[tuple[str, str], str],
) -> Plugin:
    """Return a bundle with everything that is wrong with it.

    Args:
        reader: of the bundle, before anything was asked of it but its manifest.
        document: the manifest, None where it can't be parsed.
        measures: what lies below the bundle.
        home: the discovery root that it is a direct folder of, None where it is in none.
        taken: discovery root and name to the root of the first bundle there; this one is entered.
    """
    if document is None:
        check_bundle(reader, _MANIFEST, measures)
        plugin = make_plugin("codewhale", reader, manifest=_MANIFEST, name=folder_of(reader))
        return _with_verdicts(plugin, BundleInventory(), [], errors=reader.faults, reader=reader)
    check = Check(reader, document)
    components = tuple(bundle_components(check, _MANIFEST))
    errors, elsewhere = _judge(check, components, measures)
    inventory = build_inventory(check)
    name = _said(check, "name") or folder_of(reader)
    diagnostics = [*_diagnostics(check, elsewhere), *_shadowed(reader.root, home, name, taken)]
    for surface in inventory.declared():
        if surface in FUTURE:
            check.fault(_future_field(check, surface), "is a surface that Codewhale 0.9.1 can't enable yet")
    plugin = make_plugin(
        "codewhale",
        reader,
        manifest=_MANIFEST,
        name=name,
        version=trim(_said(check, "version")) or (LEGACY_VERSION if is_legacy(check) else ""),
        description=_said(check, "description"),
        components=components,
        permissions=declared_permissions(check),
        extra=_extra(check),
    )
    return _with_verdicts(plugin, inventory, diagnostics, errors=errors, reader=reader)


def _judge(check: Check, components: Sequence[Component], measures: Measures) -> tuple[list[Fault], list[Fault]]:
    """Put all faults into the reader; return those that refuse the whole bundle, and those of other files alone."""
    reader = check.reader
    described, reader.faults = reader.faults, []
    check_bundle(reader, _MANIFEST, measures)
    check_manifest(check)
    _check_skill_names(check, components)
    errors = list(reader.faults)
    # What describing found in the manifest was judged again, field by field; what it found elsewhere stands alone.
    elsewhere = [fault for fault in described if fault.file != _MANIFEST]
    reader.faults += elsewhere
    return errors, elsewhere


def _check_skill_names(check: Check, components: Sequence[Component]) -> None:
    """Remember skills that Codewhale refuses the whole bundle for: two of one name, and one that is too large."""
    seen: dict[str, str] = {}
    for component in components:
        if component.kind is not ComponentKind.SKILL:
            continue
        entry = check.reader.listing.entries.get(check.reader.path(component.file))
        if entry is not None and entry.size > MIB:
            check.reader.fault(component.file, f"has {entry.size:,} bytes, {MIB:,} are allowed")
        first = seen.setdefault(component.name, component.file)
        if first != component.file:
            check.reader.fault(component.file, "has the name of another skill", line=component.span.line, field="name")


def _diagnostics(check: Check, elsewhere: Sequence[Fault]) -> list[Diagnostic]:
    """Return what Codewhale warns of beside the faults."""
    found = [
        Diagnostic("warning", "skill-invalid", fault.message, fault.file) for fault in elsewhere if _is_skill(fault)
    ]
    if is_legacy(check):
        found.append(Diagnostic("warning", "manifest-legacy", "`schema_version` is missing", _MANIFEST))
        if not trim(_said(check, "version")):
            found.append(Diagnostic("warning", "manifest-legacy", "`plugin.version` is missing", _MANIFEST))
    return found


def _shadowed(root: str, home: str | None, name: str, taken: dict[tuple[str, str], str]) -> Iterator[Diagnostic]:
    """Yield a warning where another bundle of this name comes first in the same discovery root."""
    if home is not None and taken.setdefault((home, name), root) != root:
        yield Diagnostic("warning", "name-conflict", "another bundle of this name comes before it", _MANIFEST)


def _said(check: Check, field: str) -> str:
    """Return a text of the plugin's own table, empty where there is none."""
    value = check.value(("plugin", field))
    return value if isinstance(value, str) else ""


def _is_skill(fault: Fault) -> bool:
    return fault.file.rpartition("/")[2] == SKILL_FILE


def _future_field(check: Check, surface: str) -> tuple[str, ...]:
    """Return the field that declares a surface."""
    if surface in ("filesystem-roots", "lifecycle-mutation"):
        return ("capabilities", surface.replace("-", "_"))
    return (next((key for key in SPELLINGS[surface] if check.value((key,)) is not None), surface),)


def _extra(check: Check) -> list[tuple[str, str]]:
    """Return all of a manifest that no component holds."""
    document, reader = check.document, check.reader
    about = reader.table(document, ("plugin",)) if isinstance(check.value(("plugin",)), dict) else {}
    known = frozenset({"name", "version", "description"})
    return [*extras(reader.table(document), _TABLES), *((f"plugin.{k}", v) for k, v in extras(about, known))]


def _is_server(component: Component) -> bool:
    """Say whether a component is an MCP server of the manifest, not one of a language and not of a skill's own."""
    return component.kind is ComponentKind.SERVER and component.file == _MANIFEST and bool(component.transport)


def _with_verdicts(
    plugin: Plugin,
    inventory: BundleInventory,
    diagnostics: Sequence[Diagnostic],
    *,
    errors: Sequence[Fault],
    reader: PluginReader,
) -> Plugin:
    """Return a plugin with what two versions of Codewhale say of it."""
    hashes = {
        name: reader.listing.bundle_hashes[path]
        for name in MANIFESTS
        if (path := reader.path(name)) in reader.listing.bundle_hashes
    }
    there = [name for name in MANIFESTS if name == _MANIFEST or reader.is_file(name)]
    skills = [component.name for component in plugin.components if component.kind is ComponentKind.SKILL]
    servers = [component.name for component in plugin.components if _is_server(component)]
    evidence = Evidence(
        tuple(errors),
        diagnostics,
        inventory,
        hashes,
        there,
        is_shadowed=any(diagnostic.code == "name-conflict" for diagnostic in diagnostics),
        skills=sorted(f"{plugin.name}:{name}" for name in skills),
        servers=sorted(server_id(plugin.name, name) for name in servers),
    )
    return plugin._replace(hosts=build_verdicts(evidence))
