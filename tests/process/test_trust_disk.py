"""A disk that is full, read-only or somebody else's: fail closed, say so, and leave everything as it was."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from plugseal.encode.treehash import content_receipt
from plugseal.errors import StageError, StateError
from plugseal.intake.read import read_tree
from plugseal.intake.stage import Stager
from plugseal.trust.store import Store
from tests.process.trust_writers import RUN, SUBJECT, step

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount or give away files")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "state")
    store.change(SUBJECT, step)
    store.append_run(SUBJECT, RUN)
    return store


@contextmanager
def _no_room_for_files(size: int) -> Iterator[None]:
    """Let no file grow beyond a size: the nearest to a full disk that needs no rights."""
    import signal

    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def _bytes(store: Store) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in store.folder.iterdir()}


@pytest.mark.parametrize("size", [0, 100, 700])
def test_a_write_that_finds_no_room_changes_nothing(store: Store, size: int) -> None:
    before = _bytes(store)
    with _no_room_for_files(size), pytest.raises(StateError) as caught:
        store.change(SUBJECT, step)
    assert "nothing was changed" in caught.value.details
    assert _bytes(store) == before
    assert store.change(SUBJECT, step).standing.generation == 2


def test_a_run_that_finds_no_room_is_not_recorded_and_the_next_one_is(store: Store) -> None:
    size = next(store.folder.glob("*.runs")).stat().st_size
    with _no_room_for_files(size + 50), pytest.raises(StateError, match="can't be recorded"):
        store.append_run(SUBJECT, RUN)
    journal = store.runs(SUBJECT)
    assert (journal.trail.size, journal.torn) == (1, 50)
    assert store.append_run(SUBJECT, RUN) == 2
    assert store.runs(SUBJECT).torn == 0


def test_a_stage_that_finds_no_room_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "plugin").mkdir()
    (tmp_path / "plugin" / "large").write_bytes(b"x" * 100_000)
    folder = tmp_path / "stage"
    folder.mkdir(mode=0o700)
    stager = Stager(folder)
    try:
        with _no_room_for_files(1000):
            tree = read_tree(tmp_path / "plugin", stager)
        with pytest.raises(StageError, match="not everything could be copied") as caught:
            stager.finish(tree, content_receipt(tree))
        assert caught.value.details == ("large: the copy can't be written: file too large",)
    finally:
        stager.abandon()
    assert list(folder.iterdir()) == []


@ROOT_ONLY
def test_a_full_disk_fails_closed(tmp_path: Path) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", str(place)], check=False)
    if mounted.returncode:
        pytest.skip("no file system may be mounted here")
    try:
        store = Store(place / "state")
        store.change(SUBJECT, step)
        ballast = os.open(place / "ballast", os.O_WRONLY | os.O_CREAT)
        with pytest.raises(OSError, match="No space"):
            while True:
                os.write(ballast, b"x" * 4096)
        os.close(ballast)
        before = _bytes(store)
        with pytest.raises(StateError, match="no space left"):
            store.change(SUBJECT, step)
        assert _bytes(store) == before
        (place / "ballast").unlink()
        assert store.change(SUBJECT, step).standing.generation == 2
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        with pytest.raises(StateError, match="read-only file system"):
            store.change(SUBJECT, step)
        assert store.read(SUBJECT) is not None
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_a_failing_sync_is_a_failure_and_is_never_tried_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def fails(descriptor: int) -> None:
        calls.append(descriptor)
        raise OSError(5, "Input/output error")

    before = _bytes(store)
    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(StateError, match="input/output error"):
        store.change(SUBJECT, step)
    monkeypatch.undo()
    assert len(calls) == 1
    assert _bytes(store) == before


def test_a_folder_that_can_not_be_synced_says_that_the_state_was_published(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def fails(descriptor: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):
            raise OSError(5, "Input/output error")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(StateError) as caught:
        store.change(SUBJECT, step)
    monkeypatch.undo()
    assert caught.value.details == ("the new state was published, but may not survive a power cut",)
    record = store.read(SUBJECT)
    assert record is not None
    assert record.standing.generation == 2


@ROOT_ONLY
@pytest.mark.parametrize("pattern", ["*.json", "*.head", "*.runs", "*.lock", "../installation.key", ".", ".."])
def test_what_belongs_to_somebody_else_is_refused_and_stays(store: Store, pattern: str) -> None:
    harmed = [store.folder / pattern] if pattern in (".", "..") else list(store.folder.glob(pattern))
    for path in harmed:
        os.chown(path, 12345, 12345)

    def both() -> None:
        store.runs(SUBJECT)
        store.change(SUBJECT, step)

    with pytest.raises(StateError, match="belongs to user 12345, not to you"):
        both()
    assert harmed
    assert all(path.stat().st_uid == 12345 for path in harmed)


_AS_OTHER = """
import sys
sys.path[:0] = sys.argv[1:3]
from pathlib import Path
from plugseal.errors import StateError
from plugseal.trust.store import Store
from trust_writers import SUBJECT, step
store = Store(Path(sys.argv[3]))
for act in (lambda: store.read(SUBJECT), lambda: store.change(SUBJECT, step), lambda: list(store.records())):
    try:
        act()
    except StateError as error:
        print("refused:", error.message)
    else:
        print("read")
"""


@ROOT_ONLY
def test_an_ordinary_user_reads_nothing_of_another(store: Store, tmp_path: Path) -> None:
    python, setpriv = shutil.which("python3", path="/usr/bin"), shutil.which("setpriv")
    if python is None or setpriv is None:
        pytest.skip("no interpreter of the system")
    here = Path(__file__).parent
    words = [setpriv, "--reuid=12345", "--regid=12345", "--clear-groups", python, "-c", _AS_OTHER]
    arguments = [str(here.parents[1] / "src"), str(here), str(store.home)]
    for path in (tmp_path, *list(tmp_path.parents)[:3]):
        if path != Path("/tmp") and path.stat().st_uid == 0 and str(path).count("/") > 1:
            path.chmod(path.stat().st_mode | 0o055)
    ran = subprocess.run([*words, *arguments], capture_output=True, text=True, check=False, cwd="/")
    if "ModuleNotFoundError" in ran.stderr or "PermissionError" in ran.stderr:
        pytest.skip("the interpreter of the system can't see this checkout")
    assert ran.stdout.splitlines() == ["refused: the state folder can't be opened: permission denied"] * 3 or all(
        line.startswith("refused: the state folder") for line in ran.stdout.splitlines()
    ), ran.stderr
    assert ran.stdout


_MODES: list[Callable[[Store], Path]] = [
    lambda store: store.home,
    lambda store: store.folder,
    lambda store: next(store.folder.glob("*.json")),
    lambda store: next(store.folder.glob("*.head")),
    lambda store: next(store.folder.glob("*.lock")),
    lambda store: store.home / "installation.key",
]


@pytest.mark.parametrize("place", _MODES, ids=["home", "folder", "record", "head", "lock", "secret"])
@pytest.mark.parametrize("mode", [0o004, 0o040, 0o020, 0o777], ids=oct)
def test_what_is_open_to_others_is_refused_and_never_mended(
    store: Store, place: Callable[[Store], Path], mode: int
) -> None:
    path = place(store)
    wrong = (path.stat().st_mode & 0o7777) | mode
    path.chmod(wrong)
    with pytest.raises(StateError, match="open to others"):
        store.change(SUBJECT, step)
    assert path.stat().st_mode & 0o7777 == wrong
