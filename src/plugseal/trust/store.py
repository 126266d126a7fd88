"""The store of trust: one record, one journal and one head for each plugin, below one private folder.

Rules
- Reading takes no lock, makes nothing and changes nothing: a rename shows the old record or the new one.
- Every change is made under the plugin's own lock, on what is on the disk then, never on what was read before.
- What can't be believed is an error, stays as it is, and counts as not trusted.
- Names of files are digests of the whole identity, so that no name of a plugin reaches the disk.
- The reviewed capability documents are files of their own, named by their digest, written before the record that names
  them; they are checked against that name whenever they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from plugseal.errors import StateError, TrailError
from plugseal.model.trust import Subject
from plugseal.records import NamedTuple
from plugseal.trust.files import Folder, open_folder
from plugseal.trust.head import Head, is_told, read_head, verify_not_older, write_head
from plugseal.trust.record import Record, parse_own, parse_record, render_record
from plugseal.trust.secret import RECORDS, installation_id, make_secret, read_secret

if TYPE_CHECKING:  # a start reads records first, and its runs are written later
    from plugseal.trust.event import Run
    from plugseal.trust.journal import Journal
    from plugseal.trust.run_writer import Known, RunWriter

_DOMAIN: Final = b"plugseal-subject-v1\x00"
_DOCUMENTS: Final = "documents"
_RECORD: Final = ".json"
_HEAD: Final = ".head"
_RUNS: Final = ".runs"
_MAX_WRITERS: Final = 8
"""How many plugins' runs are kept open."""
_KEPT_FROM: Final = 8
"""From the how many-th event on."""
_SEE_LOG: Final = "see what is wrong with `plugseal log verify`"
_ABOUT_IT: Final = ("is ", "was ", "has ", "belongs ")
Change = Callable[["Record | None"], Record]


@lru_cache(maxsize=64)
def subject_key(subject: Subject) -> str:
    """Return the name of a plugin's files: 64 hex digits over its whole identity."""
    return sha256(_DOMAIN + b"\x00".join(part.encode("utf-8", "surrogateescape") for part in subject)).hexdigest()


class Broken(NamedTuple):
    """A record that can't be believed."""

    file: str
    error: StateError


