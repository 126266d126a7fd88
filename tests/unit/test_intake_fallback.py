"""Systems without `dir_fd` (Windows): joined paths instead of descriptors, the same tree, the same faults."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from plugseal.intake import door
from plugseal.intake.read import read_tree
from plugseal.model.tree import Entry


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name in ("a/b/c", "a-b", "a/日本", "SKILL.md", "skill.md", "z/.git/config", ".git/config"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(name.encode())
    (root / "run").write_bytes(b"#!/bin/sh\n")
    (root / "run").chmod(0o755)
    (root / "empty").mkdir()
    os.symlink("a-b", root / "link")
    os.symlink("a", root / "link-to-directory")
    os.mkfifo(root / "pipe")
    return root


def test_both_ways_see_the_same_tree(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = read_tree(tree)
    monkeypatch.setattr(door, "HAS_DIR_FD", False)
    assert read_tree(tree) == expected
    assert {f.code for f in expected.faults} == {"case-collision", "nested-git", "special-file", "symlink"}


def test_both_ways_see_the_same_single_file(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = read_tree(tree / "run")
    monkeypatch.setattr(door, "HAS_DIR_FD", False)
    assert read_tree(tree / "run") == expected


@pytest.mark.parametrize("kind", ["link", "directory"])
def test_a_directory_swapped_after_the_listing_is_found(
    kind: str, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "HAS_DIR_FD", False)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "c").write_bytes(b"outside text that must not appear")
    seen: list[bytes | None] = []

    class Swapping:
        def begin(self, entries: Sequence[Entry]) -> None:
            (tree / "a" / "b").rename(tmp_path / "moved")
            if kind == "link":
                os.symlink("../../outside", tree / "a" / "b")
            else:
                (tmp_path / "outside").rename(tree / "a" / "b")

        def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
            seen.append(data)

    faults = read_tree(tree, Swapping()).faults
    assert b"outside text that must not appear" not in seen
    assert ("a/b/c", "changed-while-reading") in {(f.path, f.code) for f in faults}


def test_a_system_without_executable_bits_never_claims_one(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "_HAS_EXECUTABLE_BITS", False)
    assert not any(e.executable for e in read_tree(tree).entries)
