"""Find the plugin files of Amness and what is recorded about each: which may be loaded, and why the others are not.

User plugins come first, then those of the project, each folder in the order of its names. Headless, a project's plugins
are passed over unless that is asked for, or the file is named; neither trusts anything: that takes a review.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from plugseal.errors import PlugsealError, RefusedError, StateError
from plugseal.model.identity import subject_id
from plugseal.model.trust import Subject
from plugseal.records import NamedTuple
from plugseal.runtime.amness.loading import Candidate, Skipped
from plugseal.runtime.approved import Document, parse_document
from plugseal.runtime.hosted import KEY
from plugseal.shown import shown
from plugseal.trust.record import Record
from plugseal.trust.store import Store
from plugseal.verbs.known import known_records
from plugseal.verbs.user import home_of_user

FOLDER: Final = ".amness/plugins"
SYSTEM: Final = "amness"
_SUFFIXES: Final = (".ts", ".js")
_NOT_LOADED: Final = (".d.ts",)
NOT_ASKED_FOR: Final = "plugins of a project are loaded with `--trust-project` alone"


class Found(NamedTuple):
    """What there is to load, and what is passed over."""

    candidates: list[Candidate]
    skipped: list[Skipped]
    files: dict[str, Path]
    """Path of each file by `scope/name`."""


class _File(NamedTuple):
    path: Path
    scope: str
    is_named: bool
    """Whether the user named this very file."""


def find_amness(workspace: Path, store: Store, *, named: Sequence[Path] = (), trust_project: bool = False) -> Found:
    """Return the plugin files in load order, apart by what becomes of them.

    Args:
        workspace: the project's folder.
        store: what was trusted.
        named: files that the user named, which are loaded besides.
        trust_project: whether the project's plugins are loaded too, as far as they are trusted.

    Raises:
        StateError: the state folder can't be used.
    """
    records, _ = known_records(store)
    ours = [record for record in records if record.subject.system == SYSTEM]
    found = Found([], [], {})
    for file in _files(workspace, named):
        found.files[f"{file.scope}/{file.path.name}"] = file.path
        if file.scope == "project" and not (trust_project or file.is_named):
            found.skipped.append(Skipped(file.path.name, file.scope, NOT_ASKED_FOR))
            continue
        candidate = next(filter(None, (_candidate(file, record, store) for record in ours)), None)
        if candidate is None:
            hint = f"read it with `plugseal review {shown(review_word(file.path))}`, then trust and enable it"
            found.skipped.append(Skipped(file.path.name, file.scope, "it is not trusted", hint))
        else:
            found.candidates.append(candidate)
    return found


def project_commands(workspace: Path) -> tuple[str, ...]:
    """Return the names of the project's own commands, which win over those of plugins."""
    try:
        names = os.listdir(workspace / ".amness" / "commands")  # noqa: PTH208  # names alone
    except OSError:
        return ()
    return tuple(sorted(name.removesuffix(".md") for name in names if name.endswith(".md")))


def plugin_folders(workspace: Path) -> list[tuple[str, Path]]:
    """Return the folders of plugins with their scopes, in load order."""
    home = home_of_user()
    user = [("user", Path(home) / FOLDER)] if home else []
    return [*user, ("project", workspace / FOLDER)]


def _files(workspace: Path, named: Sequence[Path]) -> Iterator[_File]:
    wanted = {os.path.realpath(path): path for path in named}
    for scope, folder in plugin_folders(workspace):
        for path in _in_folder(folder):
            is_named = wanted.pop(os.path.realpath(path), None) is not None
            yield _File(path, scope, is_named)
    yield from (_File(path, "named", is_named=True) for path in wanted.values())


def _in_folder(folder: Path) -> Iterator[Path]:
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208  # names alone
    except OSError:
        return
    for name in names:
        path = folder / name
        if name.endswith(_SUFFIXES) and not name.endswith(_NOT_LOADED) and path.is_file():
            yield path


def _candidate(file: _File, record: Record, store: Store) -> Candidate | None:
    """Return how a file is loaded if a record is about it; the gate then decides."""
    if record.standing.trust is None:
        return None
    real = os.path.realpath(file.path)
    folder, name = os.path.split(real)
    if record.subject.root not in (real, folder):
        return None
    try:
        document = parse_document(store.document(record.standing.trust.capability))
    except (StateError, RefusedError):
        # The gate says what is wrong, once it is asked for this plugin.
        is_meant = record.subject.root == real
        return Candidate(subject_id(record.subject), "module", file.path.name, file.scope) if is_meant else None
    label = _module_of(document, name)
    return None if label is None else Candidate(subject_id(record.subject), label, file.path.name, file.scope)


def _module_of(document: Document, name: str) -> str | None:
    for component in document.components:
        if component.kind == "module" and component.entry == name and KEY in dict(component.extra):
            return component.label
    return None


def review_word(path: Path) -> str:
    """Return what names the unit of a plugin file: its path, or the ID of the plugin where its folder belongs to it."""
    from plugseal.verbs.anchor import anchor_of
    from plugseal.verbs.select import discover_in

    try:
        plugins = discover_in(path.parent, anchor_of(path.parent))
    except PlugsealError:
        return str(path)
    for plugin in plugins:
        if plugin.system == SYSTEM and plugin.manifest == path.name and not plugin.single_file and not plugin.root:
            return subject_id(Subject(SYSTEM, plugin.name, "workspace", os.path.realpath(path.parent)))
    return str(path)


def scan_line_of(path: Path) -> str:
    """Return the line that says what a file seems to touch; why it can't be told, where that is so."""
    import json

    from plugseal.verbs.look import look
    from plugseal.verbs.select import Selection

    try:
        found = look(Selection(path), system=SYSTEM)
    except PlugsealError as error:
        return f"{path.name}: not read ({error.message}), so anything is possible"
    return str(json.loads(found.plugin.hosts[0].data).get("scan", ""))
