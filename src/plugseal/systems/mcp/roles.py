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
_MCP_AGENT: Final = """
skip: mcp.servers
quiet: $schema name description execution_engine logger.** usage_telemetry.** temporal.** workflow_task_modules
quiet: *.default_model *.reasoning_effort *.user *.api_version otel.enabled otel.exporters otel.service_name
quiet: otel.sample_rate otel.path_settings.**
endpoint: *.base_url *.azure_endpoint otel.otlp_settings.endpoint otel.exporters.*.**
"""
"""Of the framework mcp-agent, https://github.com/lastmile-ai/mcp-agent/blob/main/src/mcp_agent/config.py"""
ROLES: Final = {
    "mcp_agent.config.yaml": _MCP_AGENT,
    ".claude.json": _CLAUDE,
}
"""File below the opened folder, and the table of its settings."""
