"""Calls of amber's tools: envelopes for whatever happens, one answer for one request, and never a late one."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from plugseal.runtime.amber.envelope import MAX_RESULT_BYTES
from plugseal.runtime.amber.session import LINE_SECONDS, SHUTDOWN_SECONDS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
_SHORT = 0.6
"""Seconds to wait for a line that never comes."""


def test_the_bounds_are_those_that_amber_documents() -> None:
    assert (LINE_SECONDS, SHUTDOWN_SECONDS, MAX_RESULT_BYTES) == (60.0, 1.0, 64 * 1024)


def test_a_tool_answers_with_its_envelope_and_a_failure_is_returned(world: Any) -> None:
    world.add()
    with world.host() as host:
        assert host.call("plugin_fake_echo", {"text": "hello"}).body == {"ok": True, "output": "echo:hello", "meta": {}}
        assert host.call("plugin_fake_fail", {}).body == {"ok": False, "output": "ERROR: nope", "meta": {}}
    assert world.runs() == ["started", "ended"]


def test_nothing_is_started_before_the_first_call_and_one_process_serves_all(world: Any) -> None:
    world.add()
    with world.host() as host:
        assert world.runs() == []
        pids = {host.call("plugin_fake_seen", {}).meta["pid"] for _ in range(3)}
        assert len(pids) == 1
        assert world.runs() == ["started"]


def test_the_handshake_carries_version_settings_and_workspace_and_it_runs_from_the_copy(world: Any) -> None:
    world.add()
    answer = world.call("seen")
    assert json.loads(answer.output) == {
        "protocol_version": 1,
        "settings": {"greeting": "Hello", "times": 3, "ratio": 0.5, "loud": False},
        "workspace": str(world.workspace.resolve()),
    }
    assert answer.meta["cwd"].startswith(str(world.store.home / "stage"))


def test_a_result_is_cut_at_64_kib_at_a_whole_character_and_says_so(world: Any) -> None:
    world.add()
    output = world.call("big").output
    assert MAX_RESULT_BYTES - 8 <= len(output.encode()) <= MAX_RESULT_BYTES
    assert output.startswith("\u00e9" * 30000)
    assert output.endswith("\n[cut: 300,000 bytes of output, 65,536 are allowed]")


def test_a_call_without_a_line_in_time_is_killed_reported_and_its_late_answer_reaches_nobody(
    world: Any, amber: ModuleType
) -> None:
    late = 'if name == "late":\n            time.sleep(3)\n            answer(number, "late")\n        el'
    tools = [{"name": "late"}, {"name": "echo"}, {"name": "seen"}]
    world.add("fake", amber.script(tools=late + amber.TOOLS), tools=tools)
    with world.host() as host:
        pid = host.call("plugin_fake_seen", {}).meta["pid"]
        host.seconds = _SHORT
        timed_out = host.call("plugin_fake_late", {})
        assert not timed_out.ok
        assert timed_out.output == f"ERROR: the plugin sent no line within {_SHORT} s and was ended"
        assert not Path(f"/proc/{pid}").exists()
        host.seconds = 60
        after = host.call("plugin_fake_echo", {"text": "next"})
        assert after.output == "echo:next"
    assert world.runs() == ["started", "stopped", "ended", "started", "ended"]


def test_the_second_line_of_an_answer_is_not_the_answer_to_the_next_call(world: Any) -> None:
    world.add()
    with world.host() as host:
        assert host.call("plugin_fake_twice", {}).output == "first"
        assert host.call("plugin_fake_echo", {"text": "own"}).output == "echo:own"
        assert host.call("plugin_fake_ahead", {}).output == "right"
        assert host.call("plugin_fake_echo", {"text": "own"}).output == "echo:own"
    assert any("a line that answers nothing was dropped" in event for event in world.events)


def test_an_answer_under_an_id_of_another_type_is_none(world: Any) -> None:
    world.add()
    with world.host(seconds=_SHORT) as host:
        assert "sent no line within" in host.call("plugin_fake_text_id", {}).output


RAW = {
    "a JSON-RPC error": (
        '{"id": ID, "error": {"code": -32000, "message": "no such page"}}',
        "ERROR: no such page",
    ),
    "an error that is no object": ('{"id": ID, "error": 5}', "ERROR: the plugin answered with an error"),
    "a result that is a list": ('{"id": ID, "result": [1]}', "ERROR: the plugin's answer is malformed: its result is"),
    "an ok that is text": ('{"id": ID, "result": {"ok": "yes"}}', "ERROR: the plugin's answer is malformed: its `ok`"),
    "an output that is a number": ('{"id": ID, "result": {"ok": true, "output": 5}}', "its `output` is no text"),
    "a meta that is a list": ('{"id": ID, "result": {"ok": true, "meta": []}}', "its `meta` is no object"),
    "an answer without a result": ('{"id": ID}', "broke the protocol and was ended: an answer without a result"),
    "no JSON": ("hello", "broke the protocol and was ended: a message was refused: it is no JSON: hello"),
    "a key twice": ('{"id": ID, "result": {"ok": true}, "result": {"ok": false}}', "a key stands twice in it"),
    "keys that differ in case": ('{"id": ID, "result": {"ok": true, "OK": false}}', "differ only in case"),
    "a failure told in `error`": ('{"id": ID, "result": {"ok": false, "error": "gone"}}', "gone"),
}


@pytest.mark.parametrize(("line", "told"), RAW.values(), ids=RAW)
def test_whatever_a_plugin_answers_is_an_envelope(line: str, told: str, world: Any) -> None:
    world.add()
    with world.host() as host:
        answer = host.call("plugin_fake_raw", {"line": line})
        assert not answer.ok
        assert told in answer.output
        assert host.call("plugin_fake_echo", {"text": "on"}).output == "echo:on"


def test_a_plugin_that_dies_in_a_call_is_started_anew_for_the_next(world: Any) -> None:
    world.add()
    with world.host() as host:
        assert host.call("plugin_fake_die", {}).output == "ERROR: the program ended without an answer"
        assert host.call("plugin_fake_echo", {"text": "again"}).output == "echo:again"


def test_lines_that_answer_nothing_without_end_end_the_plugin(world: Any) -> None:
    world.add()
    answer = world.call("flood")
    assert "more than 10,000 lines that answer nothing" in answer.output


def test_an_unknown_tool_and_one_of_a_plugin_that_is_off_are_envelopes(world: Any) -> None:
    world.add(enabled=False)
    assert world.call("echo").output == "ERROR: there is no tool `plugin_fake_echo`"


def test_meta_that_is_too_large_is_cut_and_the_output_stays(world: Any) -> None:
    world.add()
    meta = json.dumps({"x": "y" * 20000})
    with world.host() as host:
        answer = host.call(
            "plugin_fake_raw", {"line": f'{{"id": ID, "result": {{"ok": true, "output": "o", "meta": {meta}}}}}'}
        )
    assert (answer.ok, answer.output) == (True, "o")
    assert set(answer.meta) == {"cut"}


def test_a_shutdown_is_told_before_the_end(world: Any, tmp_path: Path, amber: ModuleType) -> None:
    mark = tmp_path / "told"
    world.add("fake", amber.script(shutdown=f"open({str(mark)!r}, 'w').close(); break"))
    world.call("echo")
    assert mark.exists()
    assert world.runs() == ["started", "ended"]


def test_a_plugin_that_ignores_the_shutdown_is_killed_with_all_below_it(world: Any, amber: ModuleType) -> None:
    world.add("fake", amber.script(shutdown="continue"))
    with world.host() as host:
        pid = host.call("plugin_fake_seen", {}).meta["pid"]
        host.call("plugin_fake_children", {})
    assert not Path(f"/proc/{pid}").exists()
    assert _named(str(world.store.home)) == []


def _named(word: str) -> list[str]:
    """Return the processes whose command line holds a word."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found
