"""Receipts that the gate saw: what was there once and is gone, a refusal above all, is noticed at the next start.

One private file, by the name of each pinning. It is evidence against whoever can change the folder of the receipts, not
against this user, who can change everything here. Nothing in it is believed before its signature is verified again.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from plugseal.errors import StateError
from plugseal.trust import fields
from plugseal.trust.files import MAX_STATE_BYTES, Folder, open_folder
from plugseal.trust.plain import Json, parse_plain, render_plain
from plugseal.trust.store import Store

NAME: Final = "receipts.seen"
_FORMAT: Final = "plugseal.receipts-seen/1"
Receipts = tuple[tuple[str, bytes], ...]
"""(file, bytes), the file as `<token>/<name>`."""


def read_seen(store: Store, pin: str) -> Receipts | None:
    """Return the receipts that were seen under a pinning, None where it is new here.

    Raises:
        StateError: the file can't be believed.
    """
    folder = open_folder(store.home)
    if folder is None:
        return None
    with folder:
        return _read(folder).get(pin)


def add_seen(store: Store, pin: str, receipts: Iterable[tuple[str, bytes]], *, pins: Collection[str]) -> None:
    """Remember receipts under a pinning, besides those that are remembered already.

    Args:
        store: below whose folder.
        pin: the pinning.
        receipts: as they lie in the folder now.
        pins: of all policies that hold now; what was seen under others is dropped where it is among these, or there is
            no room for it.

    Raises:
        StateError: they can't be remembered, or are too many.
    """
    with _changed(store) as folder:
        seen = _read(folder)
        known = tuple(dict.fromkeys((*seen.get(pin, ()), *receipts)))
        kept = {name: rows for name, rows in seen.items() if name in pins}
        # What a pinning that holds no more saw alone waits for the one that replaces it.
        alone = {name: rows for name, rows in seen.items() if name not in pins and not set(rows) <= set(known)}
        try:
            _write(folder, {**alone, **kept, pin: known})
        except StateError:
            _write(folder, {**kept, pin: known})


def carry_seen(store: Store, pin: str, choose: Callable[[Receipts], Receipts], *, others: Collection[str]) -> Receipts:
    """Remember receipts under a new pinning, with those that were seen under the pinnings that it replaces.

    What is replaced stays remembered as well, until something is added: up to then the old pinning may hold.

    Args:
        store: below whose folder.
        pin: the new pinning.
        choose: from the receipts that were seen under what is replaced to all that are remembered now.
        others: pinnings that are not replaced; what was seen under them stays theirs alone.

    Raises:
        StateError: they can't be read or remembered, or are too many.
    """
    with _changed(store) as folder:
        seen = _read(folder)
        before = tuple(dict.fromkeys(row for name, rows in seen.items() if name not in others for row in rows))
        chosen = choose(before)
        try:
            _write(folder, {**seen, pin: chosen})
        except StateError:
            _write(folder, {**{name: rows for name, rows in seen.items() if name in others}, pin: chosen})
    return chosen


def begin_seen(store: Store, pin: str, receipts: Receipts, *, others: Collection[str]) -> None:
    """Remember these receipts under a new pinning and forget the rest, but for what was seen under others.

    Raises:
        StateError: they can't be remembered, or are too many.
    """
    with _changed(store) as folder:
        try:
            seen = {name: rows for name, rows in _read(folder).items() if name in others}
        except StateError:
            seen = {}  # Who begins anew is not held up by what can't be read.
        _write(folder, {**seen, pin: receipts})


@contextmanager
def _changed(store: Store) -> Iterator[Folder]:
    folder = open_folder(store.home, create=True)
    if folder is None:
        raise StateError("the state folder went away", place=str(store.home))
    with folder, folder.locked(NAME):
        yield folder


def _write(folder: Folder, seen: Mapping[str, Receipts]) -> None:
    body: Json = {"format": _FORMAT, "seen": {name: [_row(*row) for row in rows] for name, rows in seen.items()}}
    data = render_plain(body)
    if len(data) > MAX_STATE_BYTES:
        raise StateError(f"more than {MAX_STATE_BYTES:,} bytes of receipts can't be remembered")
    folder.write(NAME, data)


def _row(file: str, data: bytes) -> Json:
    return [file, base64.b64encode(data).decode("ascii")]


def _read(folder: Folder) -> dict[str, Receipts]:
    data = folder.read(NAME)
    if data is None:
        return {}
    try:
        value = fields.table(parse_plain(data), ("format", "seen"))
        seen = value["seen"]
        if value["format"] != _FORMAT or not isinstance(seen, dict):
            raise StateError("is not what plugseal writes here")
        return {fields.incarnation(pin): tuple(map(_parse, fields.rows(rows))) for pin, rows in seen.items()}
    except (StateError, binascii.Error, ValueError) as error:
        place = folder.place(NAME)
        raise StateError(
            "the receipts that were seen can't be read",
            place=place,
            hint="`plugseal policy pin --anew FILE` forgets them",
        ) from error


def _parse(row: Json) -> tuple[str, bytes]:
    file, text = fields.rows(row)
    return fields.text(file), base64.b64decode(fields.text(text), validate=True)
