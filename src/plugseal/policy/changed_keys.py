"""What a change does to the folder of the team: who signs that did not, which revocation is gone. Pure.

What ends a key, asks for more people or lets reviews age less is no loss, and is not named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from plugseal.encode.toml import parse_toml
from plugseal.errors import DataError
from plugseal.model.checked import Objection

SIGNERS: Final = "allowed_signers"
SETTINGS: Final = "team.toml"
_FOR_PEOPLE: Final = "README.md"
_REVOKED: Final = frozenset({"revoked.krl", "revoked_keys"})
_BINARY: Final = b"SSHKRL\n"
"""How a list of revoked keys begins that is not one of lines: what stands in it as a line may be a comment."""
_OPTION: Final = rb'[a-z-]+(?:="[^"]*")?'
_LINE: Final = rb"([^\s\"]+) (" + _OPTION + rb"(?:," + _OPTION + rb")*) ([a-z0-9@.-]+ [A-Za-z0-9+/=]+)(?: .*)?"
_TIME: Final = rb'"([0-9]{8}|[0-9]{12}|[0-9]{14})Z"'
_AFTER, _BEFORE = b"valid-after", b"valid-before"


def find_changed_keys(base: Mapping[str, bytes], head: Mapping[str, bytes], folder: str) -> tuple[Objection, ...]:
    """Return what a change does to the folder of the team: lines of signers that are new, revocations that are gone."""
    found = []
    for name in sorted({*base, *head}):
        before, after = base.get(name), head.get(name)
        message = "" if before == after else _change(name, before, after)
        if message:
            found.append(Objection("governance", message, 0, f"{folder}/{name}", 0))
    return tuple(found)


def _change(name: str, before: bytes | None, after: bytes | None) -> str:
    """Say what became of one file, empty where it asks as much as before."""
    if name == _FOR_PEOPLE:
        return ""
    if after is None:
        return f"`{name}` of the team is gone"
    if name in _REVOKED and (before is None or _revokes_as_much(before, after)):
        return ""
    if name == SIGNERS and before is not None:
        known = _lines(before)
        new = [line for line in _lines(after) - known if not any(_is_narrower(line, one) for one in known)]
        return f"`{name}` lets {len(new):,} more sign" if new else ""
    if name == SETTINGS and _asks_as_much(before or b"", after):
        return ""
    return f"`{name}` of the team is another"


def _revokes_as_much(before: bytes, after: bytes) -> bool:
    """Say whether a list of lines surely holds all that another one does; of binary ones nobody can tell here."""
    return not before.startswith(_BINARY) and not after.startswith(_BINARY) and _lines(before) <= _lines(after)


def _lines(data: bytes) -> set[bytes]:
    return {line.strip() for line in data.splitlines() if line.strip() and not line.startswith(b"#")}


def _is_narrower(line: bytes, known: bytes) -> bool:
    """Say whether a line of signers is surely a known one that is valid for less long, or differs in its comment."""
    new, old = re.fullmatch(_LINE, line), re.fullmatch(_LINE, known)
    if new is None or old is None or (new[1], new[3]) != (old[1], old[3]):
        return False
    now, was = _options(new[2]), _options(old[2])
    if now is None or was is None:
        return False
    begins, began = now.pop(_AFTER, b""), was.pop(_AFTER, b"")
    ends, ended = now.pop(_BEFORE, b"\xff"), was.pop(_BEFORE, b"\xff")
    return now == was and begins >= began and ends <= ended


def _options(text: bytes) -> dict[bytes, bytes] | None:
    """Return options by their names, times as digits that can be compared, None where one is not understood."""
    found: dict[bytes, bytes] = {}
    for name, value in re.findall(rb'([a-z-]+)(?:=("[^"]*"))?', text):
        time = re.fullmatch(_TIME, value) if name in (_AFTER, _BEFORE) else None
        if name in found or (name in (_AFTER, _BEFORE) and time is None):
            return None
        found[name] = value if time is None else time[1].ljust(14, b"0")
    return found


def _asks_as_much(before: bytes, after: bytes) -> bool:
    """Say whether a team's settings surely ask for what others did: as many people, as new reviews, as its name."""
    try:
        was, now = parse_toml(before), parse_toml(after)
    except DataError:
        return False
    keys = {"audience", "threshold", "max-age-days"}
    people = [one.get("threshold", 1) for one in (was, now)]
    days = [one.get("max-age-days", 1 << 62) for one in (was, now)]
    if not {*was, *now} <= keys or any(type(one) is not int for one in (*people, *days)):
        return False
    audience = was.get("audience")
    return audience in (None, now.get("audience")) and people[1] >= people[0] and days[1] <= days[0]  # type: ignore[operator]  # whole numbers, by the line above
