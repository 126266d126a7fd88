"""Published MCP servers, installed into plugins, reviewed and trusted, driven through the gate by the official client.

What the client saw stands in `docs/guide/real-servers.md` and is compared with it; `PLUGSEAL_ACCEPT=1` writes it there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plugseal.model.look import Look
from plugseal.runtime.reaper import descendants
from plugseal.trust.store import Store, subject_key
from plugseal.verbs.look import look
from plugseal.verbs.select import Selection
from plugseal.verbs.trust import enable, revoke, trust
from tests import gated

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "guide" / "real-servers.md"
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "plugseal-tests"
SHELF = Path(os.environ.get("PLUGSEAL_TEST_SERVERS") or _CACHE / f"servers-2026.10-{sys.implementation.cache_tag}")
pytestmark = pytest.mark.skipif(
    not (SHELF / "complete").exists(), reason="the published servers are not installed: `sh tests/run` does it"
)
_SECONDS = 300
_SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"
_MODULES = "${PLUGIN_ROOT}/node_modules/@modelcontextprotocol"
HANDSHAKES = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
ALL = [*HANDSHAKES, "2026-07-28"]
PLUGINS: dict[str, dict[str, Any]] = {
    "npm": {
        "filesystem": {"command": "node", "args": [f"{_MODULES}/server-filesystem/dist/index.js", "${PLUGIN_DATA}"]},
        "everything": {"command": "node", "args": [f"{_MODULES}/server-everything/dist/index.js", "stdio"]},
        "memory": {
            "command": "node",
            "args": [f"{_MODULES}/server-memory/dist/index.js"],
            "env": {"MEMORY_FILE_PATH": "${PLUGIN_DATA}/memory.jsonl"},
        },
    },
    "pypi": {
        "time": {
            "command": "python3",
            "args": ["-m", "mcp_server_time", "--local-timezone", "UTC"],
            "cwd": "${PLUGIN_ROOT}/lib",
        },
        "git": {"command": "python3", "args": ["-m", "mcp_server_git"], "cwd": "${PLUGIN_ROOT}/lib"},
    },
}
SESSIONS: dict[str, tuple[str, list[str], list[tuple[str, dict[str, Any]]]]] = {
    "filesystem": (
        "npm",
        HANDSHAKES,
        [
            ("write_file", {"path": "DATA/VERSION.txt", "content": "reviewed"}),
            ("read_text_file", {"path": "DATA/VERSION.txt"}),
            ("read_text_file", {"path": "/etc/hostname"}),
        ],
    ),
    "memory": (
        "npm",
        HANDSHAKES,
        [
            ("create_entities", {"entities": [{"name": "VERSION", "entityType": "protocol", "observations": ["ok"]}]}),
            ("open_nodes", {"names": ["VERSION"]}),
        ],
    ),
    "everything": (
        "npm",
        HANDSHAKES,
        [("echo", {"message": "through the gate"}), ("get-sum", {"a": 2, "b": 40})],
    ),
    "git": (
        "pypi",
        ALL,
        [
            ("git_create_branch", {"repo_path": "ROOT/repository", "branch_name": "review-VERSION"}),
            ("git_status", {"repo_path": "ROOT/repository"}),
        ],
    ),
    "time": (
        "pypi",
        ALL,
        [("convert_time", {"source_timezone": "UTC", "time": "16:30", "target_timezone": "Asia/Tokyo"})],
    ),
}


class Shelf:
    """Both plugins, trusted and enabled in one state folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = Store(root / "state")
        self.looks: dict[str, Look] = {}
        for name, servers in PLUGINS.items():
            source = root / name
            shutil.copytree(SHELF / name, source)
            manifest = {"$schema": f"{_SCHEMAS}/plugin.schema.json", "name": name, "version": "1.0.0"}
            table = {key: {"type": "stdio", **value} for key, value in servers.items()}
            (source / "plugin.json").write_text(json.dumps(manifest | {"description": "Published servers."}))
            (source / "mcp.json").write_text(
                json.dumps({"$schema": f"{_SCHEMAS}/mcp.schema.json", "mcpServers": table})
            )
            self.looks[name] = look(Selection(source), system="agent-plugins")
            self.trust(name)

    def trust(self, name: str) -> None:
        """Trust and enable what was looked at."""
        found = self.looks[name]
        assert found.report.token is not None
        trust(found, found.report.token, self.store)
        enable(found, self.store)

    def data(self, name: str) -> Path:
        """Return the folder that stays between starts of a plugin."""
        return self.store.home / "data" / subject_key(self.looks[name].subject)

    def job(self, server: str, versions: list[str], steps: list[Any], **more: Any) -> list[str]:
        """Return the command of a client that talks with a server through the gate."""
        plugin = next(name for name, servers in PLUGINS.items() if server in servers)
        job = {
            "command": sys.executable,
            "args": ["-I", "-m", "plugseal", "run", self.looks[plugin].id, f"server:{server}"],
            "env": {"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(self.store.home)},
            "cwd": "/usr",
            "errors": str(self.root / "errors"),
            "versions": versions,
            "steps": steps,
            **more,
        }
        (self.root / "errors").write_text("")
        text = json.dumps(job).replace("DATA", str(self.data(plugin))).replace("ROOT", str(self.root))
        return [sys.executable, str(HERE / "mcp_session.py"), text]

    def talk(self, server: str, versions: list[str], steps: list[Any]) -> list[dict[str, Any]]:
        """Return what a client saw, a session each."""
        around = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(SHELF / "sdk")}
        words = self.job(server, versions, steps)
        ran = subprocess.run(words, capture_output=True, text=True, env=around, timeout=_SECONDS)
        assert ran.returncode == 0, ran.stderr
        return [json.loads(row) for row in ran.stdout.splitlines()]

    @property
    def errors(self) -> str:
        """Return what the gate and the server said on standard error in the last session."""
        return (self.root / "errors").read_text()


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir("/usr")
        patch.setenv("PATH", gated.interpreter_path())
        yield Shelf(tmp_path_factory.mktemp("shelf"))


