"""Offer what active bundles contribute to an MCP client on standard input and output, for as long as it stays.

A tool is called `<server ID>.<tool>`, which no two can share, since no server's ID has a dot; skills come by one tool
of ours. The registry is that of the start: who trusts another bundle meanwhile begins again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from plugseal.errors import PlugsealError, UsageError
from plugseal.runtime.codewhale.pool import Pool
from plugseal.runtime.codewhale.skills import SkillCatalogue
from plugseal.runtime.mcp_server import McpServer, Offer, Tool
from plugseal.verbs.codewhale.start import Start

SKILL: Final = "load_skill"
_SCHEMA: Final = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
_MAX_LISTED: Final = 4000


def serve_bundles(start: Start, *, on_event: Callable[[str], None], authorities: str | None = None) -> None:
    """Serve one client until it goes away.

    Args:
        start: with its registry.
        on_event: told what happens.
        authorities: certificates in PEM that alone are believed of remote servers; None for the system's.

    Raises:
        PlugsealError: a server that a bundle can't do without does not start, or the client broke a bound.
    """
    skills = SkillCatalogue(start.registry, start.host, on_event=on_event)
    with Pool(start.registry, start.host, on_event=on_event, authorities=authorities) as pool:
        pool.connect_required()
        offered = _Offered(pool, skills)
        server = McpServer(
            Offer(
                tools=offered.tools,
                call=offered.call,
                name="plugseal-codewhale",
                watched=pool.descriptors,
                look=pool.heed,
            )
        )
        offered.attend = server.attend
        server.serve()


class _Offered:
    """Skills and tools under one roof."""

    def __init__(self, pool: Pool, skills: SkillCatalogue) -> None:
        self._pool = pool
        self._skills = skills
        self.attend: Callable[[], bool] | None = None

    def tools(self) -> list[Tool]:
        found: list[Tool] = [self._skill_tool()] if self._skills.listed() else []
        for server, rows in self._pool.rows("tools").items():
            found += [{**row, "name": f"{server}.{row['name']}"} for row in rows]
        return found

    def call(self, name: str, arguments: dict[str, Any]) -> Mapping[str, Any]:
        """Return a result; an error of ours too is one that a model may read."""
        if name == SKILL:
            return _text(self._skills.load(str(arguments.get("name", ""))).text)
        server, dot, tool = name.partition(".")
        if not dot:
            raise UsageError(f"there is no tool `{name}`")
        self._pool.attend = self.attend
        try:
            answer = self._pool.call_tool(server, tool, arguments)
        except PlugsealError as error:
            return _text(f"{error.message}; {error.hint}" if error.hint else error.message, is_error=True)
        finally:
            self._pool.attend = None
        if "error" in answer:
            failure = answer["error"]
            return _text(str(failure.get("message", "")) if isinstance(failure, dict) else "", is_error=True)
        result = answer.get("result")
        return result if isinstance(result, dict) else _text("", is_error=True)

    def _skill_tool(self) -> Tool:
        rows = [f"- {skill.name}: {skill.description}" for skill in self._skills.listed()]
        text = "Load the text of a reviewed skill by its whole name.\n" + "\n".join(rows)
        return {"name": SKILL, "description": text[:_MAX_LISTED], "inputSchema": _SCHEMA}


def _text(text: str, *, is_error: bool = False) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": is_error}
