"""What a host knows of one bundle before anybody trusts it: data that discovery hands over; and its own names."""

from __future__ import annotations

from typing import NamedTuple


class Diagnostic(NamedTuple):
    """Something to say about a bundle; texts are hostile."""

    severity: str
    """`error` or `warning`."""
    code: str
    """As Codewhale names it."""
    message: str
    path: str = ""
    """Relative to the bundle."""


class Bundle(NamedTuple):
    """One folder in which Codewhale finds a bundle; all texts are hostile."""

    name: str
    version: str
    folder: str
    """Its name in the discovery root."""
    scope: str
    """`user` or `workspace`."""
    root: str
    """Canonical path."""
    id: str
    """Ours."""
    host_id: str = ""
    """As Codewhale would print it; empty where it can't be told."""
    diagnostics: tuple[Diagnostic, ...] = ()
    inactive: tuple[str, ...] = ()
    """Surfaces that it declares and that aren't started yet: they keep it from being enabled."""

    @property
    def is_valid(self) -> bool:
        """Say whether nothing is wrong with it that refuses it as a whole."""
        return not any(found.severity == "error" for found in self.diagnostics)


def server_id(plugin: str, server: str) -> str:
    """Return the name under which a server is exposed; the length keeps `foo-bar` + `baz` from `foo` + `bar-baz`."""
    return f"plugin-{len(plugin.encode('utf-8', 'surrogateescape'))}-{plugin}-{server}"


def skill_id(plugin: str, skill: str) -> str:
    """Return the only name under which a skill is exposed."""
    return f"{plugin}:{skill}"
