"""What a policy asks of signed reviews beyond their signatures, the same in CI and at the gate.

A demand only ever takes away: a receipt that trusts may count no more, a team may need more people or younger reviews.
A refusal counts whatever a policy asks.
"""

from __future__ import annotations

from plugseal.model.statement import Decision, JudgedReceipt, ReceiptStatus
from plugseal.model.team_policy import ReceiptDemand
from plugseal.signing.reviews import Reviews
from plugseal.signing.team import Team

_DAY = 86_400


def demanded_team(team: Team, demand: ReceiptDemand) -> Team:
    """Return a team of which as many people and as young reviews are asked as it or the policy wants."""
    ages = [age for age in (team.max_age_seconds, demand.max_age_days * _DAY or None) if age is not None]
    return team._replace(threshold=max(team.threshold, demand.threshold), max_age_seconds=min(ages) if ages else None)


def demanded_reviews(reviews: Reviews, demand: ReceiptDemand) -> Reviews:
    """Return receipts of which those that trust and are not as the policy wants count no more."""
    return reviews._replace(receipts=tuple(_demanded(one, demand) for one in reviews.receipts))


def _demanded(judged: JudgedReceipt, demand: ReceiptDemand) -> JudgedReceipt:
    statement, signer = judged.statement, judged.signer
    if not judged.status.holds or statement is None or signer is None or statement.decision is not Decision.TRUST:
        return judged
    if demand.require_human and not signer.presence:
        return judged._replace(status=ReceiptStatus.NO_PRESENCE, reason="nobody touched a key for it")
    if demand.scanner and _version(statement.scanned.version) < _version(demand.scanner):
        return judged._replace(status=ReceiptStatus.TOO_OLD, reason="it was made by an older plugseal")
    if demand.rules and statement.scanned.rules not in demand.rules:
        return judged._replace(status=ReceiptStatus.TOO_OLD, reason="it was made by other rules")
    return judged


def _version(text: str) -> tuple[int, ...]:
    parts = text.split(".")
    is_plain = len(parts) == 3 and all(part.isascii() and part.isdigit() for part in parts)
    return tuple(int(part) for part in parts) if is_plain else (-1,)
