"""A record of a registry of servers: how a plugin's server becomes one, and what every record must be.

The registry is lingtai's. What a scan says of it and what the gate registers are the same records; where each writes
them differently, or is stricter, it says so itself. Keys keep lingtai's order, since lines are compared as written.

See: https://github.com/Lingtai-AI/lingtai-kernel/blob/main/src/lingtai/services/mcp_registry.py
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from plugseal.patterns import lazy

SOURCE_PREFIX: Final = "plugin:"
"""Before a plugin's name, in the `source` of its records."""
MAX_SUMMARY_CHARACTERS: Final = 200
NAME: Final = lazy(r"[a-z][a-z0-9_-]{0,30}\Z")
"""A name that somebody can type."""
_NAME_AS_TOLD: Final = "^[a-z][a-z0-9_-]{0,30}$"
_TRANSPORTS: Final = {"stdio": "stdio", "streamable-http": "http", "sse": "http"}


def build_record(plugin: str, server: str, spec: Mapping[str, object]) -> dict[str, object]:
    """Return the record of one server; `check_record` says whether it is valid.

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
        record |= {"command": spec.get("command") or "", "args": spec.get("args") or []}
        return record | {key: spec[key] for key in ("cwd", "env") if spec.get(key)}
    record["url"] = spec.get("url") or ""
    return record | {key: spec[key] for key in ("headers",) if spec.get(key)}


def check_record(record: object, *, name: re.Pattern[str] = NAME) -> str:
    """Return what is wrong with a record, nothing where it is valid.

    Args:
        record: as it was read.
        name: what its name must match.
    """
    if not isinstance(record, dict):
        return "record must be a JSON object"
    own, summary = record.get("name"), record.get("summary")
    if not isinstance(own, str):
        return "missing or non-string field: name"
    if not name.match(own):
        return f"invalid name {own!a}: must match {_NAME_AS_TOLD}"
    if not isinstance(summary, str) or not summary:
        return "missing or empty field: summary"
    if len(summary) > MAX_SUMMARY_CHARACTERS:
        return f"summary too long ({len(summary)} > {MAX_SUMMARY_CHARACTERS} chars)"
    return _check_transport(record) or _check_origin(record)


def cut_summary(text: str) -> str:
    """Return a text that is no longer than what a prompt shows of it."""
    return text if len(text) <= MAX_SUMMARY_CHARACTERS else text[: MAX_SUMMARY_CHARACTERS - 1] + "…"


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


def _check_origin(record: Mapping[str, object]) -> str:
    source, homepage = record.get("source"), record.get("homepage")
    if not isinstance(source, str) or not source:
        return "missing or empty field: source"
    if homepage is not None and (not isinstance(homepage, str) or not homepage):
        return "homepage must be a non-empty string when present"
    return ""
