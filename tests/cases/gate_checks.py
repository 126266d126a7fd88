"""Checks of the public cases about the gate: each plugin is reviewed, trusted, enabled and started through it.

A client is played by hand over pipes; the gate is the real command in a process of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from plugseal.errors import RefusedError
from plugseal.model.identity import subject_id
from plugseal.runtime.gate import Gate
from plugseal.runtime.supervise import Supervisor
from plugseal.trust.actor import current_actor
from plugseal.trust.store import Store

Ceremony = Any
_HANG_SECONDS = 60


class Client:
    """One client of a gated server."""

    def __init__(self, home: Path, plugin: str, environment: Mapping[str, str] | None = None) -> None:
        around = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG")}
        around["PLUGSEAL_HOME"] = str(home)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "plugseal", "run", plugin],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**around, **(environment or {})},
            cwd="/usr",
        )
        self._number = 0

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return its answer; notifications in between are dropped."""
        self.send(method, params)
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            found: dict[str, Any] = json.loads(line)
            if found.get("id") == self._number:
                return found
        raise AssertionError(f"no answer: {self.end()}")

    def send(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send a request."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": dict(params or {})}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def end(self) -> tuple[int, str, str]:
        """Close the input and return exit code, output and errors."""
        out, errors = self.process.communicate(timeout=_HANG_SECONDS)
        return self.process.returncode, out.decode(), errors.decode()


def _active(ceremony: Ceremony, tree: Path) -> str:
    """Trust and enable the one plugin of a tree, and return its ID."""
    (plugin,) = ceremony.trust_all(tree)
    return str(plugin["id"])


@contextmanager
def _client(home: Path, plugin: str, environment: Mapping[str, str] | None = None) -> Iterator[Client]:
    client = Client(home, plugin, environment)
    try:
        yield client
    finally:
        if client.process.poll() is None:
            client.process.kill()
        client.process.communicate(timeout=_HANG_SECONDS)


def never_runs(root: Path, check: dict[str, Any], ceremony: Ceremony) -> None:
    """Let a program be swapped all the time while it is started again and again: the other one never runs."""
    tree = root / "tree"
    plugin = _active(ceremony, tree)
    swapper = subprocess.Popen([sys.executable, str(root / "swap.py"), str(tree), "600"])
    supervisor = Supervisor(Store(ceremony.home), name=subject_id, by=current_actor())
    ran = set()
    try:
        for _ in range(check["attempts"]):
            try:
                with supervisor.spawn(plugin) as session:
                    ran.add(os.read(session.child.stdout, 100).strip())
            except RefusedError as error:
                ran.add(error.reason.encode())
    finally:
        swapper.send_signal(signal.SIGTERM)
        swapper.wait(_HANG_SECONDS)
    assert check["marker"].encode() not in ran, ran
    assert ran <= {b"A", b"content-drifted"}


def child_env(root: Path, check: dict[str, Any], ceremony: Ceremony) -> None:
    """Start a server from an environment full of other things, and let it tell the names that it has."""
    shutil.rmtree(ceremony.home, ignore_errors=True)
    plugin = _active(ceremony, root / "tree")
    around = {**dict.fromkeys(check["names"], "x"), "SOURCE_KEY": "x"}
    around["PATH"] = os.environ["PATH"]
    if around.pop("LD_PRELOAD", None):
        preload = {**around, "LD_PRELOAD": "/nonexistent.so"}
        with _client(ceremony.home, plugin, preload) as client:
            code, out, errors = client.end()
        assert (code, out) == (125, "")
        assert "LD_PRELOAD" in errors
    with _client(ceremony.home, plugin, around) as client:
        names = client.ask("names")["result"]["names"]
    if check["op"] == "child_env_lacks":
        assert not set(names) & set(check["names"]), names
    else:
        assert set(check["names"]) <= set(names), names


def tool_call(root: Path, check: dict[str, Any], ceremony: Ceremony) -> None:
    """List a server's tools some times, then call each tool of the check."""
    shutil.rmtree(ceremony.home, ignore_errors=True)
    plugin = _active(ceremony, root / "tree")
    with _client(ceremony.home, plugin) as client:
        client.ask("initialize", {"protocolVersion": "2025-03-26"})
        for _ in range(check["after_lists"]):
            client.ask("tools/list")
        for tool in check["tools"]:
            answer = client.ask("tools/call", {"name": tool})
            assert ("error" in answer) == (check["op"] == "tool_call_denied"), answer
            if "error" in answer:
                assert f"plugseal show {plugin}" in answer["error"]["message"]


def revoked_within(root: Path, check: dict[str, Any], ceremony: Ceremony) -> None:
    """Revoke a plugin while it is asked for something: it is answered, everything ends, nothing is left."""
    plugin = _active(ceremony, root / "tree")
    with _client(ceremony.home, plugin) as client:
        client.ask("initialize")
        client.ask("tools/list")
        client.send("ping")
        below = _descendants(client.process.pid)
        assert len(below) >= 3, "a reaper, a server and its child"
        began = time.monotonic()
        assert ceremony.run("revoke", plugin).code == 0
        code, out, errors = client.end()
        assert time.monotonic() - began < check["value"]
    assert code == 126, errors
    assert "revoked-meanwhile" in errors
    assert check["no_orphans"]
    assert not [pid for pid in below if _is_alive(pid)]
    assert "error" in out or "result" in out


def _descendants(root: int) -> list[int]:
    from plugseal.runtime.reaper import descendants

    return descendants(root)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gate_median_below(root: Path, check: dict[str, Any], ceremony: Ceremony) -> None:
    """Guard against a slow gate; what is measured is in the benches."""
    tree = root / "tree"
    plugin = _active(ceremony, tree)
    gate = Gate(Store(ceremony.home), name=subject_id)
    times = []
    for _ in range(check["runs"]):
        began = time.monotonic()
        gate.authorize(plugin)
        times.append(time.monotonic() - began)
    assert statistics.median(times) * 1000 < check["value"], statistics.median(times)


CHECKS: dict[str, Callable[[Path, dict[str, Any], Ceremony], None]] = {
    "never_runs": never_runs,
    "child_env_lacks": child_env,
    "child_env_has": child_env,
    "tool_call_denied": tool_call,
    "tool_call_allowed": tool_call,
    "revoked_within_s": revoked_within,
    "gate_median_ms_below": gate_median_below,
}
