"""Codewhale's runtime: skills from reviewed snapshots and MCP servers, each under one reviewed authority.

`host.py` holds what one start shares, `skills.py` and `pool.py` serve. A skill's text comes from the reviewed copy,
never from where the bundle lies.
"""
