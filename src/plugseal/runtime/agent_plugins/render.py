"""The section `<registered_plugin>` of an agent's prompt, for both tiers.

All text of a package is hostile and ends up before a model: it is one line each, without hidden or control characters,
and can close no element. What a package says of itself never stands outside its own element.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from plugseal.shown import shown

_PREAMBLE: Final = """\
These Agent Plugins (agent-plugins.org, version 1.0.0) are known to this agent.
<mount>registered</mount>: declared in init.json under manifest.plugins. Its skills are listed here and are read from \
<source>; each name in <mcp_registered> has a record in mcp_registry.jsonl with source="plugin:<name>". Registered is \
not running: a server starts only where init.json has a matching entry under mcp and a person has reviewed, trusted \
and enabled exactly these bytes.
<mount>discovered</mount>: only come across on an inherited path. Nothing of it is listed or registered.
plugin(action="info", input={}, reasoning="...") says what was skipped and why; plugin(action="manual", input={}, \
reasoning="...") says how plugins are declared."""
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"})
_MAX_CHARACTERS: Final = 1024


def render_section(registered: Iterable[Mapping[str, Any]], discovered: Iterable[Mapping[str, Any]]) -> str:
    """Return the section, empty where there is no plugin.

    Args:
        registered: rows as `info` has them.
        discovered: likewise.
    """
    rows = [line for row in registered for line in _plugin(row, "registered")]
    rows += [line for row in discovered for line in _plugin(row, "discovered")]
    if not rows:
        return ""
    return "\n".join([_PREAMBLE, "", "<registered_plugin>", *rows, "</registered_plugin>"]) + "\n"


def _plugin(row: Mapping[str, Any], mount: str) -> Iterable[str]:
    yield "  <plugin>"
    yield _element("name", row["name"])
    yield _element("mount", mount)
    for key in ("version", "summary"):
        if row.get(key):
            yield _element(key, row[key])
    yield _element("skills", row["skill_count"])
    if mount == "registered" and row["skills"]:
        yield _element("skill_names", ", ".join(row["skills"]))
    yield _element("mcp_servers", row["mcp_server_count"])
    if mount == "registered":
        yield _element("mcp_registered", ", ".join(row["mcp_registered"]))
        if row["skipped"]:
            yield _element("skipped", len(row["skipped"]))
    yield _element("source", row["source"])
    if row.get("homepage"):
        yield _element("homepage", row["homepage"])
    yield "  </plugin>"


def _element(name: str, value: object) -> str:
    return f"    <{name}>{shown(str(value), limit=_MAX_CHARACTERS).translate(_ESCAPES)}</{name}>"
