"""Where packages come from: settings that take them from another place than everybody else does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from plugseal.model.plugin import ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import ManifestHit
from plugseal.systems.launching.launch import hosts

_SYSTEMS: Final = frozenset({"tooling"})
_USUAL: Final = lazy(
    r"(?:.+\.)?(?:npmjs\.org|npmjs\.com|yarnpkg\.com|npm\.pkg\.github\.com|pypi\.org|pythonhosted\.org|jsr\.io"
    r"|download\.pytorch\.org|pypi\.nvidia\.com|crates\.io)"
    r"|localhost|127\.[0-9.]+|\[?::1\]?"
)
"""Registries that everybody uses, and the machine itself."""


def look_for_other_registries(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find settings by which a package manager fetches from a place of its own."""
    if plugin.system not in _SYSTEMS:
        return
    for component in plugin.components:
        if component.kind is ComponentKind.SETTING and component.trigger == "install" and component.endpoint:
            host = next(iter(hosts(component.endpoint)), None)
            if host is None or not _USUAL.fullmatch(host):
                yield ManifestHit(component, component.endpoint, "packages come from there", host)
