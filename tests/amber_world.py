"""A world for tests of amber's runtime: plugins that behave or not, trusted and enabled by the verbs, and a host."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from plugseal.model.identity import subject_id
from plugseal.model.policy import GatePolicy
from plugseal.model.trust import Subject
from plugseal.runtime.amber.envelope import Envelope
from plugseal.runtime.amber.host import Host
from plugseal.runtime.supervise import Supervisor
from plugseal.trust.actor import current_actor
from plugseal.trust.store import Store
from plugseal.verbs.look import look
from plugseal.verbs.select import Selection
from plugseal.verbs.trust import enable, trust

FAKE = '''#!/usr/bin/env python3
"""Speak amber's lines as told: each tool behaves as its name says."""

import json
import os
import sys
import time

SEEN = {}


def say(*values):
    for value in values:
        sys.stdout.write((value if isinstance(value, str) else json.dumps(value)) + "\\n")
    sys.stdout.flush()


def answer(number, output, **more):
    say({"id": number, "result": {"ok": True, "output": output, "meta": {}, **more}})


for line in sys.stdin:
    msg = json.loads(line)
    method, number = msg.get("method"), msg.get("id")
    if method == "initialize":
        SEEN.update(msg["params"])
        HANDSHAKE
    elif method == "shutdown":
        SHUTDOWN
    else:
        name, args = msg["params"]["name"], msg["params"]["args"]
        TOOLS
'''
HANDSHAKE = 'say({"id": number, "result": {"protocol_version": 1, "ok": True}})'
TOOLS = """if name == "echo":
            answer(number, "echo:" + args.get("text", ""))
        elif name == "fail":
            say({"id": number, "result": {"ok": False, "output": "ERROR: nope"}})
        elif name == "args":
            answer(number, json.dumps(args))
        elif name == "seen":
            answer(number, json.dumps(SEEN), meta={"pid": os.getpid(), "cwd": os.getcwd()})
        elif name == "silent":
            continue
        elif name == "big":
            answer(number, "\\u00e9" * 150000)
        elif name == "twice":
            answer(number, "first")
            answer(number, "second")
        elif name == "ahead":
            answer(number + 1, "forged")
            answer(number, "right")
        elif name == "text_id":
            answer(str(number), "wrong")
        elif name == "raw":
            say(args["line"].replace("ID", str(number)))
        elif name == "die":
            os._exit(3)
        elif name == "children":
            for _ in range(3):
                if os.fork() == 0:
                    os.setsid()
                    if os.fork():
                        os._exit(0)
                    while True:
                        time.sleep(60)
            answer(number, "started")
        elif name == "flood":
            while True:
                say({"id": 0, "result": {}})"""
NAMES = "echo fail args seen silent big twice ahead text_id raw die children flood".split()


def manifest(plugin: str = "fake", **fields: Any) -> dict[str, Any]:
    """Return a manifest with a tool for each behaviour; a field of None is left out."""
    whole = {
        "id": plugin,
        "name": "Fake",
        "version": "1.0.0",
        "protocol_version": 1,
        "description": "Behaves as asked.",
        "main": "run.py",
        "settings": {"greeting": "Hello", "times": 3, "ratio": 0.5, "loud": False},
        "tools": [{"name": name, "description": f"Does {name}.", "schema": {}} for name in NAMES],
        **fields,
    }
    return {key: value for key, value in whole.items() if value is not None}


def script(handshake: str = HANDSHAKE, shutdown: str = "break", tools: str = TOOLS) -> str:
    """Return the program of a plugin."""
    return FAKE.replace("HANDSHAKE", handshake).replace("SHUTDOWN", shutdown).replace("TOOLS", tools)


def write_plugin(folder: Path, declared: dict[str, Any], program: str) -> Path:
    """Write a plugin into a new folder."""
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(declared), "utf-8")
    (folder / "run.py").write_text(program, "utf-8")
    (folder / "run.py").chmod(0o755)
    return folder


class World:
    """A state folder, a workspace, and the host over them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = Store(root / "state")
        self.workspace = root / "workspace"
        self.workspace.mkdir(parents=True)
        self.events: list[str] = []

    def add(self, folder: str = "fake", program: str | None = None, *, enabled: bool = True, **fields: Any) -> Path:
        """Write, trust and enable a plugin."""
        declared = manifest(fields.pop("plugin", folder), **fields)
        path = write_plugin(self.root / "plugins" / folder, declared, program or script())
        return self.trust(path, enabled=enabled)

    def trust(self, path: Path, *, enabled: bool = True) -> Path:
        """Trust what lies at a path now."""
        found = look(Selection(path), system="amber")
        assert found.report.token is not None
        trust(found, found.report.token, self.store)
        if enabled:
            enable(found, self.store)
        return path

    def host(self, *, seconds: float = 60.0, rank: Any = lambda subject: 0) -> Host:
        """Return a host without the policy of the machine."""
        supervisor = Supervisor(self.store, name=subject_id, by=current_actor(), policy=GatePolicy())
        return Host(
            self.store,
            supervisor,
            name=subject_id,
            rank=rank,
            workspace=str(self.workspace.resolve()),
            on_event=self.events.append,
            seconds=seconds,
        )

    def call(self, tool: str, **arguments: Any) -> Envelope:
        """Call one tool in a host of its own."""
        with self.host() as host:
            return host.call(f"plugin_fake_{tool}", arguments)

    def subject(self, plugin: str = "fake") -> Subject:
        """Return which plugin it is."""
        return next(record.subject for record in self.store.records() if record.subject.name == plugin)  # type: ignore[union-attr]  # sound

    def runs(self, plugin: str = "fake") -> list[str]:
        """Return the events of a plugin's runs."""
        return [str(entry["event"]) for entry in self.store.runs(self.subject(plugin)).trail.tail]
