"""Whose signatures count at the gate, and where the receipts lie: pinned in one file beside the policy.

The file holds the team's own files and is bound to the very text of the policy: with another policy it counts as none.
It is read from where the policy is read from, under the same conditions: root's alone for the machine, private for a
user. Nothing of it is ever taken from a plugin, a workspace or a variable.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from plugseal.errors import StateError
from plugseal.model.policy import PinnedTeam
from plugseal.trust import fields
from plugseal.trust.plain import Json, parse_plain, render_plain

BESIDE: Final = "policy.team"
"""Name of the file."""
MAX_TEAM_BYTES: Final = 16 * 1024 * 1024
_FORMAT: Final = "plugseal.policy-team/1"
_KEYS: Final = ("format", "policy", "team", "reviews", "pin", "files")


def render_team(policy: bytes, files: Mapping[str, bytes], *, digest: str, reviews: str) -> bytes:
    """Return the file that pins a team beside a policy; each time with a name of its own.

    Args:
        policy: the text that it is bound to.
        files: of the team's folder.
        digest: of the team.
        reviews: the folder of the receipts, absolute.

    Raises:
        StateError: the folder's path is no Unicode.
    """
    import base64

    rows: dict[str, Json] = {name: base64.b64encode(data).decode("ascii") for name, data in files.items()}
    return render_plain(
        {
            "format": _FORMAT,
            "policy": sha256(policy).hexdigest(),
            "team": digest,
            "reviews": reviews,
            "pin": os.urandom(16).hex(),
            "files": rows,
        }
    )


def parse_team(data: bytes, policy: bytes) -> PinnedTeam | None:
    """Return what was pinned with exactly this policy, None where it was pinned with another.

    Raises:
        StateError: it is not what plugseal writes.
    """
    value = fields.table(parse_plain(data), _KEYS)
    if value["format"] != _FORMAT:
        raise StateError("is not what plugseal writes here")
    if fields.digest(value["policy"]) != sha256(policy).hexdigest():
        return None
    files = value["files"]
    if not isinstance(files, dict):
        raise StateError("is not what plugseal writes")
    rows = tuple((name, _bytes(text)) for name, text in files.items())
    reviews = fields.text(value["reviews"])
    return PinnedTeam(rows, fields.digest(value["team"]), reviews, fields.incarnation(value["pin"]))


def _bytes(value: Json) -> bytes:
    import base64  # few have a team, and every start waits for this module

    try:
        return base64.b64decode(fields.text(value), validate=True)
    except ValueError as error:
        raise StateError("is not what plugseal writes") from error
