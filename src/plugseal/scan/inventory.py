"""Assemble the inventory: link files to each other, describe plugins, match what needs the whole tree, sort.

Everything here is a pure function of the tree's bytes and the rules: same input, same inventory, in any order of
files, on any machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from plugseal.lang.classify import CONFIGURATION, TOOL_DATA
from plugseal.model.capability import Fact
from plugseal.model.factlog import FactLog
from plugseal.model.finding import Finding
from plugseal.model.inventory import BROKEN_MANIFEST, Inventory, Unread, hiding_faults
from plugseal.model.location import WHOLE_FILE
from plugseal.model.plugin import Fault, Plugin
from plugseal.model.reach import Reached
from plugseal.model.tree import EntryKind, Tree
from plugseal.model.tree import Fault as TreeFault
from plugseal.scan.amness_lines import with_scan_line
from plugseal.scan.archives import one_for_each_archive
from plugseal.scan.discover import discover, manifest_facts
from plugseal.scan.git_files import missing_modules
from plugseal.scan.linking.climbing import facts_of_climbs
from plugseal.scan.linking.link import iterate_links
from plugseal.scan.linking.shared_functions import is_call, iterate_shared
from plugseal.scan.loose import loose_code
from plugseal.scan.matching.match import match_events
from plugseal.scan.matching.match_across import match_across
from plugseal.scan.matching.match_descriptions import match_descriptions
from plugseal.scan.matching.match_plugin import match_plugin
from plugseal.scan.matching.match_tree import match_tree
from plugseal.scan.reports import WHOLE_TREE, Reports
from plugseal.scan.resolved import drop_allowed_links
from plugseal.scan.scanner import Scanner
from plugseal.scan.softened import soften
from plugseal.scan.sources import SourceLines
from plugseal.systems.system import Listing

NOT_UNDERSTOOD: Final = "manifest that was not understood in full: see what is broken"
_NO_READER: Final = "no reader for configuration yet"
_REPLACED: Final = (CONFIGURATION, TOOL_DATA, _NO_READER, "no reader for plain text yet")
"""Reasons that say less than a system does that looked into the file."""
_NAMED_KEYS: Final = 5


def build_inventory(scanner: Scanner, tree: Tree, root: str) -> Inventory:
    """Return everything that the scan knows.

    Args:
        scanner: after it visited every file of `tree`.
        tree: what intake returned.
        root: the path as the user gave it, for show.
    """
    scanner.finish()
    listing = scanner.keeper.listing(tree)
    plugins = discover(listing)
    _read_components(scanner, plugins, listing)
    findings = list(scanner.findings)
    findings += link(scanner)
    unread = _gather_unread(scanner, plugins, listing, tree)
    facts = scanner.facts.copy()
    for path in unread:
        channel = scanner.channels.get(path, "code")
        facts.add(path, [Fact(WHOLE_FILE, "unread", path, "direct", channel, "unknown")])
    for path, climbs in scanner.climbs.items():
        facts.add(path, facts_of_climbs(path, climbs, plugins))
    declared: dict[str, list[Fact]] = {}
    for plugin in plugins:
        for path, fact in manifest_facts(plugin):
            declared.setdefault(path, []).append(fact)
        findings += match_plugin(scanner.rules, plugin, listing.kept)
        findings += match_descriptions(scanner.rules, plugin, listing.kept)
    for path, these in declared.items():
        facts.add(path, these)
    findings += match_across(scanner.rules, plugins, listing.kept)
    findings += match_tree(scanner.rules, tree)
    findings = soften(findings, scanner.rules, listing, plugins, scanner.told)
    plugins = tuple(with_scan_line(plugin, facts, unread) for plugin in plugins)
    reports = Reports(tree, facts, unread, scanner.origin)
    built = tuple(reports.build(plugin) for plugin in plugins)
    return Inventory(
        root=root,
        plugins=built,
        findings=tuple(sorted(one_for_each_archive(set(findings)), key=_finding_key)),
        facts=facts,
        unread=tuple(Unread(path, unread[path]) for path in sorted(unread)),
        faults=_faults(drop_allowed_links(tree, built), plugins),
        files_read=sum(1 for e in tree.entries if e.kind is EntryKind.FILE and e.path not in unread),
        rules=len(scanner.rules.rules),
        rules_digest=scanner.rules.digest,
        left_out=tree.left_out,
        reach=_reach(scanner, plugins, facts, findings),
        loose=loose_code(built, facts),
    )


def _reach(
    scanner: Scanner, plugins: Sequence[Plugin], facts: FactLog, findings: Sequence[Finding]
) -> tuple[Reached, ...]:
    if not scanner.callings:
        return ()
    from plugseal.scan.linking.reach import build_reach

    return build_reach(scanner.callings, scanner.linkables, plugins, facts, findings)


def _gather_unread(scanner: Scanner, plugins: Sequence[Plugin], listing: Listing, tree: Tree) -> dict[str, str]:
    """Return what was not read in full, by path, with the reason."""
    understood = _understood(plugins)
    unread = {path: reason for path, reason in scanner.unread.items() if path not in understood}
    for plugin in plugins:
        unread.update((path, reason) for path, reason in _why_unread(plugin) if unread.get(path) in _REPLACED)
    unread.update((path, reason) for path, reason in scanner.half_read.items() if path not in unread)
    for plugin in plugins:
        # Its text was read; what its front matter grants and starts was not.
        narrow = (plugin.path_of(one.file) for one in plugin.faults if one.is_narrow)
        unread.update((path, NOT_UNDERSTOOD) for path in narrow if path not in unread)
    unread.update(_lost_links(listing))
    unread.update(missing_modules(listing))
    for fault in hiding_faults(tree.faults):
        unread.setdefault(fault.path or WHOLE_TREE, fault.message)
    for entry in tree.entries:
        if entry.kind is EntryKind.OTHER:  # Such as a hard link in an archive, whose bytes stand somewhere else.
            unread.setdefault(entry.path, "is no regular file: nothing of it was looked at")
    return unread


def _read_components(scanner: Scanner, plugins: Sequence[Plugin], listing: Listing) -> None:
    """Read the code that stands in manifests, where any component starts something."""
    if not any(component.command for plugin in plugins for component in plugin.components):
        return
    from plugseal.scan.component_texts import component_texts

    for path, texts in sorted(component_texts(plugins, listing.kept).items()):
        scanner.read_texts(path, texts, SourceLines(listing.kept.get(path, b"")))


def _why_unread(plugin: Plugin) -> Iterator[tuple[str, str]]:
    """Yield (path, reason) of the manifests that a system read without understanding all of it."""
    unknown: dict[str, list[str]] = {}
    for file, key in plugin.unknown:
        unknown.setdefault(file, []).append(f"`{key}`")
    for file, keys in unknown.items():
        more = f" and {len(keys) - _NAMED_KEYS} more" if len(keys) > _NAMED_KEYS else ""
        yield plugin.path_of(file), f"configuration with keys that are not known: {', '.join(keys[:_NAMED_KEYS])}{more}"
    # What is broken stands among the faults.
    yield from ((plugin.path_of(fault.file), NOT_UNDERSTOOD) for fault in plugin.faults)


def link(scanner: Scanner) -> list[Finding]:
    """Resolve what files use of each other: add the facts to the scanner's, return the findings."""
    findings: list[Finding] = []
    for path, names, folds in iterate_shared(scanner.linkables):
        scanner.facts.drop(path, partial(is_call, names=names, folds=folds))
    for path, (facts, events) in iterate_links(scanner.linkables):
        scanner.facts.add(path, facts)
        findings += match_events(scanner.rules, path, events, scanner.linkables.lines(path))
    return findings


def _lost_links(listing: Listing) -> dict[str, str]:
    """Return the links behind which something may stand that was not read: out of the root, nowhere, in a circle."""
    lost = {}
    for path, entry in listing.entries.items():
        if entry.kind is EntryKind.SYMLINK and listing.resolve(path) is None:
            lost[path] = "symbolic link that leads to nothing that was read"
    return lost


def _understood(plugins: Iterable[Plugin]) -> frozenset[str]:
    """Return the manifests that a system read in full."""
    return frozenset(plugin.path_of(file) for plugin in plugins for file in plugin.read)


def _faults(tree: Tree, plugins: Iterable[Plugin]) -> tuple[TreeFault, ...]:
    found = set(tree.faults)
    found.update(TreeFault(p.path_of(f.file), BROKEN_MANIFEST, _fault_text(f)) for p in plugins for f in p.faults)
    return tuple(sorted(found))


def _fault_text(fault: Fault) -> str:
    at = f"line {fault.line}: " if fault.line else ""
    field = f"`{fault.field}`: " if fault.field else ""
    return f"{at}{field}{fault.message}"


def _finding_key(finding: Finding) -> tuple[str, tuple[int, ...], str, str]:
    return finding.file, tuple(finding.span), finding.rule, finding.note
