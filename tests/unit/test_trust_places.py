"""Where state lies and where it can't: nothing is made in a foreign place, and what to type fits what is there."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from plugseal.disk import disk_hint, nearest
from plugseal.errors import RefusedError, RefusedTransitionError, StateError
from plugseal.runtime.gate import Gate
from plugseal.runtime.policies import load_policy
from plugseal.trust.actor import current_actor
from plugseal.trust.event import Run
from plugseal.trust.files import open_below
from plugseal.trust.home import state_home
from plugseal.trust.homes import verify_registered
from plugseal.trust.private import what_to_do
from plugseal.trust.record import Record
from plugseal.trust.secret import NAME
from plugseal.trust.store import Broken, Store
from tests.gated import World


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.chdir("/usr")
    return World(tmp_path / "world").trust()


def test_a_secret_that_is_gone_is_told_and_no_other_is_made(world: World) -> None:
    secret = world.store.home / NAME
    secret.rename(world.store.home.parent / "away")

    with pytest.raises(RefusedError, match="the installation's secret is missing") as refused:
        world.grant()
    assert refused.value.reason == "state-unreadable"
    with pytest.raises(StateError, match="the installation's secret is missing") as found:
        world.trust()
    assert found.value.place == str(secret)
    assert "backup" in (found.value.hint or "")
    assert not secret.exists()


def test_a_folder_in_which_nothing_was_recorded_gets_its_secret(tmp_path: Path) -> None:
    store = Store(tmp_path / "state")
    with pytest.raises(StateError, match="nothing was recorded"):
        store.secret()
    store.put_document(b"{}")
    assert len(store.secret()) == 32


def test_nothing_is_made_in_a_state_folder_that_is_a_link(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    (tmp_path / "state").symlink_to(elsewhere)

    with pytest.raises(StateError, match="is a link or no folder"):
        open_below(tmp_path / "state", "stage", create=True)
    assert list(elsewhere.iterdir()) == []


def test_nothing_is_made_in_a_state_folder_that_is_open_to_others(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    state.chmod(0o755)

    with pytest.raises(StateError, match="is open to others"):
        open_below(state, "stage", create=True)
    assert list(state.iterdir()) == []


def test_a_state_folder_that_is_open_to_others_is_no_fault_of_a_policy(world: World) -> None:
    world.store.home.chmod(0o755)
    with pytest.raises(RefusedError) as refused:
        load_policy(world.store, system=Path("/nonexistent/policy.toml"))
    assert refused.value.reason == "state-unreadable"
    assert str(world.store.home) in (refused.value.hint or "")
    assert "policy pin" not in (refused.value.hint or "")


def test_a_folder_of_copies_that_is_a_link_starts_nothing(world: World) -> None:
    stages = world.store.home / "stage"
    stages.rename(world.store.home.parent / "elsewhere")
    stages.symlink_to(world.store.home.parent / "elsewhere")
    with pytest.raises(RefusedError, match="is a link or no folder") as refused:
        world.grant()
    assert refused.value.reason == "state-unreadable"
    assert refused.value.place == str(stages)


@pytest.mark.parametrize(
    ("number", "command"),
    [
        pytest.param(errno.ENOSPC, "df -h", id="full"),
        pytest.param(errno.EDQUOT, "df -h", id="out of quota"),
        pytest.param(errno.EROFS, "findmnt -T", id="read-only"),
        pytest.param(errno.EACCES, "ls -lad", id="not allowed"),
    ],
)
def test_what_is_typed_fits_what_the_system_said(number: int, command: str, tmp_path: Path) -> None:
    hint = what_to_do(str(tmp_path / "not" / "there"), OSError(number, os.strerror(number)))
    assert f"`{command} {tmp_path}" in hint
    assert "not/there" not in hint


def test_who_can_not_open_it_is_not_told_to_make_room(tmp_path: Path) -> None:
    assert disk_hint(str(tmp_path), OSError(errno.EACCES, "no")) is None
    assert disk_hint(str(tmp_path), None) is None


def test_the_nearest_path_that_is_there_is_found(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to("nowhere")
    assert nearest(str(tmp_path / "a" / "b")) == str(tmp_path)
    assert nearest(str(tmp_path / "dangling")) == str(tmp_path / "dangling")
    assert nearest("/") == "/"


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("{id}", id="the ID with a slip"),
        pytest.param("sample", id="the name"),
        pytest.param("{source}", id="the path"),
    ],
)
def test_what_is_no_id_is_told_the_one_that_may_be_meant(word: str, world: World) -> None:
    given = word.format(id=world.id[:-1] + "z", source=world.source)
    with pytest.raises(RefusedError) as refused:
        world.gate.authorize(given)
    assert refused.value.reason == "not-recorded"
    assert refused.value.hint == f"did you mean `{world.id}`?"


def test_what_is_like_nothing_that_is_recorded_is_to_be_reviewed(world: World) -> None:
    with pytest.raises(RefusedError) as refused:
        Gate(world.store, name=lambda subject: "amber:other@000000000000").authorize("coding:thing@123456789abc")
    assert (refused.value.hint or "").startswith("read it with `plugseal review coding:thing@123456789abc`")


def test_an_account_without_a_home_has_its_state_where_it_says_and_starts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody(number: int) -> object:
        raise KeyError(number)

    monkeypatch.setattr("pwd.getpwuid", nobody)
    monkeypatch.chdir("/usr")
    assert state_home({"PLUGSEAL_HOME": str(tmp_path / "state")}) == tmp_path / "state"
    with pytest.raises(StateError, match="has no home") as found:
        state_home({})
    assert found.value.hint == "set `PLUGSEAL_HOME`"
    with pytest.raises(StateError, match="has no home") as found:
        verify_registered(Store(tmp_path / "state"))
    assert "by an account that has one" in (found.value.hint or "")


def test_runs_that_no_record_belongs_to_are_told(world: World) -> None:
    (record,) = world.store.records()
    assert isinstance(record, Record)
    by, none = current_actor(), None
    world.store.append_run(
        record.subject, Run("2026-01-01T00:00:00Z", "started", by, "server:main", none, none, 2, 1, "", "")
    )
    for name in ("json", "head"):
        (file,) = world.store.folder.glob(f"*.{name}")
        file.unlink()
    (broken,) = world.store.records()
    assert isinstance(broken, Broken)
    assert "the record was removed: runs were written" in broken.error.message
    with pytest.raises(RefusedError) as refused:
        world.grant()
    assert refused.value.reason == "state-unreadable"


def test_a_clock_that_was_wrong_once_is_no_trap_without_a_way_out(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plugseal.verbs.trust.now_utc", lambda: "2000-01-01T00:00:00Z")
    with pytest.raises(RefusedTransitionError, match="the clock runs backwards") as found:
        world.trust()
    (file,) = world.store.folder.glob("*.json")
    assert f"move the files `{file.stem}.*` out of `plugins`" in (found.value.hint or "")
