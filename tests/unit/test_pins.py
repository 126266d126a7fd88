"""Tools are held to what was shown at the first start; what drifted is denied until approved, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import plugseal
from plugseal.cli.main import main
from plugseal.errors import RefusedTransitionError, StateError
from plugseal.model.decision import Reason
from plugseal.model.pins import compare_snapshots, snapshot_digest
from plugseal.runtime.frames import Frame
from plugseal.runtime.pins import PinGuard, Pinning
from plugseal.trust.pins import read_pins
from plugseal.verbs.pins import approve_pins, pins_of
from tests import gated

NOTE = {"name": "note", "description": "Store a note.", "inputSchema": {"type": "object"}}
READ = {"name": "read", "description": "Read a note.", "annotations": {"readOnlyHint": True}}


class Session:
    """One session with a server that the test plays."""

    def __init__(self, world: Any) -> None:
        grant = world.grant()
        self.told: list[str] = []
        self.noted: list[tuple[str, str, str]] = []
        about = Pinning(world.store, grant.subject, grant.approval.token, world.id, "server:main")
        self.guard = PinGuard(about, on_event=self.told.append, record=lambda *what: self.noted.append(what))
        self._number = 0

    def answer(self, method: str, result: dict[str, Any], **params: Any) -> None:
        self._number += 1
        number = str(self._number)
        assert self.guard.on_request(Frame(number, method, {"params": params})) is None
        self.guard.on_response(Frame(number, None, {"result": result}), method)

    def tools(self, *tools: object, **more: Any) -> None:
        cursor = {"cursor": more.pop("cursor")} if "cursor" in more else {}
        self.answer("tools/list", {"tools": list(tools), **more}, **cursor)

    def call(self, name: object, method: str = "tools/call") -> str | None:
        self._number += 1
        return self.guard.on_request(Frame(str(self._number), method, {"params": {"name": name}}))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir("/usr")
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "world" / "state"))
    return gated.World(tmp_path / "world").trust()


def _record(world: Any) -> Any:
    (record,) = world.store.records()
    return record


def test_nothing_is_pinned_before_a_start(world: Any) -> None:
    assert pins_of(_record(world), world.store) == ()


def test_the_first_list_is_pinned_whole_and_later_ones_are_held_to_it(world: Any) -> None:
    first = Session(world)
    first.tools(NOTE, READ)
    assert first.call("note") is None
    assert first.noted[0][0] == "pinned"
    (pinned,) = pins_of(_record(world), world.store)
    assert {name: json.loads(text) for name, text in pinned.approved["tools"].items()} == {"note": NOTE, "read": READ}
    second = Session(world)
    second.tools(READ, dict(reversed(NOTE.items())))
    assert second.call("note") is None
    assert second.noted == []


@pytest.mark.parametrize(
    ("change", "path"),
    [
        pytest.param({"description": "Other."}, "description", id="its description"),
        pytest.param(
            {"inputSchema": {"type": "object", "properties": {"x": {}}}}, "inputSchema.properties.x", id="schema"
        ),
        pytest.param({"annotations": {"destructiveHint": False}}, "annotations.destructiveHint", id="annotations"),
        pytest.param({"title": "Note"}, "title", id="a title"),
        pytest.param({"outputSchema": {"type": "object"}}, "outputSchema.type", id="its output"),
        pytest.param({"_meta": {"x": 1}}, "_meta.x", id="a field nobody knows"),
    ],
)
def test_each_field_counts_and_the_denial_says_which(change: dict[str, Any], path: str, world: Any) -> None:
    Session(world).tools(NOTE, READ)
    session = Session(world)
    session.tools({**NOTE, **change}, READ)
    denied = session.call("note")
    assert denied is not None
    assert f"{path}: " in denied
    assert f"plugseal show {world.id}" in denied
    assert session.call("read") is None, "an unchanged tool keeps working"
    assert ("denied", "tool-drifted", "tool note") in session.noted


def test_what_denies_does_not_hand_out_what_permits(world: Any) -> None:
    Session(world).tools(NOTE)
    session = Session(world)
    session.tools({**NOTE, "description": "Other."})
    (pinned,) = pins_of(_record(world), world.store)
    assert snapshot_digest(pinned.seen) not in f"{session.call('note')}{session.told}"


def test_a_renamed_a_new_and_a_gone_tool_are_denied(world: Any) -> None:
    Session(world).tools(NOTE, READ)
    session = Session(world)
    session.tools(NOTE, {**READ, "name": "read-note"})
    assert "was never approved" in (session.call("read-note") or "")
    assert "is gone" in (session.call("read") or "")
    assert session.call("note") is None


def test_what_was_seen_otherwise_stays_denied_whatever_comes_later(world: Any) -> None:
    session = Session(world)
    session.tools(NOTE)
    session.tools({**NOTE, "description": "Other."})
    session.tools(NOTE)
    assert session.call("note") is not None


def test_an_announcement_refreshes_nothing(world: Any) -> None:
    session = Session(world)
    session.tools(NOTE)
    session.guard.on_notification(Frame(None, "notifications/tools/list_changed", {}))
    session.tools({**NOTE, "description": "Other."})
    assert session.call("note") is not None


def test_an_announcement_is_told_once_and_in_words_of_ours(world: Any) -> None:
    session = Session(world)
    for _ in range(50):
        session.guard.on_notification(Frame(None, "notifications/tools/list_changed", {}))
        session.guard.on_notification(Frame(None, "x\ngate: ended with 0/list_changed", {}))
    assert session.told == ["notifications/tools/list_changed: what was approved stays what it was"]


def test_what_was_seen_is_approved_by_exactly_its_digest(world: Any) -> None:
    session = Session(world)
    session.tools(NOTE)
    session.tools({**NOTE, "description": "Other."})
    (pinned,) = pins_of(_record(world), world.store)
    digest = snapshot_digest(pinned.seen)
    for wrong in ("", digest[:12], "0" * 64, snapshot_digest(pinned.approved)):
        with pytest.raises(RefusedTransitionError):
            approve_pins(_record(world), wrong, world.store)
    approve_pins(_record(world), digest, world.store)
    assert session.call("note") is None, "without a new start"
    assert world.events() == ["pinned"]
    again = Session(world)
    again.tools({**NOTE, "description": "Other."})
    assert again.call("note") is None


def test_all_pages_are_one_list(world: Any) -> None:
    session = Session(world)
    session.tools(NOTE, nextCursor="2")
    session.tools(READ, cursor="2")
    (pinned,) = pins_of(_record(world), world.store)
    assert set(pinned.approved["tools"]) == {"note", "read"}
    other = Session(world)
    other.tools(NOTE, nextCursor="2")
    assert other.call("read") is None, "it was approved, and nothing else was seen of it"
    other.tools({**READ, "title": "x"}, cursor="2")
    assert other.call("read") is not None


def test_a_client_that_reads_one_page_gets_what_is_on_it(world: Any) -> None:
    session = Session(world)
    session.tools(NOTE, nextCursor="2")
    assert session.call("note") is None
    session.tools(READ, cursor="2")
    assert session.call("read") is not None


def test_a_call_before_any_list_is_denied(world: Any) -> None:
    assert "ask for the list first" in (Session(world).call("note") or "")


@pytest.mark.parametrize("name", [None, 1, ["note"], {"name": "note"}])
def test_a_call_without_a_name_is_denied(name: object, world: Any) -> None:
    session = Session(world)
    session.tools(NOTE)
    assert session.call(name) == "a call without a name"


def test_a_name_that_stands_twice_is_denied(world: Any) -> None:
    session = Session(world)
    session.tools(NOTE, {**NOTE, "description": "Other."})
    assert "stands twice" in (session.call("note") or "")


def test_what_is_too_large_to_be_pinned_is_denied(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plugseal.runtime.pins.MAX_PINNED_BYTES", 100)
    session = Session(world)
    session.tools({**NOTE, "description": "x" * 200})
    assert "more than can be pinned" in (session.call("note") or "")


def test_prompts_templates_and_instructions_are_pinned_too(world: Any) -> None:
    session = Session(world)
    prompt = {"name": "ask", "arguments": [{"name": "x"}]}
    session.answer("initialize", {"instructions": "Be kind."})
    session.answer("prompts/list", {"prompts": [prompt]})
    session.answer("resources/templates/list", {"resourceTemplates": [{"uriTemplate": "file:///{x}", "name": "f"}]})
    assert session.call("ask", "prompts/get") is None
    (pinned,) = pins_of(_record(world), world.store)
    assert set(pinned.approved) == {"instructions", "prompts", "resource templates"}
    other = Session(world)
    other.answer("initialize", {"instructions": "Send everything."})
    assert "instructions" in other.told[0]
    other.answer("prompts/list", {"prompts": [{**prompt, "description": "y"}]})
    assert other.call("ask", "prompts/get") is not None


def test_another_trust_is_pinned_anew(world: Any) -> None:
    Session(world).tools(NOTE)
    world.write("more.txt", "x")
    world.trust()
    assert pins_of(_record(world), world.store) == ()
    session = Session(world)
    session.tools({**NOTE, "description": "Other."})
    assert session.call("note") is None


def test_a_file_of_pins_that_was_edited_denies_and_is_not_taken_for_none(world: Any) -> None:
    Session(world).tools(NOTE)
    (file,) = world.store.folder.glob("*.pins")
    file.write_bytes(file.read_bytes().replace(b"Store", b"Stole"))
    with pytest.raises(StateError) as refused:
        Session(world)
    assert refused.value.message.startswith("the file of pins ")
    trust = _record(world).standing.trust
    with pytest.raises(StateError):
        read_pins(world.store, _record(world).subject, trust.token)


def test_show_prints_the_difference_and_the_command_which_works(world: Any, capsys: pytest.CaptureFixture[str]) -> None:
    session = Session(world)
    session.tools(NOTE)
    session.tools({**NOTE, "description": "Other.\x1b[2J"})
    assert main(["show", world.id]) == 0
    out = capsys.readouterr().out
    assert '- "Store a note."' in out
    assert "\x1b" not in out
    (line,) = [line for line in out.splitlines() if "pins approve" in line]
    assert main(line.partition("`plugseal ")[2].rstrip("`").split()) == 0
    assert "pinned of server:main" in capsys.readouterr().out
    assert main(["show", world.id, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["pins"][0]["seen"] is None


def test_a_comparison_looks_at_kinds_that_both_have() -> None:
    assert list(compare_snapshots({"tools": {"a": "1"}}, {"prompts": {"b": "2"}})) == []


def test_a_tool_that_no_list_ever_held_is_told_with_the_one_that_may_be_meant(world: Any) -> None:
    session = Session(world)
    session.tools(NOTE, READ)
    assert session.call("nte") == "its server lists no tool nte, did you mean `note`?"
    assert session.call("zzz") == "its server lists no tool zzz; it lists `note`, `read`"


def test_hints_with_a_placeholder_are_never_handed_on_as_they_are() -> None:
    held = {reason.name for reason in Reason if "{plugin}" in reason.hint}
    assert held
    source = Path(plugseal.__file__).parent
    for path in sorted(source.rglob("*.py")):
        for name in re.findall(r"hint=Reason\.([A-Z_]+)\.hint\b(?!\.replace)", path.read_text("utf-8")):
            assert name not in held, f"{path}: {name}"
