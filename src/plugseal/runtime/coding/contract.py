"""Coding's plugin contract in Python: the messages, and `Supervisor`, which any harness can implement.

The names are those of the contract's Go types, the fields those of its JSON. Values are as a transport read them,
before anybody judged them: `load` and `checks` do that. Texts of a plugin are hostile. Nothing here knows a process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Protocol

PROTOCOL_VERSION: Final = 1
"""The only version of the contract that is spoken."""


class ExecutionMode(str, Enum):
    """Whether a tool may run beside other calls."""

    UNSAID = ""
    """One call at a time in its process, beside those of other plugins."""
    PARALLEL = "parallel"
    """Beside any other call, in the same process too."""
    SEQUENTIAL = "sequential"
    """Alone in the whole host."""


class ContentType(str, Enum):
    """The kinds of content that a model gets."""

    TEXT = "text"
    IMAGE = "image"


class OutcomeStatus(str, Enum):
    """How a call ended."""

    SUCCESS = "success"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class HostInfo:
    """Who asks."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Who a plugin says it is."""

    id: str
    version: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class InitializeRequest:
    """Begin to talk: the first request to a plugin, and sent once."""

    host: HostInfo
    protocol_version: int = PROTOCOL_VERSION


@dataclass(frozen=True, slots=True)
class InitializeResponse:
    """Confirm the version, and say who it is."""

    protocol_version: int
    plugin: Manifest


@dataclass(frozen=True, slots=True)
class ToolDescriptor:
    """What a plugin says of one of its tools."""

    name: str
    description: str
    input_schema: object
    """JSON; an object with `"type": "object"` where it is right."""
    label: str = ""
    guidelines: tuple[str, ...] = ()
    execution_mode: str = ""
    """The value of an `ExecutionMode` where it is right."""


@dataclass(frozen=True, slots=True)
class ListToolsRequest:
    """Ask for the tools."""


@dataclass(frozen=True, slots=True)
class ListToolsResponse:
    """Name the tools of one plugin."""

    tools: tuple[ToolDescriptor, ...]


@dataclass(frozen=True, slots=True)
class ExecuteRequest:
    """Begin one call; its arguments fit the tool's schema."""

    call_id: str
    tool: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Content:
    """One block of what a model gets."""

    type: str
    """The value of a `ContentType` where it is right."""
    text: str = ""
    data: str = ""
    """Of an image, in base64."""
    mime_type: str = ""


@dataclass(frozen=True, slots=True)
class ProgressNotification:
    """Say how a call goes on; it ends nothing."""

    call_id: str
    content: tuple[Content, ...] = ()
    data: object = None
    """JSON; None for none."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended."""

    status: str
    """The value of an `OutcomeStatus` where it is right."""
    error_code: str = ""
    exit_code: int | None = None
    data: object = None
    """JSON; None for none."""


@dataclass(frozen=True, slots=True)
class Result:
    """The one end of one call."""

    call_id: str
    outcome: Outcome
    content: tuple[Content, ...] = ()
    terminate: bool = False
    """Whether the agent shall end its work with this."""

    @property
    def is_success(self) -> bool:
        """Say whether the tool did what it was asked for."""
        return self.outcome.status == OutcomeStatus.SUCCESS.value


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """Ask a plugin to stop a call."""

    call_id: str


@dataclass(frozen=True, slots=True)
class CancelResponse:
    """Say whether there was such a call."""

    accepted: bool


OnProgress = Callable[[ProgressNotification], None]


@dataclass(slots=True)
class Context:
    """What the caller of something long may still want of it: that it stops, now or at a moment."""

    deadline: float | None = None
    """A moment of `time.monotonic`, None for none."""
    _is_cancelled: bool = field(default=False, init=False)

    def cancel(self) -> None:
        """Ask that it stops; safe in a signal handler."""
        self._is_cancelled = True

    @property
    def is_cancelled(self) -> bool:
        """Say whether it shall stop because its caller wants so."""
        return self._is_cancelled

    @property
    def is_late(self) -> bool:
        """Say whether its moment has passed."""
        return self.deadline is not None and time.monotonic() >= self.deadline


class Supervisor(Protocol):
    """Own one plugin's connection.

    Whoever implements it serialises concurrent calls as the plugin needs it, and turns the end of `context` into the
    transport's cancel. Each method raises a `PlugsealError` or an `OSError` where the plugin does not answer.
    """

    def initialize(self, context: Context, request: InitializeRequest) -> InitializeResponse:
        """Begin to talk."""
        ...

    def list_tools(self, context: Context, request: ListToolsRequest) -> ListToolsResponse:
        """Return the plugin's tools."""
        ...

    def execute(self, context: Context, request: ExecuteRequest, on_progress: OnProgress) -> Result:
        """Make one call and return its end; `on_progress` is called before, as often as the plugin says something."""
        ...

    def cancel(self, context: Context, request: CancelRequest) -> CancelResponse:
        """Ask the plugin to stop a call."""
        ...
