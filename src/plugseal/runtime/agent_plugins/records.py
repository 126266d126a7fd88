"""Records of `mcp_registry.jsonl`: how a server becomes one, which are valid, and how one is written.

A name must be what somebody can type; a record is one line for every reader, whatever it takes for the end of one; keys
keep their order, since lines are compared and shown as they are written. Nothing here reads or writes a file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from plugseal.patterns import lazy
from plugseal.runtime.agent_plugins.package import MAX_SUMMARY_CHARACTERS, cut_summary
from plugseal.runtime.environment import loads_code

SOURCE_PREFIX: Final = "plugin:"
MAX_RECORD_BYTES: Final = 64 * 1024
"""One line of a registry."""
_NAME: Final = lazy(r"[a-z][a-z0-9_-]{0,30}\Z")
_TRANSPORTS: Final = {"stdio": "stdio", "streamable-http": "http", "sse": "http"}
_LINE_ENDS: Final = {"\x7f": "\\u007f", "\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""What some readers take for the end of a line and JSON does not escape."""


def build_record(plugin: str, server: str, spec: Mapping[str, object]) -> tuple[dict[str, object] | None, str]:
    """Return the record of one server, or None and why it has none.

    Args:
        plugin: the plugin's name.
        server: the server's name in `mcp.json`.
        spec: the server, its own paths absolute.
    """
    transport = _TRANSPORTS[str(spec["type"])]
    record: dict[str, object] = {
        "name": server,
        "summary": cut_summary(f"{server}: MCP server provided by Agent Plugin {plugin}"),
        "transport": transport,
        "source": SOURCE_PREFIX + plugin,
    }
    if transport == "stdio":
        record |= {"command": spec.get("command", ""), "args": spec.get("args", [])}
        record |= {key: spec[key] for key in ("cwd", "env") if spec.get(key)}
    else:
        record["url"] = spec.get("url", "")
        record |= {key: spec[key] for key in ("headers",) if spec.get(key)}
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


def check_record(record: object) -> str:
    """Return what is wrong with a record, nothing where it is valid."""
    if not isinstance(record, dict):
        return "record must be a JSON object"
    name, summary, source = (record.get(key) for key in ("name", "summary", "source"))
    if not isinstance(name, str):
        return "missing or non-string field: name"
    if not _NAME.match(name):
        return f"invalid name {name!a}: must match ^{_NAME.pattern.removesuffix(chr(92) + 'Z')}$"
    if not isinstance(summary, str) or not summary:
        return "missing or empty field: summary"
    if len(summary) > MAX_SUMMARY_CHARACTERS:
        return f"summary too long ({len(summary)} > {MAX_SUMMARY_CHARACTERS} chars)"
    if not isinstance(source, str) or not source:
        return "missing or empty field: source"
    homepage = record.get("homepage")
    if homepage is not None and (not isinstance(homepage, str) or not homepage):
        return "homepage must be a non-empty string when present"
    return _check_transport(record)


def _check_transport(record: Mapping[str, object]) -> str:
    transport = record.get("transport")
    if transport not in ("stdio", "http"):
        return f"invalid transport {transport!a}: must be one of ['http', 'stdio']"
    if transport == "http":
        return "" if isinstance(record.get("url"), str) else "http transport requires field 'url' (string)"
    if not isinstance(record.get("command"), str):
        return "stdio transport requires field 'command' (string)"
    words = record.get("args", [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return "stdio transport requires field 'args' (list of strings)"
    return ""


def _check_variables(table: object) -> str:
    for name in table if isinstance(table, dict) else ():
        if loads_code(name):
            return f"env sets {name!a}, which makes programs load other code"
        if not name or "=" in name or "\0" in name:
            return f"env has a name that no environment can hold: {name!a}"
    return ""
