"""Make keys, show them, and list those that could sign or may sign."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from plugseal.disk import disk_hint
from plugseal.errors import IntakeError, KeyRefusedError, OutputError, UsageError
from plugseal.model.keys import MadeKey, ShownKey
from plugseal.signing.folder import read_file
from plugseal.signing.keys import KeyKind, PublicKey, parse_public_key
from plugseal.signing.private import make_key, read_passphrase
from plugseal.signing.signers import Entry, render_entry
from plugseal.signing.team import Team

KINDS = ("ed25519", "p256")
_MAX_KEY_BYTES = 64 * 1024
_BAD = frozenset(',"*?!#\\')


def new_key(name: Path, *, kind: str = "ed25519", comment: str = "", passphrase: bytes | None = None) -> MadeKey:
    """Make a key and write it, readable by the user alone, with its public part beside it.

    Args:
        name: of the files: `NAME.key` and `NAME.pub`; nothing is overwritten.
        kind: one of `KINDS`.
        comment: who it belongs to; the name by default.
        passphrase: that encrypts it; without one it is not encrypted.

    Raises:
        UsageError: the comment could not stand in `allowed_signers`.
        OutputError: a file is there, or can't be written.
    """
    if name.name in ("", ".."):
        raise UsageError("that is a folder, and no name of files", details=[str(name)], hint="e.g. `alice`")
    comment = comment or name.name
    if not comment.isprintable() or _BAD & set(comment) or " " in comment or len(comment) > 200:
        raise UsageError("the name of a key's owner is one word", details=[comment], hint="e.g. `alice@example.org`")
    key = make_key(KeyKind(kind))
    private, public = name.with_name(f"{name.name}.key"), name.with_name(f"{name.name}.pub")
    if os.path.lexists(private) or os.path.lexists(public):
        raise OutputError("a key of this name is there", place=str(private), hint="choose another name")
    _write(private, key.render(passphrase), 0o600)
    try:
        _write(public, f"{key.public.line} {comment}\n".encode(), 0o644)
    except OutputError:
        with suppress(OSError):  # made just now, and nobody could list it
            private.unlink()
        raise
    return MadeKey(str(private), str(public), shown_key(key.public, comment), passphrase is not None)


def show_key(path: Path) -> ShownKey:
    """Return the public key in a file.

    Raises:
        KeyRefusedError: it holds none, or the key is refused.
    """
    try:
        key, comment = parse_public_key(read_file(path, max_bytes=_MAX_KEY_BYTES))
    except IntakeError as error:
        raise KeyRefusedError(f"the key {error.message}", place=error.place) from error
    except KeyRefusedError as error:
        error.place = str(path)
        raise
    return shown_key(key, comment)


def list_keys(team: Team | None) -> tuple[ShownKey, ...]:
    """Return the keys of the agent, and those that a team lists.

    Raises:
        KeyRefusedError: there is neither an agent nor a team.
    """
    from plugseal.signing.agent import VARIABLE, find_agent

    found = []
    if team is None or os.environ.get(VARIABLE):
        found = [shown_key(one.public, one.comment, where="agent") for one in find_agent().keys()]  # noqa: SIM118  # no dictionary
    if team is not None:
        found += [_listed(entry, team) for entry in team.entries]
    return tuple(found)


def shown_key(key: PublicKey, comment: str, *, where: str = "", note: str = "") -> ShownKey:
    """Return a key as it is shown."""
    owner = comment if comment and not (_BAD | {" "}) & set(comment) else "NAME"
    return ShownKey(
        key.keyid,
        key.kind.value,
        key.fingerprint,
        comment,
        key.line,
        render_entry(owner, key),
        key.pem,
        where,
        note,
    )


def _listed(entry: Entry, team: Team) -> ShownKey:
    import time

    notes = []
    if team.revoked.holds(entry.key):
        notes.append("revoked")
    if not entry.may_review:
        notes.append("not for reviews")
    if not entry.is_current(int(time.time())):
        notes.append("retired or not yet valid")
    if not entry.names_one_person:
        notes.append("never counts as more than one person")
    return shown_key(
        entry.key, ",".join(entry.principals), where=f"allowed_signers:{entry.line}", note=", ".join(notes)
    )


def _write(path: Path, data: bytes, mode: int) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(path, flags, mode)
    except OSError as error:
        raise _not_written(path, error) from error
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        with suppress(OSError):  # made just now: half a key is none, and would stand in the way of a whole one
            path.unlink()
        raise _not_written(path, error) from error


def _not_written(path: Path, error: OSError) -> OutputError:
    why = (error.strerror or "error").lower()
    return OutputError(f"can't write the key: {why}", place=str(path), hint=disk_hint(str(path), error))


__all__ = ["KINDS", "list_keys", "new_key", "read_passphrase", "show_key", "shown_key"]
