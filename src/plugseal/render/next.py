"""The `next:` line: one command that works as pasted, where there is something sensible to do."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from plugseal.model.inventory import Inventory
from plugseal.shown import shown_path

if TYPE_CHECKING:
    # What a review needs is more than a scan of a small plugin wants to load.
    from plugseal.model.look import Look
    from plugseal.model.plugin import Plugin


def next_command(inventory: Inventory, *, is_directory: bool = True) -> str | None:
    """Return the command that a reader of this scan most likely wants next.

    The plugin with the worst finding is reviewed, a clean one too; what nobody can review is explained. A path that
    can't be shown as it is can't be pasted as it is shown: no command is offered for it.

    Args:
        inventory: what the scan knows.
        is_directory: whether the scanned path is a directory; of a file or an archive no path leads further down.
    """
    if inventory.findings:
        worst = max(inventory.findings, key=lambda finding: finding.severity.rank)
        return _review(inventory, worst.file, is_directory=is_directory) or f"plugseal explain {worst.rule}"
    if any(report.plugin.is_broken for report in inventory.plugins):
        return "plugseal explain broken-manifest"
    if inventory.faults:
        return f"plugseal explain {inventory.faults[0].code}"
    if inventory.unread:
        return "plugseal explain unread"
    if not inventory.plugins:
        return None
    first = inventory.plugins[0].plugin.root
    path = pasteable(inventory.root)
    return _review(inventory, first, is_directory=is_directory) or (f"plugseal hash {path}" if path else None)


def _review(inventory: Inventory, file: str, *, is_directory: bool) -> str | None:
    """Return the command that reviews the plugin a file belongs to; None where no path names exactly one plugin."""
    plugins = [report.plugin for report in inventory.plugins]
    owning = [one for one in inventory.plugins if one.plugin.root == file or _holds(one.plugin, file)]
    report = max(owning, key=lambda one: len(one.plugin.root), default=None)
    if report is None:
        return None
    owner = report.plugin
    if not is_directory and owner.root not in ("", inventory.root.rpartition("/")[2]):
        return None  # Of an archive only what is the whole of it can be named.
    there = [one for one in plugins if one.root == owner.root]
    path = pasteable(inventory.root, owner.root if is_directory else "")
    if owner.is_broken or path is None:
        return None
    if [one.system for one in there].count(owner.system) > 1:
        # An ID is looked for below here alone.
        is_one = inventory.root == "." and sum(one.id == report.id for one in inventory.plugins) == 1
        return f"plugseal review {report.id}" if is_one else None
    # A manifest that a unit further up reads (`package.json`) is one of its own to who reads this folder alone.
    is_shared = len(there) > 1 or any(
        one.path_of(read).rpartition("/")[0] == owner.root for one in plugins if one is not owner for read in one.read
    )
    return f"plugseal review {path}" + (f" --system {owner.system}" if is_shared else "")


def _holds(plugin: Plugin, file: str) -> bool:
    """Say whether a file below the scanned root belongs to a plugin."""
    above = f"{plugin.root}/" if plugin.root else ""
    return file.startswith(above) and plugin.holds(file[len(above) :])


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
