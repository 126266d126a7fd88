"""Codewhale: a directory with `plugin.toml` that holds a `[plugin]` table; skills, MCP servers, and future surfaces.

Ours is the judgement of the documented 0.9.1, in which a surface that isn't started yet blocks a bundle: a fault, and
what it holds is described all the same. What 0.9.1 and 0.9.10 would do stands beside it in `Plugin.hosts`.
Codewhale itself looks at the direct folders of `.codewhale/plugins` alone, and follows no link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from plugseal.encode.codewhale import MANIFESTS, BundleInventory
from plugseal.limits import MIB
from plugseal.model.plugin import Component, ComponentKind, Fault, Plugin
from plugseal.model.tree import EntryKind
from plugseal.systems.codewhale_check import Check, trimmed
from plugseal.systems.codewhale_manifest import (
    LEGACY_VERSION,
    SPELLINGS,
    build_inventory,
    check_manifest,
    declared_permissions,
    is_legacy,
)
from plugseal.systems.codewhale_paths import Measures, check_bundle, measure_bundles
from plugseal.systems.codewhale_surfaces import bundle_components, keeps_surface
from plugseal.systems.codewhale_verdict import FUTURE, Diagnostic, Evidence, build_verdicts
from plugseal.systems.prose import SKILL_FILE
from plugseal.systems.reading import Document, PluginReader, extras
from plugseal.systems.system import Listing
from plugseal.systems.units import folder_of, folders_with, make_plugin

_MANIFEST = MANIFESTS[-1]
_HOME = ".codewhale/plugins"
_TABLES = frozenset({"plugin", "mcp_servers", "capabilities"})
"""What components, permissions and the plugin's own fields say already."""
_HEADER = re.compile(rb"^[ \t]*\[[ \t]*plugin[ \t]*\]", re.MULTILINE)
_SERVERS = re.compile(rb"^[ \t]*\[[ \t]*mcp_servers\b", re.MULTILINE)


class Codewhale:
    """Codewhale's plugin bundles."""

    name = "codewhale"

    def keeps(self, path: str) -> bool:
        """Keep every `plugin.toml`, skills, and files that may belong to a surface of later versions."""
        return path.rpartition("/")[2] in (_MANIFEST, SKILL_FILE) or keeps_surface(path)

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every Codewhale bundle, and every link in the place of one."""
        roots = frozenset(folders_with(listing, _MANIFEST))
        measures = measure_bundles(listing, roots) if roots else {}
        taken: dict[tuple[str, str], str] = {}
        for root in sorted(roots):
            reader = PluginReader(listing, root)
            document = reader.toml(_MANIFEST)
            if _home_of(listing.placed(root)) is None and not _is_codewhale(reader, document):
                continue
            yield _describe(reader, document, measures[root], taken)
        yield from _linked(listing)


def _home_of(root: str) -> str | None:
    """Return the discovery root that a bundle is a direct folder of, None where it is in none."""
    parent = root.rpartition("/")[0]
    return parent if parent == _HOME or parent.endswith(f"/{_HOME}") else None


def _is_codewhale(reader: PluginReader, document: Document | None) -> bool:
    if document is None:
        data = reader.listing.kept.get(reader.real(_MANIFEST) or "")
        return data is None or bool(_HEADER.search(data) or _SERVERS.search(data))
    table = document.value if isinstance(document.value, dict) else {}
    return isinstance(table.get("plugin"), dict) or ("mcp_servers" in table and "schema_version" in table)


def _linked(listing: Listing) -> Iterator[Plugin]:
    """Yield a broken plugin for each link where Codewhale looks for bundles: it loads nothing through one."""
    for path, entry in listing.entries.items():
        if entry.kind is not EntryKind.SYMLINK:
            continue
        place = listing.placed(path)
        is_root = place == _HOME or place.endswith(f"/{_HOME}")
        if is_root or _home_of(place) is not None:
            parent, _, name = path.rpartition("/")
            reader = PluginReader(listing, parent)
            reader.fault(name, "is a symbolic link: Codewhale loads nothing through it")
            yield _with_verdicts(
                make_plugin("codewhale", reader, manifest=name, name=name, single_file=True),
                BundleInventory(),
                [Diagnostic("error", "root-symlink" if is_root else "bundle-symlink", "is a symbolic link", name)],
                errors=reader.faults,
                reader=reader,
            )


def _describe(
    reader: PluginReader, document: Document | None, measures: Measures, taken: dict[tuple[str, str], str]
) -> Plugin:
    if document is None:
        check_bundle(reader, _MANIFEST, measures)
        plugin = make_plugin("codewhale", reader, manifest=_MANIFEST, name=folder_of(reader))
        return _with_verdicts(plugin, BundleInventory(), [], errors=reader.faults, reader=reader)
    check = Check(reader, document)
    components = tuple(bundle_components(check, _MANIFEST))
    described, reader.faults = reader.faults, []
    check_bundle(reader, _MANIFEST, measures)
    check_manifest(check)
    _check_skill_names(check, components)
    errors = list(reader.faults)
    # What describing found in the manifest was judged again, field by field; what it found elsewhere stands alone.
    elsewhere = [fault for fault in described if fault.file != _MANIFEST]
    reader.faults += elsewhere
    inventory = build_inventory(check)
    name = reader.text(document, ("plugin", "name")) or folder_of(reader)
    diagnostics = _diagnostics(check, elsewhere, name, taken)
    for surface in inventory.declared():
        if surface in FUTURE:
            check.fault(_future_field(check, surface), "is a surface that Codewhale 0.9.1 can't enable yet")
    version = trimmed(str(check.value(("plugin", "version")) or ""))
    plugin = make_plugin(
        "codewhale",
        reader,
        manifest=_MANIFEST,
        name=name,
        version=version or (LEGACY_VERSION if is_legacy(check) else ""),
        description=str(check.value(("plugin", "description")) or ""),
        components=components,
        permissions=declared_permissions(check),
        extra=_extra(check),
    )
    return _with_verdicts(plugin, inventory, diagnostics, errors=errors, reader=reader)


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


def _diagnostics(
    check: Check, elsewhere: Sequence[Fault], name: str, taken: dict[tuple[str, str], str]
) -> list[Diagnostic]:
    """Return what Codewhale warns of beside the faults."""
    found = [
        Diagnostic("warning", "skill-invalid", fault.message, fault.file) for fault in elsewhere if _is_skill(fault)
    ]
    if is_legacy(check):
        found.append(Diagnostic("warning", "manifest-legacy", "`schema_version` is missing", _MANIFEST))
        if not trimmed(str(check.value(("plugin", "version")) or "")):
            found.append(Diagnostic("warning", "manifest-legacy", "`plugin.version` is missing", _MANIFEST))
    root = check.reader.root
    home = _home_of(check.reader.listing.placed(root))
    if home is not None:
        first = taken.setdefault((home, name), root)
        if first != root:
            message = "another bundle of this name comes before it"
            found.append(Diagnostic("warning", "name-conflict", message, _MANIFEST))
    return found


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
    is_shadowed = any(diagnostic.code == "name-conflict" for diagnostic in diagnostics)
    evidence = Evidence(tuple(errors), diagnostics, inventory, hashes, there, is_shadowed)
    return replace(plugin, hosts=build_verdicts(evidence))
