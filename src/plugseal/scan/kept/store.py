"""Bytes by key on disk, kept between scans for speed alone: whatever is wrong with it, a scan goes on without.

Rules
- One SQLite file in a folder that only its owner may enter. A folder or a file that is somebody else's, that others
  may open, that is a link or has a second name is not used; neither is a file with a table that is not ours.
- Each row carries a digest over its key and its body: one that was damaged or moved is not there.
- What is new is written once, at the end, in one transaction; if another scan is writing for long, it is dropped.
- The file has a fixed greatest size. What was not used for longest goes first.

It never raises for what it finds on disk, and what it returns may still be anything: the reader checks it.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final

from plugseal.limits import KIB, MAX_CACHE_BYTES, MAX_CACHE_ENTRY_BYTES, MAX_CACHE_WAITING_BYTES

if TYPE_CHECKING:
    import sqlite3

_NAME: Final = "scans.db"
_SIDES: Final = ("", "-wal", "-shm", "-journal")
_TABLE: Final = "CREATE TABLE entry (key BLOB PRIMARY KEY, day INTEGER NOT NULL, body BLOB NOT NULL) WITHOUT ROWID"
_PAGE_BYTES: Final = 4096
_BUSY_SECONDS: Final = 1.0
_DAY_SECONDS: Final = 86_400
_CHECK_BYTES: Final = 16
_FASTEST: Final = 1
_CHUNK_BYTES: Final = 64 * KIB


class Store:
    """Bytes by key; use as a context manager, which writes what is new."""

    def __init__(self, folder: Path | None) -> None:
        """Open the store of a folder, which is made if it is not there; without a folder nothing is kept."""
        self._connection = None if folder is None else _connect(folder)
        self._waiting: dict[bytes, bytes] = {}
        self._waiting_bytes = 0
        self._used: list[bytes] = []
        self._today = int(time.time()) // _DAY_SECONDS

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        """Say whether there is anything to ask; a store that could not be opened has nothing and takes nothing."""
        return self._connection is not None

    def get(self, key: bytes) -> bytes | None:
        """Return the bytes of a key, None where there are none or they were damaged."""
        body = self._body(key)
        return None if body is None else _unpacked(body)

    def get_lines(self, key: bytes) -> Iterator[bytes] | None:
        """Return the lines of a key, unpacked as they are asked for; None where there are none or they were damaged."""
        body = self._body(key)
        return None if body is None else _unpacked_lines(body)

    def _body(self, key: bytes) -> bytes | None:
        if self._connection is None:
            return None
        try:
            row = self._connection.execute("SELECT day, body FROM entry WHERE key = ?", (key,)).fetchone()
        except _errors():
            self._give_up()
            return None
        if row is None or not isinstance(row[1], bytes):
            return None
        day, body = row
        if day != self._today:
            self._used.append(key)
        return body if _is_whole(key, body) else None

    def put(self, key: bytes, data: bytes) -> None:
        """Keep the bytes of a key; they are on disk after `close`."""
        if self._connection is not None and len(data) <= MAX_CACHE_ENTRY_BYTES:
            self._keep(key, zlib.compress(data, _FASTEST))

    def put_lines(self, key: bytes, lines: Iterable[bytes]) -> None:
        """Keep lines under a key, each of which holds no line end; they are packed one after another."""
        if self._connection is None:
            return
        packer, packed, count = zlib.compressobj(_FASTEST), bytearray(), 0
        for line in lines:
            count += len(line) + 1
            if count > MAX_CACHE_ENTRY_BYTES:
                return
            packed += packer.compress(line + b"\n")
        self._keep(key, bytes(packed + packer.flush()))

    def _keep(self, key: bytes, body: bytes) -> None:
        self._waiting[key] = _check(key, body) + body
        self._waiting_bytes += len(body)
        if self._waiting_bytes > MAX_CACHE_WAITING_BYTES:
            self._write()

    def close(self) -> None:
        """Write what is new and close the file; a closed store has nothing."""
        self._write()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _write(self) -> None:
        connection = self._connection
        if connection is None or not (self._waiting or self._used):
            return
        rows = [(key, self._today, body) for key, body in self._waiting.items()]
        try:
            with connection:
                _make_room(connection, self._waiting_bytes)
                connection.executemany("UPDATE entry SET day = ? WHERE key = ?", [(self._today, k) for k in self._used])
                connection.executemany("INSERT OR REPLACE INTO entry VALUES (?, ?, ?)", rows)
        except _errors() as error:
            if not _is_harmless(error):
                self._give_up()
        self._waiting, self._waiting_bytes, self._used = {}, 0, []

    def _give_up(self) -> None:
        """Stop using a file that is damaged, and remove it."""
        connection, self._connection = self._connection, None
        if connection is not None:
            path = connection.execute("PRAGMA database_list").fetchone()[2] if _answers(connection) else ""
            connection.close()
            if path:
                _remove(Path(path))


def _connect(folder: Path) -> sqlite3.Connection | None:
    path = folder / _NAME
    try:
        import sqlite3
    except ImportError:  # An interpreter that was built without it.
        return None
    try:
        if not _make_private(folder, path):
            return None
    except OSError:
        return None
    for is_last in (False, True):
        try:
            return _open(path)
        except sqlite3.OperationalError:
            return None  # Busy, or a disk that can't be written: nothing is wrong with the file.
        except sqlite3.DatabaseError:
            _remove(path)
            if is_last or not _make_private(folder, path):
                return None
    return None


def _open(path: Path) -> sqlite3.Connection:
    """Open a file and see that it holds our table and nothing else.

    Raises:
        sqlite3.DatabaseError: it doesn't.
    """
    import sqlite3

    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")  # Rows carry their own digests.
        connection.execute(f"PRAGMA max_page_count = {MAX_CACHE_BYTES // _PAGE_BYTES}")
        tables = [row[0] for row in connection.execute("SELECT sql FROM sqlite_schema")]
        if not tables:
            connection.execute(_TABLE)
        elif tables != [_TABLE]:
            raise sqlite3.DatabaseError("not ours")
    except BaseException:
        connection.close()
        raise
    return connection


def _make_private(folder: Path, path: Path) -> bool:
    """Make the folder and the file where they are missing; say whether both are ours alone.

    Raises:
        OSError: they can't be made.
    """
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or not _is_ours(status):
        return False
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    os.close(os.open(path, flags, 0o600))
    for side in _SIDES:
        try:
            status = Path(f"{path}{side}").lstat()
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1 or not _is_ours(status):
            return False
    return True


def _is_ours(status: os.stat_result) -> bool:
    if not hasattr(os, "geteuid"):
        return True  # Windows keeps others out of a user's folder by other means.
    return status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _make_room(connection: sqlite3.Connection, new_bytes: int) -> None:
    """Drop what was not used for longest where the file would grow to its greatest size."""
    pages, free = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count"))
    if (pages - free) * _PAGE_BYTES + 2 * new_bytes < MAX_CACHE_BYTES * 9 // 10:
        return
    count = connection.execute("SELECT count(*) FROM entry").fetchone()[0]
    connection.execute(
        "DELETE FROM entry WHERE key IN (SELECT key FROM entry ORDER BY day, key LIMIT ?)", (max(1, count // 2),)
    )


def _is_whole(key: bytes, body: bytes) -> bool:
    return body[:_CHECK_BYTES] == _check(key, body[_CHECK_BYTES:])


def _unpacked(body: bytes) -> bytes | None:
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(body[_CHECK_BYTES:], MAX_CACHE_ENTRY_BYTES + 1)
    except zlib.error:
        return None
    return data if unpacker.eof and len(data) <= MAX_CACHE_ENTRY_BYTES else None


def _unpacked_lines(body: bytes) -> Iterator[bytes]:
    """Yield lines; what is no packed text has none, or ends early."""
    unpacker, rest, left = zlib.decompressobj(), b"", MAX_CACHE_ENTRY_BYTES
    packed = body[_CHECK_BYTES:]
    while packed and left > 0:
        try:
            data = unpacker.decompress(packed, _CHUNK_BYTES)
        except zlib.error:
            return
        left -= len(data)
        *lines, rest = (rest + data).split(b"\n")
        yield from lines
        packed = unpacker.unconsumed_tail


def _check(key: bytes, packed: bytes) -> bytes:
    return hashlib.sha256(key + packed).digest()[:_CHECK_BYTES]


def _errors() -> type[Exception]:
    import sqlite3

    return sqlite3.Error


def _is_harmless(error: Exception) -> bool:
    """Say whether a write failed for a reason that will pass: another writer, a full disk."""
    import sqlite3

    return isinstance(error, sqlite3.OperationalError)


def _answers(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("PRAGMA database_list")
    except _errors():
        return False
    return True


def _remove(path: Path) -> None:
    for side in _SIDES:
        try:
            Path(f"{path}{side}").unlink(missing_ok=True)
        except OSError:
            continue
