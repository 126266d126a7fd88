"""Codewhale's runtime: skills from reviewed snapshots and MCP servers, each under one reviewed authority."""
