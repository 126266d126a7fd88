"""Records of `mcp_registry.jsonl`: how a server becomes one, which are valid, and how one is written.

A name must be what somebody can type; a record is one line for every reader, whatever it takes for the end of one; keys
keep their order, since lines are compared and shown as they are written. Nothing here reads or writes a file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from plugseal.model import registry_record
from plugseal.model.registry_record import check_record
from plugseal.runtime.environment import loads_code

MAX_RECORD_BYTES: Final = 64 * 1024
"""One line of a registry."""
_LINE_ENDS: Final = {"\x7f": "\\u007f", "\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""What some readers take for the end of a line and JSON does not escape."""


def build_record(plugin: str, server: str, spec: Mapping[str, object]) -> tuple[dict[str, object] | None, str]:
    """Return the record of one server, or None and why it has none.

    Args:
        plugin: the plugin's name.
        server: the server's name in `mcp.json`.
        spec: the server, its own paths absolute.
    """
    record = registry_record.build_record(plugin, server, spec)
    why = check_record(record) or _check_variables(record.get("env"))
    if not why and len(build_line(record)) > MAX_RECORD_BYTES:
        why = f"its record is larger than {MAX_RECORD_BYTES:,} bytes"
    return (None, why) if why else (record, "")


def build_line(record: Mapping[str, object]) -> bytes:
    """Return a record as it is written, without the line's end."""
    text = json.dumps(record, ensure_ascii=False)
    for end, escaped in _LINE_ENDS.items():
        text = text.replace(end, escaped)
    return text.encode()


def _check_variables(table: object) -> str:
    for name in table if isinstance(table, dict) else ():
        if loads_code(name):
            return f"env sets {name!a}, which makes programs load other code"
        if not name or "=" in name or "\0" in name:
            return f"env has a name that no environment can hold: {name!a}"
    return ""
