"""A tree that changes while it is read is never taken for one that existed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from plugseal.errors import TreeRefusedError
from plugseal.intake import closing, read
from plugseal.intake.closing import SealedRun, check_unchanged
from plugseal.intake.door import Door
from plugseal.intake.read import read_tree, verify_representable
from plugseal.model.tree import Entry, Fault

_SECONDS = 1.5
_HANG_SECONDS = 60
_FILLERS = 20

_REWRITE_IN_PLACE = """
import os, sys
one, other = (os.open(os.path.join(sys.argv[1], n), os.O_WRONLY) for n in ("a", "z"))
generation = 0
while True:
    generation += 1
    os.pwrite(one, b"%08d" % generation, 0)
    os.pwrite(other, b"%08d" % generation, 0)
    if generation % 400 == 0:
        import time
        time.sleep(0.01)
"""
_REPLACE_BY_RENAME = """
import os, sys, time
os.chdir(sys.argv[1])
generation = 0
while True:
    generation += 1
    for name in ("a", "z"):
        with open("../next", "wb") as file:
            file.write(b"%08d" % generation)
        os.replace("../next", name)
    if generation % 100 == 0:
        time.sleep(0.01)
"""


class Keeper:
    """Keep the bytes of every file."""

    def __init__(self) -> None:
        self.data: dict[str, bytes | None] = {}

    def begin(self, entries: Sequence[Entry]) -> None:
        pass

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        self.data[entry.path] = data


class Acting(Keeper):
    """Do something right after a file was visited, as a writer in between would."""

    def __init__(self, path: str, act: Callable[[], object]) -> None:
        super().__init__()
        self._path = path
        self._act = act

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        super().visit(entry, data, reason)
        if entry.path == self._path:
            self._act()


def build(root: Path) -> Path:
    root.mkdir()
    for name in ("a", *(f"filler-{n:02}" for n in range(_FILLERS)), "z"):
        (root / name).write_bytes(b"%08d" % 0)
    return root


class Counts(NamedTuple):
    refused: int = 0
    accepted: int = 0
    torn: int = 0


def read_beside_a_writer(root: Path, script: str, *, until: Callable[[Counts], bool]) -> Counts:
    """Return how many readings were refused, accepted, and accepted torn, once `until` is content with them."""
    counts = Counts()
    writer = subprocess.Popen([sys.executable, "-c", script, root])
    try:
        began = time.monotonic()
        while (passed := time.monotonic() - began) < _SECONDS or (passed < _HANG_SECONDS and not until(counts)):
            keeper = Keeper()
            tree = read_tree(root, keeper)
            if tree.faults:
                counts = counts._replace(refused=counts.refused + 1)
                continue
            one, other = (int(keeper.data[name] or b"-9") for name in ("a", "z"))
            # The writer writes `a` first: at any moment it is level with `z` or one ahead.
            torn = one - other not in (0, 1)
            counts = Counts(counts.refused, counts.accepted + 1, counts.torn + torn)
    finally:
        writer.kill()
        writer.wait()
    return counts


@pytest.mark.parametrize("script", [_REWRITE_IN_PLACE, _REPLACE_BY_RENAME], ids=["in place", "by rename"])
def test_no_torn_snapshot_is_accepted_beside_a_writer(script: str, tmp_path: Path) -> None:
    counts = read_beside_a_writer(build(tmp_path / "tree"), script, until=lambda c: c.refused > 0)
    assert counts.torn == 0
    assert counts.refused > 0, "the writer was never met"


def test_without_the_closing_pass_torn_snapshots_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The watcher itself must be able to see what it watches for.
    monkeypatch.setattr(read, "check_unchanged", lambda *_, **__: [])
    counts = read_beside_a_writer(build(tmp_path / "tree"), _REWRITE_IN_PLACE, until=lambda c: c.torn > 0)
    assert counts.torn > 0


def rewrite(path: Path) -> None:
    path.write_bytes(b"%08d" % 1)


def replace(path: Path) -> None:
    other = path.parent.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


@pytest.mark.parametrize(
    ("act", "changed"),
    [
        pytest.param(lambda root: rewrite(root / "a"), {"a"}, id="a file read before is rewritten"),
        pytest.param(lambda root: (root / "a").touch(), {"a"}, id="its time is set"),
        pytest.param(lambda root: (root / "a").chmod(0o755), {"a"}, id="its mode is set"),
        pytest.param(lambda root: replace(root / "a"), {"a", ""}, id="it is replaced by its like"),
        pytest.param(lambda root: (root / "a").unlink(), {"a", ""}, id="it is removed"),
        pytest.param(lambda root: (root / "z").unlink(), {"z", ""}, id="a file read later is removed"),
        pytest.param(lambda root: (root / "new").touch(), {""}, id="a file is added"),
        pytest.param(lambda root: (root / "inner" / "new").touch(), {"inner"}, id="one is added in a directory"),
        pytest.param(lambda root: (root / "inner").rename(root / "moved"), {"", "inner"}, id="one is moved"),
        pytest.param(
            lambda root: ((root / "z").unlink(), os.mkfifo(root / "z")), {"z", ""}, id="a file turns into a FIFO"
        ),
        pytest.param(
            lambda root: ((root / "z").unlink(), os.symlink("a", root / "z")), {"z", ""}, id="a file turns into a link"
        ),
    ],
)
def test_a_change_during_the_reading_is_named(act: Callable[[Path], object], changed: set[str], tmp_path: Path) -> None:
    root = build(tmp_path / "tree")
    (root / "inner").mkdir()
    (root / "inner" / "b").touch()
    tree = read_tree(root, Acting("filler-00", lambda: act(root)))
    assert {f.path for f in tree.faults} == changed
    assert {f.code for f in tree.faults} == {"changed-while-reading"}
    with pytest.raises(TreeRefusedError):
        verify_representable(tree)


def test_a_file_that_grows_while_it_is_read_is_visited_without_bytes(tmp_path: Path) -> None:
    root = build(tmp_path / "tree")

    class Late(Acting):
        def begin(self, entries: Sequence[Entry]) -> None:
            # Listed with one size, opened with another: the bytes of the moment of opening count.
            (root / "a").write_bytes(b"longer than it was")

    keeper = Late("", lambda: None)
    tree = read_tree(root, keeper)
    assert keeper.data["a"] == b"longer than it was"
    assert next(e for e in tree.entries if e.path == "a").size == 18


def status_seal(path: Path) -> tuple[int, int, int, int]:
    status = path.lstat()
    return (status.st_ctime_ns, status.st_ino, status.st_size, status.st_mode)


@pytest.mark.parametrize(
    ("recent_ns", "faults"),
    [
        pytest.param(0, [Fault("a", "changed-while-reading", "it changed while it was being read")], id="recent"),
        pytest.param(2**62, [], id="long ago"),
    ],
)
def test_a_second_change_within_one_tick_is_found_by_content(
    recent_ns: int, faults: list[Fault], tmp_path: Path
) -> None:
    # What a coarse clock leaves behind: every time is as it was read, the bytes are not.
    root = build(tmp_path / "tree")
    door = Door(str(root))
    try:
        runs = [SealedRun(door.root, ["a"], [status_seal(root / "a")])]
        entries = [Entry("a", None, 8, False, "0" * 64)]  # type: ignore[arg-type]  # the kind is not looked at
        assert check_unchanged(door, runs, entries=entries, recent_ns=recent_ns) == faults
    finally:
        door.close()


def test_a_name_added_within_one_tick_is_found_by_listing_again(tmp_path: Path) -> None:
    root = build(tmp_path / "tree")
    door = Door(str(root))
    try:
        door.root.names = door.list_names(door.root) - {"a"}
        [fault] = check_unchanged(door, [], entries=[], recent_ns=0)
    finally:
        door.close()
    assert (fault.path, fault.code) == ("", "changed-while-reading")


def test_a_tree_at_rest_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = build(tmp_path / "tree")
    while closing.tick_ns() <= max(path.lstat().st_ctime_ns for path in (root, *root.iterdir())):
        pass
    monkeypatch.setattr(closing, "read_file", None)
    monkeypatch.setattr(Door, "list_names", None)
    assert read_tree(root).faults == ()
