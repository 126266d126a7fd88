"""Packages of servers and agents that very many people start by name, and names that are one slip away from theirs."""

from __future__ import annotations

from typing import Final

from plugseal.patterns import lazy

_OF_THE_PROTOCOL: Final = (
    "filesystem github gitlab slack memory puppeteer postgres everything brave-search google-maps gdrive "
    "sequential-thinking redis everart aws-kb-retrieval"
)
KNOWN: Final = frozenset(
    {
        *(f"@modelcontextprotocol/server-{name}" for name in _OF_THE_PROTOCOL.split()),
        *(
            "@modelcontextprotocol/inspector @modelcontextprotocol/sdk @playwright/mcp @upstash/context7-mcp "
            "@notionhq/notion-mcp-server @supabase/mcp-server-supabase @sentry/mcp-server @anthropic-ai/claude-code "
            "@openai/codex @google/gemini-cli @wonderwhy-er/desktop-commander @browsermcp/mcp @azure/mcp "
            "@executeautomation/playwright-mcp-server chrome-devtools-mcp firecrawl-mcp tavily-mcp exa-mcp-server "
            "figma-developer-mcp mcp-remote supergateway mcp-server-kubernetes mongodb-mcp-server task-master-ai "
            "mcp-server-fetch mcp-server-git mcp-server-time mcp-server-sqlite mcp-atlassian arxiv-mcp-server "
            "excel-mcp-server blender-mcp markitdown-mcp duckduckgo-mcp-server redis-mcp-server elevenlabs-mcp "
            "awslabs.core-mcp-server awslabs.aws-documentation-mcp-server"
        ).split(),
    }
)
_SEPARATORS: Final = lazy(r"[-_.]+")
"""PyPI takes them for one another, so that they make no other name there."""
_SHORTEST: Final = 8
"""Characters; of shorter names very many are a letter apart."""


def mistaken_for(name: str) -> str:
    """Return the known package for whose name another one can be typed, empty where it is one itself or like none."""
    name = name.lower()
    is_image = "/" in name and not name.startswith("@")
    if name in KNOWN or len(name) < _SHORTEST or is_image:
        return ""
    meant = next((known for known in sorted(KNOWN) if _is_one_slip(name, known)), "")
    return "" if _SEPARATORS.sub("-", name) == _SEPARATORS.sub("-", meant) else meant


def _is_one_slip(name: str, known: str) -> bool:
    """Say whether one letter too many, too few, another one, or two in the wrong order make one name of the other."""
    if abs(len(name) - len(known)) > 1:
        return False
    start = 0
    while start < min(len(name), len(known)) and name[start] == known[start]:
        start += 1
    rest, wanted = name[start:], known[start:]
    if len(rest) != len(wanted):
        longer, shorter = (rest, wanted) if len(rest) > len(wanted) else (wanted, rest)
        return longer[1:] == shorter
    return rest[1:] == wanted[1:] or (rest[:2] == wanted[1::-1] and rest[2:] == wanted[2:])
