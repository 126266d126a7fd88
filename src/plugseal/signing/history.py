"""Sequences: what a key signed for one plugin and audience is numbered, and each receipt names the one before it.

So a receipt that was left out, deleted, doubled or brought from elsewhere is seen from those that are there. What was
cut from the end alone can only be seen from outside: from the base revision of a change, or from an older copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from plugseal.model.statement import JudgedReceipt, ReceiptStatus, SignedBy, Statement
from plugseal.records import NamedTuple

GENUINE: Final = frozenset(ReceiptStatus) - {
    ReceiptStatus.MALFORMED,
    ReceiptStatus.UNKNOWN_KEY,
    ReceiptStatus.BAD_SIGNATURE,
    ReceiptStatus.WRONG_NAMESPACE,
    ReceiptStatus.WRONG_REVIEWER,
    ReceiptStatus.WRONG_AUDIENCE,
    ReceiptStatus.NO_PRESENCE,
}
"""Statuses of receipts that the named reviewer did sign, whether they count now or not."""

Line = tuple[str, str, str, "str | None"]
"""Key, system, name and audience."""


class Gap(NamedTuple):
    """One fault of a sequence."""

    line: Line
    message: str
    """Ours but for the name of the plugin; hostile text."""


class _Link(NamedTuple):
    statement: Statement
    digest: str


def is_genuine(judged: JudgedReceipt) -> bool:
    """Say whether the named reviewer signed a receipt, be it out of date or by a key that is revoked now."""
    return judged.status in GENUINE and judged.statement is not None and judged.signer is not None


def line_of(statement: Statement, signer: SignedBy) -> Line:
    """Return which sequence a receipt belongs to."""
    return (signer.keyid, *statement.line)


def check_history(receipts: Iterable[JudgedReceipt]) -> tuple[Gap, ...]:
    """Return the faults of all sequences.

    Args:
        receipts: all that there are; those that are not genuine are passed over.
    """
    lines: dict[Line, dict[str, _Link]] = {}
    for judged in receipts:
        if is_genuine(judged) and judged.statement is not None and judged.signer is not None:
            links = lines.setdefault(line_of(judged.statement, judged.signer), {})
            # The same payload under two signatures is one receipt.
            links[judged.digest] = _Link(judged.statement, judged.digest)
    return tuple(gap for line, links in sorted(lines.items(), key=repr) for gap in _check(line, list(links.values())))


def check_kept(before: Iterable[JudgedReceipt], after: Iterable[JudgedReceipt]) -> tuple[JudgedReceipt, ...]:
    """Return the genuine receipts that were there before and are no more."""
    left = {judged.digest for judged in after}
    return tuple(judged for judged in before if is_genuine(judged) and judged.digest not in left)


def _check(line: Line, links: Sequence[_Link]) -> list[Gap]:
    ordered = sorted(links, key=lambda link: (link.statement.sequence, link.digest))
    name = ordered[0].statement.plugin.name
    found, last = [], None
    for link in ordered:
        number = link.statement.sequence
        expected = 1 if last is None else last.statement.sequence + 1
        if number < expected:
            found.append(Gap(line, f"`{name}` has two receipts {number} by the key {line[0][:16]}"))
        elif number > expected:
            what = f"receipt {expected}" if number == expected + 1 else f"receipts {expected} to {number - 1}"
            found.append(Gap(line, f"`{name}` lacks {what} by the key {line[0][:16]}"))
        elif last is not None and link.statement.previous != last.digest:
            found.append(Gap(line, f"receipt {number} of `{name}` does not follow the one before it"))
        last = link
    return found
