"""Attacks on a gate by what it started and by its client, run as whoever runs this; prints one JSON object.

Run as `gate_attacks.py PACKAGE STATE ID`, by an interpreter that needs nothing but the standard library: PACKAGE is put
on the path, STATE holds a plugin that is trusted and enabled, whose server does what the methods of its requests say.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, sys.argv[1])

from plugseal.errors import PlugsealError
from plugseal.model.identity import subject_id
from plugseal.model.policy import GatePolicy
from plugseal.runtime import kernel
from plugseal.runtime.limits import Limits
from plugseal.runtime.reaper import descendants
from plugseal.runtime.relay import Relay
from plugseal.runtime.supervise import Supervisor
from plugseal.trust.actor import current_actor
from plugseal.trust.store import Store
from plugseal.verbs.run import guard_of

SECONDS = 30.0
LIMITS = Limits(descendants=40, line_bytes=1_000_000, error_bytes=100_000)
SECRETS = {
    "AWS_SECRET_ACCESS_KEY": "s3cret",
    "HTTPS_PROXY": "http://proxy",
    "PYTHONPATH": "/evil",
    "PYTHONSTARTUP": "/evil.py",
    "NODE_OPTIONS": "--require=/evil.js",
    "BASH_ENV": "/evil.sh",
    "PLUGSEAL_POLICY": "/evil.toml",
    "GIT_SSH_COMMAND": "/evil",
}


class Client:
    """A client of a gate that runs in a process of its own."""

    def __init__(self, store: Store, plugin: str) -> None:
        asked, self.to = os.pipe()
        self.out, told = os.pipe()
        self.errors, said = os.pipe()
        poison = os.open("/dev/null", os.O_RDONLY)
        self.pid = os.fork()
        if self.pid == 0:
            for target, source in ((0, asked), (1, told), (2, said)):
                os.dup2(source, target)
            os.dup2(poison, 9, inheritable=True)
            for descriptor in (self.to, self.out, self.errors):
                os.close(descriptor)
            _be_gate(store, plugin)
        for descriptor in (asked, told, said, poison):
            os.close(descriptor)
        self._held = b""

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        os.write(self.to, data)

    def ask(self, method: str, number: int = 1, **params: object) -> Any:
        """Send a request and return the next line, None at the end of all."""
        self.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
        return self.read()

    def read(self) -> Any:
        """Return the next line, None at the end of all."""
        end = time.monotonic() + SECONDS
        while b"\n" not in self._held:
            if not select.select([self.out], [], [], max(0.0, end - time.monotonic()))[0]:
                return "nothing came"
            part = os.read(self.out, 65536)
            if not part:
                return None
            self._held += part
        line, self._held = self._held.split(b"\n", 1)
        return json.loads(line)

    def end(self) -> dict[str, Any]:
        """Go away, and return how the gate ended, what it said and who is left."""
        below = descendants(self.pid)
        os.close(self.to)
        said = b""
        while part := os.read(self.errors, 65536):
            said += part
        _, status, usage = os.wait4(self.pid, 0)
        left = [pid for pid in below if os.path.exists(f"/proc/{pid}")]
        for descriptor in (self.out, self.errors):
            os.close(descriptor)
        text = said.decode("utf-8", "replace")
        code = os.waitstatus_to_exitcode(status)
        return {"code": code, "left": left, "said": text[-2000:], "bytes": len(said), "kib": usage.ru_maxrss}


def _be_gate(store: Store, plugin: str) -> None:
    code = 70
    try:
        os.environ.update(SECRETS)
        kernel.set_subreaper()
        supervisor = Supervisor(store, name=subject_id, by=current_actor(), policy=GatePolicy(), limits=LIMITS)
        with supervisor.spawn(plugin) as session:
            guard = guard_of(session, store, lambda text: None)
            relay = Relay(session.child, session.watch, session.verify, guard=guard, label="server:main", limits=LIMITS)
            code = relay.run()
            session.refusal = relay.refusal
            code = 126 if relay.refusal else 125 if relay.problem else code
            os.write(2, f"gate ends: {relay.problem or relay.refusal}\n".encode())
    except PlugsealError as error:
        code = error.exit_code
        os.write(2, error.message.encode())
    finally:
        os._exit(code)


def main() -> None:
    """Attack in every way, and say what became of it."""
    store, plugin = Store(Path(sys.argv[2])), sys.argv[3]
    found: dict[str, Any] = {"uid": os.getuid()}
    client = Client(store, plugin)
    found["look"] = client.ask("look", gate=client.pid)
    found["guards"] = client.ask("guards", 2, gate=client.pid)
    client.send(b'{"jsonrpc":"2.0","id":3,"id":4,"method":"look"}\n')
    found["twice"] = client.read()
    client.send(b'{"jsonrpc":"2.0","id":5,"method":"look","Method":"x"}\n')
    found["case"] = client.read()
    found["ends"] = client.end()
    for method in ("forge", "daemons", "fork", "flood", "scream", "half", "two readings", "kill reaper", "stop reaper"):
        client = Client(store, plugin)
        answer = client.ask(method)
        found[method] = {"answer": answer, **client.end()}
    found["killed"] = {method: _kill(store, plugin, method) for method in ("daemons", "stop reaper")}
    print(json.dumps(found))


def _kill(store: Store, plugin: str, method: str) -> dict[str, Any]:
    """Kill a gate after an attack, and return how many were below it and who is left."""
    client = Client(store, plugin)
    client.ask(method)
    below = descendants(client.pid)
    os.kill(client.pid, signal.SIGKILL)
    os.waitpid(client.pid, 0)
    end = time.monotonic() + SECONDS
    while (left := [pid for pid in below if _is_alive(pid)]) and time.monotonic() < end:
        time.sleep(0.005)
    return {"below": len(below), "left": left}


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


if __name__ == "__main__":
    main()
