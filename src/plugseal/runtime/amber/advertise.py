"""The text that tells a model about the tools of enabled plugins, for as long as they are enabled.

A plugin's own words stand in it, as reviewed: each on one line, cut, and without characters that hide or control.
"""

from __future__ import annotations

from typing import Final

from plugseal.runtime.amber.offered import Offered
from plugseal.runtime.amber.schemas import summary
from plugseal.shown import shown

_MAX_ABOUT: Final = 1000
_MAX_TOOL: Final = 500


def advertisement(found: Offered) -> str:
    """Return the advertisement of everything that is offered, empty where nothing is."""
    blocks = []
    for plugin in found.plugins:
        tools = [offer.tool for offer in found.tools.values() if offer.plugin is plugin]
        about = plugin.declared
        lines = [f"### {_line(about.title, _MAX_TOOL)} (`{about.id}`)", _line(about.description, _MAX_ABOUT)]
        for tool in tools:
            takes = summary(tool.schema)
            told = f" Takes {_line(takes, _MAX_TOOL)}." if takes else ""
            lines.append(f"- `{tool.name}`: {_line(tool.description, _MAX_TOOL)}{told}")
        blocks += ["\n".join(lines)] if tools else []
    return "\n\n".join(["## Plugins", *blocks]) + "\n" if blocks else ""


def _line(text: str, limit: int) -> str:
    return shown(" ".join(text.split()), limit=limit)
