"""Kill a gate at each step of a start, of a session and of its end, and say what is left of it.

Run as `gate_steps.py STATE ID [EVERY]`, by an interpreter that has plugseal. For each step one gate is forked, does
what `plugseal run` does, and is killed by itself with SIGKILL where it stands: at each new line of what starts and ends
programs, at each new function of everything else that the gate runs. Prints one JSON object.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from plugseal.runtime import kernel
from plugseal.runtime.reaper import descendants
from plugseal.trust.record import Record
from plugseal.trust.store import Store
from plugseal.verbs.run import adopt_orphans, run_component

BY_LINE = tuple(f"{one}.py" for one in "supervise child places runs journal hashed background prefetch".split())
PARTS = ("/plugseal/runtime/", "/plugseal/trust/", "/plugseal/intake/", "/plugseal/policy/")
SECONDS = 30.0


class Tracer:
    """Count the steps of this process, and end it at one of them."""

    def __init__(self, wanted: int) -> None:
        self._wanted = wanted
        self._gate = os.getpid()
        self._seen: set[tuple[CodeType, int]] = set()
        self.steps = 0
        self.place = ""

    def __call__(self, frame: FrameType, event: str, argument: object) -> Any:
        name = frame.f_code.co_filename
        if os.getpid() != self._gate or not any(part in name for part in PARTS):
            return None
        self._step(frame)
        return self._line if os.path.basename(name) in BY_LINE else None

    def _line(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "line" and os.getpid() == self._gate:
            self._step(frame)
        return self._line

    def _step(self, frame: FrameType) -> None:
        key = (frame.f_code, frame.f_lineno)
        if key in self._seen:
            return
        self._seen.add(key)
        self.steps += 1
        if self.steps == self._wanted:
            os.kill(self._gate, signal.SIGKILL)


def _be_gate(store: Store, plugin: str, wanted: int, told: int) -> None:
    """Serve one client like `plugseal run`, and tell how many steps it took; never returns."""
    code = 1
    try:
        adopt_orphans()
        os.environ["PLUGSEAL_HOME"] = str(store.home)
        tracer = Tracer(wanted)
        sys.settrace(tracer)
        code = run_component(plugin, None, on_event=lambda text: None, store=store)
        sys.settrace(None)
        os.write(told, str(tracer.steps).encode())
    finally:
        os._exit(code)


def _serve(store: Store, plugin: str, wanted: int) -> tuple[int, int]:
    """Run one gate with a client that asks once and goes away, and return its status and its steps."""
    asked, question = os.pipe()
    out, told = os.pipe()
    gate = os.fork()
    if gate == 0:
        nothing = os.open(os.devnull, os.O_RDWR)
        for target, source in ((0, asked), (1, nothing), (2, nothing)):
            os.dup2(source, target)
        os.close(question)
        _be_gate(store, plugin, wanted, told)
    for descriptor in (asked, told):
        os.close(descriptor)
    with suppress(BrokenPipeError):
        os.write(question, b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    os.close(question)
    status = os.waitstatus_to_exitcode(os.waitpid(gate, 0)[1])
    # What the gate left holds no end of this: it ends with the gate.
    steps = os.read(out, 100)
    os.close(out)
    return status, int(steps or b"0")


def _left() -> list[int]:
    """Return the processes that a gate left, once they had time to end."""
    end = time.monotonic() + SECONDS
    pause = 0.0005
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return []
        if time.monotonic() > end:
            return descendants()
        time.sleep(pause)
        pause = min(pause * 2, 0.01)


def main() -> None:
    """Kill a gate at every step."""
    store, plugin = Store(Path(sys.argv[1])), sys.argv[2]
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    kernel.set_subreaper()
    _serve(store, plugin, 0)  # the first start of all pins the tools
    status, steps = _serve(store, plugin, 0)
    found: dict[str, Any] = {"whole": status, "steps": steps, "killed": 0, "survivors": 0, "unreadable": []}
    for step in range(1, steps + 1, every):
        status, _ = _serve(store, plugin, step)
        found["killed"] += status == -signal.SIGKILL
        found["survivors"] += len(_left())
        for record in store.records():
            if not isinstance(record, Record):
                found["unreadable"].append([step, record.error.message])
            else:
                store.runs(record.subject)
    found["again"], _ = _serve(store, plugin, 0)
    found["survivors"] += len(_left())
    print(json.dumps(found))


if __name__ == "__main__":
    main()
