"""Sessions that already happened: traces as lines of JSON, of which tool calls are read. Nothing of them is run.

A tool call is an object with `tool` (or `name`) as text and `args` (or `arguments`, `input`) as an object; an object in
`call`, and the `tool_calls` of a message, are looked at too. All other lines are kept for graders and mean no more.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from plugseal.errors import IntakeError
from plugseal.limits import MIB
from plugseal.records import NamedTuple

MAX_TRACE_BYTES: Final = 64 * MIB
_SUFFIXES: Final = (".jsonl", ".ndjson", ".json")
_NAMES: Final = ("tool", "name")
_ARGS: Final = ("args", "arguments", "input")
_MAX_FILES: Final = 10_000


class Call(NamedTuple):
    """One tool call."""

    tool: str
    args: Any


class Trace(NamedTuple):
    """One session."""

    file: str
    events: tuple[Any, ...]
    calls: tuple[Call, ...]

    def session(self) -> dict[str, Any]:
        """Return what a grader gets."""
        calls = [{"tool": call.tool, "args": call.args} for call in self.calls]
        return {"file": self.file, "events": list(self.events), "calls": calls}


def read_traces(paths: list[Path]) -> Iterator[Trace]:
    """Yield the traces in files and folders, in the order of their names.

    Raises:
        IntakeError: a path is not there, or a trace can't be read.
    """
    for path in paths:
        for file in _files(path):
            yield _parse(str(file), _read(file))


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise IntakeError("no trace is there", place=str(path), hint="name a trace file, or a folder of them")
    found = [Path(folder) / name for folder, _, names in os.walk(path) for name in names if name.endswith(_SUFFIXES)]
    if len(found) > _MAX_FILES:
        raise IntakeError(f"more than {_MAX_FILES:,} traces are there", place=str(path))
    return sorted(found)


def _read(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            data = file.read(MAX_TRACE_BYTES + 1)
    except OSError as error:
        raise IntakeError("a trace can't be read", place=str(path)) from error
    if len(data) > MAX_TRACE_BYTES:
        raise IntakeError(f"a trace is larger than {MAX_TRACE_BYTES:,} bytes", place=str(path))
    return data


def _parse(file: str, data: bytes) -> Trace:
    events: list[Any] = []
    for line in data.splitlines():
        try:
            events.append(json.loads(line))
        except (ValueError, RecursionError):
            events.clear()
            break
    if not events:
        events = _whole(data)
    return Trace(file, tuple(events), tuple(call for event in events for call in _calls(event)))


def _whole(data: bytes) -> list[Any]:
    """Return the events of a file that is one JSON document; a line that is none makes a file of lines one of none."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return [event for line in data.splitlines() if (event := _line(line)) is not None]
    return found if isinstance(found, list) else [found]


def _line(line: bytes) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _calls(event: object) -> Iterator[Call]:
    if not isinstance(event, dict):
        return
    made = _call(event)
    if made is not None:
        yield made
    for inner in (event.get("call"), event.get("message")):
        yield from _calls(inner)
    requested = event.get("tool_calls")
    for one in requested if isinstance(requested, list) else []:
        function = one.get("function") if isinstance(one, dict) else None
        found = _call(function if isinstance(function, dict) else one) if isinstance(one, dict) else None
        if found is not None:
            yield found


def _call(event: Mapping[str, Any]) -> Call | None:
    name = next((event[key] for key in _NAMES if isinstance(event.get(key), str)), None)
    given = next((event[key] for key in _ARGS if key in event), None)
    args = _parsed(given)
    return Call(name, args) if name is not None and isinstance(args, dict) else None


def _parsed(given: object) -> object:
    """Return arguments that stand as text, as models write them."""
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        return None
