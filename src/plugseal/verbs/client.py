"""One client's view of a scan: its units, and the findings and unread files in what belongs to them."""

from __future__ import annotations

from plugseal.model.factlog import FactLog
from plugseal.model.inventory import Inventory
from plugseal.model.plugin import Plugin
from plugseal.systems.registry import all_systems


def client_names() -> tuple[str, ...]:
    """Return the names of all clients: those of the systems, in their order."""
    return tuple(system.name for system in all_systems())


def for_client(inventory: Inventory, client: str) -> Inventory:
    """Return what of an inventory is of one client; files that belong to none of its units are left out.

    Args:
        inventory: of the whole tree.
        client: the name of a system.
    """
    reports = tuple(report for report in inventory.plugins if report.plugin.system == client)
    plugins = [report.plugin for report in reports]
    facts = FactLog()
    for file in inventory.facts.files():
        if _is_of(plugins, file):
            facts.add(file, inventory.facts.of(file))
    return inventory._replace(
        plugins=reports,
        findings=tuple(finding for finding in inventory.findings if _is_of(plugins, finding.file)),
        facts=facts,
        unread=tuple(row for row in inventory.unread if _is_of(plugins, row.file)),
        faults=tuple(fault for fault in inventory.faults if not fault.path or _is_of(plugins, fault.path)),
        loose=(),
    )


def _is_of(plugins: list[Plugin], path: str) -> bool:
    return any(_holds(plugin, path) for plugin in plugins)


def _holds(plugin: Plugin, path: str) -> bool:
    """Say whether a path below the scanned root belongs to a plugin, or is a file that it starts beside itself."""
    if path == plugin.root or not plugin.root:
        inside = path if not plugin.root else ""
    elif path.startswith(f"{plugin.root}/"):
        inside = path[len(plugin.root) + 1 :]
    else:
        started = (component.entry for component in plugin.components if component.entry is not None)
        return any(plugin.path_of(entry) == path for entry in started if entry.startswith("../"))
    return plugin.holds(inside)
