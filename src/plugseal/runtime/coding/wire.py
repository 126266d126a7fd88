"""The contract's messages as JSON objects, strictly: what has the wrong type or no meaning is an error of the message.

As in Go, null is what was left out. Other than in Go, names are exact and a key without meaning is an error: a
misspelt `outcome` is no success. What values mean is not asked here; `load` and `checks` do that.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from plugseal.errors import SupervisorError
from plugseal.runtime.coding.contract import (
    CancelRequest,
    CancelResponse,
    Content,
    ContentType,
    ExecuteRequest,
    InitializeRequest,
    InitializeResponse,
    ListToolsResponse,
    Manifest,
    Outcome,
    ProgressNotification,
    Result,
    ToolDescriptor,
)

MAX_TOOLS: Final = 4096
"""Of one plugin."""
MAX_CONTENTS: Final = 1024
"""Blocks of one result or progress."""
_T = TypeVar("_T")


def build_initialize(request: InitializeRequest) -> dict[str, object]:
    """Return the parameters of `initialize`."""
    host = {"name": request.host.name, "version": request.host.version}
    return {"protocolVersion": request.protocol_version, "host": host}


def build_execute(request: ExecuteRequest) -> dict[str, object]:
    """Return the parameters of `execute`."""
    return {"callId": request.call_id, "tool": request.tool, "arguments": request.arguments}


def build_cancel(request: CancelRequest) -> dict[str, object]:
    """Return the parameters of `cancel`."""
    return {"callId": request.call_id}


def build_result(result: Result) -> dict[str, object]:
    """Return a result as it is sent; what is empty is left out."""
    outcome = {
        "status": result.outcome.status,
        "errorCode": result.outcome.error_code or None,
        "exitCode": result.outcome.exit_code,
        "data": result.outcome.data,
    }
    found: dict[str, object] = {
        "callId": result.call_id,
        "content": [build_content(one) for one in result.content] or None,
        "outcome": {key: value for key, value in outcome.items() if value is not None},
        "terminate": result.terminate or None,
    }
    return {key: value for key, value in found.items() if value is not None}


def build_content(content: Content) -> dict[str, object]:
    """Return a block of content as it is sent."""
    if content.type == ContentType.TEXT.value:
        return {"type": content.type, "text": content.text}
    return {"type": content.type, "data": content.data, "mimeType": content.mime_type}


def parse_initialized(value: object) -> InitializeResponse:
    """Return an answer to `initialize`.

    Raises:
        SupervisorError: it is none.
    """
    found = _table(value, "the answer", ("protocolVersion", "plugin"))
    plugin = _table(found.get("plugin"), "`plugin`", ("id", "name", "version"))
    return InitializeResponse(
        protocol_version=_need(found, "protocolVersion", int, 0),
        plugin=Manifest(
            _need(plugin, "id", str, ""), _need(plugin, "version", str, ""), _need(plugin, "name", str, "")
        ),
    )


def parse_tools(value: object) -> ListToolsResponse:
    """Return an answer to `listTools`.

    Raises:
        SupervisorError: it is none, or has more than `MAX_TOOLS` tools.
    """
    rows = _need(_table(value, "the answer", ("tools",)), "tools", list, [])
    if len(rows) > MAX_TOOLS:
        raise SupervisorError(f"`tools` has more than {MAX_TOOLS:,} entries")
    return ListToolsResponse(tuple(_tool(row, f"`tools.{number}`") for number, row in enumerate(rows)))


def parse_cancelled(value: object) -> CancelResponse:
    """Return an answer to `cancel`.

    Raises:
        SupervisorError: it is none.
    """
    return CancelResponse(_need(_table(value, "the answer", ("accepted",)), "accepted", bool, False))


def parse_result(value: object) -> Result:
    """Return an answer to `execute`.

    Raises:
        SupervisorError: it is none.
    """
    found = _table(value, "the answer", ("callId", "content", "outcome", "terminate"))
    outcome = _table(found.get("outcome"), "`outcome`", ("status", "errorCode", "exitCode", "data"))
    return Result(
        call_id=_need(found, "callId", str, ""),
        outcome=Outcome(
            status=_need(outcome, "status", str, ""),
            error_code=_need(outcome, "errorCode", str, ""),
            exit_code=None if outcome.get("exitCode") is None else _need(outcome, "exitCode", int, 0),
            data=outcome.get("data"),
        ),
        content=_contents(found),
        terminate=_need(found, "terminate", bool, False),
    )


def parse_progress(value: object) -> ProgressNotification:
    """Return the parameters of `progress`.

    Raises:
        SupervisorError: they are none.
    """
    found = _table(value, "it", ("callId", "content", "data"))
    return ProgressNotification(_need(found, "callId", str, ""), _contents(found), found.get("data"))


def _tool(row: object, where: str) -> ToolDescriptor:
    keys = ("name", "description", "inputSchema", "label", "guidelines", "executionMode")
    found = _table(row, where, keys)
    guidelines = _need(found, "guidelines", list, [])
    if not all(line is None or isinstance(line, str) for line in guidelines):
        raise SupervisorError(f"{where} has `guidelines` that are no texts")
    return ToolDescriptor(
        name=_need(found, "name", str, ""),
        description=_need(found, "description", str, ""),
        input_schema=found.get("inputSchema"),
        label=_need(found, "label", str, ""),
        guidelines=tuple(line or "" for line in guidelines),
        execution_mode=_need(found, "executionMode", str, ""),
    )


def _contents(found: Mapping[str, Any]) -> tuple[Content, ...]:
    rows = _need(found, "content", list, [])
    if len(rows) > MAX_CONTENTS:
        raise SupervisorError(f"`content` has more than {MAX_CONTENTS:,} entries")
    return tuple(_content(row, f"`content.{number}`") for number, row in enumerate(rows))


def _content(row: object, where: str) -> Content:
    found = _table(row, where, ("type", "text", "data", "mimeType"))
    content = Content(*(_need(found, key, str, "") for key in ("type", "text", "data", "mimeType")))
    if content.data and not _is_base64(content.data):
        raise SupervisorError(f"{where} has `data` that is not base64")
    return content


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError:
        return False
    return True


def _table(value: object, where: str, keys: tuple[str, ...]) -> Mapping[str, Any]:  # Any: JSON, typed by `_need`
    if not isinstance(value, dict):
        raise SupervisorError(f"{where} is no object")
    unknown = sorted(set(value) - set(keys))
    if unknown:
        raise SupervisorError(f"{where} has the key `{unknown[0]}`, which has no meaning")
    return value


def _need(found: Mapping[str, Any], key: str, kind: type[_T], default: _T) -> _T:
    value = found.get(key)
    if value is None:
        return default
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise SupervisorError(f"`{key}` is no {_KINDS[kind]}")
    return value


_KINDS: Final[Mapping[type, str]] = {str: "text", int: "whole number", bool: "true or false", list: "list"}
