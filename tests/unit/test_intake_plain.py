"""The lean reader gives up, or reads what the other one reads: entries, digests, what is left out."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from plugseal import limits
from plugseal.encode.source import source_digest
from plugseal.encode.treehash import content_receipt
from plugseal.intake import plain
from plugseal.intake.plain import read_plain
from plugseal.intake.read import read_once

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no `dir_fd`")


def _write(root: Path, **files: bytes) -> Path:
    for name, data in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = _write(
        tmp_path / "tree",
        a=b"1",
        empty=b"",
        a_b__c=b"22",
        deep__er__still=b"333",
        large=b"x" * (2 * limits.MIB + 7),
    )
    _write(root / "a-b", x=b"between the folder and what is in it")
    (root / "hollow").mkdir()
    (root / "deep" / "run").write_bytes(b"#!/bin/sh\n")
    (root / "deep" / "run").chmod(0o755)
    return root


def test_a_plain_tree_is_what_the_other_reader_reads(tree: Path) -> None:
    once = read_once(tree)
    assert read_plain(tree) == once
    assert content_receipt(once) == content_receipt(read_plain(tree) or once)


def test_the_root_may_be_a_link(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tree)
    assert read_plain(tmp_path / "link") == read_once(tree)


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_the_git_of_the_root_alone_is_left_out(tree: Path, kind: str) -> None:
    if kind == "folder":
        (tree / ".git").mkdir()
        os.mkfifo(tree / ".git" / "never-entered")
    else:
        (tree / ".git").write_text("gitdir: elsewhere")
    assert read_plain(tree) == read_once(tree)
    assert (read_plain(tree) or read_once(tree)).left_out == (".git",)


def test_names_are_not_judged_and_all_the_same_are_in_the_digest(tree: Path) -> None:
    (tree / "CON").write_bytes(b"")
    (tree / "A").write_bytes(b"a case apart")
    (tree / "deep" / ".git").mkdir()
    once, found = read_once(tree), read_plain(tree)
    assert found is not None
    assert {fault.code for fault in once.faults} == {"device-name", "case-collision", "nested-git"}
    assert found.entries == once.entries
    assert source_digest(found) == source_digest(once)


def _link(tree: Path) -> None:
    (tree / "link").symlink_to("a")


def _dangling(tree: Path) -> None:
    (tree / "deep" / "link").symlink_to("nowhere")


def _git_link(tree: Path) -> None:
    (tree / ".git").symlink_to("a")


def _fifo(tree: Path) -> None:
    os.mkfifo(tree / "deep" / "pipe")


def _hard_link(tree: Path) -> None:
    os.link(tree / "a", tree / "again")


def _set_id(tree: Path) -> None:
    (tree / "a").chmod(0o4755)


def _sticky(tree: Path) -> None:
    (tree / "a").chmod(0o1644)


def _not_ascii(tree: Path) -> None:
    (tree / "né").write_bytes(b"")


def _not_utf_8(tree: Path) -> None:
    Path(os.fsdecode(os.fsencode(tree) + b"/\xff")).mkdir()


def _too_large(tree: Path) -> None:
    # All of it is a hole: who reads it to its end never comes back.
    with (tree / "deep" / "hole").open("wb") as file:
        file.truncate(limits.MAX_TREE_BYTES + 1)


def _too_deep(tree: Path) -> None:
    (tree / "/".join(["d"] * (limits.MAX_TREE_DEPTH + 1))).mkdir(parents=True)


@pytest.mark.parametrize(
    "spoil",
    [_link, _dangling, _git_link, _fifo, _hard_link, _set_id, _sticky, _not_ascii, _not_utf_8, _too_large, _too_deep],
    ids=lambda spoil: spoil.__name__.strip("_"),
)
def test_it_gives_up_where_anything_is_not_plain(tree: Path, spoil: Callable[[Path], None]) -> None:
    spoil(tree)
    assert read_plain(tree) is None


def test_it_gives_up_where_there_are_too_many(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain.limits, "MAX_TREE_ENTRIES", 5)
    assert read_plain(tree) is None


def test_it_lists_no_directory_further_than_a_tree_may_be_wide(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[str] = []
    original = os.scandir

    @contextmanager
    def scandir(descriptor: int) -> Iterator[Iterator[os.DirEntry[str]]]:
        with original(descriptor) as listing:
            yield (listed.append(item.name) or item for item in listing)  # type: ignore[func-returns-value]  # on purpose

    wide = _write(tree.parent / "wide", **{f"f{number}": b"" for number in range(20)})
    monkeypatch.setattr(plain.limits, "MAX_TREE_ENTRIES", 5)
    monkeypatch.setattr(plain.os, "scandir", scandir)
    assert read_plain(wide) is None
    assert len(listed) == 7


@pytest.mark.parametrize("name", ["missing", "tree/a"])
def test_it_gives_up_where_there_is_no_directory(tree: Path, name: str) -> None:
    assert read_plain(tree.parent / name) is None


def test_it_gives_up_where_a_file_is_not_as_long_as_announced(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grown = os.read

    def read(fd: int, count: int) -> bytes:
        return grown(fd, count) + b"more"

    monkeypatch.setattr(plain.os, "read", read)
    assert read_plain(tree) is None


def test_it_gives_up_where_a_folder_is_of_another_device(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = plain._Reader.read

    def read(self: plain._Reader, descriptor: int, prefix: str, *, depth: int) -> None:
        if depth == 0:
            self._device += 1
        original(self, descriptor, prefix, depth=depth)

    monkeypatch.setattr(plain._Reader, "read", read)
    assert read_plain(tree) is None


def test_it_leaves_no_descriptor_open(tree: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    read_plain(tree)
    _fifo(tree)
    read_plain(tree)
    assert len(os.listdir("/proc/self/fd")) == before
