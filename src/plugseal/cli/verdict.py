"""How a scan's result becomes an exit code.

Fail closed: a scan that could not judge everything is never a pass by itself, and a place without any plugin never is.
"""

from __future__ import annotations

from plugseal.cli.exits import COULD_NOT_JUDGE, NO, NOTHING_TO_JUDGE, YES
from plugseal.model.capability import Channel
from plugseal.model.finding import Severity
from plugseal.model.inventory import Inventory


def exit_for_scan(inventory: Inventory, *, fail_on: str, exit_zero: bool = False) -> int:
    """Return the exit code of a scan.

    What could not be looked at may have held a plugin, so a place where nothing was found is judged by that first.

    Args:
        inventory: what the scan knows.
        fail_on: the lowest severity that fails (`info` to `high`), or `never`.
        exit_zero: turn 1, and 4 caused by unread files or broken components, into 0; never 3.
    """
    if _has_finding(inventory, fail_on):
        return YES if exit_zero else NO
    if not inventory.plugins and not _has_surface(inventory):
        return COULD_NOT_JUDGE if inventory.hides_something else NOTHING_TO_JUDGE
    return YES if inventory.is_complete or exit_zero else COULD_NOT_JUDGE


def _has_finding(inventory: Inventory, fail_on: str) -> bool:
    if fail_on == "never":
        return False
    lowest = Severity(fail_on).rank
    return any(finding.severity.rank >= lowest for finding in inventory.findings)


def _has_surface(inventory: Inventory) -> bool:
    """Say whether a configuration there makes some host do something, plugin or not."""
    return any(fact.channel == Channel.MANIFEST and fact.capability != "unread" for _, fact in inventory.facts)
