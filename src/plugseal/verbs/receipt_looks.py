"""Look at every plugin of a repository, one after the other."""

from __future__ import annotations

from pathlib import Path

from plugseal.errors import NothingToJudgeError
from plugseal.model.look import Look
from plugseal.rules.rule import RuleSet
from plugseal.verbs.look import look
from plugseal.verbs.scan import scan_with
from plugseal.verbs.select import Selection


def look_at_all(folder: Path) -> tuple[Look, ...]:
    """Return all plugins below a folder as they are on disk now.

    Raises:
        IntakeError: something can't be read.
        NothingToJudgeError: there is none.
    """
    inventory, _ = scan_with(RuleSet((), ""), folder)
    found = []
    for report in inventory.plugins:
        plugin = report.plugin
        path = folder / plugin.root if plugin.root else folder
        found.append(look(Selection(path, plugin.system, plugin.name, report.id), system=plugin.system))
    if not found:
        raise NothingToJudgeError("no plugin there", place=str(folder))
    return tuple(found)
