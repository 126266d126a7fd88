"""The names under which what a bundle has is exposed: none of them can be another bundle's."""

from __future__ import annotations


def server_id(plugin: str, server: str) -> str:
    """Return the name of a server; the length keeps `foo-bar` + `baz` from `foo` + `bar-baz`."""
    return f"plugin-{len(plugin.encode('utf-8', 'surrogateescape'))}-{plugin}-{server}"


def skill_id(plugin: str, skill: str) -> str:
    """Return the only name of a skill."""
    return f"{plugin}:{skill}"
