"""Whatever lines a plugin of Coding's says, nothing raises, and each call ends once, by its answer or by its time."""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack, suppress
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.errors import SupervisorError
from plugseal.runtime.coding.checks import Hearing
from plugseal.runtime.coding.contract import Context, ExecuteRequest
from plugseal.runtime.coding.execution import Patience
from plugseal.runtime.coding.inflight import InFlight
from plugseal.runtime.coding.talk import Talk
from plugseal.runtime.limits import Limits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
CALLS = ("a", "b")
_value = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats()
    | st.sampled_from([*CALLS, "success", "failed", "text"]),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(["callId", "outcome", "status", "content", "data", "errorCode"]), below, max_size=4
        )
    ),
    max_leaves=8,
)
_result = st.fixed_dictionaries(
    {"callId": st.sampled_from(CALLS), "outcome": st.fixed_dictionaries({"status": st.sampled_from(["success", "x"])})}
)
_progress = st.fixed_dictionaries({"callId": st.sampled_from([*CALLS, "c"])}, optional={"data": _value})
_message = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0"),
        "id": st.integers(0, 4) | _value,
        "method": st.sampled_from(["progress", "execute", "x"]) | _value,
        "params": _progress | _value,
        "result": _result | _value,
        "error": _value,
    },
)
_answer = st.builds(
    lambda number, result: {"jsonrpc": "2.0", "id": number, "result": result}, st.integers(1, 2), _result
)
_note = st.builds(lambda params: {"jsonrpc": "2.0", "method": "progress", "params": params}, _progress)
_line = (_message | _answer | _note | _value).map(lambda one: json.dumps(one).encode()) | st.binary(max_size=30).map(
    lambda data: data.replace(b"\n", b"")
)


class Fake:
    """A session without a process: pipes, of which the test holds the other ends."""

    def __init__(self) -> None:
        self.pipes = [os.pipe() for _ in range(4)]
        stdin, stdout, stderr, status = self.pipes
        self.child = SimpleNamespace(
            stdin=stdin[1], stdout=stdout[0], stderr=stderr[0], status=status[0], code=None, gone=None, problem=""
        )
        self.child.heed = self.child.close_stdin = lambda: None
        self.child.end = lambda at_once: None
        self.watch = SimpleNamespace(descriptor=None, changed=lambda: False)
        self.refusal = None

    def verify(self) -> None:
        """Permit everything."""

    def say(self, lines: list[bytes]) -> None:
        os.write(self.pipes[1][1], b"".join(line + b"\n" for line in lines))

    def close(self) -> None:
        for descriptor in {one for pair in self.pipes for one in pair}:
            with suppress(OSError):
                os.close(descriptor)


@settings(max_examples=300, deadline=None)
@given(st.lists(_line, max_size=12))
def test_whatever_is_said_each_call_ends_once(lines: list[bytes]) -> None:
    session: Any = Fake()
    told: list[str] = []
    try:
        talk = Talk(session, ExitStack(), on_event=told.append, limits=Limits())
        flying = InFlight(talk, session, on_event=told.append, patience=Patience(cancel=0.0))
        heard: dict[str, list[object]] = {call: [] for call in CALLS}
        hearings = {call: Hearing(call, heard[call].append) for call in CALLS}
        executions = {
            call: flying.begin(Context(), ExecuteRequest(call, "x", {}), hearings[call].hear) for call in CALLS
        }
        session.say(lines)
        flying.step()
        ends = {call: execution.end() for call, execution in executions.items() if execution.result is not None}
        for execution in executions.values():
            execution.context.cancel()
        flying.step()
        flying.step()
        for call, execution in executions.items():
            assert execution.is_over
            with suppress(SupervisorError):
                found = hearings[call].judge(execution.end())
                assert found.call_id == call
                assert ends.get(call, execution.end()) is execution.end()
                assert (found.outcome.status == "success") == (not found.outcome.error_code)
        before = {call: len(notes) for call, notes in heard.items()}
        flying.step()
        assert {call: len(notes) for call, notes in heard.items()} == before
    finally:
        session.close()
