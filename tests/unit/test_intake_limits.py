"""Limits of a reading: what is over one is said, and nothing is silently cut."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from plugseal import limits
from plugseal.encode.treehash import content_receipt, find_content_receipt
from plugseal.errors import TreeRefusedError
from plugseal.intake.read import check_representable, read_tree, verify_representable
from plugseal.model.tree import Entry


class Recorder:
    """Keep what a visitor is told."""

    def __init__(self) -> None:
        self.listing: list[Entry] = []
        self.visits: list[tuple[Entry, bytes | None, str]] = []

    def begin(self, entries: Sequence[Entry]) -> None:
        assert not self.visits, "the listing comes first"
        self.listing = list(entries)

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        self.visits.append((entry, data, reason))


def codes(path: Path) -> set[tuple[str, str]]:
    return {(f.path, f.code) for f in read_tree(path).faults}


def write(path: Path, data: bytes = b"x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_a_file_too_large_for_readers_is_hashed_and_visited_without_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_READ_BYTES", 100)
    data = os.urandom(3 * limits.MIB + 7)
    write(tmp_path / "large", data)
    recorder = Recorder()
    tree = read_tree(tmp_path, recorder)
    assert tree.entries[0].digest == hashlib.sha256(data).hexdigest()
    [(_, given, reason)] = recorder.visits
    assert given is None
    assert "larger than" in reason
    assert tree.faults == ()


def test_a_file_larger_than_a_tree_may_be_is_not_read(tmp_path: Path) -> None:
    path = write(tmp_path / "sparse", b"")
    os.truncate(path, limits.MAX_TREE_BYTES + 1)
    recorder = Recorder()
    tree = read_tree(tmp_path, recorder)
    assert {f.code for f in tree.faults} == {"file-too-large", "tree-too-large"}
    assert tree.entries[0].digest is None
    assert recorder.visits[0][1] is None
    assert recorder.visits[0][2]


@pytest.mark.parametrize(
    ("limit", "value", "code"),
    [
        pytest.param("MAX_TREE_ENTRIES", 2, "too-many-entries", id="entries"),
        pytest.param("MAX_TREE_DEPTH", 2, "too-deep", id="depth"),
        pytest.param("MAX_PATH_BYTES", 4, "path-too-long", id="path"),
        pytest.param("MAX_TREE_BYTES", 2, "tree-too-large", id="bytes"),
    ],
)
def test_a_measure_over_its_limit_refuses_the_whole_but_not_a_part(
    limit: str, value: int, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a/b/c", b"1")
    write(tmp_path / "d", b"22")
    monkeypatch.setattr(limits, limit, value)
    tree = read_tree(tmp_path)
    assert code in {f.code for f in check_representable(tree)}
    part = tree.below("a/b")
    assert check_representable(part) == ()
    assert find_content_receipt(part) == content_receipt(verify_representable(part))
    assert find_content_receipt(tree) is None
    with pytest.raises(TreeRefusedError):
        content_receipt(tree._replace(faults=()))


def test_a_listing_past_the_limits_stops_and_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for index in range(4):
        write(tmp_path / f"d{index}" / "f")
    monkeypatch.setattr(limits, "MAX_SCAN_ENTRIES", 5)
    tree = read_tree(tmp_path)
    unlisted = {f.path for f in tree.faults if f.code == "not-listed"}
    assert unlisted
    assert all("not-listed" in {f.code for f in tree.below(path).faults} for path in unlisted)


def test_a_directory_below_the_limit_of_depth_is_not_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a/b/c/d")
    monkeypatch.setattr(limits, "MAX_SCAN_DEPTH", 3)
    assert ("a/b/c", "not-listed") in codes(tmp_path)
