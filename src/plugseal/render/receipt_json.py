"""Receipts as JSON: what one says, and what became of those that were verified."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import plugseal
from plugseal.model.statement import JudgedBy, JudgedReceipt, Judgement, Statement, Verification
from plugseal.render.json import Json, encode

VERIFY_FORMAT: Final = "plugseal.receipt-verify/1"
SHOW_FORMAT: Final = "plugseal.receipt/1"


def render_verification_json(judgement: Judgement, by: JudgedBy) -> Iterator[str]:
    """Yield the document, ended by a newline.

    Args:
        judgement: on one receipt or many.
        by: whose signatures counted.
    """
    yield from _document(
        {
            "format": VERIFY_FORMAT,
            "plugseal": plugseal.__version__,
            "holds": judgement.holds,
            "signers": {"place": by.place, "sha256": by.digest or None, "inside": by.is_inside},
            "plugins": [_verification_json(one) for one in judgement.verifications],
            "receipts": [_judged_json(judged) for judged in judgement.receipts],
            "history": list(judgement.faults),
        }
    )


def render_statement_json(statement: Statement, keyid: str, digest: str, *, is_ssh: bool) -> Iterator[str]:
    """Yield the document, ended by a newline."""
    yield from _document(
        {
            "format": SHOW_FORMAT,
            "plugseal": plugseal.__version__,
            "payload_sha256": digest,
            "keyid": keyid,
            "signature": "sshsig" if is_ssh else "dsse",
            **_statement_json(statement),
        }
    )


def _verification_json(verification: Verification) -> Json:
    return {
        "title": verification.title,
        "token": verification.token or None,
        "holds": verification.holds,
        "reason": verification.reason or None,
        "steps": [step._asdict() for step in verification.steps],
    }


def _judged_json(judged: JudgedReceipt) -> Json:
    signer = judged.signer
    return {
        "file": judged.file,
        "status": judged.status.value,
        "reason": judged.reason or None,
        "payload_sha256": judged.digest or None,
        "keyid": None if signer is None else signer.keyid,
        "key": None if signer is None else signer.kind,
        "principal": None if signer is None else signer.principal,
        "statement": None if judged.statement is None else _statement_json(judged.statement),
    }


def _statement_json(statement: Statement) -> dict[str, Json]:
    scanned = statement.scanned
    return {
        "plugin": statement.plugin._asdict(),
        "token": statement.token,
        "decision": statement.decision.value,
        "reviewer": statement.reviewer,
        "audience": statement.audience,
        "sequence": statement.sequence,
        "previous": statement.previous,
        "generation": statement.generation,
        "created": statement.created,
        "expires": statement.expires,
        "policy": statement.policy,
        "findings": {"sha256": scanned.findings, "max": scanned.worst or None, "counts": dict(scanned.counts)},
        "unread": scanned.unread,
        "scanner": {"version": scanned.version, "rules": scanned.rules},
    }


def _document(document: dict[str, Json]) -> Iterator[str]:
    yield "{\n" + ",\n".join(f'  "{key}": {encode(value)}' for key, value in document.items()) + "\n}\n"
