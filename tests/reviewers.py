"""People who sign reviews, for tests: keys, statements, receipts and the list of who may sign."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plugseal.encode.statement import render_time
from plugseal.model.statement import Decision, JudgedReceipt, Reviewed, Scanned, Statement
from plugseal.signing.judge import judge_receipt
from plugseal.signing.keys import KeyKind, PublicKey
from plugseal.signing.private import PrivateKey, make_key
from plugseal.signing.reviews import Wanted
from plugseal.signing.revoked import Revoked
from plugseal.signing.sign import Signed, placed, sign_statement
from plugseal.signing.signers import parse_signers
from plugseal.signing.team import Team, team_of

NOW = calendar.timegm((2027, 1, 2, 3, 4, 5))
CONTENT, CAPABILITY = "c" * 64, "a" * 64
TOKEN = f"{CONTENT}.{CAPABILITY}"
PLUGIN = Reviewed("agent-plugins", "docs", "1.0")
WANTED = Wanted(*PLUGIN[:2], TOKEN)
NAMESPACES = 'namespaces="git,plugin-review@plugseal"'


def statement(**changes: Any) -> Statement:
    """Return a statement of today, with changes."""
    made = Statement(
        plugin=PLUGIN,
        content=CONTENT,
        h1="b" * 64,
        capability=CAPABILITY,
        decision=Decision.TRUST,
        reviewer="alice",
        audience=None,
        sequence=1,
        previous=None,
        generation=1,
        created=render_time(NOW - 60),
        expires=render_time(NOW + 86_400 * 300),
        scanned=Scanned("f" * 64, "high", (("high", 1), ("low", 2)), 0, "0.1.0", "e" * 64),
    )
    return made._replace(**changes)


class Reviewer:
    """A person with a key of their own, and the receipts that they signed so far."""

    def __init__(self, name: str, kind: KeyKind = KeyKind.ED25519, *, key: PrivateKey | None = None) -> None:
        self.name = name
        self.key = key or make_key(kind)

    @property
    def public(self) -> PublicKey:
        return self.key.public

    def line(self, options: str = NAMESPACES, *, principals: str = "") -> str:
        """Return the person's line in the list of signers."""
        return f"{principals or self.name} {options} {self.public.line}\n"

    def sign(
        self, reviews: Sequence[tuple[str, bytes]] = (), *, as_ssh: bool = False, **changes: Any
    ) -> tuple[str, bytes]:
        """Sign behind what is there, and return the file with its place."""
        plain = statement(**{"reviewer": self.name, **changes})
        mine = team_of_lines(self.line(principals='"*"'))
        judged = [judge_receipt(file, data, team=mine, now=NOW) for file, data in reviews]
        if "sequence" not in changes:
            plain = placed(plain, self.public, judged)
            plain = plain._replace(**{k: v for k, v in changes.items() if k in ("generation", "previous")})
        return file_of(sign_statement(plain, self.key, as_ssh=as_ssh))

    def write(self, folder: Path, passphrase: bytes | None = None) -> Path:
        """Write the key as files that other programs read, and return the private one."""
        path = folder / self.name
        path.write_bytes(self.key.render(passphrase))
        path.chmod(0o600)
        path.with_name(f"{self.name}.pub").write_text(f"{self.public.line} {self.name}\n")
        return path


def file_of(signed: Signed) -> tuple[str, bytes]:
    """Return a receipt with its place in the repository."""
    return f"reviews/{signed.statement.token}/{signed.name}", signed.data


def team_of_lines(*lines: str, threshold: int = 1, revoked: Revoked | None = None) -> Team:
    """Return the team that lines of `allowed_signers` make."""
    return team_of(parse_signers("".join(lines).encode()), threshold=threshold, revoked=revoked)


def judge(file: tuple[str, bytes], team: Team, *, now: int = NOW) -> JudgedReceipt:
    """Judge one receipt where it lies."""
    return judge_receipt(*file, team=team, now=now, in_place=True)
