"""One plugin's report: its files, its capabilities, its receipts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from plugseal.encode.treehash import find_content_receipt
from plugseal.model.factlog import FactLog
from plugseal.model.inventory import Capable, PluginReport, Unread, capable_order, hiding_faults
from plugseal.model.origin import Origin
from plugseal.model.plugin import Plugin
from plugseal.model.tree import EntryKind, Tree
from plugseal.scan.discover import entry_files, plugin_id
from plugseal.scan.document import build_document, capability_receipt
from plugseal.scan.linking.binding import may_load_more
from plugseal.scan.linking.climbing import is_climb, outward
from plugseal.scan.linking.covered import GIT, own_rows, own_tree
from plugseal.scan.resolved import followed
from plugseal.scan.subtrees import Subtrees

_FILE_TRIGGERS = frozenset({"import", "start"})
"""What happens when a file is run; a component that starts the file says when that is."""

UNBOUND: Final = Capable("code.unbound", "workspace", "code", "unknown")
"""What a unit of a client's configuration can do whose programs may load more of the folder than it covers."""
WHOLE_TREE: Final = "."
"""Stands for the root where all that is below it is meant: an archive that ends too early, a folder that was locked."""


class Reports:
    """Build the reports of all plugins of one tree."""

    def __init__(self, tree: Tree, facts: FactLog, unread: Mapping[str, str], origin: Origin) -> None:
        self._origin = origin
        self._tree = tree
        self._facts = facts
        self._files: Subtrees[None] = Subtrees((file, None) for file in facts.files())
        self._unread: Subtrees[str] = Subtrees(unread.items())

    def build(self, plugin: Plugin) -> PluginReport:
        """Return one plugin's report, over all below its root, nested plugins included, or over what it covers."""
        tree = own_tree(self._tree, plugin)
        capabilities = self._capabilities(plugin)
        if plugin.covers is not None and (plugin.unbound or may_load_more(capabilities)):
            capabilities = tuple(sorted({*capabilities, UNBOUND}, key=capable_order))
        unread = [Unread(*row) for row in own_rows(plugin, self._unread.below(plugin.root))]
        lost = [fault for fault in hiding_faults(tree.faults) if not fault.path] if plugin.root else []
        if lost:
            # The fault is of something above the plugin: what of it was lost may have been the plugin's.
            unread.append(Unread(plugin.root, lost[0].message))
            capabilities = tuple(
                sorted({*capabilities, Capable("unread", WHOLE_TREE, "code", "unknown")}, key=capable_order)
            )
        links = [(e.path, e.target) for e in tree.entries if e.target is not None]
        files = [e for e in tree.entries if e.kind is EntryKind.FILE]
        return PluginReport(
            plugin=plugin,
            id=plugin_id(plugin, self._origin),
            capabilities=capabilities,
            unread=tuple(dict.fromkeys(unread)),
            files=len(files),
            bytes=sum(e.size for e in files),
            content_receipt=None if GIT in (plugin.covers or ()) else find_content_receipt(followed(tree, plugin)),
            capability_receipt=capability_receipt(build_document(plugin, capabilities, links)),
            beside=self._capabilities(plugin, _outside(plugin)),
        )

    def _capabilities(self, plugin: Plugin, files: Iterable[str] | None = None) -> tuple[Capable, ...]:
        """Return what files can do, sorted and unique, with the triggers of the components that start them.

        Args:
            plugin: whose components start them.
            files: below the scanned root; all of the plugin's own by default.
        """
        started = {plugin.path_of(file): trigger for file, trigger in entry_files(plugin).items()}
        if files is None:
            files = (path for path, _ in own_rows(plugin, self._files.below(plugin.root)))
        found = set()
        for path in files:
            trigger = started.get(path)
            for fact in self._facts.of(path):
                when = trigger if trigger and fact.trigger in _FILE_TRIGGERS else fact.trigger
                what = relative(path, plugin.root) if fact.object == path else fact.object
                if is_climb(fact) and (what := outward(path, fact, plugin)) is None:
                    continue
                found.add(Capable(fact.capability, what, fact.channel, when))
        return tuple(sorted(found, key=capable_order))


def _outside(plugin: Plugin) -> list[str]:
    """Return the files below the scanned root that a plugin starts though they lie beside its root."""
    files = {component.entry for component in plugin.components if component.entry is not None}
    return [plugin.path_of(file) for file in sorted(files) if file.startswith("../")]


def relative(path: str, root: str) -> str:
    """Return `path` as seen from `root`, `../x` for one beside it; a single-file plugin's own path becomes its name."""
    if path == root:
        return path.rpartition("/")[2]
    up = ""
    while root and not path.startswith(f"{root}/"):
        root, up = root.rpartition("/")[0], f"{up}../"
    return up + (path[len(root) + 1 :] if root else path)
