"""The trust root of a team: who signs, which keys are revoked, how many people it takes, for how long.

A folder, `plugseal-trust/` by default: `allowed_signers`, and where they are there `revoked.krl`, `revoked_keys` and
`team.toml`. It must come from where a change that is judged can't write: the base revision, or outside the repository.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from plugseal.encode.sshsig import NAMESPACE
from plugseal.errors import DataError, KeyRefusedError
from plugseal.limits import MAX_PEOPLE, MAX_REVIEW_DAYS
from plugseal.records import NamedTuple
from plugseal.signing.files import read_regular, why_unread
from plugseal.signing.keys import PublicKey
from plugseal.signing.revoked import MAX_REVOKED_BYTES, Revoked, parse_revoked, union
from plugseal.signing.signers import MAX_SIGNERS_BYTES, Entry, parse_signers

if TYPE_CHECKING:
    from pathlib import Path

SIGNERS: Final = "allowed_signers"
REVOKED: Final = ("revoked.krl", "revoked_keys")
SETTINGS: Final = "team.toml"
FILES: Final = (SIGNERS, *REVOKED, SETTINGS)
_SETTINGS_KEYS: Final = frozenset({"audience", "threshold", "max-age-days"})
_DAY: Final = 86_400
_MAX_SETTINGS_BYTES: Final = 64 * 1024


class Team(NamedTuple):
    """What receipts are judged by."""

    entries: tuple[Entry, ...]
    revoked: Revoked
    audience: str | None = None
    """Receipts for another team don't count; None takes all."""
    threshold: int = 1
    """How many people, each by a key of its own."""
    max_age_seconds: int | None = None
    digest: str = ""
    """SHA-256 over the files of the folder, to be pinned elsewhere; empty for one key."""
    by_key: Mapping[str, tuple[Entry, ...]] = MappingProxyType({})
    """The lines of each key, by its ID; those of authorities are not among them."""

    @property
    def authorities(self) -> tuple[Entry, ...]:
        """Return the lines of certificate authorities."""
        return tuple(entry for entry in self.entries if entry.is_authority)


def team_of(entries: tuple[Entry, ...], *, revoked: Revoked | None = None, threshold: int = 1) -> Team:
    """Return a team out of lines, for whoever has them already."""
    return Team(entries, revoked or Revoked(), threshold=threshold, by_key=_by_key(entries))


def team_of_key(key: PublicKey) -> Team:
    """Return the team that is one key: whoever has it may sign under any name."""
    return team_of((Entry(("*",), key, (NAMESPACE,), None, None, False, 1),))


def build_team(files: Mapping[str, bytes]) -> Team:
    """Return the team that the files of a folder make.

    Args:
        files: by their names; those that nobody here knows are an error, since they may revoke something.

    Raises:
        KeyRefusedError: one is missing, unknown or not understood.
    """
    unknown = sorted(files.keys() - set(FILES))
    if unknown:
        raise KeyRefusedError(
            "the folder of the team holds files that are not known", details=unknown[:20], hint=", ".join(FILES)
        )
    if SIGNERS not in files:
        raise KeyRefusedError(f"there is no `{SIGNERS}`", hint="add the line that `plugseal key show KEY` prints")
    for name in (SETTINGS, *REVOKED):
        # A write that found no room leaves this, and it would ask for less than what was meant.
        if name in files and not files[name].strip():
            raise KeyRefusedError("is empty", place=name, hint="write it again, or remove it if it has nothing to say")
    entries = _signers(files[SIGNERS])
    revoked = union(_revoked(name, files[name]) for name in REVOKED if name in files)
    audience, threshold, max_age = _settings(files.get(SETTINGS, b""))
    return Team(entries, revoked, audience, threshold, max_age, _digest(files), _by_key(entries))


def read_team(folder: Path) -> Team:
    """Return the team in a folder.

    Raises:
        KeyRefusedError: as `build_team`, or it can't be read.
    """
    return team_in(folder, read_team_files(folder))


