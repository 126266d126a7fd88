"""List plugins with their trust, and show what is recorded about one. Writes nothing, makes nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plugseal.encode.treehash import find_content_receipt
from plugseal.errors import IntakeError, StateError
from plugseal.intake.read import read_tree
from plugseal.model.identity import STAGE, subject_id
from plugseal.model.origin import Origin
from plugseal.model.plugin import Plugin
from plugseal.model.tree import Tree
from plugseal.model.trust import Approval, Listed, Recorded, ReviewEntry, RunEntry, Standing, Subject, TrailView
from plugseal.scan.document import build_document, document_bytes
from plugseal.scan.linking.covered import own_tree
from plugseal.scan.resolved import followed
from plugseal.trust.journal import Journal
from plugseal.trust.parts import parse_actor
from plugseal.trust.record import Record
from plugseal.trust.store import Broken, Store, subject_key
from plugseal.trust.trail import Entry, Trail
from plugseal.verbs.anchor import anchor_of
from plugseal.verbs.changes import compare_components
from plugseal.verbs.known import known_records
from plugseal.verbs.pins import pins_of
from plugseal.verbs.select import describe_in
from plugseal.verbs.trust import is_but_wrapped


def list_plugins(path: Path, store: Store) -> tuple[Listed, ...]:
    """Return the plugins below a path with their trust, then the recorded ones elsewhere.

    A plugin whose content is what was trusted can do what was trusted, since what it can do follows from its content:
    nothing is scanned for a list.

    Args:
        path: where to look for plugins.
        store: what is recorded.

    Raises:
        IntakeError: the path can't be read.
        StateError: the state folder can't be used at all.
    """
    records, broken = known_records(store)
    by_subject = {record.subject: record for record in records}
    plugins, tree = describe_in(path, anchor_of(path))
    rows = []
    seen = set()
    unbelieved = {Path(one.file).stem: one for one in broken}
    for plugin in plugins:
        where = str(path / plugin.root) if plugin.root and path.is_dir() else str(path)
        subject = Subject(plugin.system, plugin.name, Origin().scope, os.path.realpath(where))
        by_file = _by_its_file(plugin, subject)
        if subject not in by_subject and by_file in by_subject:
            subject, where = by_file, f"{where}/{plugin.manifest}"
        seen.add(subject)
        wrong = unbelieved.pop(subject_key(subject), None)
        if wrong is not None:
            rows.append(_unbelieved(plugin, subject, where, wrong))
            continue
        rows.append(_listed(plugin, subject, where, tree=tree, record=by_subject.get(subject), store=store))
    rows += [_elsewhere(record, store) for record in records if record.subject not in seen]
    return (*rows, *map(_broken, unbelieved.values()))


def show_record(record: Record, store: Store) -> Recorded:
    """Return everything recorded about one plugin.

    Raises:
        StateError: its runs can't be believed.
    """
    runs = store.runs(record.subject)
    return Recorded(
        id=subject_id(record.subject),
        subject=record.subject,
        standing=record.standing,
        reviews=tuple(map(review_entry, record.reviews.tail)),
        reviews_trail=_view(record.reviews),
        runs=tuple(map(run_entry, runs.trail.tail)),
        runs_trail=_runs_view(runs),
        revoked=None if record.revoked is None else review_entry(record.revoked),
        installation=store.installation() or "",
        pins=pins_of(record, store),
    )


def review_entry(entry: Entry) -> ReviewEntry:
    """Return an entry of the reviews as it is shown."""
    by = parse_actor(entry["by"])
    content, capability = entry["content"], entry["capability"]
    return ReviewEntry(
        number=int(str(entry["n"])),
        at=str(entry["at"]),
        user=by.user,
        action=str(entry["action"]),
        content=None if content is None else str(content),
        capability=None if capability is None else str(capability),
        generation=int(str(entry["generation"])),
        note=str(entry["note"]),
        terminal=by.terminal,
        parents=by.parents,
    )


def run_entry(entry: Entry) -> RunEntry:
    """Return an entry of the runs as it is shown."""
    return RunEntry(
        number=int(str(entry["n"])),
        at=str(entry["at"]),
        user=parse_actor(entry["by"]).user,
        event=str(entry["event"]),
        component=str(entry["component"]),
        reason=str(entry["reason"]),
        detail=str(entry["detail"]),
        milliseconds=int(str(entry["milliseconds"])),
        times=int(str(entry["count"])),
    )


def _view(trail: Trail) -> TrailView:
    return TrailView(trail.size, len(trail.tail), trail.root().hex())


def _runs_view(journal: Journal) -> TrailView:
    return TrailView(journal.trail.size, len(journal.trail.tail), journal.trail.root().hex(), journal.torn)


def _by_its_file(plugin: Plugin, subject: Subject) -> Subject:
    """Return a unit of one file as whoever named that file trusted it: found in its folder, it is the folder's."""
    if plugin.single_file or "/" in plugin.manifest:
        return subject
    return subject._replace(root=f"{subject.root}/{plugin.manifest}")


