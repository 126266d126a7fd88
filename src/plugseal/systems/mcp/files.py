"""Names under which clients keep MCP servers, and the keys under which the table stands in them.

A file of a known name is a configuration if it holds such a table; one whose name only speaks of MCP is one if its
servers look like servers. The formats are JSON (with comments where a client allows them), JSON5, YAML and TOML.
"""

from __future__ import annotations

from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.patterns import lazy
from plugseal.systems.reading.reader import lookup

FILES: Final = {
    ".mcp.json": ("mcpServers",),
    "mcp.json": ("mcpServers", "servers"),
    ".vscode/mcp.json": ("servers", "mcpServers"),
    ".cursor/mcp.json": ("mcpServers",),
    ".github/mcp.json": ("mcpServers",),
    ".gemini/mcp.json": ("mcpServers",),
    ".kiro/settings/mcp.json": ("mcpServers",),
    ".windsurf/mcp.json": ("mcpServers",),
    ".codeium/windsurf/mcp_config.json": ("mcpServers",),
    ".roo/mcp.json": ("mcpServers",),
    ".kilocode/mcp.json": ("mcpServers",),
    ".amazonq/mcp.json": ("mcpServers",),
    ".junie/mcp/mcp.json": ("mcpServers",),
    ".lmstudio/mcp.json": ("mcpServers",),
    ".trae/mcp.json": ("mcpServers",),
    ".factory/mcp.json": ("mcpServers",),
    ".claude.json": ("mcpServers",),
    "claude_desktop_config.json": ("mcpServers",),
    "cline_mcp_settings.json": ("mcpServers",),
    "mcp_config.json": ("mcpServers", "servers"),
    "mcp_settings.json": ("mcpServers",),
    "librechat.yaml": ("mcpServers",),
    "fastmcp.json": ("mcpServers",),
    "mcp_agent.config.yaml": ("mcp",),
}
"""File below the opened folder, and where its table of servers may stand."""
_INNER: Final = "servers"
"""Under this key of the table `mcp` some frameworks keep its servers beside other settings."""
TABLES: Final = ("mcpServers", "mcp_servers", "context_servers", "servers", "mcp")
"""Where the table stands in a file of another name, the surest first."""
SPEAKING: Final = lazy(r"(?i)(?:\A|[._-])mcp(?:[._-]?(?:servers?|config|settings?))?[._-][^/]*\Z|mcp[_-]?servers?\.")
SUFFIXES: Final = (".json", ".jsonc", ".json5", ".yaml", ".yml", ".toml")
_SCHEMAS: Final = lazy(r"(?i)schema|package|tsconfig|lock\.|manifest")


def tables_in(value: object, tables: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return where tables of servers stand in a document: at its top, and for each of its projects."""
    found: list[tuple[str, ...]] = [
        (table, _INNER) if isinstance(lookup(value, (table, _INNER)), dict) and table != _INNER else (table,)
        for table in tables
        if isinstance(lookup(value, (table,)), (dict, list))
    ]
    projects = lookup(value, ("projects",))
    for name in list(projects)[:MAX_DECLARED] if isinstance(projects, dict) else ():
        found += [place for t in tables if isinstance(lookup(value, place := ("projects", name, t)), dict)]
    return found


def known_as(path: str) -> str | None:
    """Return the longest name of the table under which a file is known."""
    parts = path.split("/")
    for count in (3, 2, 1):
        tail = "/".join(parts[-count:])
        if tail in FILES:
            return tail
    return None


def speaks_of_servers(path: str) -> bool:
    """Say whether a file's name or folder says that it may hold servers."""
    *folders, name = path.split("/")
    if not name.endswith(SUFFIXES) or _SCHEMAS.search(name):
        return False
    return SPEAKING.search(name) is not None or folders[-1:] in (["mcpServers"], ["mcp-servers"])
