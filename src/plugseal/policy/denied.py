"""What a policy denies of a plugin at the gate: by its system, name and content, and by what it can do. Pure.

Standard library and globs alone: it runs before each start.
"""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.model.policy import DeniedAbility
from plugseal.policy.globs import matches


def find_denied(
    denied: Iterable[DeniedAbility],
    abilities: Iterable[tuple[str, str | None]],
    *,
    system: str,
    name: str,
    content: str,
) -> str | None:
    """Say what of a plugin is denied and why, None where nothing is.

    Args:
        denied: by all policies.
        abilities: (capability, object) of everything that it was reviewed to do.
        system: of the plugin.
        name: of the plugin.
        content: the content receipt that it is trusted by.
    """
    rows = sorted(abilities, key=repr)
    for one in denied:
        is_meant = one.system in ("", system) and one.content in ("", content)
        if not is_meant or (one.name and not matches(one.name, name.casefold())):
            continue
        if not one.capability:
            return f"it is denied: {one.reason}"
        for capability, found in rows:
            if capability != one.capability:
                continue
            from plugseal.policy.objects import is_denied_object  # most starts are under no such policy

            if is_denied_object(one.objects, capability, found):
                return f"`{capability} {'?' if found is None else found}` is denied: {one.reason}"
    return None


def explained(rows: Iterable[tuple[str, str | None, str]]) -> frozenset[tuple[str, str | None]]:
    """Return (capability, object) of what a plugin can do, without imports that its own known uses explain.

    An import says that a module which can do something is loaded. Where every use of it has a known object, that is
    what it is loaded for; where one has not, or none was seen, the import stays.

    Args:
        rows: (capability, object, channel).
    """
    rows = list(rows)
    uses = [row for row in rows if row[2] != "import"]
    known = {row[0] for row in uses} - {row[0] for row in uses if row[1] is None}
    return frozenset((row[0], row[1]) for row in rows if row[2] != "import" or row[0] not in known)
