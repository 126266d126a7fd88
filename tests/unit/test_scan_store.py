"""The store behind the cache: what is wrong with it is noticed, and a scan goes on without."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from plugseal.scan.kept import store as store_module
from plugseal.scan.kept.store import Store

KEY, OTHER = b"k" * 32, b"o" * 32
BODY = b"body " * 100


def filled(folder: Path) -> Path:
    """Return the file of a store that holds one entry."""
    with Store(folder) as store:
        store.put(KEY, BODY)
    return folder / "scans.db"


def answer(folder: Path, key: bytes = KEY) -> bytes | None:
    with Store(folder) as store:
        return store.get(key)


def test_what_was_put_is_there_for_the_next_one(tmp_path: Path) -> None:
    filled(tmp_path / "c")
    assert answer(tmp_path / "c") == BODY
    assert answer(tmp_path / "c", OTHER) is None


def test_folder_and_file_are_for_their_owner_alone(tmp_path: Path) -> None:
    path = filled(tmp_path / "c")
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.stat().st_mode & 0o777 == 0o600


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    with Store(tmp_path / "c") as one, Store(tmp_path / "c") as other:
        one.put(KEY, BODY)
        other.put(OTHER, b"other")
    assert answer(tmp_path / "c") == BODY
    assert answer(tmp_path / "c", OTHER) == b"other"


def test_a_writer_that_finds_another_writing_gives_up_its_own(tmp_path: Path) -> None:
    path = filled(tmp_path / "c")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Store(tmp_path / "c") as store:
        store.put(OTHER, b"other")
        store._connection.execute("PRAGMA busy_timeout = 1")  # type: ignore[union-attr]  # it is open
    other.execute("ROLLBACK")
    other.close()
    assert answer(tmp_path / "c") == BODY
    assert answer(tmp_path / "c", OTHER) is None


def open_to_the_group(path: Path) -> None:
    path.chmod(0o640)


def in_a_folder_for_all(path: Path) -> None:
    path.parent.chmod(0o755)


def a_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def with_a_second_name(path: Path) -> None:
    path.with_name("second").hardlink_to(path)


def a_folder_that_is_a_link(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))
    path.parent.symlink_to("elsewhere")


@pytest.mark.parametrize(
    "make", [open_to_the_group, in_a_folder_for_all, a_link, with_a_second_name, a_folder_that_is_a_link]
)
def test_a_store_that_others_could_have_filled_is_not_used(tmp_path: Path, make: object) -> None:
    make(filled(tmp_path / "c"))  # type: ignore[operator]  # one of the functions above
    assert answer(tmp_path / "c") is None


def test_a_file_of_somebody_else_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path / "c")
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    assert answer(tmp_path / "c") is None


def overwritten(path: Path) -> None:
    path.write_bytes(b"not a database" * 1000)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def with_a_trigger(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TRIGGER t AFTER UPDATE ON entry BEGIN DELETE FROM entry; END")


def with_another_table(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE entry")
        connection.execute("CREATE TABLE entry (key, day, body)")
        connection.execute("INSERT INTO entry VALUES (?, 1, ?)", (KEY, BODY))


@pytest.mark.parametrize("damage", [overwritten, cut, emptied, with_a_trigger, with_another_table])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: object) -> None:
    path = filled(tmp_path / "c")
    for side in ("-wal", "-shm"):
        path.with_name(path.name + side).unlink(missing_ok=True)
    damage(path)  # type: ignore[operator]  # one of the functions above
    assert answer(tmp_path / "c") is None
    filled(tmp_path / "c")
    assert answer(tmp_path / "c") == BODY


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("nothing", b""),
        ("short", b"x"),
        ("no digest", b"\0" * 64),
        ("text", "text"),
        ("number", 7),
        ("null", None),
    ],
)
def test_a_row_that_was_not_written_by_us_is_not_there(tmp_path: Path, name: str, body: object) -> None:
    path = filled(tmp_path / "c")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE OR IGNORE entry SET body = ?", (body,)) if body is not None else None
        if body is None:
            connection.execute("DELETE FROM entry")
    assert answer(tmp_path / "c") is None


def test_a_row_that_was_moved_to_another_key_is_not_there(tmp_path: Path) -> None:
    path = filled(tmp_path / "c")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE entry SET key = ?", (OTHER,))
    assert answer(tmp_path / "c", OTHER) is None


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MAX_CACHE_BYTES", 512 * 1024)
    path = filled(tmp_path / "c")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE entry SET day = 1")
    for number in range(60):
        with Store(tmp_path / "c") as store:
            store.put(number.to_bytes(32, "big"), os.urandom(20_000))
    assert path.stat().st_size <= 512 * 1024
    assert answer(tmp_path / "c") is None
    assert answer(tmp_path / "c", (59).to_bytes(32, "big")) is not None


def test_without_a_folder_nothing_is_kept() -> None:
    with Store(None) as store:
        store.put(KEY, BODY)
        assert not store.is_open
        assert store.get(KEY) is None


def test_a_folder_that_can_not_be_made_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with Store(tmp_path / "file" / "c") as store:
        store.put(KEY, BODY)
        assert store.get(KEY) is None
