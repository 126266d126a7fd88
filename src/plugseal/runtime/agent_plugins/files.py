"""The folder of an agent: its configuration is read and never written, its registry replaced as a whole.

Both are files of somebody else: read through one descriptor, bounded, never through a link. The registry is written
beside itself and renamed, under a lock on the folder, and only if nobody changed it up to that moment: some kernels
append to it without any lock.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NoReturn

from plugseal.errors import IntakeError, NothingToJudgeError, StateError
from plugseal.records import NamedTuple
from plugseal.runtime.agent_plugins.init import INIT_FILE, MAX_INIT_BYTES
from plugseal.runtime.agent_plugins.registry import MAX_REGISTRY_BYTES, REGISTRY_FILE
from plugseal.trust.files import write_all
from plugseal.trust.locks import take_lock

_FLAGS: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW_MODE: Final = 0o600
"""Records may hold values of variables."""


class Read(NamedTuple):
    """A registry as it was read."""

    data: bytes
    identity: tuple[int, ...] | None
    """Which file that was, and when it was changed last; None where there was none."""
    mode: int = _NEW_MODE


class AgentFolder:
    """An open folder of an agent."""

    def __init__(self, path: str, descriptor: int) -> None:
        """Take over a descriptor.

        Args:
            path: real path of the folder.
            descriptor: open on it.
        """
        self.path = path
        self._folder = descriptor

    def init(self) -> bytes:
        """Return the bytes of its configuration.

        Raises:
            NothingToJudgeError: it has none.
            IntakeError: it can't be read.
        """
        found = self._read(INIT_FILE, MAX_INIT_BYTES)
        if found is None:
            hint = "name the folder in which an agent's `init.json` lies"
            raise NothingToJudgeError("no agent there", place=self.place(INIT_FILE), hint=hint)
        return found.data

    def registry(self) -> Read:
        """Return its registry, empty where there is none.

        Raises:
            IntakeError: it can't be read.
        """
        return self._read(REGISTRY_FILE, MAX_REGISTRY_BYTES) or Read(b"", None)

    def replace_registry(self, before: Read, data: bytes) -> None:
        """Replace the registry as a whole, if it is still the one that was read.

        Raises:
            StateError: somebody changed it meanwhile, or it can't be written; nothing was changed.
        """
        temporary = f".{REGISTRY_FILE}.{os.urandom(8).hex()}.tmp"
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS
            descriptor = os.open(temporary, flags, _NEW_MODE, dir_fd=self._folder)
            try:
                os.fchmod(descriptor, before.mode)
                write_all(descriptor, data)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if self._identity() != before.identity:
                raise StateError(
                    "somebody changed the registry meanwhile: nothing was changed",
                    place=self.place(REGISTRY_FILE),
                    hint="try again",
                )
            os.rename(temporary, REGISTRY_FILE, src_dir_fd=self._folder, dst_dir_fd=self._folder)  # by descriptor
            os.fsync(self._folder)
        except OSError as error:
            raise StateError(
                f"the registry can't be written: {(error.strerror or '').lower()}", place=self.place(REGISTRY_FILE)
            ) from error
        finally:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=self._folder)  # by descriptor

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder, so that two registrations never work at the same time.

        Raises:
            StateError: somebody else holds it too long.
        """
        if not take_lock(self._folder):
            raise StateError("somebody else registers for too long", place=self.path)
        try:
            yield
        finally:
            fcntl.flock(self._folder, fcntl.LOCK_UN)

    def place(self, name: str) -> str:
        """Return a file's path, for a message."""
        return f"{self.path}/{name}"

    def _identity(self) -> tuple[int, ...] | None:
        try:
            return _identity(os.stat(REGISTRY_FILE, dir_fd=self._folder, follow_symlinks=False))
        except FileNotFoundError:
            return None

    def _read(self, name: str, max_bytes: int) -> Read | None:
        try:
            descriptor = os.open(name, os.O_RDONLY | _FLAGS, dir_fd=self._folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            what = "is a link" if error.errno == errno.ELOOP else (error.strerror or "").lower()
            self._refuse(name, what)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                self._refuse(name, "is no regular file")
            data = b""
            while len(data) <= max_bytes and (part := os.read(descriptor, max_bytes + 1 - len(data))):
                data += part
        finally:
            os.close(descriptor)
        if len(data) > max_bytes:
            self._refuse(name, f"is larger than {max_bytes:,} bytes")
        return Read(data, _identity(status), stat.S_IMODE(status.st_mode) & 0o666)

    def _refuse(self, name: str, what: str) -> NoReturn:
        raise IntakeError(f"`{name}` {what}: it is not read", place=self.place(name))


@contextmanager
def open_agent(path: Path) -> Iterator[AgentFolder]:
    """Yield the folder of an agent.

    Raises:
        IntakeError: there is no such folder.
    """
    try:
        real = os.path.realpath(path, strict=True)
        descriptor = os.open(real, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise IntakeError("no folder of an agent is there", place=str(path)) from error
    try:
        if not is_text(real):
            raise IntakeError("the path of the agent's folder is no text", place=real, hint="rename what is on it")
        yield AgentFolder(real, descriptor)
    finally:
        os.close(descriptor)


def is_text(path: str) -> bool:
    """Say whether a path can stand in a document: not every name of a file is text."""
    return not any("\ud800" <= character <= "\udfff" for character in path)


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
