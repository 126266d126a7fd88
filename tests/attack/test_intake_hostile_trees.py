"""Trees made to hang, exhaust or lead astray whoever reads them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from plugseal import limits
from plugseal.intake import door
from plugseal.intake.read import read_tree
from plugseal.model.tree import Entry, EntryKind

_HANG_SECONDS = 60
"""Ten times what the slowest needs."""


class Nobody:
    """Look at nothing."""

    def begin(self, entries: Sequence[Entry]) -> None:
        pass

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        pass


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def make_chain(root: Path, depth: int, *, name: str = "d", files: Sequence[str] = ("a", "z")) -> None:
    """Nest directories deeper than any path reaches, with files before and after each."""
    fd = os.open(root, os.O_RDONLY)
    for _ in range(depth):
        for file in files:
            os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=fd))
        os.mkdir(name, dir_fd=fd)
        below = os.open(name, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(fd)


@pytest.fixture
def deep() -> Iterator[Path]:
    # In memory where there is such a place, since a journal makes thousands of directories slow; and away from
    # `tmp_path`, since pytest's own cleaning can't walk so deep.
    memory = Path("/dev/shm")
    folder = tempfile.mkdtemp(dir=memory if os.access(memory, os.W_OK) else None)
    yield Path(folder)
    subprocess.run(["rm", "-rf", folder], check=True)


def test_ten_thousand_nested_directories_end_at_the_limit(deep: Path) -> None:
    make_chain(deep, 10_000, files=())
    tree = read_tree(deep, Nobody())
    assert max(e.path.count("/") for e in tree.entries) + 1 == limits.MAX_SCAN_DEPTH
    assert {f.code for f in tree.faults} == {"not-listed", "too-deep"}


def test_long_names_nested_deep_take_bounded_memory(deep: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_chain(deep, 400, name="n" * 255)
    monkeypatch.setattr(limits, "MAX_SCAN_PATH_CHARACTERS", 100_000)
    tree = read_tree(deep)
    assert sum(len(e.path) for e in tree.entries) < 400_000
    assert "not-listed" in {f.code for f in tree.faults}


def test_a_deep_tree_needs_few_descriptors_and_leaves_none(deep: Path) -> None:
    make_chain(deep, 300)
    before = open_descriptors()
    most = 0

    class Counter(Nobody):
        def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
            nonlocal most
            most = max(most, open_descriptors())
            assert data == b""

    tree = read_tree(deep, Counter())
    assert "unreadable" not in {f.code for f in tree.faults}
    assert most <= before + door.MAX_OPEN + 2
    assert open_descriptors() == before


def test_descriptors_are_closed_when_a_visitor_fails(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").touch()
    before = open_descriptors()

    class Failing(Nobody):
        def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_tree(tmp_path, Failing())
    assert open_descriptors() == before


def test_memory_stays_flat_over_many_files(tmp_path: Path) -> None:
    for index in range(2000):
        with (tmp_path / f"f{index}").open("wb") as file:
            file.truncate(256 * limits.KIB)
    tracemalloc.start()
    try:
        read_tree(tmp_path, Nobody())
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak_bytes < 8 * limits.MIB, "500 MiB were read"


_READ = """
import sys
from pathlib import Path
from plugseal.intake.read import read_tree
class Nobody:
    def begin(self, entries): pass
    def visit(self, entry, data, reason): pass
tree = read_tree(Path(sys.argv[1]), Nobody())
print(*[f"{f.path} {f.code}" for f in tree.faults], sep="\\n")
"""


def read_elsewhere(root: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", _READ, root], capture_output=True, text=True, timeout=_HANG_SECONDS, check=True
    )
    return done.stdout.splitlines()


def test_fifos_and_loops_of_links_hold_nobody(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    os.mkfifo(tmp_path / "data" / "pipe")
    os.symlink("..", tmp_path / "data" / "up")
    os.symlink("one", tmp_path / "two")
    os.symlink("two", tmp_path / "one")
    os.symlink(".", tmp_path / "here")
    os.link(tmp_path / "data" / "pipe", tmp_path / "pipe-again")
    assert read_elsewhere(tmp_path) == [
        "data/pipe special-file",
        "data/up symlink",
        "here symlink",
        "one symlink",
        "pipe-again special-file",
        "two symlink",
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes device nodes")
def test_a_device_is_never_opened(tmp_path: Path) -> None:
    # Opening the watchdog's or a tape's node acts; this one would say so by never ending.
    os.mknod(tmp_path / "zero", 0o020666, os.makedev(1, 5))
    assert read_elsewhere(tmp_path) == ["zero special-file"]


def test_a_directory_swapped_for_a_link_is_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    (root / "inner").mkdir(parents=True)
    (root / "inner" / "secret").write_bytes(b"inside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_bytes(b"outside text that must not appear")

    class Swapping(Nobody):
        seen: list[bytes | None] = []  # noqa: RUF012  # one test, one list

        def begin(self, entries: Sequence[Entry]) -> None:
            (root / "inner").rename(tmp_path / "moved")
            os.symlink("../outside", root / "inner")

        def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
            self.seen.append(data)

    tree = read_tree(root, Swapping())
    assert b"outside text that must not appear" not in Swapping.seen
    assert "changed-while-reading" in {f.code for f in tree.faults}


def test_a_directory_opened_again_must_be_the_one_that_was_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("tree/x", "tree/y", "tree/z", "other"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setattr(door, "MAX_OPEN", 3)
    way = door.Door(str(tmp_path / "tree"))
    try:
        x, y, z = (door.Directory(way.root, name) for name in "xyz")
        way.scan(x).close()
        way.enter(y)
        way.enter(z)  # Closes `x`.
        (tmp_path / "tree" / "x").rename(tmp_path / "moved")
        (tmp_path / "other").rename(tmp_path / "tree" / "x")
        with pytest.raises(OSError, match="another directory"):
            way.enter(x)
    finally:
        way.close()


def test_a_file_swapped_for_a_fifo_after_the_listing_holds_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")

    class Swapping(Nobody):
        def begin(self, entries: Sequence[Entry]) -> None:
            (tmp_path / "file").unlink()
            os.mkfifo(tmp_path / "file")

        def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
            assert data is None
            assert reason

    tree = read_tree(tmp_path, Swapping())
    assert [(e.path, e.kind) for e in tree.entries] == [("file", EntryKind.OTHER)]
    assert {f.code for f in tree.faults} == {"changed-while-reading"}
