"""Files of the state folder: owner-only, never through links, written whole or not at all.

Rules
- The folder is a real directory of the effective user with mode 0700, below folders that nobody else can swap. One
  that is anything else is refused and never repaired.
- A file is regular, has one name, belongs to the effective user and is open to nobody else. Anything else is refused
  and left as it is.
- Writing is a temporary file in the same folder, fsync, rename, fsync of the folder. A failed fsync is a failure: it is
  never tried again, since the kernel forgets what it could not write.
- Locks are `flock` on a file of their own that is never removed; POSIX locks would be lost when any descriptor closes.

Everything that goes wrong is a `StateError`; nothing here decides what to do about it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NoReturn

from plugseal.errors import StateError
from plugseal.records import NamedTuple
from plugseal.trust.locks import LOCK_SECONDS, take_lock
from plugseal.trust.private import bad_folder, check_file, verify_above, verify_private_folder, what_to_do

MAX_STATE_BYTES: Final = 16 * 1024 * 1024
"""Any file of the state folder."""
_PRIVATE_FILE: Final = 0o600
_PRIVATE_FOLDER: Final = 0o700
_NO_FOLLOW: Final = os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | _NO_FOLLOW


class OpenFile(NamedTuple):
    """A private file that is open for changing it in place."""

    descriptor: int
    data: bytes
    """All of it, as it was when it was opened."""


class Folder:
    """An open state folder; all files are named relative to its descriptor, so that nobody can swap it meanwhile."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.descriptor = descriptor

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self.descriptor)

    def below(self, name: str, *, create: bool = False) -> Folder | None:
        """Return an open folder in this one, None where there is none and none was to be made.

        Raises:
            StateError: it is not a private folder of ours, or can't be made.
        """
        path = self.path / name
        try:
            try:
                descriptor = os.open(name, _FOLDER, dir_fd=self.descriptor)
            except FileNotFoundError:
                if not create:
                    return None
                with suppress(FileExistsError):
                    os.mkdir(name, _PRIVATE_FOLDER, dir_fd=self.descriptor)  # by descriptor
                    os.chmod(name, _PRIVATE_FOLDER, dir_fd=self.descriptor)  # by descriptor, whatever the umask takes
                descriptor = os.open(name, _FOLDER, dir_fd=self.descriptor)
        except OSError as error:
            raise _not_opened(path, error) from error
        return _verified(Folder(path, descriptor))

    def read(self, name: str, *, max_bytes: int = MAX_STATE_BYTES) -> bytes | None:
        """Return all bytes of a file, None where there is none.

        Raises:
            StateError: it is not a private file of ours, too large, or can't be read.
        """
        file = self._open(name, os.O_RDONLY, max_bytes)
        if file is None:
            return None
        os.close(file.descriptor)
        return file.data

    def open_file(self, name: str, *, max_bytes: int = MAX_STATE_BYTES) -> OpenFile | None:
        """Return a file that is open for changing it in place, None where there is none; call it under its lock.

        Raises:
            StateError: it is not a private file of ours, too large, or can't be read.
        """
        return self._open(name, os.O_RDWR, max_bytes)

    def _open(self, name: str, access: int, max_bytes: int) -> OpenFile | None:
        try:
            descriptor = os.open(name, access | os.O_NONBLOCK | _NO_FOLLOW, dir_fd=self.descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._refuse(name, error)
        try:
            found = os.fstat(descriptor)
            self._verify_private(name, found)
            return OpenFile(descriptor, self._read_all(name, descriptor, found.st_size, max_bytes))
        except BaseException as error:
            os.close(descriptor)
            if isinstance(error, OSError):
                self._refuse(name, error)
            raise

    def write(self, name: str, data: bytes) -> None:
        """Replace a file as a whole, so that it survives a power cut: before, or after, never between.

        Raises:
            StateError: nothing was changed; or it was published, but may not survive a power cut (the message says so).
        """
        temporary = f".{name}.{os.urandom(8).hex()}.tmp"
        try:
            descriptor = os.open(
                temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, _PRIVATE_FILE, dir_fd=self.descriptor
            )
        except OSError as error:
            self._refuse(name, error, "nothing was changed")
        try:
            try:
                os.fchmod(descriptor, _PRIVATE_FILE)
                write_all(descriptor, data)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            os.rename(temporary, name, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)  # by descriptor
        except OSError as error:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=self.descriptor)  # by descriptor
            self._refuse(name, error, "nothing was changed")
        try:
            os.fsync(self.descriptor)
        except OSError as error:
            self._refuse(name, error, "the new state was published, but may not survive a power cut")

    def remove(self, name: str) -> None:
        """Remove a file, if it is there.

        Raises:
            StateError: it can't be removed.
        """
        try:
            os.unlink(name, dir_fd=self.descriptor)  # by descriptor
            os.fsync(self.descriptor)
        except FileNotFoundError:
            return
        except OSError as error:
            self._refuse(name, error)

    def names(self) -> list[str]:
        """Return the names of all files, sorted.

        Raises:
            StateError: the folder can't be read.
        """
        try:
            return sorted(os.listdir(self.descriptor))  # noqa: PTH208  # by descriptor
        except OSError as error:
            self._refuse("", error)

    def sweep(self, stem: str = "") -> None:
        """Remove what writers that were killed left of files whose names begin so; call it under their lock."""
        for other in self.names():
            if other.startswith(f".{stem}") and other.endswith(".tmp"):
                with suppress(OSError):
                    os.unlink(other, dir_fd=self.descriptor)  # by descriptor

    def open_private(self, name: str, flags: int, *, create: bool = False) -> int:
        """Return a descriptor of a private file.

        Args:
            name: in this folder.
            flags: as for `os.open`, without those that this adds.
            create: whether to make an empty one where there is none.

        Raises:
            StateError: it is not a private file of ours, or can't be opened.
        """
        try:
            made = flags | os.O_NONBLOCK | _NO_FOLLOW | (os.O_CREAT if create else 0)
            descriptor = os.open(name, made, _PRIVATE_FILE, dir_fd=self.descriptor)
        except OSError as error:
            self._refuse(name, error)
        try:
            found = os.fstat(descriptor)
            self._verify_private(name, found)
            if create and found.st_mode & _PRIVATE_FILE != _PRIVATE_FILE:
                os.fchmod(descriptor, _PRIVATE_FILE)  # the umask took it, when this made it
        except BaseException as error:
            os.close(descriptor)
            if isinstance(error, OSError):
                self._refuse(name, error)
            raise
        return descriptor

    @contextmanager
    def locked(self, name: str, *, shared: bool = False) -> Iterator[None]:
        """Hold the lock of a file: for changing it, or shared for reading.

        Raises:
            StateError: the lock is not a private file of ours, or somebody else holds it too long.
        """
        descriptor = self.open_lock(name)
        try:
            self.take(name, descriptor, shared=shared)
            yield
        finally:
            os.close(descriptor)

    def open_lock(self, name: str) -> int:
        """Return a descriptor of the lock of a file, for who takes it more than once.

        Raises:
            StateError: the lock is not a private file of ours.
        """
        return self.open_private(f"{name}.lock", os.O_RDWR, create=True)

    def take(self, name: str, descriptor: int, *, shared: bool = False) -> None:
        """Take the lock of a file that `open_lock` opened; who took it gives it back.

        Raises:
            StateError: somebody else holds it too long.
        """
        try:
            if take_lock(descriptor, shared=shared):
                return
        except OSError as error:
            self._refuse(f"{name}.lock", error)
        raise StateError(
            f"another plugseal has held the lock for more than {LOCK_SECONDS:.0f} s",
            place=self.place(f"{name}.lock"),
            hint="see which one with `fuser`, and end it",
        )

    def place(self, name: str) -> str:
        """Return a file's path, for a message."""
        return f"{self.path}/{name}" if name else str(self.path)

    def _verify_private(self, name: str, found: os.stat_result) -> None:
        wrong = check_file(found)
        if wrong:
            place = self.place(name)
            raise StateError(f"the state file {wrong}", place=place, hint=what_to_do(place))

    def _read_all(self, name: str, descriptor: int, size: int, max_bytes: int) -> bytes:
        """Return all bytes of a file: in one reading where it holds what its size says and no more."""
        data = os.read(descriptor, min(size, max_bytes) + 1)
        if len(data) != size:
            left = max_bytes + 1 - len(data)
            parts = [data]
            while left and (part := os.read(descriptor, min(left, 1 << 20))):
                parts.append(part)
                left -= len(part)
            data = b"".join(parts)
        if len(data) > max_bytes:
            raise StateError(f"the state file is larger than {max_bytes:,} bytes", place=self.place(name))
        return data

    def _refuse(self, name: str, error: OSError, consequence: str = "") -> NoReturn:
        what = "it is a symbolic link" if error.errno == errno.ELOOP else (error.strerror or str(error)).lower()
        place = self.place(name)
        details = (consequence,) if consequence else ()
        raise StateError(
            f"the state can't be used: {what}", place=place, hint=what_to_do(place, error), details=details
        ) from error


