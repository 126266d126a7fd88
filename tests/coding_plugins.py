"""Plugins of Coding's for tests: a puppet that does what each call tells it, and a world in which it is trusted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from plugseal.model.identity import subject_id
from plugseal.model.policy import GatePolicy
from plugseal.runtime.coding.calls import Authorize
from plugseal.runtime.coding.execution import Patience
from plugseal.runtime.coding.host import Host
from plugseal.runtime.supervise import Supervisor
from plugseal.trust.actor import current_actor
from plugseal.trust.store import Store
from plugseal.verbs.look import look
from plugseal.verbs.select import Selection
from plugseal.verbs.trust import enable, trust

PUPPET = '''"""Do what each call says, several at the same time."""

import json, os, subprocess, sys, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
LOCK = threading.Lock()
CANCELLED = {}


def raw(text):
    with LOCK:
        sys.stdout.write(text + "\\n")
        sys.stdout.flush()


def say(**message):
    raw(json.dumps({"jsonrpc": "2.0", **message}))


def play(number, params):
    call = params["callId"]
    stop = CANCELLED.setdefault(call, threading.Event())
    for step, *words in params["arguments"].get("steps", ()):
        words = [json.loads(json.dumps(word).replace("$call", call).replace('"$id"', str(number))) for word in words]
        if step == "say":
            say(**words[0])
        elif step == "raw":
            raw(words[0].replace("$id", str(number)))
        elif step == "latin":
            with LOCK:
                sys.stdout.buffer.write(words[0].replace("$id", str(number)).encode("latin-1") + b"\\n")
                sys.stdout.buffer.flush()
        elif step == "long":
            raw("x" * words[0])
        elif step == "mark":
            with open(words[0], "a") as file:
                file.write(call + "\\n")
        elif step == "await":
            while not os.path.exists(words[0]):
                time.sleep(0.003)
        elif step == "until_cancelled":
            stop.wait()
        elif step == "spawn":
            code = "import os, sys, time; os.setsid(); open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"
            subprocess.Popen([sys.executable, "-c", code, words[0]], stdin=subprocess.DEVNULL)
            while not os.path.exists(words[0]) or not os.path.getsize(words[0]):
                time.sleep(0.003)
        elif step == "exit":
            os._exit(words[0])
        elif step == "end":
            say(id=number, result=words[0])
            return
        elif step == "silent":
            return
    say(id=number, result={"callId": call, "outcome": {"status": "success"}})


def answer(method, params):
    about = json.load(open(os.path.join(HERE, "about.json")))
    if method == "initialize":
        return {"protocolVersion": about["protocol"], "plugin": about["plugin"]}
    if method == "listTools":
        return {"tools": about["tools"]}
    known = params["callId"] in CANCELLED
    CANCELLED.setdefault(params["callId"], threading.Event()).set()
    return {"accepted": known}


sys.stderr.write("puppet is up\\n")
sys.stderr.flush()
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "execute":
        threading.Thread(target=play, args=(request["id"], request["params"]), daemon=True).start()
    else:
        say(id=request["id"], result=answer(request["method"], request.get("params")))
os._exit(0)
'''
SCHEMA = {"type": "object", "properties": {"steps": {"type": "array"}}, "additionalProperties": False}
TOOLS = (
    {"name": "side", "description": "Beside others.", "inputSchema": SCHEMA, "executionMode": "parallel"},
    {"name": "alone", "description": "Alone.", "inputSchema": SCHEMA, "executionMode": "sequential"},
    {"name": "plain", "description": "Says nothing.", "inputSchema": SCHEMA},
)
OK = {"status": "success"}


def manifest(name: str = "puppet", *, version: str = "1.0.0", declared: bool = False, **more: object) -> dict[str, Any]:
    """Return a manifest of the puppet."""
    found = {"id": name, "version": version, "command": "python3", "args": ["./puppet.py"], **more}
    return found | ({"tools": list(TOOLS)} if declared else {})


class World:
    """Plugins of Coding's, their state folder, and hosts for them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = Store(root / "state")
        self.events: list[tuple[str, str]] = []

    def puppet(self, name: str = "puppet", *, about: dict[str, Any] | None = None, **more: Any) -> str:
        """Write, trust and enable a puppet, and return its ID.

        Args:
            name: of the plugin.
            about: what it tells at run time that differs from its manifest.
            more: as `manifest`.
        """
        told = {"protocol": 1, "plugin": {"id": name, "version": "1.0.0"}, "tools": list(TOOLS), **(about or {})}
        files = {"coding-plugin.json": json.dumps(manifest(name, **more)), "puppet.py": PUPPET}
        return self.plugin(name, {**files, "about.json": json.dumps(told)})

    def plugin(self, name: str, files: dict[str, str]) -> str:
        """Write, trust and enable a plugin of these files, and return its ID."""
        source = self.root / name
        source.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            (source / path).write_text(text, "utf-8")
        return self.trust(source)

    def trust(self, source: Path) -> str:
        """Trust and enable what lies at a path, and return its ID."""
        found = look(Selection(source), system="coding")
        assert found.report.token is not None
        trust(found, found.report.token, self.store)
        enable(found, self.store)
        return found.id

    def host(self, *, authorize: Authorize = lambda *what: True, **patience: float) -> Host:
        """Return a host without the policy of the machine."""
        supervisor = Supervisor(self.store, name=subject_id, by=current_actor(), policy=GatePolicy())
        return Host(
            supervisor,
            self.store,
            authorize=authorize,
            on_event=lambda *told: self.events.append(told),
            patience=Patience(**patience),
        )

    def runs(self) -> list[str]:
        """Return the events of all runs with their reasons."""
        found = []
        for record in self.store.records():
            for entry in self.store.runs(record.subject).trail.tail:  # type: ignore[union-attr]  # none is broken
                found.append(f"{entry['event']} {entry['reason']}".strip())
        return found


def result(**more: Any) -> dict[str, Any]:
    """Return a result as a step of the puppet says it."""
    return {"callId": "$call", "outcome": OK, **more}


def progress(text: str, **more: Any) -> list[Any]:
    """Return the step that says progress."""
    params = {"callId": "$call", "content": [{"type": "text", "text": text}], **more}
    return ["say", {"method": "progress", "params": params}]


def drive(host: Host, done: Callable[[], bool]) -> None:
    """Drive a host until something is so; a guard ends what hangs."""
    import time

    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end, "it hangs"
        host.step(0.02)
