"""State folders besides the default one: each is registered once in the default folder before anything starts from it.

Whoever may set `PLUGSEAL_HOME` around a started client (a configuration that a repository brings) must not bring the
approvals too. A folder is registered when this account trusts something in it, by its path and by the name of the
installation in it: one that was copied there, or put in its place, is another.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from plugseal.errors import StateError
from plugseal.trust import fields
from plugseal.trust.files import Folder, open_folder
from plugseal.trust.home import VARIABLE, default_home
from plugseal.trust.plain import parse_plain, render_plain
from plugseal.trust.store import Store

NAME: Final = "homes"
MAX_HOMES: Final = 1000
"""Older ones are registered again when something is trusted in them."""
MANY_HOMES: Final = 100
"""Up to so many are kept although they are away: a drive that is not mounted comes back."""
_FORMAT: Final = "plugseal.homes/1"


def register_home(store: Store, *, default: Path | None = None) -> None:
    """Register the state folder of a store, where it is not the default one.

    Args:
        store: in which something was trusted.
        default: the default folder; the account's own where not given.

    Raises:
        StateError: the default folder can't be used.
    """
    default = default_home() if default is None else default
    installation = store.installation()
    if installation is None or _real(store.home) == _real(default):
        return
    row = (_real(store.home), installation)
    folder = open_folder(default, create=True)
    if folder is None:
        raise StateError("the state folder went away", place=str(default))
    with folder:
        if row in _read(folder):
            return
        with folder.locked(NAME):
            rows = [*_make_room([one for one in _read(folder) if one[0] != row[0]]), row]
            folder.write(NAME, render_plain({"format": _FORMAT, "homes": [list(one) for one in rows]}))


def verify_registered(store: Store, *, default: Path | None = None) -> None:
    """Refuse to start anything from a state folder that this account never trusted anything in.

    Raises:
        StateError: it is neither the default one nor registered there, or that can't be read.
    """
    try:
        default = default_home() if default is None else default
    except StateError as error:
        error.hint = "start it by an account that has one: there the state folder is registered by `plugseal trust`"
        raise
    if _real(store.home) == _real(default):
        return
    found: list[tuple[str, str]] = []
    folder = open_folder(default)
    if folder is not None:
        with folder:
            found = _read(folder)
    if (_real(store.home), store.installation()) not in found:
        raise StateError(
            f"`{VARIABLE}` names a state folder that is not registered in the default one",
            place=str(store.home),
            details=(f"the default one is {default}",),
            hint=f"unset `{VARIABLE}`; a folder of your own is registered when you trust something in it",
        )


def _make_room(homes: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the folders that stay beside one more; where there are many, those that are away go."""
    if len(homes) >= MANY_HOMES:
        homes = [one for one in homes if os.path.isdir(one[0])]  # noqa: PTH112  # text
    return homes[-MAX_HOMES + 1 :]


def _real(path: Path) -> str:
    return os.path.realpath(path)


def _read(folder: Folder) -> list[tuple[str, str]]:
    data = folder.read(NAME)
    if data is None:
        return []
    try:
        value = fields.table(parse_plain(data), ("format", "homes"))
        if value["format"] != _FORMAT:
            raise StateError("is not what plugseal writes here")
        return [(fields.text(path), fields.text(name)) for path, name in map(fields.rows, fields.rows(value["homes"]))]
    except (StateError, ValueError) as error:
        raise StateError(
            "the list of state folders can't be read", place=folder.place(NAME), hint="remove it, and trust anew"
        ) from error
