"""Servers behind a URL in lingtai's host: at their reviewed address alone, with their headers as they are written."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from plugseal.errors import PlugsealError, RefusedError, SupervisorError
from plugseal.trust.record import Record
from plugseal.verbs.lingtai.run import call_tool
from plugseal.verbs.trust import revoke
from tests.lingtai_agents import Agent
from tests.remote_server import Handler, Remote, serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agent:
    monkeypatch.chdir("/usr")
    monkeypatch.setenv("TOKEN", "s3cret")
    return Agent(tmp_path)


@pytest.fixture
def remote() -> Iterator[Remote]:
    with serving() as found:
        yield found


def _ready(agent: Agent, remote: Remote, kind: str = "streamable-http", **more: object) -> None:
    url = f"http://127.0.0.1:{remote.port}/mcp"
    agent.ready(agent.plugin("far", {"far": {"type": kind, "url": url, **more}}))


def _call(agent: Agent, tool: str, **arguments: object) -> str:
    answer = call_tool(agent.folder, tool, json.dumps(arguments), agent.store, on_event=lambda _: None)
    return str(answer["result"]["content"][0]["text"])


def _record(agent: Agent) -> Record:
    (record,) = agent.store.records()
    assert isinstance(record, Record)
    return record


@pytest.mark.parametrize("kind", ["streamable-http", "sse"])
def test_a_tool_of_a_remote_server_is_called_over_its_declared_transport(
    kind: str, agent: Agent, remote: Remote
) -> None:
    _ready(agent, remote, kind)
    assert _call(agent, "echo", text="there") == '{"text": "there"}'
    assert remote.messages().count("tools/call") == 1
    assert ("GET" in {method for method, *_ in remote.seen}) == (kind == "sse")
    assert "started" in [str(entry["event"]) for entry in agent.store.runs(_record(agent).subject).trail.tail]


def test_headers_are_sent_as_written_and_no_variable_gets_in(agent: Agent, remote: Remote) -> None:
    _ready(agent, remote, headers={"X-Tenant": "public", "X-Odd": "${TOKEN} ${PLUGIN_ROOT}"})
    _call(agent, "echo")
    for _, _, headers, _ in remote.seen:
        assert (headers["x-tenant"], headers["x-odd"]) == ("public", "${TOKEN} ${PLUGIN_ROOT}")


def test_a_redirect_to_another_origin_is_not_followed(agent: Agent, remote: Remote) -> None:
    with serving() as other:

        def lead_away(handler: Handler) -> bool:
            handler.reply(307, Location=f"http://127.0.0.1:{other.port}/mcp")
            return True

        remote.step = lead_away
        _ready(agent, remote, headers={"X-Tenant": "public"})
        with pytest.raises(RefusedError, match="out of its reviewed origin"):
            _call(agent, "echo")
        assert other.seen == []


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"url": "http://127.0.0.1:1/other"}, "another `url`"),
        ({"headers": {"X-Tenant": "other"}}, "`X-Tenant`"),
        ({"headers": {"Authorization": "Bearer x"}}, "`Authorization`"),
        ({"command": "true"}, "`command`"),
    ],
)
def test_an_entry_that_says_anything_else_is_never_asked(
    entry: dict[str, object], why: str, agent: Agent, remote: Remote
) -> None:
    _ready(agent, remote, headers={"X-Tenant": "public"})
    agent.activate(far={**agent.init["mcp"]["far"], **entry})
    with pytest.raises(RefusedError) as refused:
        _call(agent, "echo")
    assert why in refused.value.message
    assert remote.seen == []


def test_nothing_is_asked_before_it_is_trusted(agent: Agent, remote: Remote) -> None:
    url = f"http://127.0.0.1:{remote.port}/mcp"
    agent.declare(agent.plugin("far", {"far": {"type": "sse", "url": url}})).refresh()
    agent.activate_all()
    with pytest.raises(RefusedError) as refused:
        _call(agent, "echo")
    assert (refused.value.reason, remote.seen) == ("not-recorded", [])


def test_a_revocation_in_flight_ends_the_call(agent: Agent, remote: Remote) -> None:
    _ready(agent, remote)
    record = _record(agent)

    def take_back() -> None:
        remote.held.wait(60)
        revoke(record, agent.store)

    thread = threading.Thread(target=take_back)
    thread.start()
    try:
        with pytest.raises(RefusedError) as refused:
            _call(agent, "hang")
    finally:
        thread.join()
    assert refused.value.reason == "revoked-meanwhile"


def test_a_server_that_is_not_there_is_told_without_its_address(agent: Agent, remote: Remote) -> None:
    _ready(agent, remote)

    def refuse(handler: Handler) -> bool:
        handler.reply(401)
        return True

    remote.step = refuse
    with pytest.raises(SupervisorError) as failed:
        _call(agent, "echo")
    assert "/mcp" not in failed.value.message
    remote.step = lambda handler: handler.reply(500) is None
    with pytest.raises(PlugsealError):
        _call(agent, "echo")
