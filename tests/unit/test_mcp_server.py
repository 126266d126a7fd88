"""The small MCP server: each version of the protocol, what it refuses, batches, cancelling, and how it ends."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from plugseal.errors import RefusedError
from plugseal.runtime.mcp_requests import BAD_PARAMS, BAD_VERSION, HANDSHAKE, INVALID, NO_METHOD, OURS, PARSE
from plugseal.runtime.mcp_server import LEAVING_SECONDS, McpServer, Offer

META = "io.modelcontextprotocol/"
STATELESS = {f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}}
TOOLS = [{"name": "echo", "description": "Say it again.", "inputSchema": {"type": "object"}}]


def _echo(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": f"{name} {json.dumps(arguments)}"}], "isError": False}


def _talk(*lines: str | bytes | dict[str, Any] | list[Any], **offer: Any) -> list[Any]:
    """Send lines, close, and return what came back."""
    to_server, from_client = os.pipe()
    from_server, to_client = os.pipe()
    for line in lines:
        text = line if isinstance(line, (str, bytes)) else json.dumps(line)
        os.write(from_client, (text.encode() if isinstance(text, str) else text) + b"\n")
    os.close(from_client)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(os.fdopen(from_server, "rb").read()))
    reader.start()
    McpServer(Offer(**{"tools": lambda: TOOLS, "call": _echo, **offer}), client=(to_server, to_client)).serve()
    os.close(to_client)
    reader.join(60)
    return [json.loads(line) for line in found[0].splitlines()]


def _ask(method: str, number: object = 1, /, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


@pytest.mark.parametrize("version", HANDSHAKE)
def test_each_handshake_version_is_agreed_to_and_serves_tools(version: str) -> None:
    greeting, listed, called, pinged = _talk(
        _ask("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "c", "version": "1"}),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        _ask("tools/list", 2),
        _ask("tools/call", "three", name="echo", arguments={"x": [1, "é"]}),
        _ask("ping", 4),
    )[:4]
    assert greeting["result"]["protocolVersion"] == version
    assert greeting["result"]["capabilities"] == {"tools": {}}
    assert greeting["result"]["serverInfo"] == {"name": "plugseal", "version": "1"}
    assert (listed["id"], listed["result"]) == (2, {"tools": TOOLS})
    answers = {answer["id"]: answer["result"] for answer in (called, pinged)}
    assert answers == {"three": _echo("echo", {"x": [1, "é"]}), 4: {}}


@pytest.mark.parametrize("asked", ["2026-07-28", "1999-01-01", None, 7], ids=str)
def test_a_handshake_for_another_version_is_offered_the_newest_that_has_one(asked: object) -> None:
    assert _talk(_ask("initialize", protocolVersion=asked))[0]["result"]["protocolVersion"] == "2025-11-25"


def test_the_stateless_version_discovers_lists_and_calls() -> None:
    found, listed, called = _talk(
        _ask("server/discover", _meta=STATELESS),
        _ask("tools/list", 2, _meta=STATELESS),
        _ask("tools/call", 3, name="echo", _meta=STATELESS),
    )
    assert "2026-07-28" in found["result"]["supportedVersions"]
    for answer in (found, listed, called):
        assert answer["result"]["resultType"] == "complete"
        assert answer["result"]["_meta"][f"{META}serverInfo"]["name"] == "plugseal"
    assert (listed["result"]["ttlMs"], listed["result"]["cacheScope"]) == (0, "private")
    assert called["result"]["content"] == _echo("echo", {})["content"]


WRONG = {
    "no JSON": ("{", PARSE, None),
    "not UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', PARSE, None),
    "a key twice": ('{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}', INVALID, 1),
    "keys that differ in case": ('{"jsonrpc":"2.0","id":1,"method":"ping","Method":"x"}', INVALID, 1),
    "half of a character": ('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\\ud800"}}', INVALID, 1),
    "another jsonrpc": ('{"jsonrpc":"1.0","id":1,"method":"ping"}', INVALID, 1),
    "a batch in a version without": ("[]", PARSE, None),
    "an unknown method": (_ask("resources/list"), NO_METHOD, 1),
    "discover without a version": (_ask("server/discover"), NO_METHOD, 1),
    "initialize in the stateless version": (_ask("initialize", _meta=STATELESS), NO_METHOD, 1),
    "a cursor": (_ask("tools/list", cursor="x"), BAD_PARAMS, 1),
    "a call without a name": (_ask("tools/call", arguments={}), BAD_PARAMS, 1),
    "arguments that are a list": (_ask("tools/call", name="echo", arguments=[]), BAD_PARAMS, 1),
    "an unknown tool": (_ask("tools/call", name="other"), BAD_PARAMS, 1),
    "a version that nobody knows": (
        _ask("tools/list", _meta={**STATELESS, f"{META}protocolVersion": "2030-01-01"}),
        BAD_VERSION,
        1,
    ),
    "no capabilities": (_ask("tools/list", _meta={f"{META}protocolVersion": "2026-07-28"}), BAD_PARAMS, 1),
}


@pytest.mark.parametrize(("line", "code", "number"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_answered_with_an_error_and_the_session_goes_on(line: Any, code: int, number: object) -> None:
    refused, pinged = _talk(line, _ask("ping", 2))
    if refused.get("id") == 2:  # a call waits its turn, a ping does not
        refused, pinged = pinged, refused
    assert (refused["error"]["code"], refused["id"]) == (code, number)
    assert pinged == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_notifications_and_answers_get_no_answer() -> None:
    assert _talk({"jsonrpc": "2.0", "method": "whatever"}, {"jsonrpc": "2.0", "id": 9, "result": {}}) == []


def test_a_batch_comes_back_as_one_where_the_version_has_batches() -> None:
    greeting, batch = _talk(
        _ask("initialize", protocolVersion="2025-03-26"),
        [_ask("ping", 1), {"jsonrpc": "2.0", "method": "x"}, _ask("tools/call", 2, name="echo"), _ask("no", 3)],
    )
    assert greeting["result"]["protocolVersion"] == "2025-03-26"
    assert sorted(answer["id"] for answer in batch) == [1, 2, 3]


def test_an_error_of_ours_is_an_error_answer() -> None:
    def refuse(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        raise RefusedError("not-enabled", "the gate refused it")

    (answer,) = _talk(_ask("tools/call", name="echo"), call=refuse)
    assert answer["error"] == {"code": OURS, "message": "plugseal: the gate refused it"}


class Session:
    """A client that talks to a server in a thread."""

    def __init__(self, **offer: Any) -> None:
        to_server, from_client = os.pipe()
        from_server, to_client = os.pipe()
        self.server = McpServer(
            Offer(**{"tools": lambda: TOOLS, "call": self._work, **offer}), client=(to_server, to_client)
        )
        self.asked = threading.Event()
        self.ended: list[bool] = []
        self._out = os.fdopen(from_client, "wb", buffering=0)
        self._in = os.fdopen(from_server, "rb")
        self._thread = threading.Thread(target=self._serve, args=(to_client,))
        self._thread.start()

    def _serve(self, to_client: int) -> None:
        self.server.serve()
        os.close(to_client)

    def _work(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self.asked.set()
        self.server.progress(1, total=2)
        while self.server.attend():
            pass
        self.ended.append(True)
        return _echo(name, arguments)

    def send(self, *bodies: dict[str, Any]) -> None:
        for body in bodies:
            self._out.write(json.dumps(body).encode() + b"\n")

    def receive(self) -> Any:
        return json.loads(self._in.readline())

    def close(self) -> None:
        self._out.close()
        self._thread.join(60)
        assert not self._thread.is_alive()


@pytest.fixture
def open_session() -> Iterator[Callable[..., Session]]:
    opened: list[Session] = []

    def begin(**offer: Any) -> Session:
        opened.append(Session(**offer))
        return opened[-1]

    yield begin
    for session in opened:
        session.close()


def test_during_a_call_pings_are_answered_and_the_call_can_be_cancelled(open_session: Callable[..., Session]) -> None:
    session = open_session()
    session.send(_ask("tools/call", 1, name="echo", _meta={"progressToken": "p"}))
    session.asked.wait(60)
    session.send(_ask("tools/call", 2, name="echo"), _ask("tools/call", 1, name="echo"), _ask("ping", 3))
    assert session.receive()["params"] == {"progressToken": "p", "progress": 1, "total": 2}
    assert session.receive()["error"]["message"] == "a call with its ID waits already"
    assert session.receive()["id"] == 3
    for number in (2, 1):
        session.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    session.send(_ask("ping", 4))
    assert session.receive()["id"] == 4  # neither 1 nor 2 is answered
    session.close()
    assert session.ended == [True]


def test_a_call_ends_soon_after_its_client_went_away(open_session: Callable[..., Session]) -> None:
    session = open_session()
    session.send(_ask("tools/call", 1, name="echo"))
    session.asked.wait(60)
    session.close()
    assert session.ended == [True]


@pytest.mark.parametrize("greeted", [True, False], ids=["behind a greeting", "alone"])
def test_a_call_that_was_given_with_all_the_rest_is_answered_however_long_it_takes(greeted: bool) -> None:
    def slowly(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        time.sleep(LEAVING_SECONDS + 0.3)
        return _echo(name, arguments)

    greeting = [_ask("initialize", 0, protocolVersion="2025-06-18")] if greeted else []
    *_, one, two = _talk(*greeting, _ask("tools/call", 1, name="echo"), _ask("tools/call", 2, name="echo"), call=slowly)
    assert [one["id"], two["id"]] == [1, 2]


def test_a_client_that_closed_its_ears_ends_a_call_at_once(
    open_session: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session()
    session.send(_ask("tools/call", 1, name="echo"))
    session.asked.wait(60)
    session._in.close()
    session._thread.join(60)
    assert session.ended == [True]


def test_a_change_of_the_tools_is_told_to_a_client_that_was_greeted(open_session: Callable[..., Session]) -> None:
    changes = iter([False, True, False])
    greeted = threading.Event()

    def look() -> bool:
        return greeted.is_set() and next(changes, False)

    session = open_session(look=look)
    session.send(_ask("initialize", protocolVersion="2025-06-18"))
    assert session.receive()["result"]["capabilities"] == {"tools": {"listChanged": True}}
    greeted.set()
    assert session.receive() == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


@pytest.mark.parametrize("meta", [5, "x", None, [1], {"own": 1}], ids=str)
def test_what_a_plugin_puts_beside_its_result_ends_no_host(meta: object) -> None:
    asked = _ask("tools/call", name="echo", _meta=STATELESS)
    (answer,) = _talk(asked, call=lambda *_: {"content": [], "_meta": meta})
    assert answer["result"]["content"] == []
    assert f"{META}serverInfo" in answer["result"]["_meta"]
    assert ("own" in answer["result"]["_meta"]) == isinstance(meta, dict)
