"""What settings of clients grant, run and redirect beside their servers, of clients that have no system of their own.

Keys that stand in no table leave the file unread: nobody is told that all of it was looked at.
"""

from __future__ import annotations

from typing import Final

_CLAUDE: Final = """
skip: mcpServers projects.*.mcpServers
grant: bypassPermissionsModeAccepted projects.*.allowedTools projects.*.enabledMcpjsonServers
grant: projects.*.hasTrustDialogAccepted
"""
"""Of the client's own state in a home, of which all else is counters and caches."""
ROLES: Final = {
    ".claude.json": _CLAUDE,
}
"""File below the opened folder, and the table of its settings."""
