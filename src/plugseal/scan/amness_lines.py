"""Add to Amness plugins the line that Amness shows of each file before it asks for approval.

It rests on what the scan found in the file, so it is known only now and not when the system describes the plugin.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from plugseal.model.factlog import FactLog
from plugseal.model.plugin import Plugin
from plugseal.systems.reading.reader import compact


def with_scan_line(plugin: Plugin, facts: FactLog, unread: Mapping[str, str]) -> Plugin:
    """Return an Amness plugin with that line in its host's verdict; any other plugin as it is."""
    if plugin.system != "amness" or not plugin.hosts:
        return plugin
    from plugseal.systems.amness.line import scan_line

    path = plugin.path_of(plugin.manifest)
    capabilities = {fact.capability for fact in facts.of(path)}
    line = scan_line(plugin.manifest, capabilities, unread.get(path))
    (verdict,) = plugin.hosts
    data = {**json.loads(verdict.data), "scan": line}
    summary = f"{verdict.summary}; {line}"
    return plugin._replace(hosts=(verdict._replace(summary=summary, data=compact(data)),))