def open_folder(path: Path, *, create: bool = False) -> Folder | None:
    """Return an open state folder, None where there is none and none was to be made.

    Args:
        path: absolute.
        create: whether to make it, with the folders above it.

    Raises:
        StateError: it is not a private folder of ours, stands below one that others can change, or can't be made.
    """
    try:
        try:
            descriptor = os.open(path, _FOLDER)
        except FileNotFoundError:
            if not create:
                return None
            _make_folders(path)
            descriptor = os.open(path, _FOLDER)
    except OSError as error:
        raise _not_opened(path, error) from error
    return _verified(Folder(path, descriptor), above=True)


def open_below(home: Path, name: str, *, create: bool = False) -> Folder | None:
    """Return an open folder of the state folder, None where there is none and none was to be made.

    The state folder is looked at first: nothing is ever made in one that is not ours.

    Raises:
        StateError: as `open_folder`.
    """
    above = open_folder(home, create=create)
    if above is None:
        return None
    with above:
        return above.below(name, create=create)


def _make_folders(path: Path) -> None:
    """Make a folder and those that are missing above it, for us alone whatever the umask takes."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        with suppress(FileExistsError):
            folder.mkdir(mode=_PRIVATE_FOLDER)
            folder.chmod(_PRIVATE_FOLDER)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes; a short write goes on.

    Raises:
        OSError: not everything could be written.
    """
    done = os.write(descriptor, data)
    while done < len(data):
        done += os.write(descriptor, memoryview(data)[done:])


def write_at(descriptor: int, data: bytes, offset: int) -> None:
    """Write all bytes at a place in a file; a short write goes on.

    Raises:
        OSError: not everything could be written.
    """
    done = os.pwrite(descriptor, data, offset)
    while done < len(data):
        done += os.pwrite(descriptor, memoryview(data)[done:], offset + done)


def sync_data(descriptor: int) -> None:
    """Wait until what was written to a file is on the disk; its times need not be.

    Raises:
        OSError: it may not be: it counts as lost, and syncing again would prove nothing.
    """
    # Not every system has the cheaper one.
    (os.fdatasync if hasattr(os, "fdatasync") else os.fsync)(descriptor)


def _verified(folder: Folder, *, above: bool = False) -> Folder:
    try:
        verify_private_folder(folder.path, os.fstat(folder.descriptor))
        if above:
            verify_above(folder.path, folder.descriptor)
    except BaseException:
        folder.close()
        raise
    return folder


def _not_opened(path: Path, error: OSError) -> StateError:
    is_odd = error.errno in (errno.ELOOP, errno.ENOTDIR)
    what = "is a link or no folder" if is_odd else f"can't be opened: {(error.strerror or '').lower()}"
    return bad_folder(path, what, error)
