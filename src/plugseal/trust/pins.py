"""The pins of a plugin on disk: beside its record, sealed like it, and bound to the token that was trusted.

Pins of another token count as none: what was reviewed anew is pinned anew. They are read without a lock and changed
under one. What can't be believed is an error and denies; it is never taken for "nothing pinned yet".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from plugseal.errors import StateError
from plugseal.model.pins import KINDS, Pinned, Snapshot
from plugseal.model.trust import Subject
from plugseal.trust import fields
from plugseal.trust.files import open_folder
from plugseal.trust.plain import Json, parse_plain, render_plain
from plugseal.trust.seals import seal, verify_seal
from plugseal.trust.store import Store, subject_key

FORMAT: Final = "plugseal.pins/1"
_DOMAIN: Final = b"plugseal-pins-file-v1\x00"
_KEYS: Final = ("format", "subject", "token", "components", "seal")
_SUFFIX: Final = ".pins"
Pins = Mapping[str, Pinned]
"""From a component's label to what is pinned of it."""


def read_pins(store: Store, subject: Subject, token: str) -> Pins:
    """Return what is pinned of a plugin under a token.

    Raises:
        StateError: it can't be believed.
    """
    folder = open_folder(store.folder)
    if folder is None:
        return {}
    with folder:
        name = subject_key(subject) + _SUFFIX
        data = folder.read(name)
        return {} if data is None else _parse(data, store.secret(), token, place=folder.place(name), key=name)


def change_pins(store: Store, subject: Subject, token: str, *, change: Callable[[Pins], Pins]) -> Pins:
    """Change what is pinned of a plugin, on what is on the disk then, and return it.

    Raises:
        StateError: nothing was changed.
    """
    folder = open_folder(store.folder)
    if folder is None:
        raise StateError("nothing is recorded about it")
    name = subject_key(subject) + _SUFFIX
    with folder, folder.locked(name):
        folder.sweep(name)
        secret, data = store.secret(), folder.read(name)
        before = {} if data is None else _parse(data, secret, token, place=folder.place(name), key=name)
        after = change(before)
        if after != before or data is None:
            body: dict[str, Json] = {
                "format": FORMAT,
                "subject": name,
                "token": token,
                "components": {label: _json(pinned) for label, pinned in after.items()},
            }
            folder.write(name, render_plain({**body, "seal": seal(secret, _DOMAIN, render_plain(body))}))
    return after


def _json(pinned: Pinned) -> Json:
    return [_snapshot_json(pinned.approved), _snapshot_json(pinned.seen)]


def _snapshot_json(snapshot: Snapshot) -> Json:
    return {kind: dict(names) for kind, names in snapshot.items()}


def _parse(data: bytes, secret: bytes, token: str, *, place: str, key: str) -> Pins:
    try:
        value = fields.table(parse_plain(data), _KEYS)
        body = {name: value[name] for name in _KEYS if name != "seal"}
        if value["format"] != FORMAT or value["subject"] != key:
            raise StateError("is not what plugseal writes here")
        verify_seal(secret, _DOMAIN, render_plain(body), fields.digest(value["seal"]))
        if value["token"] != token:
            return {}
        components = value["components"]
        if not isinstance(components, dict):
            raise StateError("is not what plugseal writes")
        return {label: _pinned(label, item) for label, item in components.items()}
    except StateError as error:
        error.message = f"the file of pins {error.message}"
        error.place = error.place or place
        error.hint = error.hint or f"look at it with `cat {place}`; without it, all is pinned anew"
        raise


def _pinned(label: str, value: Json) -> Pinned:
    approved, seen = fields.rows(value)
    return Pinned(label, _snapshot(approved), _snapshot(seen))


def _snapshot(value: Json) -> Snapshot:
    if not isinstance(value, dict) or not set(value) <= set(KINDS):
        raise StateError("is not what plugseal writes")
    found: dict[str, dict[str, str]] = {}
    for kind, names in value.items():
        if not isinstance(names, dict):
            raise StateError("is not what plugseal writes")
        found[kind] = {name: fields.text(definition) for name, definition in names.items()}
    return found
