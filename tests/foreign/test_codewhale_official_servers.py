"""The published `server-everything` over HTTP, through a reviewed bundle: both transports as others speak them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import codewhale_world as worlds

_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "plugseal-tests"
SHELF = Path(os.environ.get("PLUGSEAL_TEST_SERVERS") or _CACHE / f"servers-2026.10-{sys.implementation.cache_tag}")
SERVER = SHELF / "npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js"
pytestmark = pytest.mark.skipif(
    not (SHELF / "complete").exists() or shutil.which("node") is None,
    reason="the published servers are not installed: `sh tests/run` does it",
)
ID = "plugin-5-hello-far"
_READY = "port"


@pytest.fixture(params=["streamableHttp", "sse"])
def address(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """Yield the address of a server that is up, and what its manifest says of its transport."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        ["node", str(SERVER), request.param],
        env={"PATH": os.environ["PATH"], "PORT": str(port)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stderr is not None
        while _READY not in (line := server.stderr.readline()):
            assert line, "the server ended before it listened"
        if request.param == "sse":
            yield f"http://127.0.0.1:{port}/sse", 'transport = "sse"\n'
        else:
            yield f"http://127.0.0.1:{port}/mcp", ""
    finally:
        server.kill()
        server.communicate(timeout=60)


def test_tools_resources_and_prompts_are_those_of_the_server(
    address: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, transport = address
    world = worlds.World(tmp_path / "world", monkeypatch)
    manifest = f'[mcp_servers.far]\nurl = "{url}"\n{transport}[capabilities]\nnetwork_hosts = ["127.0.0.1"]\n'
    world.bundle(more=manifest)
    world.trust()
    with world.pool() as pool:
        assert {"echo", "get-sum", "trigger-long-running-operation"} <= {
            row["name"] for row in pool.rows_of(ID, "tools")
        }
        assert _text(pool.call_tool(ID, "echo", {"message": "häh?"})) == "Echo: häh?"
        assert "7" in _text(pool.call_tool(ID, "get-sum", {"a": 3, "b": 4}))
        long = pool.call_tool(ID, "trigger-long-running-operation", {"duration": 1, "steps": 4})
        assert "completed" in _text(long)
        assert pool.rows_of(ID, "prompts")
        resources = pool.rows_of(ID, "resources")
        assert pool.read_resource(ID, resources[0]["uri"])["result"]["contents"]
        world.revoke()
        assert pool.rows("tools") == {}
    assert world.events()[-1] == ("stopped", "not-trusted")


def _text(answer: dict[str, Any]) -> str:
    """Return the text of an answer."""
    return str(answer["result"]["content"][0]["text"])
