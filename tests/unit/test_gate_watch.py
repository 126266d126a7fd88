"""Whatever could hide a change of a record counts as a change; without a word of the kernel it is looked for."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from plugseal.runtime import kernel
from plugseal.runtime.watch import Watch


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "state" / "plugins"
    path.mkdir(parents=True)
    (path / "a.json").write_text("1")
    return path


def _watch(folder: Path) -> Watch:
    watch = Watch(folder)
    watch.only("a.json")
    assert not watch.changed()
    return watch


def test_a_rename_onto_the_record_is_seen_and_another_record_is_not(folder: Path) -> None:
    watch = _watch(folder)
    (folder / "b.json").write_text("2")
    assert not watch.changed()
    (folder / "b.json").rename(folder / "a.json")
    assert watch.changed()
    assert not watch.changed()
    watch.close()


@pytest.mark.parametrize("what", ["renamed", "removed", "replaced", "its parent renamed"])
def test_a_folder_that_goes_away_is_a_change_and_another_one(what: str, folder: Path) -> None:
    watch = _watch(folder)
    if what == "renamed":
        folder.rename(folder.with_name("old"))
    elif what == "removed":
        (folder / "a.json").unlink()
        folder.rmdir()
    elif what == "replaced":
        folder.rename(folder.with_name("old"))
        folder.mkdir()
    else:
        folder.parent.rename(folder.parent.with_name("old"))
    assert watch.changed()
    assert not watch.is_same_folder()
    watch.close()


@pytest.mark.parametrize(
    "mask", [0x4000, 0x8000, 0x2000, 0x400, 0x800], ids=["overflow", "ignored", "unmount", "gone", "moved"]
)
def test_a_word_of_the_kernel_that_hides_others_is_a_change(mask: int, folder: Path) -> None:
    watch = _watch(folder)
    assert watch._tells(struct.pack("iIII", -1, mask, 0, 0))
    watch.close()


def test_without_a_watch_it_is_looked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "open_watch", lambda: None)
    watch = Watch(folder)
    assert watch.is_polling
    assert watch.changed()
    assert not watch.changed(), "not more often than every 50 ms"
    monkeypatch.setattr("plugseal.runtime.watch.POLL_SECONDS", 0.0)
    watch._next_look = 0.0
    assert watch.changed()


def test_a_folder_that_cannot_be_watched_is_looked_at(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "add_watch", lambda *_: None)
    watch = Watch(folder)
    assert watch.is_polling
    assert watch.descriptor is None
