"""Loading a plugin by any supervisor: what the contract refuses, and what of a call is judged on both ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from plugseal.errors import PlugsealError, RefusedError, SupervisorError
from plugseal.runtime.coding.contract import (
    CancelRequest,
    CancelResponse,
    Content,
    Context,
    ExecuteRequest,
    ExecutionMode,
    HostInfo,
    InitializeRequest,
    InitializeResponse,
    ListToolsRequest,
    ListToolsResponse,
    Manifest,
    OnProgress,
    Outcome,
    ProgressNotification,
    Result,
    Supervisor,
    ToolDescriptor,
)
from plugseal.runtime.coding.exact import Number, parse_exact, render_exact
from plugseal.runtime.coding.load import Definition, load

HOST = HostInfo("test", "1")
SCHEMA: dict[str, Any] = {"type": "object"}
ECHO = ToolDescriptor("echo", "Say it again.", SCHEMA)
SUCCESS = Outcome("success")
Answer = Callable[[ExecuteRequest, OnProgress], Result]


def succeed(request: ExecuteRequest, on_progress: OnProgress) -> Result:
    """Answer as a tool that does nothing."""
    del on_progress
    return Result(request.call_id, SUCCESS)


@dataclass
class Scripted:
    """A supervisor that says what a test wants."""

    answer: Answer = succeed
    initialized: InitializeResponse | Exception = field(
        default_factory=lambda: InitializeResponse(1, Manifest(" issues ", " 1.0 ", " Issues "))
    )
    tools: tuple[ToolDescriptor, ...] | Exception = (ECHO,)
    asked: list[object] = field(default_factory=list)

    def initialize(self, context: Context, request: InitializeRequest) -> InitializeResponse:
        self.asked.append(request)
        return _told(self.initialized)

    def list_tools(self, context: Context, request: ListToolsRequest) -> ListToolsResponse:
        self.asked.append(request)
        return ListToolsResponse(_told(self.tools))

    def execute(self, context: Context, request: ExecuteRequest, on_progress: OnProgress) -> Result:
        self.asked.append(request)
        if context.is_cancelled:
            return Result(request.call_id, Outcome("cancelled", "stopped"))
        return self.answer(request, on_progress)

    def cancel(self, context: Context, request: CancelRequest) -> CancelResponse:
        return CancelResponse(accepted=True)


def _told(what: Any) -> Any:
    if isinstance(what, Exception):
        raise what
    return what


def loaded(**scripted: Any) -> Definition:
    """Return the plugin of a scripted supervisor."""
    return load(Scripted(**scripted), HOST)


def run(answer: Answer, on_progress: OnProgress = lambda progress: None) -> Result:
    """Return the result of one call that a plugin answers so."""
    return loaded(answer=answer).execute(Context(), "c1", "echo", {"x": 1}, on_progress)


def test_a_plugin_is_loaded_with_its_tools_and_texts_are_trimmed() -> None:
    tool = ToolDescriptor(" echo ", " Say. ", SCHEMA, " Echo ", (" ", "Ask first.\n", ""), "parallel")
    supervisor = Scripted(tools=(tool, ToolDescriptor("wait", "", SCHEMA, execution_mode="sequential")))
    found = load(supervisor, HOST)
    assert found.plugin == Manifest("issues", "1.0", "Issues")
    first, second = found.tools
    assert (first.name, first.description, first.label, first.guidelines) == ("echo", "Say.", "Echo", ("Ask first.",))
    assert (first.mode, second.mode) == (ExecutionMode.PARALLEL, ExecutionMode.SEQUENTIAL)
    assert supervisor.asked == [InitializeRequest(HOST, 1), ListToolsRequest()]


def test_a_missing_supervisor_is_refused() -> None:
    with pytest.raises(SupervisorError, match="plugin supervisor is required"):
        load(None, HOST)


@pytest.mark.parametrize(
    ("scripted", "message"),
    [
        pytest.param({"initialized": SupervisorError("no")}, "initialize plugin: no", id="initialize fails"),
        pytest.param(
            {"initialized": BrokenPipeError(32, "Broken pipe")}, "initialize plugin: broken pipe", id="a pipe"
        ),
        pytest.param({"tools": SupervisorError("no")}, "list tools of plugin `issues`: no", id="the list fails"),
        pytest.param(
            {"initialized": InitializeResponse(2, Manifest("p", "1"))},
            "plugin `p` selected unsupported protocol version 2 (host requires 1)",
            id="version 2",
        ),
        pytest.param(
            {"initialized": InitializeResponse(0, Manifest("p", "1"))},
            "plugin `p` selected unsupported protocol version 0 (host requires 1)",
            id="no version of the protocol",
        ),
        pytest.param({"initialized": InitializeResponse(1, Manifest(" ", "1"))}, "has no `id`", id="a blank id"),
        pytest.param({"initialized": InitializeResponse(1, Manifest("p", "\t"))}, "has no `version`", id="no version"),
    ],
)
def test_a_plugin_that_does_not_shake_hands_is_refused(scripted: dict[str, Any], message: str) -> None:
    with pytest.raises(SupervisorError) as caught:
        loaded(**scripted)
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        pytest.param((replace(ECHO, name=" "),), "tool 1 has no `name`", id="a blank name"),
        pytest.param((ECHO, replace(ECHO, name=" echo")), "an earlier tool has this name", id="a name twice"),
        pytest.param((replace(ECHO, input_schema="object"),), "`inputSchema` must be", id="a schema that is text"),
        pytest.param((replace(ECHO, input_schema=None),), "`inputSchema` must be", id="no schema"),
        pytest.param(
            (replace(ECHO, input_schema={"type": ["object"]}),), "`inputSchema` must be", id="a type in a list"
        ),
        pytest.param((replace(ECHO, input_schema={"type": "array"}),), "`inputSchema` must be", id="an array"),
        pytest.param((replace(ECHO, input_schema={"type": "object", "x": float("nan")}),), "is no JSON", id="no JSON"),
        pytest.param((replace(ECHO, execution_mode="sometimes"),), "`executionMode` must be", id="the mode sometimes"),
        pytest.param((replace(ECHO, execution_mode="Parallel"),), "`executionMode` must be", id="a mode in capitals"),
    ],
)
def test_one_wrong_tool_fails_the_whole_load(tools: tuple[ToolDescriptor, ...], message: str) -> None:
    with pytest.raises(SupervisorError) as caught:
        loaded(tools=(replace(ECHO, name="sound"), *tools))
    assert message.replace("tool 1", "tool 2") in caught.value.message


def test_a_refusal_of_the_gate_stays_one() -> None:
    with pytest.raises(RefusedError) as caught:
        loaded(initialized=RefusedError("revoked-meanwhile", "gone"))
    assert caught.value.reason == "revoked-meanwhile"


def test_progress_and_result_come_through_as_they_were() -> None:
    heard: list[ProgressNotification] = []
    content = (Content("text", "half"), Content("image", data="aW1n", mime_type="image/png"))

    def answer(request: ExecuteRequest, on_progress: OnProgress) -> Result:
        on_progress(ProgressNotification(request.call_id, content, {"done": 1}))
        return Result(request.call_id, Outcome("success", data=[1.5], exit_code=0), content, terminate=True)

    found = run(answer, heard.append)
    assert heard == [ProgressNotification("c1", content, {"done": 1})]
    assert found == Result("c1", Outcome("success", data=[1.5], exit_code=0), content, terminate=True)


@pytest.mark.parametrize(
    "progress",
    [
        pytest.param(ProgressNotification("other"), id="another call"),
        pytest.param(ProgressNotification("c1", (Content("video"),)), id="an unknown kind"),
        pytest.param(
            ProgressNotification("c1", (Content("image", mime_type="image/png"),)), id="an image without data"
        ),
        pytest.param(
            ProgressNotification("c1", (Content("image", data="aW1n", mime_type=" "),)), id="without its type"
        ),
        pytest.param(ProgressNotification("c1", data=object()), id="data that is no JSON"),
        pytest.param(ProgressNotification("c1", data=float("inf")), id="an infinite number"),
    ],
)
def test_wrong_progress_fails_the_call_and_is_not_told(progress: ProgressNotification) -> None:
    heard: list[ProgressNotification] = []

    def answer(request: ExecuteRequest, on_progress: OnProgress) -> Result:
        on_progress(progress)
        on_progress(ProgressNotification(request.call_id))
        return Result(request.call_id, SUCCESS)

    found = run(answer, heard.append)
    assert (found.outcome.status, found.outcome.error_code) == ("failed", "plugin_progress_invalid")
    assert heard == []


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(Result("other", SUCCESS), id="another call"),
        pytest.param(Result("c1", Outcome("done")), id="an unknown status"),
        pytest.param(Result("c1", Outcome("")), id="no status"),
        pytest.param(Result("c1", Outcome("success", "why")), id="success with a code"),
        pytest.param(Result("c1", Outcome("failed")), id="failed without a code"),
        pytest.param(Result("c1", Outcome("cancelled", " ")), id="cancelled with a blank code"),
        pytest.param(Result("c1", Outcome("timeout")), id="timeout without a code"),
        pytest.param(Result("c1", SUCCESS, (Content("html", "x"),)), id="an unknown kind of content"),
        pytest.param(Result("c1", SUCCESS, (Content("image", mime_type="image/png"),)), id="an image without data"),
        pytest.param(Result("c1", SUCCESS, (Content("image", data="aW1n"),)), id="an image without a type"),
        pytest.param(Result("c1", Outcome("success", data={1: 2})), id="a key that is no text"),
        pytest.param(Result("c1", Outcome("success", data="\ud800")), id="half of a character"),
    ],
)
def test_a_wrong_result_becomes_a_failed_one(result: Result) -> None:
    found = run(lambda request, on_progress: result)
    assert (found.call_id, found.outcome.status, found.outcome.error_code) == ("c1", "failed", "plugin_result_invalid")


@pytest.mark.parametrize("status", ["failed", "cancelled", "timeout"])
def test_an_end_with_a_code_is_right(status: str) -> None:
    found = run(lambda request, on_progress: Result("c1", Outcome(status, "why", exit_code=3)))
    assert (found.outcome.status, found.outcome.error_code, found.outcome.exit_code) == (status, "why", 3)


def test_progress_after_the_end_does_not_exist() -> None:
    heard: list[ProgressNotification] = []
    late: list[OnProgress] = []

    def answer(request: ExecuteRequest, on_progress: OnProgress) -> Result:
        late.append(on_progress)
        return Result(request.call_id, SUCCESS)

    assert run(answer, heard.append).is_success
    late[0](ProgressNotification("c1"))
    late[0](ProgressNotification("other"))
    assert heard == []


def test_an_error_of_the_supervisor_says_which_tool() -> None:
    def answer(request: ExecuteRequest, on_progress: OnProgress) -> Result:
        raise SupervisorError("the pipe is gone")

    with pytest.raises(PlugsealError, match="execute plugin tool `echo`: the pipe is gone"):
        run(answer)


def test_cancellation_reaches_the_supervisor() -> None:
    context = Context()
    context.cancel()
    found = loaded().execute(context, "c1", "echo", {})
    assert (found.outcome.status, found.outcome.error_code) == ("cancelled", "stopped")


def test_arguments_are_copied_and_judged_before_they_are_sent() -> None:
    supervisor = Scripted(tools=(replace(ECHO, input_schema={"type": "object", "required": ["x"]}),))
    definition = load(supervisor, HOST)
    arguments = {"x": [1]}
    definition.execute(Context(), "c1", "echo", arguments)
    arguments["x"].append(2)
    (sent,) = [asked for asked in supervisor.asked if isinstance(asked, ExecuteRequest)]
    assert sent.arguments == {"x": [1]}
    for number, wrong in enumerate(({}, [], None, "x", {"x": float("nan")}, {"x": {2: 3}})):
        found = definition.execute(Context(), f"w{number}", "echo", wrong)
        assert found.outcome.error_code == "arguments_invalid", wrong
    assert sum(isinstance(asked, ExecuteRequest) for asked in supervisor.asked) == 1


def test_an_unknown_tool_is_an_error() -> None:
    with pytest.raises(SupervisorError, match="there is no tool `shout`"):
        loaded().execute(Context(), "c1", "shout", {})


def test_the_protocol_is_one_that_any_class_can_keep() -> None:
    supervisor: Supervisor = Scripted()
    assert load(supervisor, HOST).tools[0].name == "echo"


@pytest.mark.parametrize(
    "text", ["1.10", "1e400", "-0", "-0.0", "123456789012345678901234567890", "0.1000000000000001"]
)
def test_numbers_stay_as_they_were_written(text: str) -> None:
    document = f'{{"a":[{text},true,null,"\\u00e9"]}}'
    assert render_exact(parse_exact(document)) == document
    assert float(parse_exact(text)) == float(text)  # type: ignore[arg-type]  # a number
    assert isinstance(parse_exact("1.0"), Number)