def _rows(session: dict[str, Any], shelf: Shelf, plugin: str) -> list[str]:
    """Return the calls of a session and their answers, without what is another at each run."""
    text = []
    for name, arguments, failed, answer in session["steps"]:
        text.append(f"{name} {json.dumps(arguments)}{'  (an error)' if failed else ''}")
        text += [f"  {line}" for line in answer.splitlines()]
    whole = "\n".join(text).replace(str(shelf.data(plugin)), "DATA").replace(str(shelf.root), "ROOT")
    whole = whole.replace(session["asked"], "VERSION")
    whole = re.sub(r"\d{4}-\d\d-\d\dT", "DATE-T", whole)
    return re.sub(r'"day_of_week": "[A-Z][a-z]+day"', '"day_of_week": "…"', whole).splitlines()


def _version(plugin: str, server: str) -> str:
    if plugin == "npm":
        path = SHELF / "npm/node_modules/@modelcontextprotocol" / f"server-{server}/package.json"
        return f"@modelcontextprotocol/server-{server} {json.loads(path.read_text())['version']} (npm)"
    (folder,) = (SHELF / "pypi/lib").glob(f"mcp_server_{server}-*.dist-info")
    return f"mcp-server-{server} {folder.name.split('-')[1].removesuffix('.dist')} (PyPI)"


@pytest.mark.parametrize("server", SESSIONS)
def test_the_official_client_works_through_the_gate_in_every_version(server: str, shelf: Shelf) -> None:
    plugin, versions, steps = SESSIONS[server]
    repository = shelf.root / "repository"
    if server == "git":
        for words in (["init", "-q", "-b", "main"], ["commit", "-q", "--allow-empty", "-m", "first"]):
            repository.mkdir(parents=True, exist_ok=True)
            identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
            subprocess.run(["git", *identity, *words], cwd=repository, check=True, timeout=60)
    sessions = shelf.talk(server, versions, list(steps))
    assert [session.get("version") for session in sessions] == versions, (sessions, shelf.errors)
    transcripts = {tuple(_rows(session, shelf, plugin)) for session in sessions}
    assert len(transcripts) == 1
    for version in versions:
        if server == "filesystem":
            assert (shelf.data(plugin) / f"{version}.txt").read_text() == "reviewed"
        if server == "memory":
            assert version in (shelf.data(plugin) / "memory.jsonl").read_text()
        if server == "git":
            assert (repository / ".git/refs/heads" / f"review-{version}").exists()
    head = [
        f"package  {_version(plugin, server)}",
        f"speaks   {', '.join(versions)}",
        f"tools    {', '.join(sessions[0]['tools'])}",
    ]
    _compare(server, [*head, "", *next(iter(transcripts))])


def _compare(name: str, rows: list[str]) -> None:
    """Compare what happened with the page, or write it there."""
    page = PAGE.read_text(encoding="utf-8")
    block = re.compile(rf"^```text {name}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    found = "".join(f"{row}\n" if row.strip() else "\n" for row in rows)
    if os.environ.get("PLUGSEAL_ACCEPT"):
        PAGE.write_text(block.sub(lambda _: f"```text {name}\n{found}```", page), encoding="utf-8")
        return
    assert block.findall(page) == [found]


def test_an_edited_byte_is_refused_and_the_restored_one_runs(shelf: Shelf) -> None:
    file = shelf.root / "npm/node_modules/zod/package.json"
    data = file.read_bytes()
    file.write_bytes(data.replace(b'"', b"'", 1))
    (session,) = shelf.talk("filesystem", ["2025-11-25"], [])
    assert "error" in session
    assert "content-drifted" in shelf.errors
    assert not descendants()
    said = [row for row in shelf.errors.replace(str(shelf.root), "…").splitlines() if row]
    _compare("refused", [re.sub(r"@[0-9a-f]{12}", "@ID", row) for row in said if "trusted:" not in row])
    file.write_bytes(data)
    (session,) = shelf.talk("filesystem", ["2025-11-25"], [])
    assert "write_file" in session["tools"]


def test_a_revocation_in_flight_ends_a_call_and_leaves_no_process(shelf: Shelf) -> None:
    long = ["trigger-long-running-operation", {"duration": 600, "steps": 6000}]
    around = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(SHELF / "sdk")}
    words = shelf.job("everything", ["auto"], [], hold=long)
    client = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=around)
    try:
        assert client.stdout is not None
        assert client.stdout.readline() == "holding\n", shelf.errors
        below = [pid for gate in descendants(client.pid) for pid in [gate, *descendants(gate)]]
        assert len(set(below)) == 3  # the gate, its reaper, the server
        (record,) = (found for found in shelf.store.records() if found.subject.name == "npm")
        revoke(record, shelf.store)
        out, _ = client.communicate(timeout=_SECONDS)
    finally:
        client.kill()
    session = json.loads(out.splitlines()[-1])
    assert session["held"] == "plugseal: revoked-meanwhile"
    assert [pid for pid in below if Path(f"/proc/{pid}").exists()] == []
    _compare("revoked", [f"trigger-long-running-operation {json.dumps(long[1])}", f"  {session['held']}"])
    shelf.trust("npm")
