"""Coding's plugins as lines: the list of them, and one that was loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plugseal.model.coding import CodingPlugin, CodingTool
from plugseal.render.json import Json, encode
from plugseal.render.text import BLANK, GAP, Line, Piece, count, line
from plugseal.shown import shown

_MAX_TEXT = 300


def render_coding_list(plugins: Sequence[CodingPlugin]) -> Iterator[Line]:
    """Yield each plugin with its tools, and the count."""
    for plugin in plugins:
        yield from _plugin(plugin)
        yield BLANK
    enabled = sum(plugin.state == "enabled" for plugin in plugins)
    yield line(count(len(plugins), "plugin"), f": {enabled:,} enabled")


def render_coding_loaded(plugin: CodingPlugin) -> Iterator[Line]:
    """Yield what a plugin told when it was loaded, and the count."""
    yield from _plugin(plugin)
    denied = sum(bool(tool.why_not) for tool in plugin.tools)
    more = f", {denied:,} denied" if denied else ""
    yield line(count(len(plugin.tools), "tool"), f"{more}; each call needs authorization")


def render_coding_list_json(plugins: Sequence[CodingPlugin]) -> str:
    """Return the list as JSON."""
    return encode({"format": "plugseal.coding-list/1", "plugins": [_plugin_json(plugin) for plugin in plugins]})


def render_coding_loaded_json(plugin: CodingPlugin) -> str:
    """Return what a plugin told when it was loaded as JSON."""
    return encode({"format": "plugseal.coding-loaded/1", **_plugin_json(plugin)})


def _plugin_json(plugin: CodingPlugin) -> dict[str, Json]:
    return {
        "id": plugin.id,
        "name": plugin.name,
        "version": plugin.version or None,
        "state": plugin.state,
        "declares": plugin.declares,
        "tools": [
            {
                "name": tool.name,
                "mode": tool.mode or None,
                "description": tool.description,
                "why_not": tool.why_not or None,
            }
            for tool in plugin.tools
        ],
    }


def _plugin(plugin: CodingPlugin) -> Iterator[Line]:
    title = shown(f"{plugin.name} {plugin.version}".strip())
    style = "good" if plugin.state in ("enabled", "loaded") else "medium"
    yield line(Piece(title, "title"), GAP, Piece(plugin.state, style), GAP, Piece(shown(plugin.id), "literal"))
    for tool in plugin.tools:
        yield _tool(tool)
    if not plugin.declares and plugin.state != "not trusted":
        yield line(GAP, Piece("its process alone tells its tools: `plugseal coding load`", "dim"))


def _tool(tool: CodingTool) -> Line:
    mode = f"{GAP}{shown(tool.mode)}" if tool.mode else ""
    text = f"{GAP}{shown(tool.description, limit=_MAX_TEXT)}" if tool.description else ""
    why = Piece(f"{GAP}denied: {shown(tool.why_not, limit=_MAX_TEXT)}", "high") if tool.why_not else ""
    return line(GAP, Piece(shown(tool.name), "literal"), mode, text, why)
