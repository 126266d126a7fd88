"""Reading directories and files: what is listed, in which order, and what is said of everything irregular."""

from __future__ import annotations

import hashlib
import os
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from plugseal.encode.treehash import content_receipt
from plugseal.errors import IntakeError, TreeRefusedError
from plugseal.intake.faults import FAULTS
from plugseal.intake.read import check_representable, read_tree, verify_representable
from plugseal.model.tree import Entry, EntryKind


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


def test_entries_are_in_the_order_of_the_bytes_of_whole_paths(tmp_path: Path) -> None:
    for name in ("a/b", "a-b", "a.b", "ab", "a/é", "a/😀", "a/\ufb01", "b/c/d", "b/c-d", "B"):
        write(tmp_path / name)
    os.mkdir(os.fsencode(tmp_path) + b"/\xf5")
    write(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xf5/inner")))
    paths = [e.path.encode("utf-8", "surrogateescape") for e in read_tree(tmp_path).entries]
    assert paths == sorted(paths)
    assert b"\xf5/inner" in paths


def test_files_are_visited_once_in_tree_order_after_the_listing(tmp_path: Path) -> None:
    for name in ("a/b", "a-b", "a.b", "ab", "a/c/d", "a/c-d", "z/é"):
        write(tmp_path / name, name.encode())
    os.symlink("ab", tmp_path / "link")
    recorder = Recorder()
    tree = read_tree(tmp_path, recorder)
    files = [e for e in tree.entries if e.kind is EntryKind.FILE]
    assert [v[0] for v in recorder.visits] == files
    assert [v[1] for v in recorder.visits] == [e.path.encode() for e in files]
    assert [e.path for e in recorder.listing] == [e.path for e in tree.entries]
    assert all(e.digest is None for e in recorder.listing)
    assert [e.size for e in recorder.listing] == [e.size for e in tree.entries]


def test_an_entry_holds_size_digest_and_executable_bit(tmp_path: Path) -> None:
    write(tmp_path / "run", b"#!/bin/sh\n").chmod(0o610)
    assert read_tree(tmp_path).entries == (
        Entry("run", EntryKind.FILE, 10, True, hashlib.sha256(b"#!/bin/sh\n").hexdigest()),
    )


def test_progress_counts_up_to_all_files_and_bytes(tmp_path: Path) -> None:
    for index in range(5):
        write(tmp_path / f"d{index}" / "f", b"xyz")
    seen: list[tuple[int, int]] = []
    read_tree(tmp_path, on_progress=lambda files, count: seen.append((files, count)))
    assert seen == sorted(seen)
    assert seen[-1] == (5, 15)


def make_socket(path: Path) -> None:
    previous = os.getcwd()
    os.chdir(path)  # The name of a socket is short.
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("s")
    finally:
        os.chdir(previous)


def make_hard_link(path: Path) -> None:
    os.link(write(path.with_name("outside") / "file"), path / "inside")


def make_set_id(path: Path) -> None:
    write(path / "f").chmod(0o4755)


def make_set_group_id(path: Path) -> None:
    write(path / "f").chmod(0o2755)


def make_sticky(path: Path) -> None:
    write(path / "f").chmod(0o1644)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        pytest.param(lambda p: os.symlink("/etc/passwd", p / "l"), {("l", "symlink")}, id="absolute link"),
        pytest.param(lambda p: os.symlink("..", p / "l"), {("l", "symlink")}, id="link to the parent"),
        pytest.param(lambda p: os.symlink("l", p / "l"), {("l", "symlink")}, id="link to itself"),
        pytest.param(lambda p: os.symlink("no", p / "l"), {("l", "symlink")}, id="dangling link"),
        pytest.param(lambda p: os.mkfifo(p / "pipe"), {("pipe", "special-file")}, id="FIFO"),
        pytest.param(make_socket, {("s", "special-file")}, id="socket"),
        pytest.param(make_hard_link, {("inside", "hard-link")}, id="hard link to a file outside"),
        pytest.param(make_set_id, {("f", "set-id")}, id="set-user-id"),
        pytest.param(make_set_group_id, {("f", "set-id")}, id="set-group-id"),
        pytest.param(make_sticky, {("f", "set-id")}, id="sticky"),
        pytest.param(
            lambda p: (write(p / "SKILL.md"), write(p / "skill.md")),
            {("SKILL.md", "case-collision"), ("skill.md", "case-collision")},
            id="names that differ by case",
        ),
        pytest.param(
            lambda p: (write(p / "Lib/a"), write(p / "lib/a")),
            {("Lib", "case-collision"), ("lib", "case-collision")},
            id="directories that differ by case",
        ),
        pytest.param(lambda p: write(p / "a/.git/config"), {("a/.git", "nested-git")}, id="nested git directory"),
        pytest.param(lambda p: write(p / "a/.git"), {("a/.git", "nested-git")}, id="nested git file"),
        pytest.param(lambda p: write(p / ".GIT/config"), {(".GIT", "git-name")}, id="git in capitals"),
        pytest.param(
            lambda p: os.symlink("elsewhere", p / ".git"),
            {(".git", "symlink"), (".git", "git-name")},
            id="the root's git as a link",
        ),
        pytest.param(
            lambda p: write(Path(os.fsdecode(os.fsencode(p) + b"/\xff"))), {("\udcff", "not-utf-8")}, id="not UTF-8"
        ),
    ],
)
def test_an_irregularity_is_a_fault_and_the_rest_is_read(
    make: Callable[[Path], object], expected: set[tuple[str, str]], tmp_path: Path
) -> None:
    root = tmp_path / "tree"
    write(root / "healthy.md", b"hello")
    make(root)
    tree = read_tree(root)
    assert {(f.path, f.code) for f in tree.faults} == expected
    assert {f.code for f in tree.faults} <= FAULTS.keys()
    assert hashlib.sha256(b"hello").hexdigest() in [e.digest for e in tree.entries]
    with pytest.raises(TreeRefusedError):
        verify_representable(tree)


