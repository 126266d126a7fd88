"""The `next:` line: one command that works as pasted, where there is something sensible to do."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from plugseal.model.inventory import Inventory
from plugseal.shown import shown_path

if TYPE_CHECKING:
    # What a review needs is more than a scan of a small plugin wants to load.
    from plugseal.model.look import Look


def next_command(inventory: Inventory, *, is_directory: bool = True) -> str | None:
    """Return the command that a reader of this scan most likely wants next.

    A finding, a refusal or an unread file is explained; a clean plugin is hashed. A path that can't be shown as it is
    can't be pasted as it is shown: no command is offered for it.

    Args:
        inventory: what the scan knows.
        is_directory: whether the scanned path is a directory; of a file or an archive no path leads further down.
    """
    if inventory.findings:
        worst = max(inventory.findings, key=lambda finding: finding.severity.rank)
        return f"plugseal explain {worst.rule}"
    if any(report.plugin.is_broken for report in inventory.plugins):
        return "plugseal explain broken-manifest"
    if inventory.faults:
        return f"plugseal explain {inventory.faults[0].code}"
    if inventory.unread:
        return "plugseal explain unread"
    if not inventory.plugins:
        return None
    path = pasteable(inventory.root, inventory.plugins[0].plugin.root if is_directory else "")
    return f"plugseal hash {path}" if path else None


def look_word(look: Look) -> str:
    """Return how to name a plugin that was looked at in a command that works as pasted."""
    path = pasteable(look.path)
    if path is None or look.shared_system:
        return look.id
    return f"{path} --system {look.plugin.system}" if look.shared else path


def pasteable(root: str, below: str = "") -> str | None:
    """Return a path quoted for a shell, None where it can't be shown and pasted alike.

    Args:
        root: a path as the user gave it.
        below: a path below it, `/` between parts.
    """
    path = f"{root.rstrip('/') or '/'}/{below}".replace("//", "/") if below else root
    path = path.removeprefix("./") if below and root == "." else path
    if path.startswith("-"):
        path = f"./{path}"
    return quote(path) if shown_path(path) == path and len(path) < 200 else None
