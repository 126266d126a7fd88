"""A world for tests of Codewhale's runtime: a workspace, a user's folder, bundles, and the ceremony by the commands."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plugseal.cli.main import main
from plugseal.model.policy import GatePolicy
from plugseal.runtime.codewhale.pool import Pool
from plugseal.runtime.codewhale.skills import SkillCatalogue
from plugseal.trust.record import Record
from plugseal.trust.store import Store
from plugseal.verbs import trust as verbs
from plugseal.verbs.codewhale import bundles
from plugseal.verbs.codewhale.start import Start, begin
from plugseal.verbs.state import open_store

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "codewhale"
HEAD = 'schema_version = 1\n[plugin]\nname = "{name}"\nversion = "1.0.0"\n'
SKILL = "---\nname: hello\ndescription: Greets.\n---\nSay hello.\n"
SERVER = '''"""Answer MCP by lines; `hang` never answers, `look` says what it is given, `fail` what it is told to."""

import json
import os
import sys

NAMES = ("echo", "hang", "look", "fail")
TOOLS = [{"name": name, "description": "One.", "inputSchema": {"type": "object"}} for name in NAMES]
ABLE = {"tools": {}, "resources": {}, "prompts": {}}
for line in sys.stdin:
    request = json.loads(line)
    method, params = request.get("method"), request.get("params") or {}
    arguments = params.get("arguments") or {}
    if "id" not in request:
        continue
    answer = {"result": {}}
    if method == "initialize":
        info = {"name": "s", "version": "1"}
        answer = {"result": {"protocolVersion": params["protocolVersion"], "capabilities": ABLE, "serverInfo": info}}
    elif method == "tools/list":
        answer = {"result": {"tools": TOOLS}}
    elif method == "resources/list":
        answer = {"result": {"resources": [{"uri": "memo:1", "name": "one"}]}}
    elif method == "resources/templates/list":
        answer = {"result": {"resourceTemplates": [{"uriTemplate": "memo:{n}", "name": "any"}]}}
    elif method == "resources/read":
        answer = {"result": {"contents": [{"uri": params["uri"], "text": "one"}]}}
    elif method == "prompts/list":
        answer = {"result": {"prompts": [{"name": "ask"}]}}
    elif method == "prompts/get":
        answer = {"result": {"messages": []}}
    elif params.get("name") == "hang":
        open(arguments["marker"], "w").close()
        continue
    elif params.get("name") == "fail":
        sys.stderr.write(arguments["message"] + "\\n")
        sys.stderr.flush()
        answer = {"error": {"code": -32000, "message": arguments["message"]}}
    elif params.get("name") == "look":
        told = {"environment": dict(os.environ), "argv": sys.argv, "cwd": os.getcwd(), "pid": os.getpid()}
        answer = {"result": {"content": [{"type": "text", "text": json.dumps(told)}]}}
    else:
        answer = {"result": {"content": [{"type": "text", "text": json.dumps(arguments)}]}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
'''
LOCAL = '[mcp_servers.local]\ncommand = "python3"\nargs = ["server.py"]\n'


class World:
    """A workspace and a user's folder, with one state."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch, *, workspace: str = "workspace") -> None:
        self.root = root
        self.workspace = root / workspace
        self.user = root / "user"
        self.workspace.mkdir(parents=True)
        patch.setenv("PLUGSEAL_HOME", str(root / "state"))
        patch.setenv("CODEWHALE_HOME", str(self.user))
        for name in ("NO_COLOR", "FORCE_COLOR", "PLUGSEAL_FORMAT"):
            patch.delenv(name, raising=False)
        self.told: list[str] = []

    @property
    def store(self) -> Store:
        """Return the store of this world."""
        return open_store()

    def home(self, scope: str = "workspace") -> Path:
        """Return a discovery root."""
        return self.user / "plugins" if scope == "user" else self.workspace / ".codewhale" / "plugins"

    def bundle(
        self,
        name: str = "hello",
        more: str = f"[skills]\n{LOCAL}",
        *,
        scope: str = "workspace",
        files: Mapping[str, str] | None = None,
    ) -> Path:
        """Write a bundle with a skill and a server."""
        path = self.home(scope) / name
        written = {"skills/hello/SKILL.md": SKILL, "server.py": SERVER, **(files or {})}
        for file, text in {"plugin.toml": HEAD.format(name=name) + more, **written}.items():
            (path / file).parent.mkdir(parents=True, exist_ok=True)
            (path / file).write_text(text, "utf-8")
        return path

    def fixture(self, name: str) -> Path:
        """Copy a bundle of the fixtures into the workspace."""
        path = self.home() / name
        shutil.copytree(FIXTURES / "desk" / "dot-codewhale" / "plugins" / name, path)
        return path

    def start(self) -> Start:
        """Begin a start, without the policy of the machine."""
        start = begin(self.workspace, self.store)
        return replace(start, host=replace(start.host, policy=GatePolicy()))

    def trust(self, name: str = "hello", *, enabled: bool = True) -> Record:
        """Trust a bundle as it is, and return what is recorded."""
        start = self.start()
        entry = bundles.find_bundle(name, start.registry)
        found = bundles.look_at_bundle(entry.bundle)
        assert found.report.token is not None, found.plugin.faults
        bundles.trust_bundle(found, found.report.token, self.store)
        if enabled:
            bundles.enable_bundle(entry, found, self.start())
        return self.record(name)

    def record(self, name: str = "hello") -> Record:
        """Return what is recorded about a bundle."""
        return bundles.record_of(name, self.start())

    def revoke(self, name: str = "hello") -> None:
        """Take the trust in a bundle."""
        verbs.revoke(self.record(name), self.store)

    def label(self, name: str = "hello") -> str:
        """Return the state of a bundle."""
        return bundles.find_bundle(name, self.start().registry).label

    def skills(self, start: Start | None = None) -> SkillCatalogue:
        """Return the skills of a start."""
        start = start or self.start()
        return SkillCatalogue(start.registry, start.host, on_event=self.told.append)

    def pool(self, start: Start | None = None, **more: Any) -> Pool:
        """Return the servers of a start."""
        start = start or self.start()
        return Pool(start.registry, start.host, on_event=self.told.append, **more)

    def stage(self, name: str = "hello") -> Path:
        """Return the staged copy of a bundle."""
        trust = self.record(name).standing.trust
        assert trust is not None
        return self.store.home / "stage" / trust.content

    def events(self, name: str = "hello") -> list[tuple[str, str]]:
        """Return (event, reason) of everything in the runs of a bundle."""
        tail = self.store.runs(self.record(name).subject).trail.tail
        return [(str(entry["event"]), str(entry["reason"])) for entry in tail]


def command(*words: str | Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run a command line, and return its exit code and what it printed."""
    code = main([str(word) for word in words])
    out, errors = capsys.readouterr()
    return code, out, errors


def text_of(answer: Mapping[str, Any]) -> Any:
    """Return the text of an answer to a call, read as JSON."""
    return json.loads(answer["result"]["content"][0]["text"])
