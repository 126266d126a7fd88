"""Write one event of a plugin's runs after the other: files stay open in between, and are looked at again each time.

Rules
- Nothing that is held is believed: before each event the folders, the secret and the lock must be, by name, those that
  are held, with the owner and the mode that they had when they were opened and verified. If not, the writer is closed,
  and whoever wants to write takes a new one, which verifies everything anew, the folders above too: who swaps one of
  these puts another state folder there.
- The lock is taken for each event, and given back; between two events anybody else may write.
- A writer belongs to one process and one thread at a time: whoever shares what is open shares its lock as well.
"""

from __future__ import annotations

import os
from contextlib import suppress

from plugseal.errors import StateError
from plugseal.records import NamedTuple
from plugseal.trust import secret as secrets
from plugseal.trust.appending import Written, append_run
from plugseal.trust.event import Run
from plugseal.trust.files import Folder
from plugseal.trust.head import HEAD_BYTES, Head, parse_head, put_head, render_head, write_head
from plugseal.trust.held_file import HeldFile, mark_of
from plugseal.trust.locks import give_lock_back


class Known(NamedTuple):
    """What a writer verified or wrote last."""

    secret: bytes
    head: Head
    head_data: bytes
    """Its bytes: a head that stands on the disk byte for byte needs no second look."""
    runs: Written


class RunWriter:
    """The way to the runs of one plugin."""

    def __init__(
        self,
        home: Folder,
        folder: Folder,
        secret: bytes,
        *,
        lock: str,
        head: str,
        runs: str,
        known: Known | None = None,
    ) -> None:
        """Take over open folders.

        Args:
            home: the state folder; closed with this.
            folder: of the records, in it; closed with this.
            secret: of the installation.
            lock: of which file the plugin's lock is.
            head: the name of the plugin's head.
            runs: the name of its journal.
            known: what a writer that was closed left.

        Raises:
            StateError: the lock is not a private file of ours, or something was put in another's place meanwhile.
        """
        self._home, self._folder, self._secret = home, folder, secret
        self._lock, self._head, self._runs = lock, head, runs
        self._home_path, self._folder_name = str(home.path), folder.path.name
        self._lock_name = f"{lock}.lock"
        self._head_file = HeldFile(folder, head, max_bytes=HEAD_BYTES)
        self._runs_file = HeldFile(folder, runs)
        self._process = os.getpid()
        self.known = known if known is not None and known.secret == secret else None
        """What was verified or written last; believed where the very bytes still stand on the disk."""
        self._descriptors = [home.descriptor, folder.descriptor]
        self._marks: tuple[tuple[int, ...], ...] = ()
        self._descriptors.append(folder.open_lock(lock))
        with suppress(OSError):
            self._marks = self._look()
        if (
            self._marks[:3] != tuple(mark_of(os.fstat(descriptor)) for descriptor in self._descriptors)
            or secrets.read_secret(home) != secret
        ):
            raise StateError("the state folder changes meanwhile", place=str(home.path), hint="try again")

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close everything; safe to call at any time."""
        for file in (self._head_file, self._runs_file):
            file.close()
        while self._descriptors:
            os.close(self._descriptors.pop())

    def is_current(self) -> bool:
        """Say whether all that is held is still what its name names, as it was verified."""
        try:
            return self._process == os.getpid() and self._look() == self._marks
        except OSError:
            return False

    def append(self, run: Run) -> int:
        """Record an event, on the disk before this returns, and return its number.

        Raises:
            StateError: it was not recorded.
        """
        folder, secret, known = self._folder, self._secret, self.known
        folder.take(self._lock, self._descriptors[-1])
        try:
            told, runs = self._head_file.look(), self._runs_file.look()
            if known is not None and told is not None and told.data == known.head_data:
                head = known.head
            else:
                head = parse_head(b"" if told is None else told.data, secret)
            written = append_run(
                folder, self._runs, run, file=runs, head=head, secret=secret, known=known and known.runs
            )
            head = Head(head.generation, head.reviews, written.size, head.anchored)
            data = render_head(head, secret)
            if told is None:
                write_head(folder, self._head, head, secret)
            else:
                put_head(folder, self._head, told.descriptor, data)
            self.known = Known(secret, head, data, written)
        finally:
            give_lock_back(self._descriptors[-1])
        return written.size

    def _look(self) -> tuple[tuple[int, ...], ...]:
        """Return what the folders, the lock and the secret are, by their names."""
        home, stat = self._home.descriptor, os.stat
        secret = stat(secrets.NAME, dir_fd=home, follow_symlinks=False)
        # As `mark_of`, without a call for each.
        return (
            stat(self._home_path, follow_symlinks=False)[:5],
            stat(self._folder_name, dir_fd=home, follow_symlinks=False)[:5],
            stat(self._lock_name, dir_fd=self._folder.descriptor, follow_symlinks=False)[:5],
            (*secret[:7], secret.st_mtime_ns, secret.st_ctime_ns),
        )
