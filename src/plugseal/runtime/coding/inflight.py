"""Calls in flight over one started plugin: begun without waiting, driven by `step`, ended once each.

The permission is looked at before each line goes out and whenever the record changes; once it is gone, all calls end by
the refusal and the process tree is killed. A call that nobody wants any more, or that is silent for too long, is
cancelled; if it does not end then, the process is killed and with it every other call of it.
"""

from __future__ import annotations

import select
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from plugseal.errors import PlugsealError, RefusedError, SupervisorError
from plugseal.runtime import supervise
from plugseal.runtime.coding.checks import PROGRESS_INVALID, RESULT_INVALID
from plugseal.runtime.coding.contract import CancelRequest, Context, ExecuteRequest, OnProgress, OutcomeStatus
from plugseal.runtime.coding.execution import Execution, Patience, build_end
from plugseal.runtime.coding.talk import Answer, Message, Progress, Spoiled, Talk, error_of, result_of
from plugseal.runtime.coding.wire import build_cancel, build_execute, parse_progress, parse_result
from plugseal.shown import shown

TICK: Final = 0.05
"""How soon a cancelled context is seen, in seconds."""
_MAX_DROPPED: Final = 10_000
"""Lines that belong to nothing; more end the process."""
_MAX_TOLD: Final = 100
"""Of them that are told."""
_MAX_ENDED: Final = 4096
"""Calls that are remembered after their end, so that what comes late for them is known to be late."""


