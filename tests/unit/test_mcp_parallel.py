"""The MCP server for several calls at a time: who is answered when, what cancelling does, and who misses progress."""

from __future__ import annotations

import json
import os
import select
from typing import Any

from plugseal.errors import SupervisorError
from plugseal.runtime.mcp_parallel import Ask, ParallelMcpServer
from plugseal.runtime.mcp_server import Offer

TOOLS = [{"name": "work", "description": "", "inputSchema": {"type": "object"}}]
DONE = {"content": [], "isError": False}


class Served:
    """A server whose turns are taken one by one, and its client."""

    def __init__(self) -> None:
        to_server, self.client_out = os.pipe()
        self.client_in, to_client = os.pipe()
        self.asks: list[tuple[dict[str, Any], Ask]] = []
        self.server = ParallelMcpServer(Offer(lambda: TOOLS, _never), self._begin, client=(to_server, to_client))
        self._rest = b""

    def _begin(self, name: str, arguments: dict[str, Any], ask: Ask) -> None:
        if arguments.get("refuse"):
            raise SupervisorError("no room")
        self.asks.append((arguments, ask))

    def say(self, *messages: Any) -> None:
        """Send messages and let the server take them."""
        os.write(self.client_out, b"".join(json.dumps(message).encode() + b"\n" for message in messages))
        self.turn()

    def turn(self) -> None:
        """Let the server do what it does between two waits."""
        self.server._turn(0.0)
        while self.server._waiting:
            self.server._work(self.server._waiting.popleft())

    def heard(self) -> list[Any]:
        """Return what came back by now."""
        while select.select([self.client_in], [], [], 0)[0]:
            self._rest += os.read(self.client_in, 65536)
            self.server._to.flush()
        *lines, self._rest = self._rest.split(b"\n")
        return [json.loads(line) for line in lines]


def _never(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    raise AssertionError(name)


def _call(number: object, token: object = None, **arguments: Any) -> dict[str, Any]:
    meta = {} if token is None else {"_meta": {"progressToken": token}}
    params = {"name": "work", "arguments": arguments, **meta}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_calls_are_answered_in_the_order_in_which_they_end_and_each_once() -> None:
    served = Served()
    served.say(_call(1, n=1), _call("two", n=2), {"jsonrpc": "2.0", "id": 3, "method": "ping"})
    assert [one["id"] for one in served.heard()] == [3]
    (_, first), (_, second) = served.asks
    second.answer(DONE)
    second.answer(DONE)
    first.answer(DONE)
    assert [one["id"] for one in served.heard()] == ["two", 1]


def test_an_id_that_waits_is_refused_and_free_again_after_the_answer() -> None:
    served = Served()
    served.say(_call(1))
    served.say(_call(1))
    assert "waits already" in served.heard()[0]["error"]["message"]
    served.asks[0][1].answer(DONE)
    served.say(_call(1))
    assert len(served.asks) == 2


def test_a_cancelled_call_is_wanted_no_more_and_gets_no_answer() -> None:
    served = Served()
    served.say(_call(1, token="t"), _call(2))
    served.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    (_, first), (_, second) = served.asks
    assert (first.is_wanted, second.is_wanted) == (False, True)
    first.progress("late")
    first.answer(DONE)
    second.answer(DONE)
    assert [one["id"] for one in served.heard()] == [2]


def test_what_cannot_be_begun_is_answered_at_once() -> None:
    served = Served()
    served.say(_call(1, refuse=True), {**_call(2), "params": {"name": "other"}})
    assert [one["error"]["message"] for one in served.heard()] == ["plugseal: no room", "there is no tool `other`"]
    assert served.asks == []


def test_progress_is_told_to_who_asked_numbered() -> None:
    served = Served()
    served.say(_call(1, token="t"), _call(2))
    for _, ask in served.asks:
        ask.progress("half")
        ask.progress("all")
    assert [one["params"] for one in served.heard()] == [
        {"progressToken": "t", "progress": 1, "message": "half"},
        {"progressToken": "t", "progress": 2, "message": "all"},
    ]


def test_a_client_that_does_not_keep_up_misses_progress_and_never_an_answer() -> None:
    served = Served()
    served.say(_call(1, token="t"))
    ((_, ask),) = served.asks
    for _ in range(20_000):
        ask.progress("x" * 4000)
    ask.answer(DONE)
    found = served.heard()
    assert found[-1] == {"jsonrpc": "2.0", "id": 1, "result": DONE}
    assert 100 < len(found) < 1000


def test_answers_of_a_batch_go_back_together() -> None:
    served = Served()
    served.say({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}})
    served.heard()
    served.say([_call(1), _call(2)])
    (_, first), (_, second) = served.asks
    second.answer(DONE)
    assert served.heard() == []
    first.answer(DONE)
    (batch,) = served.heard()
    assert [one["id"] for one in batch] == [2, 1]


def test_a_client_that_goes_away_ends_the_session_and_its_calls_are_wanted_no_more() -> None:
    served = Served()
    served.say(_call(1))
    os.close(served.client_out)
    served.server.serve()
    assert not served.asks[0][1].is_wanted
