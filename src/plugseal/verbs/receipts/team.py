"""Whose signatures count: one key, or the folder of a team, and whether it is the one that was pinned."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from plugseal.errors import IntakeError, KeyRefusedError, ReceiptError, UsageError
from plugseal.model.statement import JudgedBy
from plugseal.signing.folder import read_file
from plugseal.signing.keys import parse_public_key
from plugseal.signing.team import Team, team_of_key
from plugseal.verbs.receipts.folder import TRUST_FOLDER

if TYPE_CHECKING:
    from plugseal.signing.folder import AnyPath

_MAX_KEY_BYTES = 64 * 1024


def find_team(*, key: AnyPath | None, team: AnyPath | None, threshold: int | None = None) -> Team:
    """Return who may sign: one key, a folder, or the team of the current folder.

    Raises:
        KeyRefusedError: neither is there, or it is not understood.
    """
    if key is not None:
        try:
            public, _ = parse_public_key(read_file(key, max_bytes=_MAX_KEY_BYTES))
        except IntakeError as error:
            raise KeyRefusedError(f"the key {error.message}", place=error.place) from error
        except KeyRefusedError as error:
            error.place = error.place or str(key)
            raise
        found = team_of_key(public)
    else:
        from pathlib import Path

        from plugseal.signing.team import read_team

        folder = Path(team or TRUST_FOLDER)
        if not folder.is_dir():
            raise KeyRefusedError(
                "nothing says whose signatures count",
                place=str(folder),
                hint="name a key with `--key KEY.pub`, or the folder of the team with `--team FOLDER`",
            )
        found = read_team(folder)
    return found if threshold is None else found._replace(threshold=threshold)


def judged_by(team: Team, *, key: str | None, folder: str | None, where: str) -> JudgedBy:
    """Return whose signatures count, to be shown before the judgement.

    Args:
        team: as `find_team` returned it.
        key: the file of one key, None where a folder was asked.
        folder: the folder of the team, None for the default.
        where: what is judged.
    """
    place = key or folder or TRUST_FOLDER
    inner, outer = os.path.realpath(place), os.path.realpath(where)
    return JudgedBy(place, team.digest, inner == outer or inner.startswith(outer.rstrip(os.sep) + os.sep))


def verify_pin(team: Team, pin: str) -> None:
    """Refuse a team that is not the one that was pinned outside the repository.

    Raises:
        ReceiptError: it is another.
        UsageError: the pin is no SHA-256.
    """
    if len(pin) != 64 or not pin.isascii() or pin != pin.lower() or set(pin) - set("0123456789abcdef"):
        raise UsageError("`--pin` needs the whole SHA-256 of the team, 64 lower-case hex digits")
    if team.digest != pin:
        raise ReceiptError(
            "other-team",
            "the team is not the one that was pinned",
            details=[f"pinned {pin}", f"found  {team.digest or 'one key'}"],
            hint="read what changed in the folder of the team before you pin it again",
        )


def find_optional_team(folder: AnyPath | None) -> Team | None:
    """Return the team of a folder, by default that of the current folder, None where there is none.

    Raises:
        KeyRefusedError: it is not understood, or a folder was named and is not there.
    """
    if folder is None and not os.path.isdir(TRUST_FOLDER):  # noqa: PTH112  # pathlib is slow to load
        return None
    return find_team(key=None, team=folder)


__all__ = ["Team", "find_optional_team", "find_team", "judged_by", "verify_pin"]
