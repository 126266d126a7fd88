"""Codex: plugins, marketplaces, and the `.codex` of a working folder.

`system.py` is the door. Its rules for commands and the hash by which it trusts a hook are told, and never obeyed.
"""
