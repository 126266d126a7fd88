"""Prepare a review: look at a plugin, find the evidence of each capability, and what changed since it was trusted.

It reads and shows; it writes nothing, never asks the cache, and judges nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plugseal.errors import PlugsealError, StateError
from plugseal.intake.stage import verify_stage
from plugseal.model.change import WRAPPED, Change
from plugseal.model.identity import STAGE
from plugseal.model.look import Look
from plugseal.model.reach import Paths, Reached
from plugseal.model.review import Ability, Review
from plugseal.model.trust import Approval, TrustStatus
from plugseal.scan.linking.covered import own_rows
from plugseal.scan.reports import relative
from plugseal.trust.store import Store
from plugseal.verbs.changes import compare, compare_files
from plugseal.verbs.codewhale.tokens import codewhale_receipts
from plugseal.verbs.trust import as_trusted, status_now


def review(look: Look, store: Store) -> Review:
    """Return everything that a person must see before they trust a plugin.

    Args:
        look: at the plugin.
        store: what is recorded.

    Raises:
        StateError: what is recorded can't be believed; then nothing is shown as trusted.
    """
    record = store.read(look.subject)
    standing = None if record is None else record.standing
    report = look.report
    # What was trusted may be some components alone: the status is theirs, what is shown is what was asked for.
    compared = look if look.only else as_trusted(look, record)
    status = status_now(compared, record, store)
    change, unknown = None, ""
    if standing is not None and standing.trust is not None:
        is_wrapped = status is TrustStatus.TRUSTED and standing.trust.content != report.content_receipt
        if is_wrapped or status is not TrustStatus.TRUSTED:
            # Whatever is asked for is compared: what was trusted may be a part of it, and all beside that part is new.
            change, unknown = _change(look, standing.trust, store)
        if is_wrapped and change is not None:
            change = change.of_class(WRAPPED)
    return Review(
        look=look,
        status=status,
        standing=standing,
        abilities=_abilities(look),
        change=change,
        change_unknown=unknown,
        hosts=codewhale_receipts([report], Path(look.path)),
    )


def _change(look: Look, trusted: Approval, store: Store) -> tuple[Change | None, str]:
    """Return what changed since trust, or why that can't be told."""
    try:
        before: Mapping[str, Any] = json.loads(store.document(trusted.capability))
    except StateError as error:
        return None, error.message
    after: Mapping[str, Any] = json.loads(look.document)
    stage = store.home / STAGE / trusted.content
    try:
        tree = verify_stage(stage, trusted.content)
    except PlugsealError as error:
        # Whatever is wrong with the copy, the document still tells.
        return compare(before, after, [], ([], [])), f"files can't be compared: {error.message}"
    files, lists, fresh = compare_files(stage, Path(look.subject.root), trees=(tree, look.tree))
    return compare(before, after, files, lists, added_lines=fresh), ""


def _abilities(look: Look) -> tuple[Ability, ...]:
    plugin = look.plugin
    places: dict[tuple[str, str | None], set[tuple[str, int]]] = {}
    ways: dict[tuple[str, str | None], list[tuple[Reached, str, int]]] = {}
    paths = Paths(look.inventory.reach)
    files = [(file, None) for file in look.inventory.facts.files()]
    for path, _ in own_rows(plugin, files):
        shown_as = relative(path, plugin.root)
        for fact in look.inventory.facts.of(path):
            thing = shown_as if fact.object == path else fact.object
            places.setdefault((fact.capability, thing), set()).add((shown_as, fact.span.line))
            reached = paths.to(path, fact.span.line)
            if reached is not None:
                ways.setdefault((fact.capability, thing), []).append((reached, shown_as, fact.span.line))
    rows: dict[tuple[str, str | None], tuple[set[str], set[str]]] = {}
    for capable in look.report.capabilities:
        triggers, channels = rows.setdefault((capable.capability, capable.object), (set(), set()))
        triggers.add(capable.trigger)
        channels.add(capable.channel)
    return tuple(
        Ability(
            capability,
            thing,
            tuple(sorted(triggers)),
            tuple(sorted(channels)),
            tuple(sorted(places.get((capability, thing), ()))),
            _is_declared(plugin.permissions, capability, thing),
            min(ways.get((capability, thing), ()), key=lambda way: (len(way[0].path), way), default=None),
        )
        for (capability, thing), (triggers, channels) in rows.items()
    )


def _is_declared(permissions: tuple[str, ...], capability: str, thing: str | None) -> bool | None:
    if not permissions:
        return None
    return capability in permissions or f"{capability} {thing}" in permissions
