"""What was hashed before the gate was asked: taken where it is about the very approval, believed in nothing else."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import RefusedError
from plugseal.intake import stage
from plugseal.model.identity import subject_id
from plugseal.runtime import hashed
from plugseal.runtime.gate import Gate
from plugseal.runtime.hashed import Hashed, hash_ahead
from plugseal.runtime.reaper import descendants
from plugseal.verbs.trust import disable, revoke
from tests import gated

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir("/usr")
    return gated.World(tmp_path / "world").trust()


def _ahead(world: Any) -> Hashed:
    ahead = hash_ahead(world.store, world.id, name=subject_id)
    assert ahead is not None
    return ahead


def _authorize(world: Any, ahead: Hashed | None) -> str:
    """Return why the gate refuses, empty where it does not."""
    try:
        Gate(world.store, name=subject_id, ahead=ahead).authorize(world.id)
    except RefusedError as error:
        return error.reason
    return ""


def _record(world: Any) -> Any:
    (record,) = world.store.records()
    return record


def test_what_was_hashed_ahead_is_hashed_no_more(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    here = os.getpid()
    real = stage.verify_stage

    def elsewhere(*arguments: Any) -> Any:
        assert os.getpid() != here, "it was hashed in this process"
        return real(*arguments)

    monkeypatch.setattr(stage, "verify_stage", elsewhere)
    assert _authorize(world, _ahead(world)) == ""


@pytest.mark.parametrize("ahead_of_it", [True, False])
def test_a_source_that_is_another_is_refused(world: Any, ahead_of_it: bool) -> None:
    if ahead_of_it:
        ahead = _ahead(world)
        ahead.close()  # what it would have found is not known any more
    world.write("server.py", "print('another')")
    assert _authorize(world, ahead if ahead_of_it else _ahead(world)) == "content-drifted"


def test_a_copy_that_is_another_is_refused(world: Any) -> None:
    file = world.stage / "server.py"
    file.chmod(0o600)
    file.write_text("print('another')")
    assert _authorize(world, _ahead(world)) == "stage-damaged"


def test_a_source_that_was_restored_meanwhile_is_none_that_drifted(world: Any) -> None:
    text = (world.source / "server.py").read_text()
    world.write("server.py", "print('another')")
    ahead = _ahead(world)
    assert ahead._source is not None
    found = ahead._source.result()
    ahead._source.result = lambda: found  # type: ignore[method-assign]  # a pipe is read once
    world.write("server.py", text)
    assert _authorize(world, ahead) == ""


def test_what_was_hashed_for_another_approval_does_not_count(world: Any) -> None:
    ahead = _ahead(world)
    world.write("server.py", "print('another')")
    world.trust()
    assert not ahead.is_of(_record(world))
    assert _authorize(world, ahead) == ""
    assert descendants() == []


@pytest.mark.parametrize("take", [revoke, disable])
def test_what_was_taken_back_meanwhile_stays_refused(world: Any, take: Any) -> None:
    ahead = _ahead(world)
    take(_record(world), world.store)
    assert _authorize(world, ahead) in ("not-trusted", "not-enabled")
    ahead.close()
    assert descendants() == []


def test_nothing_is_hashed_of_what_is_not_enabled_or_not_there(world: Any) -> None:
    assert hash_ahead(world.store, "agent-plugins:other@000000000000", name=subject_id) is None
    disable(_record(world), world.store)
    assert hash_ahead(world.store, world.id, name=subject_id) is None


def test_nothing_is_hashed_where_the_state_can_not_be_believed(world: Any) -> None:
    (file,) = world.store.folder.glob("*.json")
    file.write_bytes(file.read_bytes().replace(b"true", b"false"))
    assert hash_ahead(world.store, world.id, name=subject_id) is None


def test_a_source_that_may_be_another_is_not_read(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashed, "_source_must_match", lambda _: False)
    ahead = _ahead(world)
    assert ahead._source is None
    ahead.close()


def test_a_pinned_policy_is_asked_whether_the_source_counts(world: Any) -> None:
    (world.store.home / "policy.toml").write_text("this is no policy")
    (world.store.home / "policy.toml").chmod(0o600)
    assert hash_ahead(world.store, world.id, name=subject_id) is None
    assert descendants() == []


def test_it_is_used_once(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(world.store, name=subject_id, ahead=_ahead(world))
    gate.authorize(world.id)
    world.write("server.py", "print('another')")
    with pytest.raises(RefusedError, match="content-drifted"):
        gate.authorize(world.id)


def test_closing_ends_what_is_under_way(world: Any) -> None:
    ahead = _ahead(world)
    assert len(descendants()) <= 2
    ahead.close()
    ahead.close()
    assert descendants() == []
