"""The host over real processes: calls in flight, modes, cancellation, bounds of time, and what each call ends by."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plugseal.errors import RefusedError, SupervisorError, UsageError
from plugseal.runtime.coding import inflight
from plugseal.runtime.coding.connection import Connection
from plugseal.runtime.coding.contract import CancelRequest, Content, Context
from plugseal.runtime.coding.host import Host
from plugseal.verbs.trust import revoke
from tests.coding_plugins import OK, TOOLS, World, drive, progress, result

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.chdir("/usr")
    return World(tmp_path / "world")


def steps(*found: Any) -> dict[str, Any]:
    """Return the arguments of a call of the puppet."""
    return {"steps": [[one] if isinstance(one, str) else list(one) for one in found]}


def code_of(host: Host, tool: str, *found: Any) -> str:
    """Return the error code of a call that does these steps."""
    return host.call(tool, steps(*found)).outcome.error_code


def test_a_call_brings_progress_and_one_result(world: World) -> None:
    heard: list[str] = []
    image = {"type": "image", "data": "aW1n", "mimeType": "image/png"}
    end = result(content=[{"type": "text", "text": "é"}, image], outcome={**OK, "exitCode": 0, "data": {"n": 1}})
    with world.host() as host:
        host.open(world.puppet())
        call = host.submit(
            "side",
            steps(progress("half"), progress("all"), ("end", {**end, "terminate": True})),
            on_progress=lambda one: heard.append(one.content[0].text),
        )
        found = host.wait(call)
    assert heard == ["half", "all"]
    assert found.content == (Content("text", "é"), Content("image", data="aW1n", mime_type="image/png"))
    assert (found.outcome.status, found.outcome.exit_code, found.outcome.data) == ("success", 0, {"n": 1})
    assert found.terminate
    assert world.runs() == ["pinned", "started", "ended"] or world.runs() == ["started", "pinned", "ended"]
    assert ("puppet is up") in [text for _, text in world.events]


def test_parallel_calls_of_one_process_are_in_flight_together(world: World, tmp_path: Path) -> None:
    go, log = str(tmp_path / "go"), tmp_path / "log"
    with world.host() as host:
        host.open(world.puppet())
        calls = [host.submit("side", steps(("mark", str(log)), ("await", go))) for _ in range(4)]
        drive(host, lambda: log.exists() and len(log.read_text().split()) == 4)
        assert [call.result for call in calls] == [None] * 4
        Path(go).touch()
        drive(host, lambda: not host.is_busy)
    assert [call.result.outcome.status for call in calls if call.result] == ["success"] * 4


@pytest.mark.parametrize("tool", ["alone", "plain"])
def test_calls_that_ask_for_it_run_one_after_the_other(tool: str, world: World, tmp_path: Path) -> None:
    go, log = str(tmp_path / "go"), tmp_path / "log"
    with world.host() as host:
        host.open(world.puppet())
        first = host.submit(tool, steps(("mark", str(log)), ("await", go)))
        second = host.submit(tool, steps(("mark", str(log))))
        third = host.submit("side", steps(("mark", str(log))))
        drive(host, log.exists)
        for _ in range(5):
            host.step(0.01)
        assert log.read_text().split() == [first.id]
        assert (second.execution, third.execution) == (None, None)
        Path(go).touch()
        drive(host, lambda: not host.is_busy)
    assert log.read_text().split()[:2] == [first.id, second.id]


def test_a_sequential_call_waits_for_other_processes_and_they_for_it(world: World, tmp_path: Path) -> None:
    go, log = str(tmp_path / "go"), tmp_path / "log"
    named = [{**tool, "name": f"{tool['name']}2"} for tool in TOOLS]
    with world.host() as host:
        host.open(world.puppet("one"))
        host.open(world.puppet("two", about={"tools": named}))
        beside = host.submit("side", steps(("mark", str(log)), ("await", go)))
        alone = host.submit("alone2", steps(("mark", str(log))))
        after = host.submit("plain", steps(("mark", str(log))))
        drive(host, log.exists)
        assert (alone.execution, after.execution) == (None, None)
        Path(go).touch()
        drive(host, lambda: not host.is_busy)
    assert log.read_text().split() == [beside.id, alone.id, after.id]


def test_a_cancelled_call_is_told_so_and_its_own_end_counts(world: World, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    own = result(outcome={"status": "cancelled", "errorCode": "stopped"})
    with world.host() as host:
        host.open(world.puppet())
        call = host.submit("side", steps(("mark", str(mark)), "until_cancelled", ("end", own)))
        beside = host.submit("side", steps(("await", str(tmp_path / "go"))))
        drive(host, mark.exists)
        call.cancel()
        drive(host, lambda: call.result is not None)
        assert call.result is not None
        assert call.result.outcome.error_code == "stopped"
        assert beside.result is None
        (tmp_path / "go").touch()
        assert host.wait(beside).is_success


def test_what_does_not_stop_is_killed_with_all_below_it_and_the_next_call_starts_anew(
    world: World, tmp_path: Path
) -> None:
    pid = tmp_path / "pid"
    with world.host(cancel=0.1) as host:
        host.open(world.puppet())
        call = host.submit("side", steps(("spawn", str(pid)), "silent"))
        beside = host.submit("side", steps("silent"))
        drive(host, lambda: pid.exists() and bool(pid.read_text()))
        call.cancel()
        drive(host, lambda: not host.is_busy)
        assert not Path(f"/proc/{pid.read_text()}").exists()
        assert call.result is not None
        assert beside.result is not None
        assert (call.result.outcome.status, call.result.outcome.error_code) == ("cancelled", "plugin_cancelled")
        assert (beside.result.outcome.status, beside.result.outcome.error_code) == ("failed", "plugin_failed")
        assert host.call("side", steps()).is_success
    assert [event for event in world.runs() if event != "pinned"] == ["started", "ended", "started", "ended"]


class Clock:
    """The time of calls in flight, moved by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(inflight, "time", SimpleNamespace(monotonic=lambda: self.now))


