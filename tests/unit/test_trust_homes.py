"""State folders besides the default one start nothing until this account trusted something in them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from plugseal.errors import StateError
from plugseal.trust.home import VARIABLE, state_home
from plugseal.trust.homes import MAX_HOMES, NAME, register_home, verify_registered
from plugseal.trust.store import Store


def _store(path: Path) -> Store:
    store = Store(path)
    store.put_document(b"{}")
    return store


def test_the_default_folder_needs_no_registration(tmp_path: Path) -> None:
    store = _store(tmp_path / "state")
    register_home(store, default=store.home)
    verify_registered(store, default=store.home)
    assert not (store.home / NAME).exists()


def test_another_folder_is_refused_until_it_is_registered(tmp_path: Path) -> None:
    default, store = tmp_path / "default", _store(tmp_path / "state")
    with pytest.raises(StateError, match="not registered") as refused:
        verify_registered(store, default=default)
    assert refused.value.hint
    for _ in range(2):
        register_home(store, default=default)
        verify_registered(store, default=default)


def test_a_copy_elsewhere_and_another_installation_at_the_place_are_refused(tmp_path: Path) -> None:
    default, store = tmp_path / "default", _store(tmp_path / "state")
    register_home(store, default=default)
    shutil.copytree(store.home, tmp_path / "copy")
    with pytest.raises(StateError):
        verify_registered(Store(tmp_path / "copy"), default=default)
    shutil.rmtree(store.home)
    with pytest.raises(StateError):
        verify_registered(_store(store.home), default=default)


def test_a_folder_that_is_away_for_a_moment_stays_registered(tmp_path: Path) -> None:
    default, store = tmp_path / "default", _store(tmp_path / "drive")
    register_home(store, default=default)
    store.home.rename(tmp_path / "unmounted")
    register_home(_store(tmp_path / "another"), default=default)
    (tmp_path / "unmounted").rename(store.home)
    verify_registered(store, default=default)


def test_folders_that_are_gone_are_dropped_and_the_list_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    default = tmp_path / "default"
    stores = [_store(tmp_path / f"state{number}") for number in range(4)]
    monkeypatch.setattr("plugseal.trust.homes.MAX_HOMES", 2)
    monkeypatch.setattr("plugseal.trust.homes.MANY_HOMES", 2)
    for store in stores:
        register_home(store, default=default)
    with pytest.raises(StateError):
        verify_registered(stores[1], default=default)
    shutil.rmtree(stores[2].home)
    register_home(stores[0], default=default)
    assert str(stores[2].home).encode() not in (default / NAME).read_bytes()
    assert str(stores[3].home).encode() in (default / NAME).read_bytes()
    assert MAX_HOMES == 1000


@pytest.mark.parametrize("data", ["", "{}", '{"format":"plugseal.homes/1","homes":[["/x"]]}'])
def test_a_list_that_cannot_be_read_registers_nothing(data: str, tmp_path: Path) -> None:
    default, store = tmp_path / "default", _store(tmp_path / "state")
    register_home(store, default=default)
    (default / NAME).write_text(data)
    with pytest.raises(StateError, match="can't be read"):
        verify_registered(store, default=default)


def test_a_list_that_others_can_write_registers_nothing(tmp_path: Path) -> None:
    default, store = tmp_path / "default", _store(tmp_path / "state")
    register_home(store, default=default)
    os.chmod(default / NAME, 0o666)
    with pytest.raises(StateError, match="open to others"):
        verify_registered(store, default=default)


def test_everything_lies_below_the_root_where_a_service_is_started(tmp_path: Path) -> None:
    asked = {VARIABLE: str(tmp_path / "state")}
    assert state_home(asked, current=Path("/")) == tmp_path / "state"
    with pytest.raises(StateError, match="inside the current folder"):
        state_home(asked, current=tmp_path)
    (tmp_path / ".git").mkdir()
    with pytest.raises(StateError, match="inside a work tree"):
        state_home(asked, current=Path("/"))
