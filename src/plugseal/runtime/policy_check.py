"""What the policy asks of a plugin that is trusted: by its names, by what it can do, by its age, by who reviewed it."""

from __future__ import annotations

import time
from typing import Final

from plugseal.model.decision import Reason
from plugseal.model.policy import LEVEL, GatePolicy
from plugseal.model.trust import Approval
from plugseal.policy.denied import find_denied
from plugseal.runtime.approved import Document
from plugseal.runtime.refused import refused
from plugseal.trust.record import Record
from plugseal.trust.store import Store

_TIME: Final = "%Y-%m-%dT%H:%M:%SZ"


def verify_policy(policy: GatePolicy, record: Record, approval: Approval, *, plugin: str) -> None:
    """Refuse what the policy does not want, whatever receipt it has.

    Raises:
        RefusedError: with the reason.
    """
    subject, told = record.subject, f"the policy ({policy.origin})"
    names = {name.casefold() for name in (plugin, approval.token, f"{subject.system}:{subject.name}")}
    # Compared without case, as `[[deny]]` is: denying must not be escaped by spelling.
    if not names.isdisjoint(name.casefold() for name in policy.deny):
        raise refused(Reason.POLICY_DENIES, plugin, f"{told} names it under `deny`")
    if policy.allow is not None and {plugin, approval.token}.isdisjoint(policy.allow):
        raise refused(Reason.POLICY_DENIES, plugin, f"{told} does not name it under `allow`")
    if policy.level > LEVEL:
        raise refused(Reason.LEVEL_TOO_LOW, plugin, f"{told} demands level {policy.level}, this reaches {LEVEL}")
    if policy.max_age_days and not approval.at <= _now() <= _days_after(approval.at, policy.max_age_days):
        raise refused(
            Reason.REVIEW_EXPIRED, plugin, f"it was trusted on {approval.at[:10]}, for {policy.max_age_days} days"
        )


def verify_not_denied(policy: GatePolicy, document: Document, approval: Approval, *, plugin: str) -> None:
    """Refuse what the policy denies by what it is or what it can do, also what was trusted before it did.

    Raises:
        RefusedError: with the reason.
    """
    found = find_denied(
        policy.denied, document.abilities, system=document.system, name=document.name, content=approval.content
    )
    if found is not None:
        raise refused(Reason.POLICY_DENIES, plugin, f"the policy ({policy.origin}): {found}")


def verify_signed(
    policy: GatePolicy, store: Store, record: Record, approval: Approval, document: Document, *, plugin: str
) -> None:
    """Refuse what was not signed as the policy demands.

    Raises:
        RefusedError: with the reason, and the step that failed.
    """
    if not policy.signatures:
        return
    if not policy.reviews:
        wanted = f"the policy ({policy.origin}) demands {policy.signatures} signed reviews, and names no team"
        raise refused(Reason.SIGNATURE_MISSING, plugin, wanted)
    from plugseal.runtime.reviews import Asked, verify_demanded

    asked = Asked(plugin, document.system, document.name, approval.token, record.subject.root)
    verify_demanded(policy.reviews, store, asked)


def _now() -> str:
    return time.strftime(_TIME, time.gmtime())


def _days_after(moment: str, days: int) -> str:
    import calendar  # slow to load, and asked by few policies

    return time.strftime(_TIME, time.gmtime(calendar.timegm(time.strptime(moment, _TIME)) + days * 86_400))
