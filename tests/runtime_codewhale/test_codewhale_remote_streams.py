"""Sessions and streams of remote servers: what is forgotten begins anew, what breaks goes on, what is asked is told."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import SupervisorError
from tests import codewhale_world as worlds
from tests import remote_server as remotes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
ID = "plugin-5-hello-far"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    return worlds.World(tmp_path / "world", monkeypatch)


@pytest.fixture
def remote() -> Iterator[Any]:
    with remotes.serving() as found:
        yield found


def far(world: Any, remote: Any, more: str = "", *, scheme: str = "http", host: str = "127.0.0.1") -> None:
    """Trust and enable a bundle with a remote server."""
    url = f"{scheme}://{host}:{remote.port}/mcp"
    manifest = f'[mcp_servers.far]\nurl = "{url}"\n{more}[capabilities]\nnetwork_hosts = ["{host}"]\n'
    world.bundle(more=manifest)
    world.trust()


def echo(pool: Any, **arguments: object) -> Any:
    """Call the tool that answers with what it was given."""
    return worlds.text_of(pool.call_tool(ID, "echo", arguments))


def test_a_forgotten_session_begins_anew_and_the_call_is_made_once(world: Any, remote: Any) -> None:
    forgotten: list[str] = []

    def step(handler: Any) -> bool:
        is_call = handler.body is not None and handler.body.get("method") == "tools/call"
        if is_call and not forgotten:
            forgotten.append(handler.headers["Mcp-Session-Id"])
            remote.session = "session-2"
            handler.reply(404)
            return True
        return False

    far(world, remote)
    remote.step = step
    with world.pool() as pool:
        assert echo(pool, n=1) == {"n": 1}
    calls = [head["mcp-session-id"] for _, _, head, body in remote.seen if body and body["method"] == "tools/call"]
    assert calls == ["session-1", "session-2"]


def test_a_broken_stream_goes_on_where_it_broke(world: Any, remote: Any) -> None:
    asked: list[str] = []

    def step(handler: Any) -> bool:
        if handler.command == "GET":
            asked.append(handler.headers["Last-Event-ID"])
            handler.events([json.dumps(remote.answer(held[0]))], number="8")
            return True
        if handler.body.get("method") == "tools/call":
            held.append(handler.body)
            handler.start_events()
            handler.wfile.write(b'id: 7\nretry: 1\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n')
            handler.close_connection = True
            return True
        return False

    held: list[Any] = []
    far(world, remote)
    remote.step = step
    with world.pool() as pool:
        assert echo(pool, n=1) == {"n": 1}
    assert asked == ["7"]


def test_a_stream_that_begins_with_an_id_alone_may_end_and_go_on_later(world: Any, remote: Any) -> None:
    held: list[Any] = []

    def step(handler: Any) -> bool:
        if handler.command == "GET":
            handler.events([json.dumps(remote.answer(held[0]))])
            return True
        if handler.body.get("method") == "tools/call":
            held.append(handler.body)
            handler.start_events()
            handler.wfile.write(b"id: first\nretry: 1\ndata:\n\n")
            handler.close_connection = True
            return True
        return False

    far(world, remote)
    remote.step = step
    with world.pool() as pool:
        assert echo(pool, n=1) == {"n": 1}
    assert [head["last-event-id"] for method, _, head, _ in remote.seen if method == "GET"] == ["first"]


def test_a_stream_that_breaks_without_an_id_is_an_error_and_asks_nothing_twice(world: Any, remote: Any) -> None:
    def step(handler: Any) -> bool:
        if handler.body is None or handler.body.get("method") != "tools/call":
            return False
        handler.start_events()
        handler.wfile.write(b": nothing\n\n")
        handler.close_connection = True
        return True

    far(world, remote)
    remote.step = step
    with world.pool() as pool, pytest.raises(SupervisorError, match="ended without an answer"):
        echo(pool)
    assert remote.messages().count("tools/call") == 1


def test_what_a_server_asks_meanwhile_is_answered(world: Any, remote: Any) -> None:
    def step(handler: Any) -> bool:
        if handler.body.get("method") != "tools/call":
            return False
        asked = [{"jsonrpc": "2.0", "id": "a", "method": "ping"}, {"jsonrpc": "2.0", "id": "b", "method": "roots/list"}]
        handler.events([json.dumps(one) for one in [*asked, remote.answer(handler.body)]])
        return True

    far(world, remote)
    remote.step = step
    with world.pool() as pool:
        assert echo(pool, n=1) == {"n": 1}
    answers = [body for _, _, _, body in remote.seen if isinstance(body, dict) and "method" not in body]
    assert answers == [
        {"jsonrpc": "2.0", "id": "a", "result": {}},
        {"jsonrpc": "2.0", "id": "b", "error": {"code": -32601, "message": "no such method"}},
    ]


def test_a_version_of_the_protocol_that_nobody_knows_is_refused(world: Any, remote: Any) -> None:
    def step(handler: Any) -> bool:
        if handler.body.get("method") != "initialize":
            return False
        about = {"protocolVersion": "1999-01-01", "capabilities": {}}
        handler.reply(200, json.dumps({"jsonrpc": "2.0", "id": handler.body["id"], "result": about}))
        return True

    remote.step = step
    far(world, remote)
    with world.pool() as pool, pytest.raises(SupervisorError, match="no version of the protocol that is known here"):
        echo(pool)
    assert "notifications/initialized" not in remote.messages()
