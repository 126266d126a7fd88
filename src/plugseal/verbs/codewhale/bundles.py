"""Codewhale's `/plugin` commands over our own trust: each names a bundle as Codewhale does, by its name.

What is trusted is our token, over content and everything that a bundle can do. Codewhale's own is shown beside it and
trusts nothing here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from plugseal.errors import NothingToJudgeError, RefusedError, RefusedTransitionError
from plugseal.model.codewhale import Bundle, ListedBundle, ListedBundles
from plugseal.model.decision import Reason
from plugseal.model.identity import subject_id
from plugseal.model.look import Look
from plugseal.model.origin import Origin
from plugseal.model.plugin import ComponentKind
from plugseal.model.trust import Done
from plugseal.runtime.codewhale.names import server_id, skill_id
from plugseal.runtime.codewhale.registry import Entry, Registry
from plugseal.runtime.codewhale.when import unmet_condition
from plugseal.systems.homes import CODEWHALE
from plugseal.trust.record import Record
from plugseal.trust.store import Store
from plugseal.verbs import trust as verbs
from plugseal.verbs.codewhale.start import SYSTEM, Start
from plugseal.verbs.known import find_record, known_records
from plugseal.verbs.look import look
from plugseal.verbs.scan import OnProgress
from plugseal.verbs.select import Selection

_DRIFTED: Final = frozenset(
    {
        Reason.CONTENT_DRIFTED,
        Reason.STAGE_DAMAGED,
        Reason.DOCUMENT_DAMAGED,
        Reason.ANOTHER_PLACE,
        Reason.SOURCE_GONE,
    }
)
"""Why the gate refuses what is not on disk as it was trusted."""


def list_bundles(start: Start) -> ListedBundles:
    """Return the bundles of a start, with what keeps each from contributing."""
    return ListedBundles(tuple(map(listed_bundle, start.registry.entries)), start.registry.diagnostics, start.legacy)


def listed_bundle(entry: Entry) -> ListedBundle:
    """Return a bundle as it is shown."""
    return ListedBundle(entry.bundle, entry.label, entry.why)


def exposed_names(found: Look) -> tuple[list[str], list[str]]:
    """Return the names under which a bundle's skills and servers would be exposed, sorted."""
    plugin = found.plugin
    skills = [one.name for one in plugin.components if one.kind is ComponentKind.SKILL]
    servers = [
        one.name
        for one in plugin.components
        if one.kind is ComponentKind.SERVER and one.file == plugin.manifest and one.transport
    ]
    return sorted(skill_id(plugin.name, name) for name in skills), sorted(server_id(plugin.name, s) for s in servers)


def find_bundle(name: str, registry: Registry) -> Entry:
    """Return the bundle of a name, the one that wins.

    Raises:
        NothingToJudgeError: there is none.
    """
    entry = registry.find(name)
    if entry is None:
        from difflib import get_close_matches

        known = [one.bundle.name for one in registry.entries]
        near = get_close_matches(name[:200], known, n=1, cutoff=0.6)
        hint = f"did you mean `{near[0]}`?" if near else "see those that are there with `plugseal codewhale list`"
        raise NothingToJudgeError(f"no bundle here is called `{name}`", hint=hint)
    return entry


def look_at_bundle(bundle: Bundle, *, on_progress: OnProgress | None = None) -> Look:
    """Return a bundle as it is on disk now, read and scanned.

    Raises:
        PlugsealError: as `look`.
    """
    origin = None
    if bundle.scope == "user":
        origin = Origin("user", bundle.root, f"{CODEWHALE}/{bundle.folder}")
    selection = Selection(Path(bundle.root), SYSTEM, bundle.name, bundle.id, origin)
    return look(selection, system=SYSTEM, on_progress=on_progress)


def trust_bundle(found: Look, token: str, store: Store) -> Done:
    """Trust exactly what is on disk now; it enables nothing.

    Raises:
        PlugsealError: as `trust`.
    """
    return verbs.trust(found, token, store)


def enable_bundle(entry: Entry, found: Look, start: Start) -> Done:
    """Permit a trusted bundle to contribute.

    Raises:
        RefusedTransitionError: it is not trusted as it is now, declares what isn't started yet, or is not for this
            machine.
        StateError: it can't be recorded.
    """
    bundle = entry.bundle
    if bundle.inactive:
        raise RefusedTransitionError(
            f"it declares what isn't started yet: {', '.join(bundle.inactive)}",
            hint="ask its author for a bundle of skills and servers alone",
        )
    unmet = unmet_condition(dict(found.plugin.extra), start.host.variables)
    if unmet:
        raise RefusedTransitionError(f"it can't be used here: {unmet}", hint="its `[when]` says what it needs")
    return verbs.enable(found, start.host.store)


def record_of(name: str, start: Start) -> Record:
    """Return what is recorded about a bundle, which may be gone from disk.

    Raises:
        NothingToJudgeError: nothing is.
        UsageError: the name fits more than one.
        StateError: it can't be believed.
    """
    entry = start.registry.find(name)
    if entry is not None:
        records, broken = known_records(start.host.store)
        fits = [record for record in records if subject_id(record.subject) == entry.bundle.id]
        if fits:
            return fits[0]
        if broken:
            raise broken[0].error
    found = find_record(name, start.host.store)
    if found.subject.system != SYSTEM:
        raise NothingToJudgeError(f"nothing is recorded about a bundle `{name}`", hint="see `plugseal codewhale list`")
    return found


def reload_bundles(start: Start) -> tuple[str, ...]:
    """End every older authority of bundles whose files changed, and return their names.

    What did not change keeps its authority; the next start builds its own registry in any case.

    Raises:
        StateError: one can't be recorded.
    """
    store = start.host.store
    records, broken = known_records(store)
    if broken:
        raise broken[0].error
    changed = [record for record in records if _has_drifted(record, start)]
    for record in changed:
        verbs.reload(record, store)
    return tuple(record.subject.name for record in changed)


def _has_drifted(record: Record, start: Start) -> bool:
    """Say whether a bundle of these roots that is permitted is not what was trusted any more, or is gone."""
    subject, standing = record.subject, record.standing
    is_ours = subject.system == SYSTEM and os.path.dirname(subject.root) in start.homes  # noqa: PTH120  # text
    if not is_ours or standing.trust is None or not standing.enabled:
        return False
    try:
        start.host.gate().admit(subject_id(subject))
    except RefusedError as error:
        return Reason(error.reason) in _DRIFTED
    return False
