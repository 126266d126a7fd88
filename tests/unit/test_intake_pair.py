"""A copy and its source side by side: two digests of one hashing, or nothing where anything is odd or not the same."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from plugseal import limits
from plugseal.encode.source import source_digest
from plugseal.encode.treehash import content_receipt
from plugseal.intake import pair as module
from plugseal.intake.listing import OddError
from plugseal.intake.pair import Pair, build_digests
from plugseal.intake.read import read_once

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no `dir_fd`")


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    """Return a copy and its source, with names that sort otherwise by their folders than by their paths."""
    source = tmp_path / "source"
    files = {"a/x": b"1", "a-b": b"2", "a.c/y": b"3", "a/b/c": b"", "run": b"#!/bin/sh\n", "deep/er/still/z": b"4"}
    files |= {f"many/p{number}/{name}": b"%d" % number for number in range(70) for name in ("index.js", "lib/a.js")}
    files |= {f"wide/w{number}/x": b"w" for number in range(12)}
    files["deep/large"] = b"x" * (2 * limits.MIB + 7)
    for name, data in files.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (source / "run").chmod(0o755)
    (source / "hollow" / "er").mkdir(parents=True)
    copy = tmp_path / "copy"
    shutil.copytree(source, copy)
    copy.chmod(0o500)
    return copy, source


def _digests(trees: tuple[Path, Path]) -> tuple[str, str] | None:
    """Return what all shares say, read from the last to the first; None where they say nothing."""
    try:
        with closing(Pair(*map(str, trees))) as pair:
            return build_digests([block for number in reversed(range(len(pair))) for block in pair.read(number)])
    except OddError:
        return None


def _each(trees: tuple[Path, Path]) -> tuple[str, str]:
    copy, source = map(read_once, trees)
    return content_receipt(copy), source_digest(source)


def _open(trees: tuple[Path, Path]) -> int:
    descriptors = len(os.listdir("/dev/fd"))
    with closing(Pair(*map(str, trees))):
        return len(os.listdir("/dev/fd")) - descriptors


def test_the_two_digests_are_those_of_each_read_by_itself(trees: tuple[Path, Path]) -> None:
    assert _digests(trees) == _each(trees)


@pytest.mark.parametrize(("name", "value"), [("_MAX_OPEN", 1), ("_MAX_SHARES", 3), ("_IS_WIDE", 0), ("_ENOUGH", 0)])
def test_however_it_is_divided(
    trees: tuple[Path, Path], name: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, value)
    assert _digests(trees) == _each(trees)


def test_a_folder_is_read_by_the_folders_that_are_in_it(trees: tuple[Path, Path]) -> None:
    with closing(Pair(*map(str, trees))) as pair:
        assert len(pair) > 70


def test_no_more_than_a_few_folders_stay_open_and_all_are_closed(trees: tuple[Path, Path]) -> None:
    before = len(os.listdir("/dev/fd"))
    assert 2 <= _open(trees) <= 2 * module._MAX_OPEN
    assert len(os.listdir("/dev/fd")) == before


def test_the_git_of_the_source_is_left_out(trees: tuple[Path, Path]) -> None:
    (trees[1] / ".git").mkdir()
    os.mkfifo(trees[1] / ".git" / "never-entered")
    assert _digests(trees) == _each(trees)


def test_the_git_of_a_folder_in_it_is_not(trees: tuple[Path, Path]) -> None:
    for root in trees:
        root.chmod(0o700)
        (root / "deep" / ".git").write_text("gitdir: elsewhere")
    trees[0].chmod(0o500)
    with closing(Pair(*map(str, trees))) as pair:
        blocks = [block for number in range(len(pair)) for block in pair.read(number)]
    assert any(b" deep/.git\n" in block[4] for block in blocks)


def test_a_source_may_have_files_of_several_names(trees: tuple[Path, Path], tmp_path: Path) -> None:
    os.link(trees[1] / "a" / "x", tmp_path / "again")
    assert _digests(trees) == _each(trees)


def _other_byte(root: Path) -> None:
    (root / "many" / "p69" / "lib" / "a.js").write_bytes(b"70")


def _other_byte_of_a_large_file(root: Path) -> None:
    (root / "deep" / "large").write_bytes(b"x" * (2 * limits.MIB + 6) + b"y")


def _longer(root: Path) -> None:
    (root / "a-b").write_bytes(b"22")


def _shorter(root: Path) -> None:
    (root / "deep" / "large").write_bytes(b"x" * (2 * limits.MIB + 6))


def _executable(root: Path) -> None:
    (root / "a-b").chmod(0o755)


def _not_executable(root: Path) -> None:
    (root / "run").chmod(0o644)


def _one_more_file(root: Path) -> None:
    (root / "deep" / "er" / "more").write_bytes(b"")


def _one_more_folder(root: Path) -> None:
    (root / "many" / "p1" / "more").mkdir()


def _one_file_less(root: Path) -> None:
    (root / "deep" / "er" / "still" / "z").unlink()


def _one_folder_less(root: Path) -> None:
    (root / "hollow" / "er").rmdir()


def _file_for_folder(root: Path) -> None:
    (root / "hollow" / "er").rmdir()
    (root / "hollow" / "er").write_bytes(b"")


def _other_name(root: Path) -> None:
    (root / "many" / "p3" / "index.js").rename(root / "many" / "p3" / "Index.js")


def _link(root: Path) -> None:
    (root / "a-b").unlink()
    (root / "a-b").symlink_to("a.c/y")


def _folder_link(root: Path) -> None:
    (root / "many").rename(root / "other")
    (root / "many").symlink_to("other")


def _fifo(root: Path) -> None:
    (root / "a-b").unlink()
    os.mkfifo(root / "a-b")


ODD = [
    _other_byte,
    _other_byte_of_a_large_file,
    _longer,
    _shorter,
    _executable,
    _not_executable,
    _one_more_file,
    _one_more_folder,
    _one_file_less,
    _one_folder_less,
    _file_for_folder,
    _other_name,
    _link,
    _folder_link,
    _fifo,
]


@pytest.mark.parametrize("side", [0, 1], ids=["copy", "source"])
@pytest.mark.parametrize("spoil", ODD, ids=lambda spoil: spoil.__name__.strip("_"))
def test_it_gives_up_where_the_two_are_not_the_same(
    trees: tuple[Path, Path], spoil: Callable[[Path], None], side: int
) -> None:
    trees[0].chmod(0o700)
    spoil(trees[side])
    trees[0].chmod(0o500)
    assert _digests(trees) is None


def _set_id(root: Path) -> None:
    (root / "run").chmod(0o4755)


def _not_ascii(root: Path) -> None:
    (root / "deep" / "né").write_bytes(b"")


def _not_printable(root: Path) -> None:
    (root / "deep" / "a\x07b").write_bytes(b"")


def _git(root: Path) -> None:
    (root / ".git").mkdir()


def _too_deep(root: Path) -> None:
    (root / "/".join(["d"] * (limits.MAX_TREE_DEPTH + 1))).mkdir(parents=True)


def _too_large(root: Path) -> None:
    with (root / "deep" / "hole").open("wb") as file:  # all of it is a hole: who reads it never comes back
        file.truncate(limits.MAX_TREE_BYTES + 1)


@pytest.mark.parametrize(
    "spoil",
    [_set_id, _not_ascii, _not_printable, _git, _too_deep, _too_large, _link, _fifo],
    ids=lambda spoil: spoil.__name__.strip("_"),
)
def test_it_gives_up_where_both_are_odd_in_the_same_way(
    trees: tuple[Path, Path], spoil: Callable[[Path], None]
) -> None:
    trees[0].chmod(0o700)
    for root in trees:
        spoil(root)
    trees[0].chmod(0o500)
    assert _digests(trees) is None


def test_it_gives_up_where_a_file_of_the_copy_has_another_name(trees: tuple[Path, Path], tmp_path: Path) -> None:
    os.link(trees[0] / "a" / "x", tmp_path / "again")
    assert _digests(trees) is None


@pytest.mark.parametrize("mode", [0o700, 0o510, 0o501, 0o520])
def test_it_gives_up_where_the_copy_is_not_closed(trees: tuple[Path, Path], mode: int) -> None:
    trees[0].chmod(mode)
    assert _digests(trees) is None


@pytest.mark.parametrize("side", [0, 1], ids=["copy", "source"])
@pytest.mark.parametrize("kind", ["link", "file", "missing"])
def test_it_begins_with_no_root_that_is_none(trees: tuple[Path, Path], side: int, kind: str) -> None:
    roots = list(map(str, trees))
    other = trees[1].parent / "other"
    if kind == "link":
        other.symlink_to(trees[side])
    elif kind == "file":
        other.write_bytes(b"")
    roots[side] = str(other)
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(OSError, match="other"):
        Pair(*roots)
    assert len(os.listdir("/dev/fd")) == before


@pytest.mark.parametrize("name", ["MAX_TREE_ENTRIES", "MAX_TREE_BYTES", "MAX_PATH_BYTES", "MAX_TREE_DEPTH"])
def test_it_gives_up_where_it_is_too_much_for_a_receipt(
    trees: tuple[Path, Path], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.limits, name, 2)
    assert _digests(trees) is None


def test_it_gives_up_where_a_folder_is_of_another_device(
    trees: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Pair(*map(str, trees))) as pair:
        pair._devices = pair._devices[0], pair._devices[1] + 1
        with pytest.raises(OddError):
            pair.read(0)


@pytest.mark.parametrize("side", [0, 1], ids=["copy", "source"])
def test_a_folder_that_was_swapped_since_it_was_opened_is_the_one_that_was_opened(
    trees: tuple[Path, Path], side: int
) -> None:
    wanted = _each(trees)
    with closing(Pair(*map(str, trees))) as pair:
        trees[0].chmod(0o700)
        (trees[side] / "many").rename(trees[side] / "gone")
        (trees[side] / "many").mkdir()
        assert build_digests([block for number in range(len(pair)) for block in pair.read(number)]) == wanted