def test_a_silent_call_is_cancelled_and_then_killed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    with world.host() as host:
        host.open(world.puppet())
        call = host.submit("side", steps("silent"))
        host.step()
        course = ((59.0, False, False), (2.0, True, False), (1.9, True, False), (0.2, True, True))
        for after, is_asked, is_over in course:
            clock.now += after
            host.step(0.01)
            assert call.execution is not None
            assert (call.execution.stops_by is not None, call.result is not None) == (is_asked, is_over)
    assert call.result is not None
    assert (call.result.outcome.status, call.result.outcome.error_code) == ("timeout", "plugin_timeout")


def test_progress_keeps_a_call_alive(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    heard: list[str] = []
    alive: list[Any] = []
    for number in range(4):
        alive += [progress(str(number)), ("await", str(tmp_path / str(number)))]
    with world.host() as host:
        host.open(world.puppet())
        call = host.submit("side", steps(*alive), on_progress=lambda one: heard.append(one.content[0].text))
        for number in range(4):
            drive(host, lambda so_many=number: len(heard) == so_many + 1)
            clock.now += 50
            host.step()
            (tmp_path / str(number)).touch()
        assert host.wait(call).is_success


def test_the_deadline_of_a_caller_holds(world: World) -> None:
    with world.host(cancel=0.1) as host:
        host.open(world.puppet())
        late = host.submit("side", steps(), context=Context(deadline=time.monotonic() - 1))
        running = host.submit("side", steps("until_cancelled"), context=Context(deadline=time.monotonic() + 0.2))
        drive(host, lambda: not host.is_busy)
    assert late.result is not None
    assert late.result.outcome.error_code == "plugin_timeout"
    assert late.execution is None
    assert running.result is not None
    assert running.result.is_success  # it ended by itself once it was asked to


def test_a_call_that_is_cancelled_and_late_was_cancelled(world: World) -> None:
    with world.host(cancel=0.1) as host:
        host.open(world.puppet())
        context = Context(deadline=time.monotonic() + 60)
        call = host.submit("side", steps("silent"), context=context)
        host.step()
        call.cancel()
        context.deadline = time.monotonic()
        assert host.wait(call).outcome.error_code == "plugin_cancelled"


def test_a_call_that_is_cancelled_before_its_turn_is_never_sent(world: World, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with world.host() as host:
        host.open(world.puppet())
        first = host.submit("alone", steps(("await", str(tmp_path / "go"))))
        second = host.submit("alone", steps(("mark", str(log))))
        host.step()
        second.cancel()
        drive(host, lambda: second.result is not None)
        (tmp_path / "go").touch()
        assert host.wait(first).is_success
    assert second.result is not None
    assert second.result.outcome.error_code == "plugin_cancelled"
    assert not log.exists()


def test_an_exception_in_the_caller_cancels_the_call(world: World) -> None:
    with world.host(cancel=0.1) as host:
        host.open(world.puppet())

        def interrupt(one: Any) -> None:
            raise KeyboardInterrupt

        call = host.submit("side", steps(progress("x"), "until_cancelled"), on_progress=interrupt)
        with pytest.raises(KeyboardInterrupt):
            host.wait(call)
        assert call.result is not None


def test_a_call_that_was_not_authorized_is_not_sent(world: World, tmp_path: Path) -> None:
    asked: list[Any] = []
    mark = tmp_path / "mark"

    def authorize(*what: Any) -> bool:
        asked.append(what)
        return what[1] == "plain"

    with world.host(authorize=authorize) as host:
        plugin = world.puppet()
        host.open(plugin)
        arguments = steps(("mark", str(mark)))
        assert host.call("side", arguments).outcome.error_code == "not_authorized"
        assert not mark.exists()
        assert host.call("plain", arguments).is_success
        assert host.call("plain", {"steps": 1}).outcome.error_code == "arguments_invalid"
    assert asked == [(plugin, "side", arguments), (plugin, "plain", arguments)]


def test_nothing_is_authorized_where_nobody_says_so(world: World) -> None:
    from plugseal.runtime.coding.calls import authorize_nothing

    with world.host(authorize=authorize_nothing) as host:
        host.open(world.puppet())
        assert host.call("side", steps()).outcome.error_code == "not_authorized"


def test_a_name_that_another_plugin_holds_is_refused_whole_unless_it_is_replaced(world: World) -> None:
    other = [{**TOOLS[0], "name": "new"}, TOOLS[0], {**TOOLS[0], "name": "last"}]
    with world.host() as host:
        first = world.puppet("one")
        host.open(first)
        second = world.puppet("two", about={"tools": other})
        with pytest.raises(SupervisorError, match="is held by"):
            host.open(second)
        assert list(host.tools) == ["side", "alone", "plain"]
        assert host.call("side", steps()).is_success
        host.open(second, replace=True)
        assert list(host.tools) == ["side", "alone", "plain", "new", "last"]
        assert host.tools["side"].plugin == second
        assert host.tools["alone"].plugin == first


def test_what_is_no_plugin_of_codings_or_is_open_already_is_refused(world: World) -> None:
    with world.host() as host:
        plugin = world.puppet()
        host.open(plugin)
        for word in (plugin, "amber:x@000000000000", "puppet"):
            with pytest.raises(UsageError):
                host.open(word)
        with pytest.raises(RefusedError) as caught:
            host.open("coding:x@000000000000")
    assert caught.value.reason == "not-recorded"


def test_a_closed_host_leaves_no_call_without_an_end(world: World) -> None:
    with world.host() as host:
        host.open(world.puppet())
        running = host.submit("alone", steps("silent"))
        waiting = host.submit("alone", steps())
        host.step()
    assert running.result is not None
    assert waiting.result is not None
    assert running.result.outcome.error_code == "plugin_failed"
    assert waiting.result.outcome.error_code == "plugin_cancelled"


def test_cancel_of_the_contract_says_whether_there_was_such_a_call(world: World) -> None:
    with world.host() as host:
        found = host.open(world.puppet())
        connection = found.supervisor
        assert isinstance(connection, Connection)
        call = host.submit("side", steps("until_cancelled"))
        host.step()
        assert connection.cancel(Context(), CancelRequest(call.id)).accepted
        assert host.wait(call).is_success
        assert not connection.cancel(Context(), CancelRequest("nobody")).accepted


def test_a_plugin_over_stdio_is_a_supervisor_that_waits(world: World) -> None:
    heard: list[str] = []

    def interrupt(one: Any) -> None:
        raise KeyboardInterrupt

    with world.host(cancel=0.1) as host:
        definition = host.open(world.puppet())
        context = Context()
        found = definition.execute(
            context, "x", "side", steps(progress("half")), lambda one: heard.append(one.content[0].text)
        )
        assert (found.is_success, heard) == (True, ["half"])
        with pytest.raises(SupervisorError, match="execute plugin tool `side`: the call ID `x` was used before"):
            definition.execute(context, "x", "side", steps())
        with pytest.raises(KeyboardInterrupt):
            definition.execute(context, "y", "side", steps(progress("half"), "silent"), interrupt)
        assert context.is_cancelled
        assert isinstance(definition.supervisor, Connection)
        assert not definition.supervisor.is_open  # it did not stop, and was made to


def test_a_revocation_in_flight_ends_all_calls_and_leaves_nothing(world: World, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with world.host() as host:
        host.open(world.puppet())
        calls = [host.submit("side", steps(("spawn", str(pid)), "silent")), host.submit("alone", steps())]
        drive(host, lambda: pid.exists() and bool(pid.read_text()))
        (record,) = world.store.records()
        revoke(record, world.store)  # type: ignore[arg-type]  # none is broken
        drive(host, lambda: not host.is_busy)
        assert not Path(f"/proc/{pid.read_text()}").exists()
        assert [call.result.outcome.error_code for call in calls if call.result] == ["plugin_refused"] * 2
        assert "revoked-meanwhile" in str(calls[0].error)
    assert "stopped revoked-meanwhile" in world.runs()
    assert world.runs()[-1] == "refused not-trusted"


def test_a_refusal_is_told_as_one_even_to_a_call_that_was_asked_to_stop(world: World) -> None:
    with world.host() as host:
        host.open(world.puppet())
        call = host.submit("side", steps("silent"))
        host.step()
        call.cancel()
        host.step()
        assert call.result is None
        (record,) = world.store.records()
        revoke(record, world.store)  # type: ignore[arg-type]  # none is broken
        assert host.wait(call).outcome.error_code == "plugin_refused"
