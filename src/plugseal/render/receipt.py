"""Receipts as text: what was written, what one says, and the steps of verifying them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.statement import JudgedBy, Judgement, Statement, Step, Verification
from plugseal.render.next import pasteable
from plugseal.render.text import BLANK, GAP, Line, Piece, count, line, pad
from plugseal.shown import shown

_READ_AGAIN: Final = frozenset(
    ("not-reviewed", "too-few-people", "not-newest", "content-changed", "document-changed", "review-outdated")
)
"""Reasons for which somebody reads the plugin, and signs what it is now."""
_STYLES: Final = {"ok": "good", "no": "high"}


def render_written(path: str, keyid: str, statement: Statement) -> Iterator[Line]:
    """Yield where a receipt was written and what it is about."""
    yield line("wrote ", Piece(shown(path, limit=1000), "path"))
    about = f"content {statement.content[:8]}, capability {statement.capability[:8]}, key {keyid[:8]}"
    yield line(f"{GAP}{about}")
    place = f"receipt {statement.sequence:,} of this key, generation {statement.generation:,}"
    yield line(
        f"{GAP}{statement.decision.value} by {shown(statement.reviewer)}, {place}, until {statement.expires[:10]}"
    )


def render_statement_lines(statement: Statement, keyid: str, *, is_ssh: bool) -> Iterator[Line]:
    """Yield what a receipt says; whether it holds is another question, and the last line says so."""
    yield line(Piece(f"{shown(statement.plugin.name)} {shown(statement.plugin.version)}".rstrip(), "title"))
    scanned = statement.scanned
    counted = ", ".join(f"{number:,} {severity}" for severity, number in scanned.counts)
    rows = (
        ("system", shown(statement.plugin.system)),
        ("content", statement.content),
        ("capability", statement.capability),
        ("decision", statement.decision.value),
        ("reviewer", shown(statement.reviewer)),
        ("audience", shown(statement.audience) if statement.audience is not None else "none in particular"),
        ("key", keyid),
        ("signature", "SSHSIG" if is_ssh else "DSSE"),
        ("created", statement.created),
        ("expires", statement.expires),
        ("sequence", f"{statement.sequence:,}"),
        ("previous", statement.previous or "none"),
        ("generation", f"{statement.generation:,}"),
        ("findings", counted or "none"),
        ("not read", count(scanned.unread, "file")),
        ("scanner", f"plugseal {shown(scanned.version)}, rules {scanned.rules[:8]}"),
        ("policy", statement.policy or "none"),
    )
    for name, value in rows:
        yield line(f"{GAP}{pad(name, 10)}{GAP}{value}")
    yield line("this is what it says; whether that holds: ", Piece("`plugseal receipt verify`", "command"))


def render_verification(verification: Verification) -> Iterator[Line]:
    """Yield the judgement and its numbered steps."""
    verdict = Piece("holds", "good") if verification.holds else Piece("does not hold", "high")
    title = shown(verification.title)
    yield line(verdict, f": {title}" if title else "")
    width = max(len(step.name) for step in verification.steps)
    for number, step in enumerate(verification.steps, 1):
        yield _step(number, step, width)


def render_judgement(judgement: Judgement, by: JudgedBy) -> Iterator[Line]:
    """Yield whose signatures count, the judgement on many receipts: plugins, then what is wrong, then the count."""
    yield from _judged_by(by)
    yield BLANK
    verifications, receipts, faults = judgement.verifications, judgement.receipts, judgement.faults
    for number, verification in enumerate(verifications):
        if number and "not-reviewed" not in (verification.reason, verifications[number - 1].reason):
            yield BLANK
        if verification.reason == "not-reviewed":
            yield line(Piece("not reviewed", "high"), f": {shown(verification.title)}")
            continue
        yield from render_verification(verification)
    bad = [judged for judged in receipts if not judged.status.holds]
    if bad or faults:
        yield BLANK
        yield line(Piece("Receipts that don't count", "title"))
    for judged in bad:
        yield line(GAP, Piece(judged.status.value, "high"), GAP, Piece(shown(judged.file, limit=1000), "path"))
        yield line(f"{GAP * 2}{shown(judged.reason)}")
    for fault in faults:
        yield line(GAP, Piece("history", "high"), f"{GAP}{shown(fault, limit=1000)}")
    failed = sum(not verification.holds for verification in verifications)
    yield BLANK
    what = f"{count(len(receipts), 'receipt')}, {len(receipts) - len(bad):,} of them hold"
    yield line(f"{count(len(verifications), 'plugin')}, {failed:,} not reviewed as asked; {what}")


def next_of_judgement(judgement: Judgement, plugin: str | None) -> str | None:
    """Return the command that a reader of a judgement most likely wants next, None where everything holds.

    Args:
        judgement: what was judged.
        plugin: its path or ID as it was named, None where none was.
    """
    reason = next((one.reason for one in judgement.verifications if not one.holds), None)
    if reason is None:
        return None
    meant = pasteable(plugin) if plugin and reason in _READ_AGAIN else None
    return f"plugseal review {meant}" if meant else f"plugseal explain {reason}"


def _judged_by(by: JudgedBy) -> Iterator[Line]:
    about = f", sha256 {by.digest}" if by.digest else ""
    yield line("signers  ", Piece(shown(by.place, limit=1000), "path"), about)
    if by.is_inside and by.digest:
        yield line(f"{GAP}they lie in what is judged: pin them elsewhere with `--pin`, or name a folder outside")


def _step(number: int, step: Step, width: int) -> Line:
    verdict = Piece(step.verdict, _STYLES.get(step.verdict, ""))
    detail = f"{GAP}{shown(step.detail)}" if step.detail else ""
    return line(f"{GAP}{number} {pad(step.name, width)}{GAP}", verdict, detail)
