"""A world for tests of the gate: a plugin with small servers, its state folder, and the ceremony by the verbs."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from plugseal.model.identity import subject_id
from plugseal.runtime.gate import Gate, Grant
from plugseal.runtime.prefetch import Prefetch
from plugseal.runtime.supervise import Supervisor
from plugseal.trust.actor import current_actor
from plugseal.trust.store import Store
from plugseal.verbs.look import look
from plugseal.verbs.select import Selection
from plugseal.verbs.trust import enable, trust

SERVER = '''"""Answer JSON-RPC by lines: tools/list, echo, sleep, and what the environment is."""

import json
import os
import sys

TOOLS = [{"name": "echo", "description": "Say it again.", "inputSchema": {"type": "object"}}]
for line in sys.stdin:
    request = json.loads(line)
    method, params = request.get("method"), request.get("params") or {}
    if "id" not in request:
        continue
    if method == "initialize":
        version = params.get("protocolVersion", "2025-11-25")
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "s"}}
    elif method == "tools/list":
        result = {"tools": TOOLS}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": str(params.get("arguments"))}]}
    elif method == "hang":
        continue
    else:
        fds = os.listdir("/proc/self/fd")
        result = {"environment": dict(os.environ), "cwd": os.getcwd(), "argv": sys.argv, "fds": fds}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
'''
_SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"
DEFAULT = {"main": {"type": "stdio", "command": "python3", "args": ["${PLUGIN_ROOT}/server.py", "--flag"]}}


class World:
    """One plugin and its state."""

    def __init__(self, root: Path, servers: dict[str, object] | None = None, **files: str) -> None:
        self.source = root / "source"
        self.store = Store(root / "state")
        self.gate = Gate(self.store, name=subject_id)
        self.source.mkdir(parents=True)
        manifest = {
            "$schema": f"{_SCHEMAS}/plugin.schema.json",
            "name": "sample",
            "version": "1.0.0",
            "description": "A.",
        }
        servers_ = {"$schema": f"{_SCHEMAS}/mcp.schema.json", "mcpServers": DEFAULT if servers is None else servers}
        self.write("plugin.json", json.dumps(manifest))
        self.write("mcp.json", json.dumps(servers_))
        self.write("server.py", SERVER)
        for name, text in files.items():
            self.write(name.replace("__", "/").replace("_dot_", "."), text)
        self.id = ""

    def write(self, name: str, text: str) -> None:
        """Write a file of the plugin."""
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def trust(self, *, enabled: bool = True) -> World:
        """Trust what is there now."""
        found = look(Selection(self.source), system="agent-plugins")
        self.id = found.id
        assert found.report.token is not None
        trust(found, found.report.token, self.store)
        if enabled:
            enable(found, self.store)
        return self

    def grant(self, component: str | None = None) -> Grant:
        """Ask the gate."""
        return self.gate.authorize(self.id, component)

    def supervisor(self, *, begun: Prefetch | None = None) -> Supervisor:
        """Return a supervisor without the policy of the machine.

        Args:
            begun: what is being read already.
        """
        from plugseal.model.policy import GatePolicy

        return Supervisor(self.store, name=subject_id, by=current_actor(), policy=GatePolicy(), begun=begun)

    @property
    def stage(self) -> Path:
        """Return the staged copy that is trusted."""
        (record,) = self.store.records()
        return self.store.home / "stage" / record.standing.trust.content  # type: ignore[union-attr]  # trusted

    def events(self) -> list[str]:
        """Return the events of the runs."""
        (record,) = self.store.records()
        return [str(entry["event"]) for entry in self.store.runs(record.subject).trail.tail]  # type: ignore[union-attr]


def interpreter_path() -> str:
    """Return a search path that begins with the folder of the interpreter of the tests."""
    return f"{os.path.dirname(os.path.realpath(sys.executable))}:{os.environ['PATH']}"
