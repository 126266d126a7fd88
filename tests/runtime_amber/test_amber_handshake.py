"""The handshake: its version and ID are compared, and what does not speak as documented is unregistered."""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any

import pytest

from plugseal.errors import RefusedTransitionError
from plugseal.runtime.amber.settings import change_overrides
from plugseal.verbs.amber.find import find_amber
from plugseal.verbs.amber.plugins import inform, switch_on
from plugseal.verbs.look import look
from plugseal.verbs.select import Selection

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

WRONG = {
    "another version": ('{"id": 1, "result": {"protocol_version": 2, "ok": true}}', "protocol version 2"),
    "a version that is text": ('{"id": 1, "result": {"protocol_version": "1", "ok": true}}', 'version "1"'),
    "a version that is a fraction": ('{"id": 1, "result": {"protocol_version": 1.0, "ok": true}}', "version 1.0"),
    "a version that is true": ('{"id": 1, "result": {"protocol_version": true, "ok": true}}', "version true"),
    "no version": ('{"id": 1, "result": {"ok": true}}', "version null"),
    "ok false": ('{"id": 1, "result": {"protocol_version": 1, "ok": false}}', "rejected the handshake"),
    "ok that is text": ('{"id": 1, "result": {"protocol_version": 1, "ok": "yes"}}', "rejected the handshake"),
    "a result that is a list": ('{"id": 1, "result": [1]}', "with an error"),
    "an error": ('{"id": 1, "error": {"message": "no"}}', "with an error"),
    "a banner before it": ("Welcome!", "its handshake breaks the protocol: a message was refused: it is no JSON: Welc"),
}


@pytest.mark.parametrize(("line", "why"), WRONG.values(), ids=WRONG)
def test_a_plugin_that_shakes_hands_otherwise_is_incompatible_and_unregistered(
    line: str, why: str, world: Any, amber: ModuleType
) -> None:
    world.add("fake", amber.script(handshake=f"say({line!r}); {amber.HANDSHAKE}"))
    with world.host() as host:
        assert "plugin_fake_echo" in host.offered.tools
        answer = host.call("plugin_fake_echo", {})
        assert not answer.ok
        assert answer.output.startswith("ERROR: the plugin is incompatible and was unregistered: ")
        assert why in answer.output
        assert host.offered.tools == {}
        assert host.look()
        assert "is not offered" in host.call("plugin_fake_echo", {}).output
    assert world.runs() == ["started", "stopped", "ended"]


def test_what_is_trusted_anew_is_asked_again(world: Any, amber: ModuleType) -> None:
    path = world.add("fake", amber.script(handshake='say({"id": 1, "result": {}})'))
    with world.host() as host:
        assert not host.call("plugin_fake_echo", {}).ok
        (path / "run.py").write_text(amber.script(), "utf-8")
        world.trust(path)
        assert host.call("plugin_fake_echo", {"text": "x"}).output == "echo:x"


@pytest.mark.parametrize("number", ["2", '"1"', "null"])
def test_an_answer_with_another_id_is_no_handshake(number: str, world: Any, amber: ModuleType) -> None:
    wrong = f'say(\'{{"id": {number}, "result": {{"protocol_version": 1, "ok": true}}}}\')'
    world.add("fake", amber.script(handshake=f"{wrong}; sys.exit(0)"))
    answer = world.call("echo")
    assert answer.output == "ERROR: the program ended without an answer"


def test_a_plugin_that_ends_in_the_handshake_is_an_error_and_stays_registered(world: Any, amber: ModuleType) -> None:
    world.add("fake", amber.script(handshake="sys.exit(1)"))
    with world.host() as host:
        assert host.call("plugin_fake_echo", {}).output == "ERROR: the program ended without an answer"
        assert "plugin_fake_echo" in host.offered.tools


def test_a_call_can_be_cancelled_while_its_plugin_says_nothing_to_the_handshake(world: Any, amber: ModuleType) -> None:
    world.add("fake", amber.script(handshake="continue"))
    with world.host() as host:
        answer = host.call("plugin_fake_echo", {}, lambda: False)
        assert answer.output == "ERROR: the call was cancelled, and the plugin ended"
        assert "plugin_fake_echo" in host.offered.tools
    assert world.runs() == ["started", "stopped", "ended"]


DECLARED = {
    "version 99": ({"protocol_version": 99}, "speaks protocol version 99"),
    "version 1.9": ({"protocol_version": 1.9}, "no whole number"),
    "version as text": ({"protocol_version": "1"}, "no whole number"),
    "version true": ({"protocol_version": True}, "no whole number"),
    "a main that leads out": ({"main": "../x/prog"}, "breaks the documented rules at `main`"),
    "no description": ({"description": None}, "breaks the documented rules at `description`"),
    "a version that is none": ({"version": "latest"}, "breaks the documented rules at `version`"),
}


@pytest.mark.parametrize(("fields", "why"), DECLARED.values(), ids=DECLARED)
def test_a_manifest_that_breaks_a_documented_rule_is_incompatible_and_can_not_be_switched_on(
    fields: dict[str, Any], why: str, world: Any, amber: ModuleType
) -> None:
    path = amber.write_plugin(world.root / "plugins" / "fake", amber.manifest(**fields), amber.script())
    found = find_amber(str(path), world.store, workspace=world.workspace)
    info = inform(found, world.store)
    assert info.state.startswith("incompatible: ")
    assert why in info.state
    with pytest.raises(RefusedTransitionError, match="is incompatible"):
        switch_on(found, world.store, workspace=world.workspace)
    assert look(Selection(path), system="amber").report.token is None


def test_settings_of_the_user_reach_the_plugin_with_the_types_of_the_defaults(world: Any) -> None:
    world.add()
    mine = {"greeting": "Hi", "times": "5", "ratio": "1.5", "loud": "true", "gone": "x"}
    with world.host() as host:
        pid = host.call("plugin_fake_seen", {}).meta["pid"]
        change_overrides(world.store, world.subject(), lambda before: {**before, **mine})
        answer = host.call("plugin_fake_seen", {})
        assert json.loads(answer.output)["settings"] == {"greeting": "Hi", "times": 5, "ratio": 1.5, "loud": True}
        assert answer.meta["pid"] != pid
