"""Folders that are several plugins: a client that starts something which the others' manifests don't show."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from plugseal.model.plugin import Plugin
from plugseal.scan.detectors.detector import ManifestHit

_NAMED: Final = 3


def look_for_other_views(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find what another client starts of a plugin's folder and its own client does not."""
    by_client: dict[str, list[str]] = {}
    for system, component in plugin.views:
        by_client.setdefault(system, []).append(component)
    for system, components in by_client.items():
        more = f" and {len(components) - _NAMED} more" if len(components) > _NAMED else ""
        note = f"{system} starts {', '.join(components[:_NAMED])}{more}"
        yield ManifestHit(note=note, object=system, file=plugin.manifest)
