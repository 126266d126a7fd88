"""After a power cut at any moment nothing that was acknowledged is lost, and nothing is corrupt."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from plugseal.errors import PlugsealError
from plugseal.model.trust import Actor, Approval, Subject
from plugseal.trust import transitions
from plugseal.trust.event import Run
from plugseal.trust.journal import FOLD_AT
from plugseal.trust.record import Record
from plugseal.trust.store import Store
from tests.process.crash_states import Crash, Recording, crashes, put, recording

SUBJECT = Subject("amber", "word_count", "workspace", "/srv/w/plugins/word-count")
BY = Actor("dana", 1000, None, ("bash",))
AT = "2027-01-12T09:14:03Z"
APPROVAL = Approval("a" * 64, "b" * 64, AT, BY, "c" * 64, "0.1.0", 0, 0)
RUN = Run(AT, "started", BY, "server docs", None, None, 1, 1, "", "")


def _reloaded(record: Record | None) -> Record:
    if record is None:
        standing = transitions.trust(None, APPROVAL, incarnation="0" * 32)
        return Record(SUBJECT, standing).after(standing, action="trusted", at=AT, by=BY)
    return record.after(transitions.reload(record.standing), action="reloaded", at=AT, by=BY)


def _transitions(store: Store, made: Recording) -> None:
    for _ in range(3):
        store.change(SUBJECT, _reloaded)
        made.mark("transition")


def _runs(store: Store, made: Recording) -> None:
    for number in range(3):
        store.append_run(SUBJECT, RUN._replace(detail=f"{number}" * 300))
        made.mark("run")


def _both(store: Store, made: Recording) -> None:
    for number in range(2):
        store.change(SUBJECT, _reloaded)
        made.mark("transition")
        store.append_run(SUBJECT, RUN._replace(detail=f"{number}"))
        made.mark("run")


def _refusals(store: Store, made: Recording) -> None:
    for _ in range(4):
        store.append_run(SUBJECT, RUN._replace(event="refused", reason="not-trusted"))
        made.mark("refusal")


def _run_of(length: int) -> Callable[[Store, Recording], None]:
    def act(store: Store, _: Recording) -> None:
        store.append_run(SUBJECT, RUN._replace(detail="x" * length))

    return act


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "state")


def _crashes(store: Store, act: Callable[[Store, Recording], None], *, syncs: bool = True) -> list[Crash]:
    with recording(store.folder, syncs=syncs) as made:
        act(store, made)
    return list(crashes(made))


def _judge(store: Store, found: list[Crash], *, transitions_before: int, runs_before: int) -> list[str]:
    """Return what is wrong after each crash."""
    wrong = []
    for crash in found:
        put(crash, store.folder)
        marks = Counter(crash.marks)
        try:
            record, journal = store.read(SUBJECT), store.runs(SUBJECT)
            generation = 0 if record is None else record.standing.generation
            if generation < transitions_before + marks["transition"]:
                wrong.append(f"lost a transition: {generation} of {marks}")
            if journal.trail.size < runs_before + marks["run"]:
                wrong.append(f"lost a run: {journal.trail.size} of {marks}")
            if store.change(SUBJECT, _reloaded).standing.generation != generation + 1:
                wrong.append("went on wrongly")
            if store.append_run(SUBJECT, RUN) != journal.trail.size + 1:
                wrong.append("counts wrongly")
            if [name for name in os.listdir(store.folder) if name.endswith(".tmp")]:
                wrong.append("left a temporary file")
        except PlugsealError as error:
            wrong.append(f"corrupt: {error.message} {marks}")
    return wrong


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    # The recorder tells what was synced; the real disk of the tests need not be waited for.
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    monkeypatch.setattr(os, "fdatasync", lambda _descriptor: None)


@pytest.mark.parametrize("before", [0, 1, 40], ids=["a new record", "a record", "a folded record"])
@pytest.mark.parametrize("act", [_transitions, _runs, _both, _refusals], ids=lambda act: act.__name__.strip("_"))
def test_no_power_cut_loses_or_spoils_anything(
    store: Store, act: Callable[[Store, Recording], None], before: int
) -> None:
    store.append_run(SUBJECT, RUN)
    for _ in range(before):
        store.change(SUBJECT, _reloaded)
    found = _crashes(store, act)
    assert len(found) > 20
    assert _judge(store, found, transitions_before=before, runs_before=1) == []


def test_no_power_cut_spoils_a_journal_that_is_being_folded(store: Store) -> None:
    store.change(SUBJECT, _reloaded)
    for _ in range(FOLD_AT - 1):
        store.append_run(SUBJECT, RUN)
    found = _crashes(store, _runs)
    assert _judge(store, found, transitions_before=1, runs_before=FOLD_AT - 1) == []


@pytest.mark.parametrize("length", range(0, 512, 64))
def test_no_power_cut_spoils_a_refusal_that_is_counted_wherever_it_stands_on_the_disk(
    store: Store, length: int
) -> None:
    store.change(SUBJECT, _reloaded)
    store.append_run(SUBJECT, RUN._replace(detail="x" * length))
    refused = RUN._replace(event="refused", reason="not-trusted")
    store.append_run(SUBJECT, refused)
    with recording(store.folder) as made:
        for _ in range(10):
            store.append_run(SUBJECT, refused)
            made.mark("counted")
    wrong = []
    for crash in crashes(made):
        put(crash, store.folder)
        count = store.runs(SUBJECT).trail.tail[-1]["count"]
        if not isinstance(count, int) or not len(crash.marks) < count <= len(crash.marks) + 2:
            wrong.append(f"{count} of {len(crash.marks)}")
    assert wrong == []


@pytest.mark.parametrize("first", [600, 1500])
@pytest.mark.parametrize("second", [10, 700])
def test_no_second_power_cut_spoils_what_the_first_one_left(store: Store, first: int, second: int) -> None:
    store.change(SUBJECT, _reloaded)
    store.append_run(SUBJECT, RUN)
    torn = 0
    for crash in _crashes(store, _run_of(first)):
        put(crash, store.folder)
        if not store.runs(SUBJECT).torn:
            continue
        torn += 1
        again = _crashes(store, _run_of(second))
        assert _judge(store, again, transitions_before=1, runs_before=1) == []
    assert torn > 3


def test_without_syncing_losses_are_found(store: Store) -> None:
    store.change(SUBJECT, _reloaded)
    found = _crashes(store, _transitions, syncs=False)
    wrong = _judge(store, found, transitions_before=1, runs_before=0)
    assert any(one.startswith("lost") for one in wrong)
    assert any(one.startswith("corrupt") for one in wrong)
