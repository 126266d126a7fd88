"""Which configurations of clients were wrapped: the digest of each before and after, sealed like the records.

A configuration that is itself what was trusted changes when it is wrapped. The gate takes a file whose bytes are
exactly those that `wrap` wrote for the file that was there before; nothing else of it may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from plugseal.errors import StateError
from plugseal.records import NamedTuple
from plugseal.trust import fields
from plugseal.trust.files import open_folder
from plugseal.trust.plain import Json, parse_plain, render_plain
from plugseal.trust.seals import seal, verify_seal
from plugseal.trust.store import Store

FORMAT: Final = "plugseal.wraps/1"
_FILE: Final = "wraps"
_DOMAIN: Final = b"plugseal-wraps-v1\x00"


class Wrap(NamedTuple):
    """One configuration."""

    before: str
    """SHA-256 of the bytes of before, in hex."""
    after: str
    """SHA-256 of the bytes that `wrap` wrote."""


def read_wraps(store: Store) -> Mapping[str, Wrap]:
    """Return the wrapped configurations by their real paths.

    Raises:
        StateError: they can't be believed.
    """
    folder = open_folder(store.home)
    if folder is None:
        return {}
    with folder:
        data = folder.read(_FILE)
    return {} if data is None else _parse(data, store.secret())


def change_wraps(store: Store, change: Callable[[Mapping[str, Wrap]], Mapping[str, Wrap]]) -> None:
    """Change what is known of wrapped configurations.

    Raises:
        StateError: nothing was changed.
    """
    folder = open_folder(store.home)
    if folder is None:
        raise StateError("nothing was trusted here yet", place=str(store.home))
    with folder, folder.locked(_FILE):
        secret, data = store.secret(), folder.read(_FILE)
        after = change({} if data is None else _parse(data, secret))
        body: dict[str, Json] = {"format": FORMAT, "files": {path: list(wrap) for path, wrap in after.items()}}
        folder.write(_FILE, render_plain({**body, "seal": seal(secret, _DOMAIN, render_plain(body))}))


def _parse(data: bytes, secret: bytes) -> dict[str, Wrap]:
    value = fields.table(parse_plain(data), ("format", "files", "seal"))
    body: dict[str, Json] = {"format": value["format"], "files": value["files"]}
    verify_seal(secret, _DOMAIN, render_plain(body), fields.digest(value["seal"]))
    files = value["files"]
    if value["format"] != FORMAT or not isinstance(files, dict):
        raise StateError("is not what plugseal writes")
    found = {}
    for path, row in files.items():
        before, after = fields.rows(row)
        found[path] = Wrap(fields.digest(before), fields.digest(after))
    return found