def test_hard_links_and_set_id_files_are_still_read(tmp_path: Path) -> None:
    os.link(write(tmp_path / "a", b"data"), tmp_path / "b")
    recorder = Recorder()
    read_tree(tmp_path, recorder)
    assert [data for _, data, _ in recorder.visits] == [b"data", b"data"]


def test_a_link_is_listed_with_its_target_and_never_visited(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside.txt", b"outside text that must not appear")
    (tmp_path / "pkg").mkdir()
    os.symlink("../outside.txt", tmp_path / "pkg" / "SKILL.md")
    os.symlink(tmp_path, tmp_path / "pkg" / "up")
    recorder = Recorder()
    tree = read_tree(tmp_path / "pkg", recorder)
    assert [(e.path, e.kind, e.target) for e in tree.entries] == [
        ("SKILL.md", EntryKind.SYMLINK, "../outside.txt"),
        ("up", EntryKind.SYMLINK, str(tmp_path)),
    ]
    assert recorder.visits == []
    assert outside.exists()


def test_every_reason_is_given_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.symlink("x", tmp_path / "link")
    write(tmp_path / "a:b")
    with pytest.raises(TreeRefusedError) as refused:
        verify_representable(read_tree(tmp_path))
    assert [line.rpartition("[")[2] for line in refused.value.details] == [
        "forbidden-character]", "symlink]", "special-file]",
    ]  # fmt: skip
    assert refused.value.hint


def test_a_regular_tree_is_returned_by_verification(tmp_path: Path) -> None:
    write(tmp_path / "a")
    tree = read_tree(tmp_path)
    assert verify_representable(tree) is tree
    assert check_representable(tree) == ()


@pytest.mark.parametrize("make", [lambda p: write(p / ".git" / "config"), lambda p: write(p / ".git", b"gitdir: x")])
def test_the_root_s_git_is_left_out_and_never_entered(make: Callable[[Path], object], tmp_path: Path) -> None:
    write(tmp_path / "a")
    receipt = content_receipt(read_tree(tmp_path))
    make(tmp_path)
    recorder = Recorder()
    tree = read_tree(tmp_path, recorder)
    assert tree.left_out == (".git",)
    assert [v[0].path for v in recorder.visits] == ["a"]
    assert content_receipt(tree) == receipt


def test_hooks_in_a_nested_git_are_read(tmp_path: Path) -> None:
    write(tmp_path / "sub/.git/hooks/post-checkout", b"#!/bin/sh\n")
    recorder = Recorder()
    read_tree(tmp_path, recorder)
    assert [(v[0].path, v[1]) for v in recorder.visits] == [("sub/.git/hooks/post-checkout", b"#!/bin/sh\n")]


def test_a_single_file_is_a_tree_with_one_entry(tmp_path: Path) -> None:
    path = write(tmp_path / "tool.py", b"print()\n")
    write(tmp_path / "other.py")
    recorder = Recorder()
    tree = read_tree(path, recorder)
    assert tree.name == "tool.py"
    assert tree.entries == (Entry("tool.py", EntryKind.FILE, 8, False, hashlib.sha256(b"print()\n").hexdigest()),)
    assert [(e.path, data, reason) for e, data, reason in recorder.visits] == [("tool.py", b"print()\n", "")]
    assert tree.faults == ()


def test_a_single_file_is_judged_as_one_in_a_tree(tmp_path: Path) -> None:
    os.link(write(tmp_path / "a:b"), tmp_path / "other")
    assert codes(tmp_path / "a:b") == {("a:b", "forbidden-character"), ("a:b", "hard-link")}


def test_a_link_that_was_typed_is_resolved(tmp_path: Path) -> None:
    write(tmp_path / "real" / "a")
    os.symlink("real", tmp_path / "typed")
    tree = read_tree(tmp_path / "typed")
    assert tree.name == "real"
    assert tree.faults == ()


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda p: p / "missing", id="missing"),
        pytest.param(lambda p: write(p / "file") / "below", id="below a file"),
        pytest.param(lambda p: (os.symlink("loop", p / "loop"), p / "loop")[1], id="a loop of links"),
        pytest.param(lambda p: (os.mkfifo(p / "pipe"), p / "pipe")[1], id="a FIFO"),
        pytest.param(lambda p: Path("/dev/null"), id="a device"),
        pytest.param(lambda p: p / "nul\0", id="a NUL in the path"),
        pytest.param(lambda p: p / ("x" * 300), id="a name too long to exist"),
    ],
)
def test_what_is_nothing_to_read_is_an_error_with_a_hint(make: Callable[[Path], Path], tmp_path: Path) -> None:
    with pytest.raises(IntakeError) as refused:
        read_tree(make(tmp_path))
    assert refused.value.hint


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc")
def test_a_file_that_lies_about_its_size_is_a_fault() -> None:
    recorder = Recorder()
    tree = read_tree(Path("/proc/self/status"), recorder)
    assert "changed-while-reading" in {f.code for f in tree.faults}
    assert recorder.visits[0][1] is None


def test_what_is_wrong_with_a_directory_itself_is_wrong_with_the_part(tmp_path: Path) -> None:
    write(tmp_path / "Plugin/a")
    write(tmp_path / "plugin/a")
    assert read_tree(tmp_path).below("Plugin").faults == (), "its own name is no part of it"


def test_the_mount_of_another_file_system_is_not_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from plugseal.intake import door

    write(tmp_path / "mounted" / "f")
    write(tmp_path / "a")
    seal_of = door.seal_of
    inode = (tmp_path / "mounted").stat().st_ino

    def elsewhere(status: os.stat_result) -> tuple[int, ...]:
        seal = seal_of(status)
        return (seal[0] + 1, *seal[1:]) if status.st_ino == inode else seal

    monkeypatch.setattr(door, "seal_of", elsewhere)
    tree = read_tree(tmp_path)
    assert [(e.path, e.kind) for e in tree.entries] == [("a", EntryKind.FILE), ("mounted", EntryKind.OTHER)]
    assert [(f.path, f.code) for f in tree.faults] == [("mounted", "mount")]
