"""What is held open between two events of a run is looked at again before each; what was swapped is not written to."""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from plugseal.errors import StateError
from plugseal.model.trust import Actor, Subject
from plugseal.trust.event import Run
from plugseal.trust.store import Store, subject_key

SUBJECT = Subject("amber", "word_count", "workspace", "/srv/w/plugins/word-count")
RUN = Run(
    "2027-01-12T09:14:03Z", "started", Actor("dana", 1000, None, ("bash",)), "server docs", None, None, 1, 1, "", ""
)

BEFORE = 10
"""Events after which the store keeps open what it writes to."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "state")
    assert [made.append_run(SUBJECT, RUN) for _ in range(BEFORE)] == list(range(1, BEFORE + 1))
    return made


def _file(store: Store, suffix: str) -> Path:
    return store.folder / (subject_key(SUBJECT) + suffix)


def test_another_state_folder_in_its_place_is_the_one_that_is_written_to(store: Store) -> None:
    store.home.rename(store.home.with_name("before"))
    assert store.append_run(SUBJECT, RUN) == 1
    assert Store(store.home.with_name("before")).runs(SUBJECT).trail.size == BEFORE


def test_another_folder_of_records_in_its_place_is_the_one_that_is_written_to(store: Store) -> None:
    store.folder.rename(store.home / "before")
    store.folder.mkdir(mode=0o700)
    assert store.append_run(SUBJECT, RUN) == 1


def test_another_secret_is_seen(store: Store) -> None:
    (store.home / "installation.key").write_text("0" * 64 + "\n")
    with pytest.raises(StateError, match="not written by this installation"):
        store.append_run(SUBJECT, RUN)


def test_what_others_wrote_meanwhile_is_gone_on_from(store: Store) -> None:
    other = Store(store.home)
    for number in range(BEFORE + 1, BEFORE + 201, 2):
        assert other.append_run(SUBJECT, RUN) == number
        assert store.append_run(SUBJECT, RUN) == number + 1
    assert store.runs(SUBJECT).trail.size == BEFORE + 200


def _linked(path: Path) -> None:
    path.with_name("second").hardlink_to(path)


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        pytest.param(lambda store: store.home.chmod(0o755), "open to others", id="an open state folder"),
        pytest.param(lambda store: store.folder.chmod(0o755), "open to others", id="an open folder of records"),
        pytest.param(lambda store: _file(store, ".json.lock").chmod(0o644), "open to others", id="an open lock"),
        pytest.param(lambda store: _linked(_file(store, ".json.lock")), "hard link", id="a lock of two names"),
        pytest.param(lambda store: (store.home / "installation.key").chmod(0o644), "open to others", id="open secret"),
        pytest.param(lambda store: _file(store, ".runs").chmod(0o644), "open to others", id="an open journal"),
        pytest.param(lambda store: _linked(_file(store, ".runs")), "hard link", id="a journal of two names"),
        pytest.param(lambda store: _file(store, ".head").chmod(0o644), "open to others", id="an open head"),
        pytest.param(lambda store: _linked(_file(store, ".head")), "hard link", id="a head of two names"),
        pytest.param(lambda store: _file(store, ".head").write_bytes(b"x" * 600), "larger than 512", id="a large head"),
        pytest.param(lambda store: _file(store, ".runs").unlink(), "was removed", id="no journal"),
        pytest.param(lambda store: _file(store, ".head").write_bytes(b"{}"), "not what plugseal", id="another head"),
        pytest.param(
            lambda store: _file(store, ".runs").write_bytes(
                _file(store, ".runs").read_bytes().replace(b"started", b"stopped")
            ),
            "is not what was written",
            id="an edited journal",
        ),
    ],
)
def test_what_was_done_meanwhile_is_refused_as_by_who_comes_anew(
    store: Store, harm: Callable[[Store], object], says: str
) -> None:
    harm(store)
    for one in (store, Store(store.home)):
        with pytest.raises(StateError, match=says):
            one.append_run(SUBJECT, RUN)


@pytest.mark.parametrize("suffix", [".runs", ".head"])
def test_what_was_put_in_place_of_a_file_is_what_is_written_to(store: Store, suffix: str) -> None:
    path = _file(store, suffix)
    before = path.with_name("before")
    path.rename(before)
    path.write_bytes(before.read_bytes())
    path.chmod(0o600)
    kept = before.read_bytes()
    assert store.append_run(SUBJECT, RUN) == BEFORE + 1
    assert before.read_bytes() == kept
    assert path.read_bytes() != kept
    assert Store(store.home).append_run(SUBJECT, RUN) == BEFORE + 2


def test_a_head_that_was_removed_is_made_anew(store: Store) -> None:
    _file(store, ".head").unlink()
    assert store.append_run(SUBJECT, RUN) == BEFORE + 1
    lines = _file(store, ".runs").read_bytes().splitlines(keepends=True)
    _file(store, ".runs").write_bytes(b"".join(lines[:-1]))
    with pytest.raises(StateError, match="newest 1 of 11 entries are missing"):
        store.append_run(SUBJECT, RUN)


def test_another_lock_in_its_place_is_the_one_that_is_taken(store: Store) -> None:
    import fcntl

    path = _file(store, ".json.lock")
    descriptor = os.open(path, os.O_RDWR)
    path.unlink()
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    assert store.append_run(SUBJECT, RUN) == BEFORE + 1
    os.close(descriptor)


def test_threads_that_share_a_store_count_together(store: Store) -> None:
    with ThreadPoolExecutor(8) as threads:
        numbers = list(threads.map(lambda _: store.append_run(SUBJECT, RUN), range(200)))
    assert sorted(numbers) == list(range(BEFORE + 1, BEFORE + 201))


def test_a_process_that_was_forked_off_waits_for_its_parent(store: Store) -> None:
    read, write = os.pipe()
    children = []
    for _ in range(4):
        child = os.fork()
        if not child:
            for _ in range(25):
                os.write(write, b"%d\n" % store.append_run(SUBJECT, RUN))
            os._exit(0)
        children.append(child)
    own = [store.append_run(SUBJECT, RUN) for _ in range(25)]
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    os.close(write)
    with os.fdopen(read) as stream:
        theirs = [int(line) for line in stream]
    assert sorted(own + theirs) == list(range(BEFORE + 1, BEFORE + 126))


def _open_below(folder: Path) -> int:
    """Return how many descriptors of this process lead below a folder: what other tests left open is none of ours."""
    found = 0
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            found += os.readlink(f"/proc/self/fd/{name}").startswith(f"{folder}/")
    return found


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="no list of descriptors")
def test_nothing_stays_open_that_nobody_uses(tmp_path: Path) -> None:
    store = Store(tmp_path / "state")
    for number in range(20):
        for times in range(BEFORE):
            store.append_run(SUBJECT._replace(name=f"plugin{number}"), RUN)
            if not number and times < 3:
                assert _open_below(tmp_path) == 0
    assert 0 < _open_below(tmp_path) <= 8 * 5
    del store
    gc.collect()
    assert _open_below(tmp_path) == 0
    shutil.rmtree(tmp_path / "state")
