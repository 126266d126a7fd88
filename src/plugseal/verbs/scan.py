"""Scan a path: read it once, look at every file, say what is there. Writes nothing and runs nothing of the tree."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from plugseal.intake.read import read_tree
from plugseal.limits import KIB, MIB
from plugseal.model.inside import Inside
from plugseal.model.inventory import Inventory
from plugseal.model.origin import Origin
from plugseal.model.tree import Entry, Tree
from plugseal.rules.load import load_rules
from plugseal.rules.rule import RuleSet
from plugseal.scan.inventory import build_inventory
from plugseal.scan.scanner import Scanner
from plugseal.scan.workers.on_demand import WorkersOnDemand
from plugseal.verbs.anchor import anchor_of

if TYPE_CHECKING:
    from plugseal.verbs.remember import Remembered

OnProgress = Callable[[int, int], None]
"""Called now and then with the files and the bytes read so far."""

_COLLECT_AFTER_OBJECTS = 50_000
"""A source's tree is that many objects and goes without the collector: looking at it while it lives is lost time."""

MIN_REMEMBERED_BYTES: Final = 512 * KIB
"""Smaller trees are scanned faster than a cache is opened."""
MIN_SPREAD_BYTES: Final = 4 * MIB
"""Smaller trees are scanned by one process, unless a number of them is asked for."""
MAX_JOBS: Final = 8
"""Processes that nobody asked for by number."""


class Memory(NamedTuple):
    """Where scans keep what they found, for scans that come after."""

    folder: Path | None = None
    """None for the user's own cache folder."""
    min_tree_bytes: int = MIN_REMEMBERED_BYTES
    """Smaller trees are scanned without."""


def scan_path(
    path: Path,
    *,
    on_progress: OnProgress | None = None,
    origin: Origin | None = None,
    asks_hosts: bool = True,
    memory: Memory | None = None,
    jobs: int = 1,
) -> Inventory:
    """Return everything known about a directory, a file or an archive.

    Args:
        path: what to read.
        on_progress: called now and then.
        origin: where it comes from; by default a part of some workspace.
        asks_hosts: whether the verdicts of other hosts are wanted; nothing else depends on them.
        memory: what scans before have found; none where a token or a verdict is wanted.
        jobs: how many processes look at the files of a large tree; 0 for one for each processor.

    Raises:
        IntakeError: if the path can't be read at all.
        RuleError: if the rules are not sound.
    """
    return scan_with(
        load_rules(), path, on_progress=on_progress, origin=origin, asks_hosts=asks_hosts, memory=memory, jobs=jobs
    )[0]


def scan_with(
    rules: RuleSet,
    path: Path,
    *,
    on_progress: OnProgress | None = None,
    origin: Origin | None = None,
    asks_hosts: bool = True,
    memory: Memory | None = None,
    jobs: int = 1,
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
        origin = origin or Origin(anchor=anchor_of(path))
        with WorkersOnDemand() as workers:

            def new_scanner() -> Scanner:
                return Scanner(rules, workers, origin, asks_hosts=asks_hosts, unpack=unpack)

            if memory is None and jobs == 1:
                scanner = new_scanner()
                tree = read_tree(path, scanner, on_progress=on_progress)
                return build_inventory(scanner, tree, str(path)), tree
            words = (*origin, str(asks_hosts))
            for is_hopeful in (True, False):
                looking = Looking(memory, jobs, path, words, is_hopeful=is_hopeful)
                with _Chooser(new_scanner(), looking) as chooser:
                    tree = read_tree(path, chooser, on_progress=on_progress)
                    inventory = chooser.inventory(tree)
                if inventory is not None:
                    break
            assert inventory is not None  # nosec B101  # without hope every file was looked at
            return inventory, tree
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
        if not was_on:
            gc.disable()


class Looking(NamedTuple):
    """How a tree is looked at."""

    memory: Memory | None
    jobs: int
    path: Path
    words: tuple[str, ...]
    """What an inventory depends on besides the tree, the rules and our own code."""
    is_hopeful: bool
    """Whether a listing like the last one is taken as a promise."""


class _Chooser:
    """Hand a tree to the scanner; a large one to the cache first, which hands it on, and to several processes."""

    def __init__(self, scanner: Scanner, looking: Looking) -> None:
        self._scanner = scanner
        self._looking = looking
        self._remembered: Remembered | None = None
        self._stack = ExitStack()

    def __enter__(self) -> _Chooser:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def begin(self, entries: Sequence[Entry]) -> None:
        total_bytes = sum(entry.size for entry in entries)
        looking = self._looking
        if looking.memory is not None and total_bytes >= looking.memory.min_tree_bytes:
            from plugseal.verbs.remember import remember  # small scans need none of it

            self._remembered = remember(looking.memory, self._scanner, looking)
            self._stack.callback(self._remembered.close)
        if looking.jobs != 1 and (total_bytes >= MIN_SPREAD_BYTES or looking.jobs):
            from plugseal.scan.workers.pool import can_fork, usable_processors

            size = looking.jobs or min(usable_processors(), MAX_JOBS)
            if size > 1 and can_fork():
                self._stack.enter_context(self._scanner.use_processes(size))
        (self._remembered or self._scanner).begin(entries)

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        (self._remembered or self._scanner).visit(entry, data, reason)

    def aside(self, path: str, data: bytes | None, reason: str) -> None:
        (self._remembered or self._scanner).aside(path, data, reason)

    def inventory(self, tree: Tree) -> Inventory | None:
        """Return the inventory, None where the cache promised one and has none."""
        if self._remembered is None:
            return build_inventory(self._scanner, tree, str(self._looking.path))
        return self._remembered.inventory(tree, str(self._looking.path))


def unpack(name: str, data: bytes) -> Inside | None:
    """Return the files of an archive inside a tree, None where it is none."""
    from plugseal.intake.inside import unpack_inside  # most trees hold no archive

    return unpack_inside(name, data)
