"""Faults around a start: a kernel that lacks something, a revocation in between, a locale. Nothing runs unguarded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import RefusedError, StateError, SupervisorError
from plugseal.runtime import child, kernel, places, plan
from plugseal.runtime.reaper import descendants
from plugseal.runtime.runs import RunTrail
from plugseal.verbs.trust import disable, forget, reload, revoke
from tests import gated

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
MARKING = """
import os, sys
open(os.environ["HOME"] + "/../../../started", "w").close()
for line in sys.stdin:
    open(os.environ["HOME"] + "/../../../heard", "w").close()
"""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir("/usr")
    return gated.World(tmp_path / "world", None, server_dot_py=MARKING).trust()


@pytest.mark.parametrize(
    "mechanism", ["set_subreaper", "set_undumpable", "set_no_new_privileges", "set_parent_death_signal"]
)
def test_without_a_mechanism_of_the_kernel_nothing_starts(
    mechanism: str, world: Any, monkeypatch: pytest.MonkeyPatch, descriptors_stay: None
) -> None:
    monkeypatch.setattr(kernel, mechanism, lambda *_: False)
    with pytest.raises(SupervisorError), world.supervisor().spawn(world.id):
        pytest.fail("it started")
    assert not (world.store.home / "started").exists()
    assert list((world.store.home / "run").iterdir()) == [] if (world.store.home / "run").exists() else True


def test_what_cannot_be_recorded_is_not_started(
    world: Any, monkeypatch: pytest.MonkeyPatch, descriptors_stay: None
) -> None:
    def full(*_: object, **__: object) -> None:
        raise StateError("no room")

    monkeypatch.setattr(RunTrail, "note", full)
    with pytest.raises(StateError, match="no room"), world.supervisor().spawn(world.id):
        pytest.fail("it started")
    assert not (world.store.home / "started").exists()


def test_where_no_process_is_to_be_had_nothing_is_recorded_as_started(
    world: Any, monkeypatch: pytest.MonkeyPatch, descriptors_stay: None
) -> None:
    def refuse() -> int:
        raise OSError(11, "too many")

    supervisor = world.supervisor()
    monkeypatch.setattr(child.os, "fork", refuse)
    with pytest.raises(SupervisorError, match="no process can be started"), supervisor.spawn(world.id):
        pytest.fail("it started")
    assert world.events() == []


@pytest.mark.parametrize("take", [revoke, disable, forget, reload])
@pytest.mark.parametrize("step", ["plan.build_plan", "places.own_folder", "child.start"])
def test_what_is_taken_back_during_a_start_never_gets_a_byte(
    take: Callable[..., object],
    step: str,
    world: Any,
    monkeypatch: pytest.MonkeyPatch,
    descriptors_stay: None,
) -> None:
    part, _, name = step.partition(".")
    module = {"plan": plan, "places": places, "child": child}[part]
    real = getattr(module, name)

    def then_taken(*arguments: Any, **named: Any) -> Any:
        done = real(*arguments, **named)
        (record,) = world.store.records()
        take(record, world.store)
        return done

    monkeypatch.setattr(module, name, then_taken)
    with pytest.raises(RefusedError) as refused, world.supervisor().spawn(world.id) as session:
        os.write(session.child.stdin, b"{}\n")
        pytest.fail("it started")
    assert refused.value.reason == "revoked-meanwhile"
    assert not (world.store.home / "heard").exists()
    assert step == "child.start" or not (world.store.home / "started").exists()
    assert descendants() == []
    assert list((world.store.home / "run").iterdir()) == []


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8", "tr_TR.ISO-8859-9"])
def test_no_locale_changes_what_starts(locale: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/usr")
    world = gated.World(tmp_path / "wörld İ", None)
    world.write("données/İstanbul.txt", "é\n")
    world.trust()
    around = {"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(world.store.home), "LC_ALL": locale, "LANG": locale}
    done = subprocess.run(
        [sys.executable, "-I", "-m", "plugseal", "run", world.id],
        input=b'{"jsonrpc":"2.0","id":"\xc4\xb0","method":"look"}\n',
        capture_output=True,
        env=around,
        cwd="/usr",
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.decode("utf-8"))
    assert found["id"] == "İ"
    assert found["result"]["environment"]["LC_ALL"] == locale