class Store:
    """The state of one installation. Make one for each command.

    It holds no lock, and believes nothing that it saw before: what it keeps open to append runs is compared with the
    disk whenever more is appended.
    """

    def __init__(self, home: Path) -> None:
        """Prepare without opening or making anything.

        Args:
            home: the state folder, absolute; see `trust.home.state_home`.
        """
        self.home = home
        self.made_secret = False
        """Whether this made the installation's secret: the user is told."""
        self._writers: dict[str, RunWriter] = {}
        """By the plugin's key."""
        self._known: dict[str, tuple[int, Known | None]] = {}
        """By the plugin's key: how often something was appended, and what was seen of the runs then."""

    @property
    def folder(self) -> Path:
        """Return the folder of the records."""
        return self.home / RECORDS

    @staticmethod
    def file_of(subject: Subject) -> str:
        """Return the name of a plugin's record in that folder."""
        return subject_key(subject) + _RECORD

    def read(self, subject: Subject) -> Record | None:
        """Return what is stored about a plugin, None where there is nothing.

        Raises:
            TrailError: it was cut, changed, removed or put back.
            StateError: it can't be believed.
        """
        with _Opened(self.home, RECORDS) as opened:
            if opened.folder is None:
                return None
            return self._read(opened.folder, subject_key(subject), opened.secret, subject)[0]

    def change(self, subject: Subject, change: Change) -> Record:
        """Change a plugin's record under its lock and return it as it is stored.

        Args:
            subject: whose.
            change: from the record as it is on the disk now (None where there is none) to what it becomes; whatever
                it raises leaves everything as it was.

        Raises:
            StateError: nothing was changed, or it was published but may not survive a power cut (the message says so).
        """
        key = subject_key(subject)
        folder, secret = self._open(RECORDS)
        with folder, folder.locked(key + _RECORD):
            folder.sweep(f"{key}.")
            before, head = self._read(folder, key, secret, subject, parse=_parse_own)
            after = change(before)
            if after.subject != subject:
                raise StateError("a record can't become another plugin's")
            folder.write(key + _RECORD, render_record(after, secret))
            told = head._replace(generation=after.standing.generation, reviews=after.reviews.size)
            write_head(folder, key + _HEAD, told, secret)
        return after

    def records(self) -> Iterator[Record | Broken]:
        """Yield every record, in the order of their files; those that can't be believed with the reason.

        One that was removed is told by the head or the runs that were left beside it.
        """
        with _Opened(self.home, RECORDS) as opened:
            if opened.folder is None:
                return
            names = [name for name in opened.folder.names() if not name.startswith(".")]
            keys = {name.rpartition(".")[0] for name in names if name.endswith((_RECORD, _HEAD, _RUNS))}
            for key in sorted(keys):
                place = opened.folder.place(key + _RECORD)
                try:
                    record, _ = self._read(opened.folder, key, opened.secret, None)
                    if record is None and key + _RUNS in names:
                        raise TrailError("the record was removed: runs were written", kind="missing", place=place)
                except StateError as error:
                    yield Broken(place, error)
                else:
                    if record is not None:
                        yield record

    def append_run(self, subject: Subject, run: Run) -> int:
        """Record an event of a run, on the disk before this returns.

        Returns:
            The entry's number.

        Raises:
            StateError: it was not recorded; whatever was to be recorded must not happen.
        """
        key = subject_key(subject)
        # Taken out: another thread that writes meanwhile has a writer of its own, and waits for this one's lock.
        writer = self._writers.pop(key, None)
        if writer is None or not writer.is_current():
            writer = self._new_writer(key)
        number = writer.append(run)
        # A start and its end leave nothing open; a host that writes on and on does not open everything each time.
        times = self._known.get(key, (0, None))[0] + 1
        self._known[key] = times, writer.known
        if times < _KEPT_FROM or len(self._writers) >= _MAX_WRITERS:
            writer.close()
        else:
            self._writers[key] = writer
        return number

    def runs(self, subject: Subject) -> Journal:
        """Return a plugin's runs.

        Raises:
            TrailError: they were cut, changed, removed or put back.
            StateError: they can't be believed.
        """
        from plugseal.trust.journal import Journal, parse_journal, verify_complete

        key = subject_key(subject)
        with _Opened(self.home, RECORDS) as opened:
            if opened.folder is None:
                return Journal()
            head = read_head(opened.folder, key + _HEAD, opened.secret)
            data = opened.folder.read(key + _RUNS) or b""
            try:
                journal = parse_journal(data, opened.secret, acknowledged=head.runs)
                verify_complete(journal, head)
            except StateError as error:
                error.place = error.place or opened.folder.place(key + _RUNS)
                raise
            return journal

    def lacks_head(self, subject: Subject) -> str:
        """Say what is wrong with a plugin's head where it tells nothing; empty where it tells how far the trails came.

        It is no fault by itself: a power cut may have lost it, and whoever writes next writes it. Until then nobody can
        tell here whether an older record was put back.

        Raises:
            StateError: it can't be read.
        """
        with _Opened(self.home, RECORDS) as opened:
            data = None if opened.folder is None else opened.folder.read(subject_key(subject) + _HEAD)
        if data is None:
            return "is not there"
        return "" if is_told(data) else "is empty"

    def anchor(self, subject: Subject) -> tuple[Record, Journal]:
        """Remember the state of both trails, for a checkpoint that leaves the machine.

        Returns:
            The record and the runs as they are now.

        Raises:
            StateError: nothing is recorded, or it can't be believed or written.
        """
        from plugseal.trust.appending import anchor_runs

        key = subject_key(subject)
        folder, secret = self._open(RECORDS)
        with folder, folder.locked(key + _RECORD):
            record, head = self._read(folder, key, secret, subject)
            if record is None:
                raise StateError("nothing is recorded about it")
            anchored = record._replace(reviews=record.reviews.anchor())
            if anchored != record:
                folder.write(key + _RECORD, render_record(anchored, secret))
            journal = anchor_runs(folder, key + _RUNS, head=head, secret=secret)
            write_head(folder, key + _HEAD, head._replace(anchored=journal.trail.size), secret)
        return anchored, journal

    def put_document(self, data: bytes) -> str:
        """Store a capability document and return its digest: 64 hex digits.

        Raises:
            StateError: it can't be stored.
        """
        digest = sha256(data).hexdigest()
        folder, _ = self._open(_DOCUMENTS)
        with folder, folder.locked("documents"):
            if folder.read(digest) != data:
                folder.sweep()
                folder.write(digest, data)
        return digest

    def document(self, digest: str) -> bytes:
        """Return a stored capability document.

        Raises:
            StateError: it is missing, or its bytes are not those of its name.
        """
        with _Opened(self.home, _DOCUMENTS) as opened:
            data = None if opened.folder is None else opened.folder.read(digest)
        if data is None or sha256(data).hexdigest() != digest:
            what = "is missing" if data is None else "is not what was reviewed"
            raise StateError(
                f"the reviewed capability document {what}",
                place=str(self.home / _DOCUMENTS / digest),
                hint="review and trust the plugin again",
            )
        return data

    def secret(self) -> bytes:
        """Return the installation's secret.

        Raises:
            StateError: none was made yet, or it can't be used.
        """
        secret = self._secret()
        if secret is None:
            raise StateError("nothing was recorded here yet", place=str(self.home))
        return secret

    def installation(self) -> str | None:
        """Return the installation's public name, None where nothing was stored yet.

        Raises:
            StateError: the state can't be used.
        """
        secret = self._secret()
        return None if secret is None else installation_id(secret)

    def _secret(self) -> bytes | None:
        home = open_folder(self.home)
        if home is None:
            return None
        with home:
            return read_secret(home)

    def _read(
        self,
        folder: Folder,
        key: str,
        secret: bytes,
        subject: Subject | None,
        *,
        parse: Callable[[bytes, bytes], Record] = parse_record,
    ) -> tuple[Record | None, Head]:
        # The head first: it lags behind the record, so that a transition in between never looks like a step back.
        try:
            head = read_head(folder, key + _HEAD, secret)
        except StateError as error:
            if error.place is None:
                error.place, error.message = folder.place(key + _HEAD), f"the head {error.message}"
            error.hint = error.hint or _SEE_LOG
            raise
        data = folder.read(key + _RECORD)
        place = folder.place(key + _RECORD)
        try:
            if data is None:
                verify_not_older(head, generation=0, reviews=0)
                return None, head
            record = parse(data, secret)
            if subject_key(record.subject) != key or subject not in (None, record.subject):
                raise StateError("belongs to another plugin")
            verify_not_older(head, generation=record.standing.generation, reviews=record.reviews.size)
        except StateError as error:
            if error.place is None:
                error.place = place
                error.message = f"the record {error.message}" if error.message.startswith(_ABOUT_IT) else error.message
            error.hint = error.hint or f"inspect it with `plugseal log verify` and `cat {place}`"
            raise
        return record, head

    def _open(self, below: str) -> tuple[Folder, bytes]:
        """Return a folder below the state folder, made where there is none, and the installation's secret."""
        home, folder, secret = self._open_both(below)
        home.close()
        return folder, secret

    def _open_both(self, below: str) -> tuple[Folder, Folder, bytes]:
        home = open_folder(self.home, create=True)
        if home is None:
            raise StateError("the state folder went away", place=str(self.home))
        try:
            secret, made = make_secret(home)
            self.made_secret = self.made_secret or made
            folder = home.below(below, create=True)
            if folder is None:
                raise StateError("the state folder went away", place=str(self.home / below))
        except BaseException:
            home.close()
            raise
        return home, folder, secret

    def _new_writer(self, key: str) -> RunWriter:
        from plugseal.trust.run_writer import RunWriter

        home, folder, secret = self._open_both(RECORDS)
        _, known = self._known.get(key, (0, None))
        return RunWriter(home, folder, secret, lock=key + _RECORD, head=key + _HEAD, runs=key + _RUNS, known=known)


def _parse_own(data: bytes, secret: bytes) -> Record:
    """Return a record for who changes it: the older entries stay as they are."""
    return parse_own(data, secret) or parse_record(data, secret)


class _Opened:
    """A folder below the state folder, opened for reading, with the installation's secret; makes nothing."""

    def __init__(self, home: Path, below: str) -> None:
        self._home = home
        self._below = below
        self.folder: Folder | None = None
        self.secret = b""

    def __enter__(self) -> _Opened:
        home = open_folder(self._home)
        if home is None:
            return self
        with home:
            self.secret = read_secret(home) or b""
            if self.secret:
                self.folder = home.below(self._below)
        return self

    def __exit__(self, *_: object) -> None:
        if self.folder is not None:
            self.folder.close()
