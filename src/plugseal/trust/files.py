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
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NoReturn

from plugseal.errors import StateError

MAX_STATE_BYTES: Final = 16 * 1024 * 1024
"""Any file of the state folder."""
LOCK_SECONDS: Final = 30.0
"""How long to wait for somebody else's transition."""
_PRIVATE_FILE: Final = 0o600
_PRIVATE_FOLDER: Final = 0o700
_OTHERS: Final = 0o077
_WRITABLE_BY_OTHERS: Final = 0o022
_NO_FOLLOW: Final = os.O_NOFOLLOW | os.O_CLOEXEC
_INSPECT: Final = "look at it with `ls -la {place}`; plugseal neither repairs nor replaces it"


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

    def read(self, name: str, *, max_bytes: int = MAX_STATE_BYTES) -> bytes | None:
        """Return all bytes of a file, None where there is none.

        Raises:
            StateError: it is not a private file of ours, too large, or can't be read.
        """
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | _NO_FOLLOW, dir_fd=self.descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._refuse(name, error)
        try:
            self._verify_private(name, os.fstat(descriptor))
            return _read_all(descriptor, max_bytes, self.place(name))
        except OSError as error:
            self._refuse(name, error)
        finally:
            os.close(descriptor)

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
            self._verify_private(name, os.fstat(descriptor))
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    @contextmanager
    def locked(self, name: str, *, shared: bool = False) -> Iterator[None]:
        """Hold the lock of a file: for changing it, or shared for reading.

        Raises:
            StateError: the lock is not a private file of ours, or somebody else holds it too long.
        """
        descriptor = self.open_private(f"{name}.lock", os.O_RDWR, create=True)
        try:
            self._take(name, descriptor, shared)
            yield
        finally:
            os.close(descriptor)

    def place(self, name: str) -> str:
        """Return a file's path, for a message."""
        return f"{self.path}/{name}" if name else str(self.path)

    def _take(self, name: str, descriptor: int, shared: bool) -> None:
        import fcntl

        wanted = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
        end = time.monotonic() + LOCK_SECONDS
        pause = 0.0005
        while True:
            try:
                fcntl.flock(descriptor, wanted)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise StateError(
                        f"another plugseal has held the lock for more than {LOCK_SECONDS:.0f} s",
                        place=self.place(f"{name}.lock"),
                        hint="see which one with `fuser`, and end it",
                    ) from None
                time.sleep(pause)
                pause = min(pause * 2, 0.02)
            except OSError as error:
                self._refuse(f"{name}.lock", error)
            else:
                return

    def _verify_private(self, name: str, found: os.stat_result) -> None:
        wrong = ""
        if not stat.S_ISREG(found.st_mode):
            wrong = "is no regular file"
        elif found.st_uid != os.geteuid():
            wrong = f"belongs to user {found.st_uid}, not to you"
        elif found.st_nlink != 1:
            wrong = "has another name besides (a hard link)"
        elif found.st_mode & _OTHERS:
            wrong = f"is open to others (mode {stat.S_IMODE(found.st_mode):04o})"
        if wrong:
            place = self.place(name)
            raise StateError(f"the state file {wrong}", place=place, hint=_INSPECT.format(place=place))

    def _refuse(self, name: str, error: OSError, consequence: str = "") -> NoReturn:
        what = "is a symbolic link" if error.errno == errno.ELOOP else (error.strerror or str(error)).lower()
        place = self.place(name)
        details = (consequence,) if consequence else ()
        raise StateError(
            f"the state can't be used: {what}", place=place, hint=_INSPECT.format(place=place), details=details
        ) from error


def open_folder(path: Path, *, create: bool = False) -> Folder | None:
    """Return an open state folder, None where there is none and none was to be made.

    Args:
        path: absolute.
        create: whether to make it, with the folders above it.

    Raises:
        StateError: it is not a private folder of ours, stands below one that others can change, or can't be made.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY | _NO_FOLLOW
    try:
        try:
            descriptor = os.open(path, flags)
        except FileNotFoundError:
            if not create:
                return None
            path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
            with suppress(FileExistsError):
                path.mkdir(mode=_PRIVATE_FOLDER)
            descriptor = os.open(path, flags)
    except OSError as error:
        what = (
            "is a link or no folder" if error.errno in (errno.ELOOP, errno.ENOTDIR) else (error.strerror or "").lower()
        )
        raise _bad_folder(path, what) from error
    try:
        _verify_folder(path, os.fstat(descriptor))
    except BaseException:
        os.close(descriptor)
        raise
    return Folder(path, descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes; a short write goes on.

    Raises:
        OSError: not everything could be written.
    """
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _verify_folder(path: Path, found: os.stat_result) -> None:
    if found.st_uid != os.geteuid():
        raise _bad_folder(path, f"belongs to user {found.st_uid}, not to you")
    if found.st_mode & _OTHERS:
        raise _bad_folder(path, f"is open to others (mode {stat.S_IMODE(found.st_mode):04o})")
    above = os.path.realpath(path)
    while above != "/":
        # As text: this is done for every transition and every start.
        above = os.path.dirname(above)  # noqa: PTH120
        seen = os.stat(above)  # noqa: PTH116
        if seen.st_uid not in (0, os.geteuid()):
            raise _bad_folder(path, f"stands below {above}, which belongs to user {seen.st_uid}")
        if seen.st_mode & _WRITABLE_BY_OTHERS and not seen.st_mode & stat.S_ISVTX:
            raise _bad_folder(path, f"stands below {above}, where others may rename it")


def _bad_folder(path: Path, what: str) -> StateError:
    return StateError(f"the state folder {what}", place=str(path), hint=_INSPECT.format(place=path))


def _read_all(descriptor: int, max_bytes: int, place: str) -> bytes:
    parts = []
    left = max_bytes + 1
    while left and (part := os.read(descriptor, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    if not left:
        raise StateError(f"the state file is larger than {max_bytes:,} bytes", place=place)
    return b"".join(parts)
