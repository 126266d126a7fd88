"""Sign what a reviewer says of one plugin as it is on disk now, or of what an older receipt names."""

from __future__ import annotations

import hashlib
import os
import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import plugseal
from plugseal.encode.plain import render_signed_json
from plugseal.encode.statement import parse_statement, render_time
from plugseal.encode.treehash import dirhash_h1
from plugseal.errors import IntakeError, KeyRefusedError, TreeRefusedError, UsageError
from plugseal.model.look import Look
from plugseal.model.statement import Decision, Reviewed, Scanned, Statement
from plugseal.runtime.approved import parse_document
from plugseal.signing.agent import AgentSigner, find_agent, find_agent_key
from plugseal.signing.folder import read_receipts
from plugseal.signing.judge import judge_receipt
from plugseal.signing.keys import PublicKey
from plugseal.signing.private import Signer, read_private_key
from plugseal.signing.sign import Signed, placed, sign_statement
from plugseal.signing.team import Team, team_of_key
from plugseal.verbs.receipts.folder import write_receipt

DAY: Final = 86_400
DAYS: Final = 365
MAX_DAYS: Final = 3_650


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A key that can sign, and what it is called."""

    signer: Signer
    comment: str
    """Hostile text."""
    from_agent: bool

    @property
    def public(self) -> PublicKey:
        """Return its public part."""
        return self.signer.public


@dataclass(frozen=True, slots=True)
class Wish:
    """What the reviewer says besides what is on disk."""

    decision: Decision = Decision.TRUST
    reviewer: str = ""
    """Empty: as the team lists the key, or as its comment."""
    audience: str | None = None
    days: int = DAYS
    policy: bytes | None = None
    """The bytes of the policy that was judged by."""
    dsse: bool | None = None
    """Whether DSSE's own signature is made, None by kind of key: files make it, agents don't."""


@dataclass(frozen=True, slots=True)
class Written:
    """A receipt that was made, and where it lies."""

    path: Path
    signed: Signed


def open_file_key(path: Path, passphrase: bytes | None) -> SigningKey:
    """Return the key in a file.

    Raises:
        KeyRefusedError: as `read_private_key`.
    """
    key = read_private_key(path, passphrase)
    return SigningKey(key, _comment_beside(path, key.public), from_agent=False)


def open_agent_key(word: str) -> SigningKey:
    """Return a key of the agent.

    Raises:
        KeyRefusedError: there is no agent, or no one key fits.
    """
    agent = find_agent()
    found = find_agent_key(agent, word)
    return SigningKey(AgentSigner(agent, found.public), found.comment, from_agent=True)


def sign_look(look: Look, key: SigningKey, wish: Wish, *, reviews: Path, team: Team | None = None) -> Written:
    """Sign a review of a plugin as it is on disk now, and write the receipt.

    Raises:
        TreeRefusedError: the plugin has no token.
        KeyRefusedError: the key can't or may not sign.
        ReceiptError: receipts that the key signed before are missing.
        PlugsealError: it can't be written.
    """
    report = look.report
    if report.token is None or report.content_receipt is None:
        raise TreeRefusedError(
            "it has no token, so there is nothing to sign",
            place=look.path,
            hint=f"see why with `plugseal review {shlex.quote(look.path)}`",
        )
    _verify_beside(look, reviews / report.token)
    plugin = Reviewed(look.plugin.system, look.plugin.name, look.plugin.version)
    statement = _statement(
        plugin,
        (report.content_receipt, _h1(look), report.capability_receipt),
        _scanned(look),
        key=key,
        wish=wish,
        team=team,
    )
    return _write(statement, key, wish, reviews=reviews, team=team, document=look.document)


def _verify_beside(look: Look, folder: Path) -> None:
    """Refuse to write a receipt into what it is about, which would be another content then."""
    root, real = Path(look.subject.root), Path(os.path.realpath(folder))
    if not root.is_dir() or not real.is_relative_to(root):
        return
    path, covers = real.relative_to(root).as_posix(), parse_document(look.document).covers
    if covers is None or any(path == cover or path.startswith(f"{cover}/") for cover in covers):
        raise UsageError(
            "the receipt would lie inside the plugin, and what it signs would be there no more",
            details=[str(folder.parent)],
            hint="name a folder outside the plugin: `--reviews ../reviews`",
        )


def sign_again(data: bytes, key: SigningKey, wish: Wish, *, reviews: Path, team: Team | None = None) -> Written:
    """Refuse what an older receipt trusts: the plugin itself may be gone or changed.

    Raises:
        UsageError: it is to be trusted again, which needs the plugin.
        PlugsealError: as `sign_look`, or the receipt is damaged.
    """
    from plugseal.encode.dsse import parse_envelope

    if wish.decision is Decision.TRUST:
        raise UsageError("a receipt can be revoked or rejected; to trust, name the plugin")
    old = parse_statement(parse_envelope(data).payload)
    receipts = (old.content, old.h1, old.capability)
    statement = _statement(old.plugin, receipts, old.scanned, key=key, wish=wish, team=team)
    return _write(statement, key, wish, reviews=reviews, team=team, document=None)


def _write(
    statement: Statement, key: SigningKey, wish: Wish, *, reviews: Path, team: Team | None, document: bytes | None
) -> Written:
    now = int(time.time())
    by = team or team_of_key(key.public)
    judged = [judge_receipt(one.file, one.data, team=by, now=now) for one in read_receipts(reviews)]
    statement = placed(statement, key.public, judged)
    as_ssh = key.from_agent if wish.dsse is None else not wish.dsse
    signed = sign_statement(statement, key.signer, as_ssh=as_ssh)
    if team is not None:
        made = judge_receipt(signed.name, signed.data, team=team, now=now)
        if not made.status.holds:
            raise KeyRefusedError(
                f"the team would not take it: {made.status.value}",
                details=[made.reason],
                hint="see who may sign in `allowed_signers`; `--reviewer NAME` says who you are",
            )
    return Written(write_receipt(reviews / statement.token, signed.name, signed.data, document), signed)


def _statement(
    plugin: Reviewed,
    receipts: tuple[str, str, str],
    scanned: Scanned,
    *,
    key: SigningKey,
    wish: Wish,
    team: Team | None,
) -> Statement:
    if not 1 <= wish.days <= MAX_DAYS:
        raise UsageError(f"a receipt holds for 1 to {MAX_DAYS:,} days")
    now = int(time.time())
    audience = wish.audience if wish.audience is not None else (None if team is None else team.audience)
    content, h1, capability = receipts
    return Statement(
        plugin=plugin,
        content=content,
        h1=h1,
        capability=capability,
        decision=wish.decision,
        reviewer=wish.reviewer or _reviewer(key, team),
        audience=audience,
        sequence=1,
        previous=None,
        generation=1,
        created=render_time(now),
        expires=render_time(now + wish.days * DAY),
        scanned=scanned,
        policy=None if wish.policy is None else hashlib.sha256(wish.policy).hexdigest(),
    )


def _reviewer(key: SigningKey, team: Team | None) -> str:
    """Return who signs: the one person that the team lists the key for, else the key's comment.

    Raises:
        UsageError: neither says.
    """
    entries = () if team is None else team.by_key.get(key.public.keyid, ())
    names = {entry.principals[0] for entry in entries if entry.names_one_person}
    if len(names) == 1:
        return names.pop()
    if team is None and key.comment:
        return key.comment
    raise UsageError("nothing says who signs", hint="say it with `--reviewer NAME`")


def _scanned(look: Look) -> Scanned:
    findings = look.findings
    counts: dict[str, int] = {}
    for found in findings:
        counts[found.severity.value] = counts.get(found.severity.value, 0) + 1
    rows = sorted(
        [found.rule, found.severity.value, found.confidence.value, found.file, str(found.span.line)]
        for found in findings
    )
    text = render_signed_json([[_safe(part) for part in row] for row in rows])
    worst = max(findings, key=lambda found: found.severity.rank).severity.value if findings else ""
    return Scanned(
        findings=hashlib.sha256(text).hexdigest(),
        worst=worst,
        counts=tuple(sorted(counts.items())),
        unread=len(look.report.unread),
        version=plugseal.__version__,
        rules=look.inventory.rules_digest,
    )


def _safe(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _h1(look: Look) -> str:
    import base64

    return base64.b64decode(dirhash_h1(look.tree).removeprefix("h1:")).hex()


def _comment_beside(path: Path, key: PublicKey) -> str:
    """Return the comment in the public file beside a key, where it is that key's."""
    from plugseal.signing.folder import read_file
    from plugseal.signing.keys import parse_public_key

    for beside in (path.with_suffix(".pub"), path.with_name(f"{path.name}.pub")):
        try:
            public, comment = parse_public_key(read_file(beside, max_bytes=64 * 1024))
        except (IntakeError, KeyRefusedError):
            continue
        if public == key:
            return comment
    return ""
