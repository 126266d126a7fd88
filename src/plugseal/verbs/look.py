"""Look at one plugin: read and scan it, and tell which one it is for ever. Writes nothing, never asks the cache."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from plugseal.errors import IntakeError, NothingToJudgeError, UsageError
from plugseal.model.identity import subject_id
from plugseal.model.inventory import Inventory, PluginReport
from plugseal.model.look import Look
from plugseal.model.origin import Origin
from plugseal.model.tree import Tree
from plugseal.model.trust import Subject
from plugseal.rules.load import load_rules
from plugseal.scan.document import build_document, document_bytes
from plugseal.scan.linking.covered import is_whole, own_tree
from plugseal.scan.resolved import followed
from plugseal.systems.repository.git import Git
from plugseal.trust.paths import path_key
from plugseal.verbs.anchor import anchor_of
from plugseal.verbs.scan import OnProgress, scan_with
from plugseal.verbs.select import Selection


def look(selection: Selection, *, system: str = "", on_progress: OnProgress | None = None) -> Look:
    """Return one plugin as it is on disk now.

    Args:
        selection: what is meant.
        system: which of the plugins at one path is meant, where several systems see one there.
        on_progress: called now and then.

    Raises:
        IntakeError: the path can't be read.
        NothingToJudgeError: no plugin is exactly there.
        UsageError: more than one is.
    """
    origin = selection.origin or Origin(anchor=anchor_of(selection.path))
    inventory, tree = scan_with(load_rules(), selection.path, on_progress=on_progress, origin=origin)
    report = _only(selection, inventory, tree, system)
    beside = [other.plugin.system for other in _whole(inventory, tree) if other is not report]
    plugin = report.plugin
    own = own_tree(tree, plugin)
    links = [(entry.path, entry.target) for entry in own.entries if entry.target is not None]
    root, place = _root(selection.path)
    subject = Subject(plugin.system, plugin.name, origin.scope, root)
    return Look(
        path=str(selection.path),
        id=subject_id(subject),
        subject=subject,
        place=place,
        report=report,
        inventory=inventory,
        tree=followed(own, plugin),
        document=document_bytes(build_document(plugin, report.capabilities, links)),
        links=tuple(links),
        shared=bool(beside),
        shared_system=plugin.system in beside,
    )


def _only(selection: Selection, inventory: Inventory, tree: Tree, system: str) -> PluginReport:
    there = [report for report in _whole(inventory, tree, system or selection.system) if selection.means(report.plugin)]
    fits = [report for report in there if not system or report.plugin.system == system]
    if len(fits) == 1:
        return fits[0]
    place = str(selection.path)
    if fits:
        raise UsageError(
            f"{len(fits)} plugins are exactly there",
            details=list(_named_apart(fits, selection)),
            hint="say which with `--system NAME`, or name one by its ID",
        )
    if there:
        found = ", ".join(f"`{report.plugin.system}`" for report in there)
        raise UsageError(f"no plugin of `{system}` is exactly there", hint=f"there is one of {found}")
    if inventory.plugins:
        below = [f"{report.plugin.root or '.'}  {report.plugin.system}" for report in inventory.plugins[:20]]
        raise NothingToJudgeError(
            "no plugin is exactly there", place=place, details=below, hint="name one of those below"
        )
    raise NothingToJudgeError("no plugin there", place=place, hint="see what is there with `plugseal scan`")


def _whole(inventory: Inventory, tree: Tree, system: str = "") -> list[PluginReport]:
    """Return the plugins that are the whole tree: what git runs from it only where nothing else is, or it is asked for.

    No receipt covers that part and nobody can trust it; what alarms there, alarms in the review of each plugin.
    """
    found = [report for report in inventory.plugins if is_whole(report, tree)]
    return [report for report in found if report.plugin.system != Git.name or Git.name == system] or found


def _named_apart(fits: list[PluginReport], selection: Selection) -> Iterator[str]:
    """Yield how to name each of the plugins at one path."""
    systems = Counter(report.plugin.system for report in fits)
    scope = (selection.origin or Origin()).scope
    for report in fits:
        plugin = report.plugin
        if systems[plugin.system] == 1:
            yield f"--system {plugin.system}"
        else:
            yield subject_id(Subject(plugin.system, plugin.name, scope, _root(selection.path)[0]))


def _root(path: Path) -> tuple[str, tuple[int, int]]:
    try:
        real = os.path.realpath(path, strict=True)
        status = os.stat(real)  # noqa: PTH116  # the path as the system resolves it
    except (OSError, ValueError) as error:
        raise IntakeError("the path went away", place=str(path), hint="try again") from error
    # Elsewhere one path has many spellings, here it has this one.
    root = real if os.name == "posix" else path_key(real)
    return root, (status.st_dev, status.st_ino)