class InFlight:
    """The calls of one plugin's process."""

    def __init__(
        self, talk: Talk, session: supervise.Session, *, on_event: Callable[[str], None], patience: Patience
    ) -> None:
        """Begin without calls.

        Args:
            talk: with its process.
            session: of the process.
            on_event: told what is dropped.
            patience: how long it may take.
        """
        self.session = session
        self.problem: PlugsealError | None = None
        """Why it ended, None as long as it has not."""
        self._talk = talk
        self._on_event = on_event
        self._patience = patience
        self._executions: dict[str, Execution] = {}
        """By the ID of the request."""
        self._answers: dict[str, Message | None] = {}
        """By the ID of each request that is waited for; None until it is there."""
        self._cancels: set[str] = set()
        """IDs of requests that asked for the end of a call, whose answer nobody waits for."""
        self._ended: deque[str] = deque(maxlen=_MAX_ENDED)
        self._dropped = 0

    @property
    def is_open(self) -> bool:
        """Say whether its process is there."""
        return self._talk.is_open

    def begin(self, context: Context, request: ExecuteRequest, on_progress: OnProgress) -> Execution:
        """Send one call, and return what `step` will end.

        Args:
            context: its end becomes the call's.
            request: whose ID this process has not seen yet.
            on_progress: called during `step`.
        """
        execution = Execution(context, request, on_progress, time.monotonic())
        try:
            self._verify_new(request.call_id)
            self._executions[self._talk.send("execute", build_execute(request))] = execution
        except PlugsealError as error:
            execution.error = error
            if isinstance(error, RefusedError):
                self._finish(error)
        return execution

    def ask(self, method: str, params: Mapping[str, object]) -> str:
        """Send a request whose answer is waited for, and return its ID.

        Raises:
            PlugsealError: the process ended, or the permission was taken.
        """
        if self.problem is not None:
            raise self.problem
        number = self._talk.send(method, params)
        self._answers[number] = None
        return number

    def answer_to(self, number: str) -> Message | None:
        """Return the answer to a request, None where it is not there yet.

        Raises:
            PlugsealError: the process ended.
        """
        message = self._answers[number]
        if message is None and self.problem is not None:
            raise self.problem
        return message

    def forget(self, number: str) -> None:
        """Wait no more for an answer."""
        self._answers.pop(number, None)

    def step(self) -> None:
        """Take what the plugin said, and do what is due; never waits but for the end of a process that is killed."""
        try:
            if self.is_open:
                self._talk.take()
        except PlugsealError as error:
            self._finish(error)
        while (message := self._talk.receive()) is not None:
            self._take(message)
        try:
            self._look_at_time(time.monotonic())
        except PlugsealError as error:
            self._finish(error)

    def wait(self, seconds: float = TICK) -> None:
        """Wait until the plugin says something, or a while, and take a step."""
        reading, writing = self._talk.descriptors()
        select.select(reading, writing, [], seconds)
        self.step()

    def descriptors(self) -> tuple[list[int], list[int]]:
        """Return what to wait for before the next step: descriptors to read from, and to write to."""
        return self._talk.descriptors()

    def close(self) -> None:
        """End the process, politely; calls in flight end by an error."""
        self._finish(SupervisorError("the plugin was closed"), at_once=False)

    def _verify_new(self, call_id: str) -> None:
        if self.problem is not None:
            raise self.problem
        known = {execution.request.call_id for execution in self._executions.values()}
        if not call_id or call_id in known or call_id in self._ended:
            raise SupervisorError(f"the call ID `{shown(call_id)}` was used before")

    def _take(self, message: Message) -> None:
        if isinstance(message, Progress):
            self._take_progress(message.params)
        elif message.id in self._answers:
            self._answers[message.id] = message
        elif message.id in self._executions:
            self._end_one(message.id, message)
        elif message.id in self._cancels:
            self._cancels.discard(message.id)
        else:
            self._drop(message.why if isinstance(message, Spoiled) else "an answer to nothing that waits")

    def _drop(self, why: str) -> None:
        self._dropped += 1
        if self._dropped <= _MAX_TOLD:
            self._on_event(f"dropped: {why}")
        if self._dropped > _MAX_DROPPED:
            self._finish(SupervisorError(f"more than {_MAX_DROPPED:,} of its lines belong to nothing"))

    def _take_progress(self, params: object) -> None:
        call_id = params.get("callId") if isinstance(params, dict) else None
        if call_id in self._ended:
            return  # late
        meant = [one for one in self._executions.values() if one.request.call_id == call_id]
        try:
            progress = parse_progress(params)
        except SupervisorError as error:
            _spoil(meant or self._executions.values(), error.message)
            return
        for execution in meant:
            execution.heard = time.monotonic()
            execution.on_progress(progress)
        if not meant:
            # It might be about any of them.
            _spoil(self._executions.values(), "its `callId` is that of no call")

    def _end_one(self, number: str, message: Answer | Spoiled) -> None:
        execution = self._executions.pop(number)
        call_id = execution.request.call_id
        self._ended.append(call_id)
        if isinstance(message, Answer) and "error" in message.body:
            execution.error = error_of(message.body["error"])
        elif execution.fault:
            execution.result = build_end(
                call_id, OutcomeStatus.FAILED, PROGRESS_INVALID, f"its progress: {execution.fault}"
            )
        else:
            try:
                execution.result = parse_result(result_of(message))
            except SupervisorError as error:
                execution.result = build_end(
                    call_id, OutcomeStatus.FAILED, RESULT_INVALID, f"its result: {error.message}"
                )

    def _look_at_time(self, now: float) -> None:
        for execution in tuple(self._executions.values()):
            if execution.stops_by is None:
                is_late = execution.context.is_late or now - execution.heard >= self._patience.silence
                if is_late or execution.context.is_cancelled:
                    execution.was_late = is_late and not execution.context.is_cancelled
                    execution.stops_by = now + self._patience.cancel
                    request = CancelRequest(execution.request.call_id)
                    self._cancels.add(self._talk.send("cancel", build_cancel(request)))
            elif now >= execution.stops_by:
                raise SupervisorError("another call of its process did not stop, so the process was ended")

    def _finish(self, error: PlugsealError, *, at_once: bool = True) -> None:
        """End the process and every call of it."""
        if self.problem is not None:
            return
        self.problem = error
        self._talk.close(at_once=at_once)
        for execution in self._executions.values():
            self._ended.append(execution.request.call_id)
            if execution.stops_by is not None and not isinstance(error, RefusedError):
                execution.result = execution.stopped()
            else:
                execution.error = error
        self._executions.clear()


def _spoil(executions: Iterable[Execution], fault: str) -> None:
    for execution in executions:
        execution.fault = execution.fault or fault