def read_team_files(folder: Path) -> dict[str, bytes]:
    """Return the files that make a team, by their names.

    Raises:
        KeyRefusedError: one can't be read.
    """
    try:
        names = sorted(path.name for path in folder.iterdir() if path.name not in _IGNORED)
        return {name: _read(folder / name) for name in names}
    except OSError as error:
        why = (error.strerror or "error").lower()
        missing = "make it, with the line that `plugseal key show KEY` prints in its `allowed_signers`"
        hint = missing if isinstance(error, FileNotFoundError) else None
        raise KeyRefusedError(f"the folder of the team can't be read: {why}", place=str(folder), hint=hint) from error
    except KeyRefusedError as error:
        raise _placed(error, folder) from None


def team_in(folder: Path, files: Mapping[str, bytes]) -> Team:
    """Return the team that the files of a folder make.

    Args:
        folder: where they are from, for messages.
        files: by their names.

    Raises:
        KeyRefusedError: as `build_team`.
    """
    try:
        return build_team(files)
    except KeyRefusedError as error:
        raise _placed(error, folder) from None


def _placed(error: KeyRefusedError, folder: Path) -> KeyRefusedError:
    error.place = f"{folder}/{error.place}" if error.place else str(folder)
    return error


_IGNORED: Final = frozenset({"README.md"})


def _read(path: Path) -> bytes:
    try:
        return read_regular(path, max_bytes=max(MAX_SIGNERS_BYTES, MAX_REVOKED_BYTES))
    except OSError as error:
        raise KeyRefusedError(f"can't be read: {why_unread(error)}", place=path.name) from error


def _signers(data: bytes) -> tuple[Entry, ...]:
    try:
        return parse_signers(data)
    except KeyRefusedError as error:
        error.place = error.place or SIGNERS
        raise


def _revoked(name: str, data: bytes) -> Revoked:
    try:
        return parse_revoked(data)
    except KeyRefusedError as error:
        error.place = name
        raise


def _by_key(entries: tuple[Entry, ...]) -> dict[str, tuple[Entry, ...]]:
    found: dict[str, tuple[Entry, ...]] = {}
    for entry in entries:
        if not entry.is_authority:
            keyid = entry.key.keyid
            found[keyid] = (*found.get(keyid, ()), entry)
    return found


def _settings(data: bytes) -> tuple[str | None, int, int | None]:
    if len(data) > _MAX_SETTINGS_BYTES:
        raise KeyRefusedError("is too large", place=SETTINGS)
    from plugseal.encode.toml import parse_toml

    try:
        values = parse_toml(data)
    except DataError as error:
        raise KeyRefusedError(error.message, place=f"{SETTINGS}:{error.line}") from error
    unknown = sorted(values.keys() - _SETTINGS_KEYS)
    if unknown:
        known = ", ".join(f"`{name}`" for name in sorted(_SETTINGS_KEYS))
        hint = f"it may hold {known}"
        raise KeyRefusedError("holds a key that is not known", place=SETTINGS, details=unknown[:20], hint=hint)
    audience, threshold, days = (values.get(name) for name in ("audience", "threshold", "max-age-days"))
    if audience is not None and (not isinstance(audience, str) or not audience):
        raise KeyRefusedError("`audience` is the name of the team", place=SETTINGS)
    if threshold is not None and (type(threshold) is not int or not 1 <= threshold <= MAX_PEOPLE):
        raise KeyRefusedError(f"`threshold` is a number of people, 1 to {MAX_PEOPLE}", place=SETTINGS)
    if days is not None and (type(days) is not int or not 1 <= days <= MAX_REVIEW_DAYS):
        raise KeyRefusedError(f"`max-age-days` is a number of days, 1 to {MAX_REVIEW_DAYS:,}", place=SETTINGS)
    return (
        audience if isinstance(audience, str) else None,
        threshold if isinstance(threshold, int) else 1,
        days * _DAY if isinstance(days, int) else None,
    )


def _digest(files: Mapping[str, bytes]) -> str:
    lines = "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return hashlib.sha256(lines.encode("utf-8")).hexdigest()
