"""The example of Codewhale's own document, as it stands there, goes the whole way: skill, server, remote server."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import SupervisorError
from tests import codewhale_world as worlds

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="needs Linux"),
    pytest.mark.skipif(
        shutil.which("node") is None and not os.environ.get("PLUGSEAL_TESTS_NEED_ALL"), reason="there is no node"
    ),
]
MANIFEST = """schema_version = 1

[plugin]
name = "example"
version = "0.1.0"
description = "Example instruction and MCP bundle"
author = "Example Author"

[skills]
path = "skills"

[mcp_servers.local]
command = "node"
args = ["server.js"]
cwd = "mcp"

[mcp_servers.remote]
url = "https://example.invalid/mcp"

[capabilities]
network_hosts = ["example.invalid"]

[when]
os = ["macos", "linux", "windows"]
binaries = ["node"]
"""
SERVER = """const fs = require('node:fs');
const lines = require('node:readline').createInterface({ input: process.stdin });
const tools = [{ name: 'count', description: 'Count the files of a folder.', inputSchema: { type: 'object' } }];
lines.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  let result = {};
  if (method === 'initialize') {
    const serverInfo = { name: 'local', version: '1' };
    result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
  } else if (method === 'tools/list') {
    result = { tools };
  } else if (method === 'tools/call') {
    const text = JSON.stringify({ files: fs.readdirSync(params.arguments.folder).length, main: __filename });
    result = { content: [{ type: 'text', text }] };
  }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
"""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    found = worlds.World(tmp_path / "world", monkeypatch)
    path = found.bundle("example", files={"mcp/server.js": SERVER})
    (path / "plugin.toml").write_text(MANIFEST)
    found.trust("example")
    return found


def test_its_skill_is_released_and_its_server_answers_from_the_copy(world: Any, tmp_path: Path) -> None:
    (tmp_path / "counted").mkdir()
    (tmp_path / "counted" / "one").touch()
    assert world.skills().load("example:hello").text == worlds.SKILL
    with world.pool() as pool:
        assert [server.id for server in pool.servers()] == ["plugin-7-example-local", "plugin-7-example-remote"]
        folder = {"folder": str(tmp_path / "counted")}
        told = worlds.text_of(pool.call_tool("plugin-7-example-local", "count", folder))
    assert told == {"files": 1, "main": f"{world.stage('example')}/mcp/server.js"}


def test_its_remote_server_is_asked_for_and_not_found(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    def resolve(host: str, port: int, **_: object) -> list[Any]:
        asked.append((host, port))
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr("socket.getaddrinfo", resolve)
    with world.pool() as pool, pytest.raises(SupervisorError, match="name can't be resolved"):
        pool.rows_of("plugin-7-example-remote", "tools")
    assert asked == [("example.invalid", 443)]
    assert world.events("example") == [("started", ""), ("ended", "")]
