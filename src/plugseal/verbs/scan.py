"""Scan a path: read it once, look at every file, say what is there. Writes nothing and runs nothing of the tree."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from plugseal.intake.read import read_tree
from plugseal.limits import KIB, MIB
from plugseal.model.inside import Inside
from plugseal.model.inventory import Inventory
from plugseal.model.origin import Origin
from plugseal.model.tree import Entry, Tree
from plugseal.records import NamedTuple
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
"""The syntax tree of one source is about so many objects, and none of them is garbage while it is read."""

MIN_REMEMBERED_BYTES: Final = 512 * KIB
"""Smaller trees are scanned faster than a cache is opened."""
MIN_SPREAD_BYTES: Final = 4 * MIB
"""Smaller trees are scanned by one process, unless a number of them is asked for."""
MAX_JOBS: Final = 8
"""The most processes where nobody asked for a number of them."""


class Memory(NamedTuple):
    """Where scans keep what they found, for later scans."""

    folder: Path | None = None
    """None for the user's own cache folder."""
    min_tree_bytes: int = MIN_REMEMBERED_BYTES
    """Smaller trees are scanned without looking there."""


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
        memory: where earlier scans kept what they found; None wherever a token or a verdict is wanted.
        jobs: how many processes scan the files; 0 for as many as help: one, for a large tree one for each processor.

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
    origin = origin or Origin(anchor=anchor_of(path))
    with _collecting_seldom(), WorkersOnDemand() as workers:

        def new_scanner() -> Scanner:
            return Scanner(rules, workers, origin, asks_hosts=asks_hosts, unpack=unpack)

        if memory is None and jobs == 1:
            scanner = new_scanner()
            tree = read_tree(path, scanner, on_progress=on_progress)
            return build_inventory(scanner, tree, str(path)), tree
        words = (*origin, str(asks_hosts))
        # The first attempt scans no file of a tree that is listed as it was last time: the cache will know it. Where it
        # does not, because something changed after all, the second attempt scans every file.
        for trusts_listing in (True, False):
            settings = _Settings(memory, jobs, path, words, trusts_listing=trusts_listing)
            with _Dispatcher(new_scanner(), settings) as dispatcher:
                tree = read_tree(path, dispatcher, on_progress=on_progress)
                inventory = dispatcher.inventory(tree)
            if inventory is not None:
                break
        assert inventory is not None  # nosec B101  # the second attempt scanned every file
        return inventory, tree


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Set Python's garbage collector for a scan, and put it back.

    What is loaded by now lives through the scan: the collector need not walk it again and again. The command line
    starts with the collector off; a scan of any size needs it.
    """
    was_on, thresholds = gc.isenabled(), gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER_OBJECTS, *thresholds[1:])
    gc.enable()
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
        if not was_on:
            gc.disable()


class _Settings(NamedTuple):
    """What one attempt at a scan goes by."""

    memory: Memory | None
    jobs: int
    path: Path
    words: tuple[str, ...]
    """What an inventory depends on besides the tree, the rules and our own code."""
    trusts_listing: bool
    """Whether no file is scanned where the listing is that of the last scan, since the cache then knows the tree."""


class _Dispatcher:
    """Hand a tree to the scanner; a large one to the cache first, which hands it on, and to several processes."""

    def __init__(self, scanner: Scanner, settings: _Settings) -> None:
        self._scanner = scanner
        self._settings = settings
        self._remembered: Remembered | None = None
        self._stack = ExitStack()

    def __enter__(self) -> _Dispatcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def begin(self, entries: Sequence[Entry]) -> None:
        total_bytes = sum(entry.size for entry in entries)
        settings = self._settings
        if settings.memory is not None and total_bytes >= settings.memory.min_tree_bytes:
            from plugseal.verbs.remember import remember  # small scans need none of it

            self._remembered = remember(
                settings.memory.folder,
                self._scanner,
                settings.path,
                settings.words,
                trusts_listing=settings.trusts_listing,
            )
            self._stack.callback(self._remembered.close)
        if settings.jobs != 1 and (total_bytes >= MIN_SPREAD_BYTES or settings.jobs):
            from plugseal.scan.workers.pool import can_fork, usable_processors

            size = settings.jobs or min(usable_processors(), MAX_JOBS)
            if size > 1 and can_fork():
                self._stack.enter_context(self._scanner.use_processes(size))
        (self._remembered or self._scanner).begin(entries)

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        (self._remembered or self._scanner).visit(entry, data, reason)

    def aside(self, path: str, data: bytes | None, reason: str) -> None:
        (self._remembered or self._scanner).aside(path, data, reason)

    def inventory(self, tree: Tree) -> Inventory | None:
        """Return the inventory; None where no file was scanned and the cache does not know the tree after all."""
        if self._remembered is None:
            return build_inventory(self._scanner, tree, str(self._settings.path))
        return self._remembered.inventory(tree, str(self._settings.path))


def unpack(name: str, data: bytes) -> Inside | None:
    """Return the files of an archive inside a tree, None where it is none."""
    from plugseal.intake.inside import unpack_inside  # most trees hold no archive

    return unpack_inside(name, data)
