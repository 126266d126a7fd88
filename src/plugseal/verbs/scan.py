"""Scan a path: read it once, look at every file, say what is there. Writes nothing and runs nothing of the tree."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

from plugseal.intake.read import read_tree
from plugseal.model.inside import Inside
from plugseal.model.inventory import Inventory
from plugseal.model.origin import Origin
from plugseal.model.tree import Tree
from plugseal.rules.load import load_rules
from plugseal.rules.rule import RuleSet
from plugseal.scan.inventory import build_inventory
from plugseal.scan.on_demand import WorkersOnDemand
from plugseal.scan.scanner import Scanner
from plugseal.verbs.anchor import anchor_of

OnProgress = Callable[[int, int], None]
"""Called now and then with the files and the bytes read so far."""

_COLLECT_AFTER_OBJECTS = 50_000
"""A source's tree is that many objects and goes without the collector: looking at it while it lives is lost time."""


def scan_path(
    path: Path, *, on_progress: OnProgress | None = None, origin: Origin | None = None, asks_hosts: bool = True
) -> Inventory:
    """Return everything known about a directory, a file or an archive.

    Args:
        path: what to read.
        on_progress: called now and then.
        origin: where it comes from; by default a part of some workspace.
        asks_hosts: whether the verdicts of other hosts are wanted; nothing else depends on them.

    Raises:
        IntakeError: if the path can't be read at all.
        RuleError: if the rules are not sound.
    """
    return scan_with(load_rules(), path, on_progress=on_progress, origin=origin, asks_hosts=asks_hosts)[0]


def scan_with(
    rules: RuleSet,
    path: Path,
    *,
    on_progress: OnProgress | None = None,
    origin: Origin | None = None,
    asks_hosts: bool = True,
) -> tuple[Inventory, Tree]:
    """Return the inventory of a path under a set of rules, and the tree that it was made from.

    Raises:
        IntakeError: if the path can't be read at all.
    """
    # What is loaded by now lives through the scan: the collector need not walk it again and again. The command line
    # starts with the collector off; a scan of any size needs it.
    was_on, thresholds = gc.isenabled(), gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER_OBJECTS, *thresholds[1:])
    gc.enable()
    try:
        with WorkersOnDemand() as workers:
            origin = origin or Origin(anchor=anchor_of(path))
            scanner = Scanner(rules, workers, origin, asks_hosts=asks_hosts, unpack=_unpack)
            tree = read_tree(path, scanner, on_progress=on_progress)
            return build_inventory(scanner, tree, str(path)), tree
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
        if not was_on:
            gc.disable()


def _unpack(name: str, data: bytes) -> Inside | None:
    from plugseal.intake.inside import unpack_inside  # most trees hold no archive

    return unpack_inside(name, data)
