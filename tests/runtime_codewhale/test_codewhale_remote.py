"""Remote servers of Codewhale's bundles: at their reviewed origin alone, with reviewed headers, under a permission."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import PlugsealError, RefusedError, SupervisorError
from plugseal.verbs.trust import revoke
from tests import codewhale_world as worlds
from tests import remote_server as remotes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
ID = "plugin-5-hello-far"
NO_PROXY = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


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


def _odd_session(handler: Any, remote: Any) -> None:
    remote.session = "a b\x7f"
    handler.reply(200, "{}")


def echo(pool: Any, **arguments: object) -> Any:
    """Call the tool that answers with what it was given."""
    return worlds.text_of(pool.call_tool(ID, "echo", arguments))


@pytest.mark.parametrize("as_events", [False, True], ids=["answers in JSON", "answers in events"])
def test_a_call_over_streamable_http(as_events: bool, world: Any, remote: Any) -> None:
    remote.as_events = as_events
    far(world, remote)
    with world.pool() as pool:
        assert echo(pool, text="ä") == {"text": "ä"}
    assert remote.messages() == ["initialize", "notifications/initialized", "tools/list", "tools/call"]
    heads = [headers for _, _, headers, _ in remote.seen]
    assert heads[0]["accept"] == "application/json, text/event-stream"
    assert {head["host"] for head in heads} == {f"127.0.0.1:{remote.port}"}
    assert "mcp-session-id" not in heads[0]
    assert {head["mcp-session-id"] for head in heads[1:]} == {"session-1"}
    assert {head["mcp-protocol-version"] for head in heads[1:]} == {"2025-06-18"}
    assert [method for method, _, _, _ in remote.seen][-1] == "DELETE"
    assert world.events() == [("started", ""), ("pinned", ""), ("ended", "")]


def test_a_call_over_the_older_transport(world: Any, remote: Any) -> None:
    far(world, remote, 'transport = "sse"\n')
    with world.pool() as pool:
        assert echo(pool, text="x") == {"text": "x"}
        remote.release.set()
    assert [(method, target) for method, target, _, _ in remote.seen][:2] == [
        ("GET", "/mcp"),
        ("POST", "/messages?session=1"),
    ]


def test_headers_come_from_reviewed_variables_and_go_to_each_request(
    world: Any, remote: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAR_KEY", "value-of-key")
    monkeypatch.setenv("FAR_TOKEN", "value-of-token")
    far(world, remote, 'env_headers = { X-Key = "FAR_KEY" }\nbearer_token_env_var = "FAR_TOKEN"\n')
    with world.pool() as pool:
        echo(pool)
    assert {(head["x-key"], head["authorization"]) for _, _, head, _ in remote.seen} == {
        ("value-of-key", "Bearer value-of-token")
    }


def test_a_server_by_tls_is_believed_by_its_certificate_alone(world: Any, tmp_path: Path) -> None:
    file, authorities = remotes.self_made(tmp_path)
    with remotes.serving(certificate=file) as remote:
        far(world, remote, scheme="https", host="localhost")
        with world.pool(authorities=authorities) as pool:
            assert echo(pool, n=1) == {"n": 1}
        with world.pool() as pool, pytest.raises(SupervisorError, match="certificate can't be believed"):
            echo(pool)
        assert len(remote.seen) == 5


def test_a_certificate_of_another_host_is_not_believed(world: Any, tmp_path: Path) -> None:
    file, authorities = remotes.self_made(tmp_path, host="elsewhere.invalid")
    with remotes.serving(certificate=file) as remote:
        far(world, remote, scheme="https", host="localhost")
        with world.pool(authorities=authorities) as pool, pytest.raises(SupervisorError, match="can't be believed"):
            echo(pool)
        assert remote.seen == []


def test_no_variable_of_a_proxy_or_of_authorities_is_read(
    world: Any, remote: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in NO_PROXY:
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.setenv("SSL_CERT_FILE", str(remotes.self_made(tmp_path)[0]))
    far(world, remote)
    with world.pool() as pool:
        assert echo(pool, n=1) == {"n": 1}
    file, _ = remotes.self_made(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with remotes.serving(certificate=file) as secured:
        world.bundle("other", f'[mcp_servers.far]\nurl = "https://localhost:{secured.port}/mcp"\n[capabilities]\nnetwork_hosts = ["localhost"]\n')  # fmt: skip  # noqa: E501
        world.trust("other")
        with world.pool() as pool, pytest.raises(SupervisorError, match="certificate can't be believed"):
            pool.rows_of("plugin-5-other-far", "tools")


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_within_the_origin_keeps_the_message(status: int, world: Any, remote: Any) -> None:
    def step(handler: Any) -> bool:
        if handler.path == "/mcp":
            handler.reply(status, Location="/moved?x=1" if status != 307 else f"http://127.0.0.1:{remote.port}/moved")
        return handler.path == "/mcp"

    remote.step = step
    far(world, remote)
    with world.pool() as pool:
        assert echo(pool, n=1) == {"n": 1}
    assert {method for method, target, _, _ in remote.seen if target.startswith("/moved")} == {"POST"}


@pytest.mark.parametrize(
    "location",
    [
        pytest.param("http://127.0.0.1:1/mcp", id="another port"),
        pytest.param("http://localhost:{port}/mcp", id="another name of the same host"),
        pytest.param("https://127.0.0.1:{port}/mcp", id="another scheme"),
        pytest.param("http://user@127.0.0.1:{port}/mcp", id="a login"),
        pytest.param("//elsewhere.invalid/mcp", id="another host"),
        pytest.param("http:\\\\127.0.0.1:{port}\\mcp", id="backslashes"),
        pytest.param("ftp://127.0.0.1:{port}/mcp", id="another protocol"),
    ],
)
def test_a_redirect_out_of_the_origin_is_refused_and_carries_nothing(
    location: str, world: Any, remote: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAR_TOKEN", "value-of-token")
    remote.step = lambda handler: handler.reply(307, Location=location.format(port=remote.port)) is None
    far(world, remote, 'bearer_token_env_var = "FAR_TOKEN"\n')
    with world.pool() as pool, pytest.raises(RefusedError) as refused:
        echo(pool)
    assert refused.value.reason == "origin-left"
    assert "user" not in refused.value.message
    assert len(remote.seen) == 1


def test_redirects_without_end_are_ended(world: Any, remote: Any) -> None:
    remote.step = lambda handler: handler.reply(307, Location="/mcp") is None
    far(world, remote)
    with world.pool() as pool, pytest.raises(SupervisorError, match="redirects more than 5 times"):
        echo(pool)
    assert len(remote.seen) == 6


def test_a_revocation_during_a_call_ends_it(world: Any, remote: Any) -> None:
    far(world, remote)
    record = world.record()

    def take_back() -> None:
        assert remote.held.wait(60)
        revoke(record, world.store)

    thread = threading.Thread(target=take_back)
    with world.pool() as pool:
        pool.rows("tools")
        thread.start()
        with pytest.raises(RefusedError) as refused:
            pool.call_tool(ID, "hang", {})
        thread.join()
        assert refused.value.reason == "revoked-meanwhile"
        assert pool.servers() == ()
        before = len(remote.seen)
        for ask in (lambda: pool.rows_of(ID, "resources"), lambda: pool.read_resource(ID, "x"), lambda: echo(pool)):
            with pytest.raises(RefusedError):
                ask()
    assert len(remote.seen) == before
    assert world.events()[-2:] == [("stopped", "revoked-meanwhile"), ("refused", "not-trusted")]


def test_a_silent_server_is_not_waited_for(world: Any, remote: Any) -> None:
    far(world, remote, "execute_timeout = 1\n")
    with world.pool() as pool:
        with pytest.raises(SupervisorError, match="did not answer"):
            pool.call_tool(ID, "hang", {})
        remote.release.set()
        assert echo(pool, n=2) == {"n": 2}


def test_a_server_that_is_silent_from_the_start_is_given_up_by_its_own_bound(world: Any, remote: Any) -> None:
    remote.step = lambda handler: remote.release.wait(60)
    far(world, remote, "connect_timeout = 1\nexecute_timeout = 3600\n")
    with world.pool() as pool:
        with pytest.raises(SupervisorError, match="did not answer"):
            echo(pool)
        remote.release.set()
    assert remote.messages() == ["initialize"]


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        pytest.param("HTTP 500", lambda h, _: h.reply(500, "secret trace"), id="an error"),
        pytest.param("does not let us in \\(HTTP 401\\)", lambda h, _: h.reply(401, "secret"), id="no authentication"),
        pytest.param("neither JSON nor a stream", lambda h, _: h.reply(200, "secret", kind="text/html"), id="a page"),
        pytest.param("neither JSON nor a stream", lambda h, _: h.reply(204), id="nothing"),
        pytest.param("frame-ambiguous", lambda h, _: h.reply(200, "secret"), id="no JSON"),
        pytest.param("frame-ambiguous", lambda h, _: h.reply(200, '{"id":1,"id":2}'), id="a key twice"),
        pytest.param("an encoding", lambda h, _: h.reply(200, "{}", **{"Content-Encoding": "gzip"}), id="an encoding"),
        pytest.param("no answer that is HTTP", lambda h, _: h.wfile.write(b"secret\r\n\r\n"), id="no HTTP"),
        pytest.param("ended without an answer", lambda h, _: h.events([]), id="an empty stream"),
        pytest.param("no header can hold", lambda h, r: _odd_session(h, r), id="a session"),
    ],
)
def test_what_a_server_answers_wrongly_is_an_error_that_repeats_nothing(
    name: str, answer: Any, world: Any, remote: Any
) -> None:
    def step(handler: Any) -> bool:
        handler.close_connection = True
        answer(handler, remote)
        return True

    remote.step = step
    far(world, remote)
    with world.pool() as pool, pytest.raises(PlugsealError, match=name) as failed:
        echo(pool)
    assert "secret" not in failed.value.message
    assert "plugseal codewhale reload" in (failed.value.hint or "")


def test_a_header_that_belongs_to_the_message_is_refused(
    world: Any, remote: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAR_KEY", "x")
    far(world, remote, 'env_headers = { Transfer-Encoding = "FAR_KEY" }\n')
    with world.pool() as pool, pytest.raises(RefusedError, match="policy-denies"):
        echo(pool)
    assert remote.seen == []


def test_a_value_that_no_header_can_hold_is_refused_and_not_shown(
    world: Any, remote: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAR_KEY", "line\r\nInjected: yes")
    far(world, remote, 'env_headers = { X-Key = "FAR_KEY" }\n')
    with world.pool() as pool, pytest.raises(RefusedError) as refused:
        echo(pool)
    assert "Injected" not in str(refused.value.message)
    assert remote.seen == []
