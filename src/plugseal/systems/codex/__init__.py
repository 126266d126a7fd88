"""Codex: plugins, marketplaces, and the `.codex` of a working folder."""
