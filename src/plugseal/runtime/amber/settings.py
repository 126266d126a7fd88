"""A user's own settings of plugins: overrides of declared defaults, each of its default's type, sealed like trust.

They are kept for one plugin at one place, survive a new review, and count only where the plugin that is trusted still
declares them with that type. What can't be believed is an error, and the plugin does not start.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Final

from plugseal.errors import StateError, UsageError
from plugseal.model.trust import Subject
from plugseal.patterns import lazy
from plugseal.runtime.amber.manifest import Setting
from plugseal.trust import fields
from plugseal.trust.files import open_below
from plugseal.trust.plain import Json, parse_plain, render_plain
from plugseal.trust.seals import seal, verify_seal
from plugseal.trust.store import Store, subject_key

FORMAT: Final = "plugseal.amber-settings/1"
MAX_VALUE_CHARACTERS: Final = 4096
_FOLDER: Final = "amber"
_SUFFIX: Final = ".settings"
_DOMAIN: Final = b"plugseal-amber-settings-v1\x00"
_KEYS: Final = ("format", "subject", "values", "seal")
_NUMBER: Final = lazy(r"\A-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?(?:[eE][+-]?[0-9]{1,3})?\Z", re.ASCII)
_TRUTHS: Final = {"true": True, "1": True, "false": False, "0": False}
Texts = Mapping[str, str]
"""From a key to the value as typed."""


def read_overrides(store: Store, subject: Subject) -> Texts:
    """Return a user's settings of a plugin, as typed.

    Raises:
        StateError: they can't be believed.
    """
    folder = open_below(store.home, _FOLDER)
    if folder is None:
        return {}
    with folder:
        name = subject_key(subject) + _SUFFIX
        data = folder.read(name)
        return {} if data is None else _parse(data, store.secret(), place=folder.place(name), key=name)


def change_overrides(store: Store, subject: Subject, change: Callable[[dict[str, str]], dict[str, str]]) -> Texts:
    """Change a user's settings of a plugin on what is on the disk then, and return them.

    Raises:
        StateError: nothing was changed.
    """
    folder = open_below(store.home, _FOLDER, create=True)
    if folder is None:
        raise StateError("the state folder went away", place=str(store.home))
    name = subject_key(subject) + _SUFFIX
    with folder, folder.locked(name):
        folder.sweep(name)
        secret, data = store.secret(), folder.read(name)
        before = {} if data is None else dict(_parse(data, secret, place=folder.place(name), key=name))
        after = change(dict(before))
        if not after:
            folder.remove(name)
        elif after != before:
            body: dict[str, Json] = {"format": FORMAT, "subject": name, "values": {**after}}
            folder.write(name, render_plain({**body, "seal": seal(secret, _DOMAIN, render_plain(body))}))
    return after


def effective(defaults: Mapping[str, Setting], overrides: Texts) -> dict[str, Setting]:
    """Return what a plugin is given: its defaults, and the overrides that still fit them."""
    found = dict(defaults)
    for key, text in overrides.items():
        if key in defaults:
            value = parse_value(text, defaults[key])
            found[key] = defaults[key] if value is None else value
    return found


def parse_value(text: str, default: Setting) -> Setting | None:
    """Return a typed value by the type of the default, None where it is none of that type."""
    if isinstance(default, bool):
        return _TRUTHS.get(text)
    if isinstance(default, str):
        return text if len(text) <= MAX_VALUE_CHARACTERS and "\0" not in text else None
    if _NUMBER.match(text) is None:
        return None
    number: int | float = json.loads(text)
    return number if math.isfinite(number) else None


def verify_key(key: str, defaults: Mapping[str, Setting]) -> None:
    """Refuse a setting that the plugin does not declare.

    Raises:
        UsageError: with those that it does.
    """
    if key not in defaults:
        known = f"it declares {', '.join(f'`{name}`' for name in defaults)}" if defaults else "it declares none at all"
        raise UsageError(f"it declares no setting `{key}`", hint=known)


def verify_value(key: str, text: str, default: Setting) -> None:
    """Refuse a value of another type than the default's.

    Raises:
        UsageError: with what would do.
    """
    if parse_value(text, default) is None:
        raise UsageError(
            f"the value of `{key}` is no {kind_of(default)}", hint=f"its default is `{json.dumps(default)}`"
        )


def kind_of(value: Setting) -> str:
    """Return the word for the type of a setting."""
    return "true or false" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


def _parse(data: bytes, secret: bytes, *, place: str, key: str) -> Texts:
    try:
        value = fields.table(parse_plain(data), _KEYS)
        body = {name: value[name] for name in _KEYS if name != "seal"}
        if value["format"] != FORMAT or value["subject"] != key:
            raise StateError("is not what plugseal writes here")
        verify_seal(secret, _DOMAIN, render_plain(body), fields.digest(value["seal"]))
        values = value["values"]
        if not isinstance(values, dict):
            raise StateError("is not what plugseal writes")
        return {name: fields.text(text) for name, text in values.items()}
    except StateError as error:
        error.message = f"the file of settings {error.message}"
        error.place = error.place or place
        error.hint = error.hint or f"look at it with `cat {place}`; without it, the defaults count"
        raise
