"""The store: what is written comes back, what can't be believed is refused and stays as it is."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from plugseal.encode.canonical import build_canonical
from plugseal.errors import StateError, TrailError
from plugseal.model.trust import Actor, Approval, Subject
from plugseal.trust import transitions
from plugseal.trust.event import Run
from plugseal.trust.journal import FOLD_AT
from plugseal.trust.record import Record
from plugseal.trust.store import Broken, Store, subject_key

SUBJECT = Subject("amber", "word_count", "workspace", "/srv/w/plugins/word-count")
BY = Actor("dana", 1000, None, ("bash", "sshd"))
AT = "2027-01-12T09:14:03Z"
APPROVAL = Approval(
    "a" * 64, "b" * 64, AT, BY, "c" * 64, "0.1.0", 1, 2, "e" * 64, ("server:a",), (("node", "/usr/bin/node", "d" * 64),)
)
RUN = Run(AT, "started", BY, "server docs", "a" * 64, "b" * 64, 2, 1, "", "")
REFUSED = RUN._replace(event="refused", level=0, reason="content-drifted", detail="server.py")


def trusted(record: Record | None) -> Record:
    standing = transitions.trust(None if record is None else record.standing, APPROVAL, incarnation="0" * 32)
    return (record or Record(SUBJECT, standing)).after(standing, action="trusted", at=AT, by=BY)


def disabled(record: Record | None) -> Record:
    assert record is not None
    return record.after(transitions.disable(record.standing), action="disabled", at=AT, by=BY, note="because")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "state")


def _file(store: Store, suffix: str = ".json") -> Path:
    return store.home / "plugins" / (subject_key(SUBJECT) + suffix)


def test_what_is_written_comes_back(store: Store) -> None:
    first = store.change(SUBJECT, trusted)
    assert store.read(SUBJECT) == first
    second = store.change(SUBJECT, disabled)
    assert store.read(SUBJECT) == second
    assert [entry["action"] for entry in second.reviews.tail] == ["trusted", "disabled"]
    assert list(store.records()) == [second]


def test_reading_makes_nothing(store: Store) -> None:
    assert store.read(SUBJECT) is None
    assert list(store.records()) == []
    assert store.runs(SUBJECT).trail.size == 0
    assert store.installation() is None
    assert not store.home.exists()


def test_reading_changes_nothing_not_even_a_lock(store: Store) -> None:
    store.change(SUBJECT, trusted)
    before = {path: (path.stat().st_mtime_ns, path.stat().st_mode) for path in store.home.rglob("*")}
    store.read(SUBJECT)
    list(store.records())
    store.runs(SUBJECT)
    assert {path: (path.stat().st_mtime_ns, path.stat().st_mode) for path in store.home.rglob("*")} == before


def test_everything_is_private_and_nothing_is_left_over(store: Store) -> None:
    for _ in range(3):
        store.change(SUBJECT, trusted)
        store.append_run(SUBJECT, RUN)
    for path in store.home.rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)
    assert not list(store.home.rglob("*.tmp"))


def test_what_a_killed_writer_left_is_swept(store: Store) -> None:
    store.change(SUBJECT, trusted)
    stale = _file(store).with_name(f".{_file(store).name}.0123456789abcdef.tmp")
    stale.write_bytes(b"half")
    store.change(SUBJECT, disabled)
    assert not stale.exists()


def test_the_bytes_are_those_of_rfc_8785(store: Store) -> None:
    store.change(SUBJECT, trusted)
    data = _file(store).read_bytes()
    assert build_canonical(json.loads(data)) == data


def test_a_change_that_fails_leaves_everything_as_it_was(store: Store) -> None:
    store.change(SUBJECT, trusted)
    before = _file(store).read_bytes()

    def fails(record: Record | None) -> Record:
        raise StateError("no")

    with pytest.raises(StateError, match="no"):
        store.change(SUBJECT, fails)
    assert _file(store).read_bytes() == before


def _bits(data: bytes) -> list[bytes]:
    """Return every way in which one bit of some bytes, sampled over all of them, can flip."""
    flips = []
    for at in range(0, len(data) * 8, 7):
        changed = bytearray(data)
        changed[at // 8] ^= 1 << (at % 8)
        flips.append(bytes(changed))
    return flips


@pytest.mark.parametrize("suffix", [".json", ".head", ".runs"])
def test_no_bit_is_free(store: Store, suffix: str) -> None:
    store.change(SUBJECT, trusted)
    store.change(SUBJECT, disabled)
    store.append_run(SUBJECT, RUN)
    store.append_run(SUBJECT, RUN)
    file = _file(store, suffix)
    data = file.read_bytes()
    for flipped in _bits(data.rstrip(b" \n") if suffix == ".head" else data):
        file.write_bytes(flipped)
        with pytest.raises(StateError):
            (store.runs if suffix == ".runs" else store.read)(SUBJECT)
    file.write_bytes(data)
    assert store.read(SUBJECT) is not None


def _linked(file: Path) -> None:
    file.rename(file.with_name("elsewhere"))
    file.symlink_to(file.with_name("elsewhere"))


def _doubled(file: Path) -> None:
    file.with_name("second").hardlink_to(file)


def _directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        pytest.param(lambda file: file.write_bytes(b"{ malformed"), "not what plugseal writes", id="malformed"),
        pytest.param(lambda file: file.write_bytes(b""), "not what plugseal writes", id="empty"),
        pytest.param(
            lambda file: file.write_bytes(b" " + file.read_bytes()), "not what plugseal writes", id="a space more"
        ),
        pytest.param(lambda file: file.chmod(0o644), "open to others", id="readable by others"),
        pytest.param(lambda file: file.chmod(0o660), "open to others", id="writable by the group"),
        pytest.param(_linked, "symbolic link", id="a link"),
        pytest.param(_doubled, "hard link", id="a second name"),
        pytest.param(_directory, "no regular file", id="a directory"),
        pytest.param(lambda file: file.write_bytes(b"[" * 100_000), "not what plugseal writes", id="deep"),
        pytest.param(Path.unlink, "was removed", id="removed"),
    ],
)
def test_a_record_that_can_not_be_believed_is_refused_and_stays_as_it_is(
    store: Store, harm: Callable[[Path], None], says: str
) -> None:
    store.change(SUBJECT, trusted)
    file = _file(store)
    harm(file)
    seen = _seen(file)
    for act in (lambda: store.read(SUBJECT), lambda: store.change(SUBJECT, trusted)):
        with pytest.raises(StateError, match=says):
            act()
    assert _seen(file) == seen
    assert store.read(SUBJECT._replace(name="another")) is None


def _seen(file: Path) -> object:
    if not os.path.lexists(file):
        return None
    status = file.lstat()
    return status.st_mode, status.st_nlink, file.read_bytes() if file.is_file() else b""


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        pytest.param(lambda home: home.chmod(0o777), "open to others", id="open to others"),
        pytest.param(_linked, "link or no folder", id="a link"),
        pytest.param(lambda home: (home / "installation.key").chmod(0o644), "open to others", id="an open secret"),
        pytest.param(
            lambda home: (home / "installation.key").write_text("x"), "secret is damaged", id="a damaged secret"
        ),
        pytest.param(lambda home: (home / "plugins").chmod(0o755), "open to others", id="an open folder of records"),
    ],
)
def test_a_state_folder_that_is_not_private_fails_closed(
    store: Store, harm: Callable[[Path], object], says: str
) -> None:
    store.change(SUBJECT, trusted)
    harm(store.home)
    for act in (lambda: store.read(SUBJECT), lambda: store.change(SUBJECT, trusted), lambda: list(store.records())):
        with pytest.raises(StateError, match=says):
            act()


def test_a_lock_that_is_a_link_is_refused(store: Store, tmp_path: Path) -> None:
    store.change(SUBJECT, trusted)
    target = tmp_path / "target"
    target.write_text("untouched")
    lock = _file(store, ".json.lock")
    lock.unlink()
    lock.symlink_to(target)
    with pytest.raises(StateError, match="symbolic link"):
        store.change(SUBJECT, trusted)
    assert target.read_text() == "untouched"


def test_a_record_of_another_plugin_or_another_installation_is_none(store: Store, tmp_path: Path) -> None:
    store.change(SUBJECT, trusted)
    other = SUBJECT._replace(root="/srv/other")
    copied = store.home / "plugins" / f"{subject_key(other)}.json"
    copied.write_bytes(_file(store).read_bytes())
    copied.chmod(0o600)
    with pytest.raises(StateError, match="another plugin"):
        store.read(other)
    stranger = Store(tmp_path / "stranger")
    stranger.change(SUBJECT, trusted)
    _file(store).write_bytes(_file(stranger).read_bytes())
    with pytest.raises(TrailError, match="not written by this installation"):
        store.read(SUBJECT)


def test_a_record_that_is_put_back_alone_is_older_than_its_head(store: Store) -> None:
    store.change(SUBJECT, trusted)
    before = _file(store).read_bytes()
    store.change(SUBJECT, lambda record: _revoked(record))
    _file(store).write_bytes(before)
    with pytest.raises(TrailError, match="older record was put back") as caught:
        store.read(SUBJECT)
    assert caught.value.kind == "rolled-back"
    (broken,) = list(store.records())
    assert isinstance(broken, Broken)


def _revoked(record: Record | None) -> Record:
    assert record is not None
    return record.after(transitions.revoke(record.standing), action="revoked", at=AT, by=BY)


def test_the_last_revocation_is_kept_whole_however_many_transitions_follow(store: Store) -> None:
    store.change(SUBJECT, trusted)
    store.change(SUBJECT, _revoked)
    for _ in range(40):
        record = store.change(SUBJECT, trusted)
    assert record.revoked is not None
    assert (record.revoked["n"], record.revoked["action"]) == (2, "revoked")
    assert record.reviews.tail[0]["n"] == 11
    assert store.read(SUBJECT) == record


def test_a_document_is_what_its_name_says(store: Store) -> None:
    digest = store.put_document(b'{"can":"nothing"}')
    assert store.document(digest) == b'{"can":"nothing"}'
    (store.home / "documents" / digest).write_bytes(b"{}")
    with pytest.raises(StateError, match="not what was reviewed"):
        store.document(digest)
    with pytest.raises(StateError, match="is missing"):
        store.document("0" * 64)


def test_runs_come_back_and_old_ones_are_folded(store: Store) -> None:
    for number in range(FOLD_AT + 10):
        assert store.append_run(SUBJECT, RUN._replace(milliseconds=number)) == number + 1
    journal = store.runs(SUBJECT)
    assert journal.trail.size == FOLD_AT + 10
    assert journal.trail.tail[-1]["milliseconds"] == FOLD_AT + 9
    assert len(journal.trail.tail) < FOLD_AT


def test_equal_refusals_in_a_row_are_one_entry_with_a_count(store: Store) -> None:
    store.append_run(SUBJECT, RUN)
    for _ in range(100):
        store.append_run(SUBJECT, REFUSED)
    store.append_run(SUBJECT, REFUSED._replace(detail="other.py"))
    journal = store.runs(SUBJECT)
    assert [(entry["event"], entry["count"]) for entry in journal.trail.tail] == [
        ("started", 1),
        ("refused", 100),
        ("refused", 1),
    ]


def test_an_entry_that_a_checkpoint_tells_of_never_changes(store: Store) -> None:
    store.change(SUBJECT, trusted)
    store.append_run(SUBJECT, REFUSED)
    _, runs = store.anchor(SUBJECT)
    store.append_run(SUBJECT, REFUSED)
    journal = store.runs(SUBJECT)
    assert [entry["count"] for entry in journal.trail.tail] == [1, 1]
    assert journal.trail.anchors[0].then.root() == runs.trail.root()
    for number in range(FOLD_AT * 2):
        store.append_run(SUBJECT, RUN._replace(milliseconds=number))
    assert store.runs(SUBJECT).trail.anchors[0].then.root() == runs.trail.root()


@pytest.mark.parametrize(
    ("harm", "kind"),
    [
        pytest.param(lambda lines: lines[:-2], "cut-newest", id="the newest dropped"),
        pytest.param(lambda lines: [lines[0], *lines[2:]], "cut-oldest", id="the oldest dropped"),
        pytest.param(lambda lines: [*lines[:3], *lines[4:]], "gap", id="one in the middle dropped"),
        pytest.param(lambda lines: [*lines[:3], lines[3].replace(b"docs", b"dogs"), *lines[4:]], "edited", id="edited"),
        pytest.param(lambda lines: [*lines[:3], lines[4], lines[3], *lines[5:]], "reordered", id="swapped"),
        pytest.param(lambda lines: [*lines[:4], *lines[3:]], "doubled", id="doubled"),
        pytest.param(lambda lines: [*lines, lines[1]], "rolled-back", id="an old one put at the end"),
        pytest.param(lambda lines: [], "missing", id="emptied"),
        pytest.param(lambda lines: [*lines[:-1], lines[-1][:50]], "torn", id="the last cut short"),
        pytest.param(
            lambda lines: [*lines, lines[-1].replace(b'"n":6', b'"n":7')], "forged", id="one added without the secret"
        ),
    ],
)
def test_whatever_is_done_to_a_journal_is_seen_in_its_own_words(
    store: Store, harm: Callable[[list[bytes]], list[bytes]], kind: str
) -> None:
    for number in range(6):
        store.append_run(SUBJECT, RUN._replace(milliseconds=number))
    file = _file(store, ".runs")
    file.write_bytes(b"".join(harm(file.read_bytes().splitlines(keepends=True))))
    with pytest.raises(TrailError) as caught:
        store.runs(SUBJECT)
    assert caught.value.kind == kind
    with pytest.raises(TrailError):
        store.append_run(SUBJECT, RUN)


def test_an_incomplete_write_is_no_tampering_and_the_next_entry_replaces_it(store: Store) -> None:
    store.append_run(SUBJECT, RUN)
    file = _file(store, ".runs")
    with file.open("ab") as stream:
        stream.write(b'{"at":"2027-01-12T09:14')
    journal = store.runs(SUBJECT)
    assert (journal.trail.size, journal.torn) == (1, 23)
    assert store.append_run(SUBJECT, RUN._replace(event="ended")) == 2
    assert store.runs(SUBJECT).torn == 0
