"""Look at every plugin of a repository by one scan of the whole."""

from __future__ import annotations

import os
from pathlib import Path

from plugseal.errors import NothingToJudgeError
from plugseal.model.inventory import Inventory, PluginReport
from plugseal.model.look import Look
from plugseal.model.origin import Origin
from plugseal.model.tree import Tree
from plugseal.model.trust import Subject
from plugseal.rules.load import load_rules
from plugseal.scan.document import build_document, document_bytes
from plugseal.scan.linking.covered import own_tree
from plugseal.scan.resolved import followed
from plugseal.verbs.anchor import anchor_of
from plugseal.verbs.scan import scan_with


def look_at_all(folder: Path) -> tuple[Look, ...]:
    """Return all plugins below a folder as they are on disk now.

    Raises:
        IntakeError: something can't be read.
        NothingToJudgeError: there is none.
    """
    inventory, tree = scan_with(load_rules(), folder, origin=Origin(anchor=anchor_of(folder)))
    if not inventory.plugins:
        raise NothingToJudgeError("no plugin there", place=str(folder))
    return tuple(_look(folder, report, inventory, tree) for report in inventory.plugins)


def _look(folder: Path, report: PluginReport, inventory: Inventory, tree: Tree) -> Look:
    plugin = report.plugin
    own = own_tree(tree, plugin)
    links = [(entry.path, entry.target) for entry in own.entries if entry.target is not None]
    path = folder / plugin.root if plugin.root else folder
    status = os.stat(path)  # noqa: PTH116  # the path as the system resolves it
    return Look(
        path=str(path),
        id=report.id,
        subject=Subject(plugin.system, plugin.name, "workspace", os.path.realpath(path)),
        place=(status.st_dev, status.st_ino),
        report=report,
        inventory=inventory,
        tree=followed(own, plugin),
        document=document_bytes(build_document(plugin, report.capabilities, links)),
    )