def _listed(plugin: Plugin, subject: Subject, where: str, *, tree: Tree, record: Record | None, store: Store) -> Listed:
    state = "not reviewed"
    components = [(component.kind.value, component.name, "not reviewed") for component in plugin.components]
    if record is not None:
        content = find_content_receipt(followed(own_tree(tree, plugin), plugin))
        trust = record.standing.trust
        if trust is not None and content != trust.content and is_but_wrapped(record, store):
            content = trust.content
        state = _state(record.standing, content, _place(subject.root), store)
        components = _components(plugin, record.standing.trust, content, store)
    return Listed(
        id=subject_id(subject),
        name=plugin.name,
        version=plugin.version,
        system=plugin.system,
        path=where,
        state=state,
        next=_NEXT.get(state, ""),
        components=tuple(components),
        note="its manifests were not understood in full" if plugin.is_broken else "",
    )


def _components(
    plugin: Plugin, trust: Approval | None, content: str | None, store: Store
) -> list[tuple[str, str, str]]:
    """Return each component with its own state: one that is as it was trusted stays so beside one that changed."""
    names = [(component.kind.value, component.name) for component in plugin.components]
    if trust is None:
        return [(*name, "not reviewed") for name in names]
    if trust.content == content and not trust.only:
        return [(*name, "trusted") for name in names]
    try:
        before: Mapping[str, Any] = json.loads(store.document(trust.capability))
    except StateError:
        return [(*name, "changed") for name in names]
    now = json.loads(document_bytes(build_document(plugin, (), ())))
    added, _, changed, _ = compare_components(before, now)
    states = {**dict.fromkeys(added, "not reviewed"), **{(one.kind, one.name): "changed" for one in changed}}
    return [(*name, states.get(name, "trusted")) for name in names]


def _elsewhere(record: Record, store: Store) -> Listed:
    root = Path(record.subject.root)
    try:
        tree = read_tree(root)
    except (IntakeError, OSError):
        state = "gone"
    else:
        # Which part of it the unit covers, only its system knows; the whole is right for all but configurations.
        trust = record.standing.trust
        content = find_content_receipt(tree)
        same = trust is not None and content == trust.content
        state = _state(record.standing, content if same else None, _place(record.subject.root), store)
        if trust is not None and not same:
            state = "not looked at"
    return Listed(
        subject_id(record.subject), record.subject.name, "", record.subject.system, record.subject.root, state, ""
    )


def _broken(broken: Broken) -> Listed:
    return Listed("", "", "", "", broken.file, "broken record", _INSPECT, note=broken.error.message)


def _unbelieved(plugin: Plugin, subject: Subject, where: str, broken: Broken) -> Listed:
    row = Listed(subject_id(subject), plugin.name, plugin.version, plugin.system, where, "broken record", _INSPECT)
    return row._replace(note=broken.error.message)


def _state(standing: Standing, content: str | None, place: tuple[int, int] | None, store: Store) -> str:
    if standing.forgotten:
        return "not reviewed"
    if standing.trust is None:
        return "revoked"
    if standing.trust.content != content:
        return "enabled, changed" if standing.enabled else "changed"
    if not os.path.isdir(store.home / STAGE / standing.trust.content):  # noqa: PTH112  # as the gate looks for it
        return "unstaged"
    if not standing.enabled:
        return "trusted"
    return "active" if standing.place == place else "trusted, enabled elsewhere"


def _place(root: str) -> tuple[int, int] | None:
    try:
        status = os.stat(root)  # noqa: PTH116  # a path as recorded
    except OSError:
        return None
    return status.st_dev, status.st_ino


_INSPECT = "plugseal log verify"
_NEXT = {
    "not reviewed": "review",
    "revoked": "review",
    "changed": "review",
    "unstaged": "review",
    "enabled, changed": "review",
    "trusted": "enable",
    "trusted, enabled elsewhere": "enable",
}
