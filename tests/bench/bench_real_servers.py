"""Measure published servers through the gate against the same servers alone: starts, calls, and what is left.

Usage: `python tests/bench/bench_real_servers.py [rounds]`, after `sh tests/run` installed the servers once.
Direct and gated runs alternate, so that a busy machine meets both; ratios are of medians.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from plugseal.trust.store import Store, subject_key
from plugseal.verbs.look import look
from plugseal.verbs.select import Selection
from plugseal.verbs.trust import enable, trust
from tests.gated import interpreter_path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "plugseal-tests"
SHELF = Path(os.environ.get("PLUGSEAL_TEST_SERVERS") or CACHE / f"servers-2026.10-{sys.implementation.cache_tag}")
SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"
MODULES = "node_modules/@modelcontextprotocol"
SERVERS = {
    "filesystem": ("npm", ["node", f"{MODULES}/server-filesystem/dist/index.js", "DATA"]),
    "everything": ("npm", ["node", f"{MODULES}/server-everything/dist/index.js", "stdio"]),
    "memory": ("npm", ["node", f"{MODULES}/server-memory/dist/index.js"]),
    "time": ("pypi", ["python3", "-m", "mcp_server_time", "--local-timezone", "UTC"]),
}
CALLS: dict[str, list[tuple[str, str, dict[str, object]]]] = {
    "filesystem": [
        ("read 100 B", "read_text_file", {"path": "DATA/small.txt"}),
        ("read 20 KB", "read_text_file", {"path": "DATA/large.txt"}),
        ("write 100 B", "write_file", {"path": "DATA/out.txt", "content": "x" * 100}),
        ("search", "search_files", {"path": "DATA", "pattern": "*.txt"}),
    ],
    "everything": [("echo 100 B", "echo", {"message": "x" * 100})],
    "memory": [("read the graph", "read_graph", {})],
    "time": [("the time", "get_current_time", {"timezone": "UTC"})],
}


class Talk:
    """One conversation with a server, direct or gated."""

    def __init__(self, words: Sequence[str], around: dict[str, str], folder: str) -> None:
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=around, cwd=folder
        )
        self._number = 0
        info = {"name": "bench", "version": "1"}
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=info)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.ask("tools/list")

    def ask(self, method: str, **params: object) -> None:
        """Send a request and wait for its answer."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self.process.stdout is not None
        while True:
            line = self.process.stdout.readline()
            if not line or json.loads(line).get("id") == self._number:
                assert line, "the server ended"
                return

    def _send(self, body: dict[str, object]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(body).encode() + b"\n")
        self.process.stdin.flush()

    def end(self) -> None:
        """Close the input and wait."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def trusted(root: Path, name: str, store: Store) -> tuple[Path, str, Path]:
    """Return the source, the ID and the data folder of a plugin with published servers, trusted and enabled."""
    source = root / name
    shutil.copytree(SHELF / name, source)
    table = {}
    for key, (plugin, words) in SERVERS.items():
        if plugin == name:
            args = [
                word.replace("DATA", "${PLUGIN_DATA}").replace(MODULES, f"${{PLUGIN_ROOT}}/{MODULES}") for word in words
            ]
            cwd = {"cwd": "${PLUGIN_ROOT}/lib"} if name == "pypi" else {}
            table[key] = {"type": "stdio", "command": args[0], "args": args[1:], **cwd}
    manifest = {"$schema": f"{SCHEMAS}/plugin.schema.json", "name": name, "version": "1.0.0", "description": "A."}
    (source / "plugin.json").write_text(json.dumps(manifest))
    (source / "mcp.json").write_text(json.dumps({"$schema": f"{SCHEMAS}/mcp.schema.json", "mcpServers": table}))
    found = look(Selection(source), system="agent-plugins")
    assert found.report.token is not None
    trust(found, found.report.token, store)
    enable(found, store)
    data = store.home / "data" / subject_key(found.subject)
    for folder in (data.parent, data):
        folder.mkdir(mode=0o700, exist_ok=True)
    (data / "small.txt").write_text("x" * 100)
    (data / "large.txt").write_text("x" * 20_000)
    return source, found.id, data


def main() -> None:
    """Measure all."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    os.chdir("/usr")
    os.environ["PATH"] = interpreter_path()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        store = Store(root / "state")
        plugins = {plugin: trusted(root, plugin, store) for plugin in ("npm", "pypi")}
        for server, (plugin, words) in SERVERS.items():
            source, plugin_id, data = plugins[plugin]
            compare(server, words, source, plugin_id, data=data, store=store, rounds=rounds)


def compare(
    server: str, words: list[str], source: Path, plugin_id: str, *, data: Path, store: Store, rounds: int
) -> None:
    """Print the ratios of one server."""
    direct = [word.replace("DATA", str(data)) for word in words]
    folder = str(source / "lib" if "-m" in direct else source)
    gated = [sys.executable, "-I", "-m", "plugseal", "run", plugin_id, f"server:{server}"]
    clean = {"PATH": os.environ["PATH"]}
    ways = {
        "direct": (direct, {**clean, "PYTHONDONTWRITEBYTECODE": "1"}, folder),
        "gated": (gated, {**clean, "PLUGSEAL_HOME": str(store.home)}, "/usr"),
    }
    starts: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, (command, around, where) in ways.items():
            began = time.perf_counter()
            talk = Talk(command, around, where)
            starts[way].append((time.perf_counter() - began) * 1000)
            talk.end()
    a, b = (statistics.median(starts[way]) for way in ways)
    print(f"{server}: start to the list of tools: direct {a:.0f} ms, gated {b:.0f} ms: {b / a:.2f} x", flush=True)
    talks = [Talk(*ways[way]) for way in ways]
    for title, tool, arguments in CALLS[server]:
        filled = json.loads(json.dumps(arguments).replace("DATA", str(data)))
        times: list[list[float]] = [[], []]
        for _ in range(rounds * 30):
            for kept, talk in zip(times, talks, strict=True):
                began = time.perf_counter()
                talk.ask("tools/call", name=tool, arguments=filled)
                kept.append((time.perf_counter() - began) * 1000)
        a, b = map(statistics.median, times)
        print(f"  {title}: direct {a:.3f} ms, gated {b:.3f} ms: {b / a:.2f} x, +{b - a:.3f} ms", flush=True)
    status = Path(f"/proc/{talks[1].process.pid}/status").read_text()
    print(
        "  memory of the gate:", next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1], "kB"
    )
    for talk in talks:
        talk.end()


if __name__ == "__main__":
    main()
