"""MCP servers apart from any one client: configurations (`config.py`), registry entries, bundles (`bundle.py`).

How a table of servers is spelled stands in `systems/components/servers.py`; no server is asked anything.
"""
