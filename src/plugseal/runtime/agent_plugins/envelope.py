"""The tool `plugin` as a model calls it: `action`, `input`, `reasoning`, and three actions that only read.

Every action takes the empty object. What is not exactly that is refused before anything is read. A failure of
`settings` says nothing of what it failed on; the paths in it are never shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from plugseal.errors import PlugsealError

NAME: Final = "plugin"
ACTIONS: Final = ("info", "settings", "manual")
MAX_RESPONSE_BYTES: Final = 65_536
"""The whole answer of `settings`, as UTF-8."""
REDACTED: Final = "<redacted>"
COMMENT: Final = "plugin-manual#plugin-registration-roots"
_FIELDS: Final = frozenset({"action", "input", "reasoning", "summarize"})
_MAX_ECHO_CHARACTERS: Final = 200

Snapshot = Mapping[str, Any]
Answer = dict[str, Any]


class PluginTool:
    """Answer calls of the tool; what is read is given to it, nothing is written."""

    def __init__(
        self,
        *,
        info: Callable[[], Answer],
        snapshot: Callable[[], Snapshot | None],
        manual: Callable[[], tuple[str, str]],
    ) -> None:
        """Prepare without reading anything.

        Args:
            info: reads what `info` answers.
            snapshot: reads the snapshot of the last registration.
            manual: reads the manual and says where it lies.
        """
        self._handlers = {"info": self._info, "settings": self._settings, "manual": self._manual}
        self._read_info = info
        self._read_snapshot = snapshot
        self._read_manual = manual

    def answer(self, envelope: object) -> Answer:
        """Return the answer to a call; whatever is wrong with the call is an answer too."""
        table = envelope if isinstance(envelope, dict) else {}
        action = table.get("action", "")
        if action not in ACTIONS:
            told = ascii(action)
            told = told if len(told) <= _MAX_ECHO_CHARACTERS else told[:_MAX_ECHO_CHARACTERS] + "…"
            names = " or ".join(f"'{name}'" for name in ACTIONS)
            return {"status": "error", "message": f"unknown action: {told}, only {names} is supported"}
        why = _check_envelope(table)
        if why:
            return {"status": "failed", "error_code": "INVALID_ARGUMENT", "message": why}
        return self._handlers[action](summarize=table.get("summarize") is True)

    def _info(self, *, summarize: bool) -> Answer:
        found = self._read_info()
        return _summarized(found) if summarize else found

    def _settings(self, *, summarize: bool) -> Answer:
        del summarize  # one row is as short as it gets
        try:
            snapshot = self._read_snapshot()
        except PlugsealError:
            return _failed("SETTINGS_UNAVAILABLE", "the last registration can't be read")
        if snapshot is None:
            return _failed("SETTINGS_UNAVAILABLE", "nothing was registered yet")
        answer: Answer = {"status": "ok", "rows": [build_row()]}
        if len(json.dumps(answer, ensure_ascii=False).encode()) > MAX_RESPONSE_BYTES:
            return _failed("SETTINGS_RESPONSE_TOO_LARGE", f"the answer is larger than {MAX_RESPONSE_BYTES} bytes")
        return answer

    def _manual(self, *, summarize: bool) -> Answer:
        del summarize  # never: how to declare and review must not be cut away
        try:
            text, path = self._read_manual()
        except PlugsealError as error:
            return {"status": "degraded", "plugin_manual": "", "manual_path": "", "error": error.message}
        return {"status": "ok", "plugin_manual": text, "manual_path": path}


def build_row() -> Answer:
    """Return the one row of `settings`: that there is a list of roots, never what is on it."""
    return {
        "key": "manifest.plugins",
        "current": REDACTED,
        "default": REDACTED,
        "configurable": True,
        "comment": COMMENT,
    }


def tool_definition() -> Answer:
    """Return the tool as `tools/list` shows it."""
    return {
        "name": NAME,
        "description": (
            "Read-only. Says which Agent Plugins are registered for this agent and which are only discovered, what was "
            "skipped and why. Starts, registers and changes nothing. `info`: the last registration and what is there "
            "now. `settings`: the key that declares plugins, without its paths. `manual`: how plugins are declared."
        ),
        "inputSchema": {
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": list(ACTIONS)},
                "input": {"type": "object", "properties": {}, "additionalProperties": False},
                "reasoning": {"type": "string"},
                "summarize": {"type": "boolean"},
            },
            "required": ["action", "input", "reasoning"],
            "additionalProperties": False,
        },
    }


def _check_envelope(table: Mapping[str, Any]) -> str:
    """Return why a call of a known action is refused, nothing if it is not."""
    if not _FIELDS.issuperset(table):
        return "unsupported plugin argument"
    if not isinstance(table.get("input"), dict):
        return "input must be an object"
    if table["input"]:
        return "unsupported plugin input field"
    if not isinstance(table.get("reasoning"), str) or not table["reasoning"].strip():
        return "reasoning must be a text that is not blank"
    if not isinstance(table.get("summarize", False), bool):
        return "summarize must be a boolean"
    return ""


def _summarized(found: Answer) -> Answer:
    """Return `info` with names and counts in the place of rows."""
    short = {key: value for key, value in found.items() if key not in ("registered", "discovered", "paths", "problems")}
    return {
        **short,
        "registered": [{"name": row["name"], "skipped": len(row["skipped"])} for row in found["registered"]],
        "discovered": [{"name": row["name"]} for row in found["discovered"]],
        "path_count": len(found["paths"]),
        "problem_count": len(found["problems"]),
    }


def _failed(code: str, message: str) -> Answer:
    return {"status": "failed", "error_code": code, "message": message}
