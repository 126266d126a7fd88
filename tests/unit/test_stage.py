"""The staged copy: what was read and nothing else, read-only, named by its content, whole or not at all."""

from __future__ import annotations

import os
import shutil
import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from plugseal.encode.treehash import content_receipt
from plugseal.errors import StageError
from plugseal.intake.read import read_tree
from plugseal.intake.stage import Stager, is_stage, remove_stage, verify_stage


@pytest.fixture
def source(tmp_path: Path) -> Path:
    root = tmp_path / "plugin"
    (root / "a" / "deep").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / "manifest.json").write_text("{}\n")
    (root / "run").write_text("#!/bin/sh\n")
    (root / "run").chmod(0o755)
    (root / "a" / "deep" / "data").write_bytes(bytes(range(256)) * 500)
    return root


@pytest.fixture
def stages(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "stages"
    folder.mkdir(mode=0o700)
    yield folder
    for path in folder.iterdir():
        remove_stage(path)


def _stage(
    source: Path, stages: Path, *, content: str | None = None, after: Callable[[], object] | None = None
) -> Path:
    wanted = content or content_receipt(read_tree(source))
    stager = Stager(stages)
    try:
        tree = read_tree(source, stager)
        if after is not None:
            after()
        return stager.finish(tree, wanted)
    finally:
        stager.abandon()


def test_a_stage_has_the_content_and_the_modes_that_it_must(source: Path, stages: Path) -> None:
    stage = _stage(source, stages)
    assert content_receipt(read_tree(stage)) == content_receipt(read_tree(source)) == stage.name
    modes = {path.relative_to(stage).as_posix(): stat.S_IMODE(path.lstat().st_mode) for path in stage.rglob("*")}
    assert modes == {
        "a": 0o500,
        "a/deep": 0o500,
        "a/deep/data": 0o400,
        "empty": 0o500,
        "manifest.json": 0o400,
        "run": 0o500,
    }
    assert stat.S_IMODE(stage.lstat().st_mode) == 0o500
    assert [path.name for path in stages.iterdir()] == [stage.name]


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o177])
def test_no_umask_changes_a_stage(source: Path, stages: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        stage = _stage(source, stages)
    finally:
        os.umask(before)
    assert is_stage(stage, stage.name)


def test_many_files_come_to_the_disk_at_once(source: Path, stages: Path) -> None:
    for number in range(40):
        (source / "a" / f"{number}.txt").write_text(f"{number}\n")
    assert is_stage(_stage(source, stages), content_receipt(read_tree(source)))


def test_an_archive_is_staged_as_what_it_holds(source: Path, stages: Path, tmp_path: Path) -> None:
    packed = tmp_path / "plugin.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a/deep/data", b"x")
        archive.writestr("manifest.json", b"{}")
    stage = _stage(packed, stages)
    assert (stage / "a" / "deep" / "data").read_bytes() == b"x"


def test_what_was_read_is_another_content_than_what_was_trusted(source: Path, stages: Path) -> None:
    wanted = content_receipt(read_tree(source))
    (source / "manifest.json").write_text("{ }\n")
    with pytest.raises(StageError, match="not what was trusted"):
        _stage(source, stages, content=wanted)
    assert list(stages.iterdir()) == []


def test_what_changes_behind_the_reader_is_not_in_the_copy(source: Path, stages: Path) -> None:
    stage = _stage(source, stages, after=lambda: (source / "manifest.json").write_text("evil"))
    assert (stage / "manifest.json").read_text() == "{}\n"


def _made_writable(stage: Path) -> None:
    stage.chmod(0o700)


def _with_one_file_more(stage: Path) -> None:
    stage.chmod(0o700)
    (stage / "late").write_text("x")
    stage.chmod(0o500)


def _with_other_bytes(stage: Path) -> None:
    file = stage / "manifest.json"
    file.chmod(0o600)
    file.write_text("[]\n")
    file.chmod(0o400)


def _with_another_mode(stage: Path) -> None:
    (stage / "manifest.json").chmod(0o500)


def _with_a_link(stage: Path) -> None:
    stage.chmod(0o700)
    (stage / "run").unlink()
    (stage / "run").symlink_to("/bin/sh")
    stage.chmod(0o500)


def _with_git(stage: Path) -> None:
    stage.chmod(0o700)
    (stage / ".git").mkdir()
    stage.chmod(0o500)


def _as_a_link(stage: Path) -> None:
    stage.rename(stage.with_name("elsewhere"))
    stage.symlink_to("elsewhere")


HARMS = (
    _made_writable,
    _with_one_file_more,
    _with_other_bytes,
    _with_another_mode,
    _with_a_link,
    _with_git,
    _as_a_link,
    remove_stage,
)


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_a_stage_that_is_not_what_its_name_says_is_refused_and_built_anew(
    source: Path, stages: Path, harm: Callable[[Path], None]
) -> None:
    stage = _stage(source, stages)
    inode = stage.lstat().st_ino
    harm(stage)
    with pytest.raises(StageError):
        verify_stage(stage, stage.name)
    assert is_stage(_stage(source, stages), stage.name)
    assert harm is remove_stage or stage.lstat().st_ino != inode


def test_a_sound_stage_is_kept(source: Path, stages: Path) -> None:
    inode = _stage(source, stages).lstat().st_ino
    assert _stage(source, stages).lstat().st_ino == inode


@pytest.mark.parametrize("kind", ["link", "fifo", "hard link"])
def test_what_a_receipt_can_not_hold_is_not_staged(source: Path, stages: Path, kind: str) -> None:
    wanted = content_receipt(read_tree(source))
    (source / "run").unlink()
    if kind == "link":
        (source / "run").symlink_to("manifest.json")
    elif kind == "fifo":
        os.mkfifo(source / "run")
    else:
        (source / "run").hardlink_to(source / "manifest.json")
    with pytest.raises(StageError):
        _stage(source, stages, content=wanted)
    assert list(stages.iterdir()) == []


def test_a_folder_that_can_not_be_used_is_said(source: Path, tmp_path: Path) -> None:
    with pytest.raises(StageError, match="can't be made"):
        Stager(tmp_path / "missing")
    shutil.rmtree(source)
