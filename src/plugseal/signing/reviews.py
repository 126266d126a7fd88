"""Judge all receipts of a team together: whether enough people stand behind a token, and nobody refuses it.

The door for the gate and for policy: `verify_reviews` takes plain data and raises. People are distinct principals,
each by a raw key of its own; patterns and certificates together never make more than one. A refusal wins over any
number of trusts, and needs no living key.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from plugseal.errors import ReceiptError
from plugseal.model.statement import Decision, JudgedReceipt, ReceiptStatus, Step
from plugseal.records import NamedTuple
from plugseal.signing.history import Gap, check_history, check_kept, is_genuine, line_of
from plugseal.signing.judge import judge_receipt
from plugseal.signing.signers import person_of
from plugseal.signing.team import Team

OTHERS: Final = "*"
"""The one person that all patterns and certificates together are."""


class Wanted(NamedTuple):
    """What must have been reviewed."""

    system: str
    name: str
    """Hostile text."""
    token: str
    generation: int = 1
    """The lowest that counts: a plugin does not go back to an older reviewed state unseen."""


class Reviews(NamedTuple):
    """All receipts, judged, and what holds between them."""

    receipts: tuple[JudgedReceipt, ...]
    gaps: tuple[Gap, ...] = ()
    gone: tuple[JudgedReceipt, ...] = ()
    """Genuine receipts that were there before; they still count as refusals."""

    def refusals(self, wanted: Wanted) -> tuple[JudgedReceipt, ...]:
        """Return the genuine receipts that refuse a token, those that are gone among them."""
        return tuple(
            judged
            for judged in (*self.receipts, *self.gone)
            if is_genuine(judged)
            and _is_about(judged, wanted)
            and judged.statement is not None
            and judged.statement.decision is not Decision.TRUST
        )

    def trusts(self, wanted: Wanted) -> tuple[JudgedReceipt, ...]:
        """Return the receipts that hold and trust a token, out of sequences without a fault."""
        broken = {gap.line for gap in self.gaps}
        return tuple(
            judged
            for judged in self.receipts
            if judged.status.holds
            and _is_about(judged, wanted)
            and judged.statement is not None
            and judged.signer is not None
            and judged.statement.decision is Decision.TRUST
            and judged.statement.generation >= wanted.generation
            and line_of(judged.statement, judged.signer) not in broken
        )


def judge_reviews(
    files: Iterable[tuple[str, bytes]],
    *,
    team: Team,
    now: int,
    before: Iterable[tuple[str, bytes]] | None = None,
) -> Reviews:
    """Return all receipts of a team, judged.

    Args:
        files: (path, bytes) of each receipt.
        team: who may sign.
        now: seconds since 1970.
        before: the receipts of the base revision, where one is known.
    """
    old = None
    if before is not None:
        old = tuple(judge_receipt(file, data, team=team, now=now, in_place=True) for file, data in before)
    known = None if old is None else {judged.digest for judged in old if is_genuine(judged)}
    found = tuple(judge_receipt(file, data, team=team, now=now, known=known, in_place=True) for file, data in files)
    return Reviews(found, check_history(found), () if old is None else check_kept(old, found))


def is_late(judged: JudgedReceipt) -> bool:
    """Say whether a receipt trusts, and a retired key adds it: once kept, it would count as one that was there."""
    statement = judged.statement
    is_new = judged.status is ReceiptStatus.NEW_BY_RETIRED_KEY
    return is_new and statement is not None and statement.decision is Decision.TRUST


def added_late(reviews: Reviews) -> tuple[JudgedReceipt, ...]:
    """Return the receipts that trust and that retired keys add."""
    return tuple(filter(is_late, reviews.receipts))


def verify_reviews(
    files: Iterable[tuple[str, bytes]],
    *,
    team: Team,
    wanted: Wanted,
    now: int,
    before: Iterable[tuple[str, bytes]] | None = None,
) -> tuple[JudgedReceipt, ...]:
    """Return the receipts that make a token trusted by a team.

    Raises:
        ReceiptError: it is not; `reason` says which step failed.
    """
    return verify_quorum(judge_reviews(files, team=team, now=now, before=before), team=team, wanted=wanted)


def verify_quorum(reviews: Reviews, *, team: Team, wanted: Wanted) -> tuple[JudgedReceipt, ...]:
    """Return the receipts that make a token trusted by a team, out of receipts that were judged.

    Raises:
        ReceiptError: it is not; `reason` is `refused`, `receipts-missing`, `history-broken`, `not-newest` or
            `too-few-people`.
    """
    # (1) Nobody refuses it.
    refusals = reviews.refusals(wanted)
    if refusals:
        rows = [_say(judged) for judged in refusals]
        raise ReceiptError(
            "refused", "a reviewer refuses it", details=rows, hint="change the plugin, and review it again"
        )
    # (2) Nothing that was there before is gone.
    gone = [judged for judged in reviews.gone if _is_line(judged, wanted)]
    if gone:
        raise ReceiptError(
            "receipts-missing", "receipts that were there before are gone", details=[j.file for j in gone]
        )
    # (3) Enough people trust it, each by a key of its own, in unbroken sequences.
    trusts = reviews.trusts(wanted)
    people = count_people(trusts)
    if people < team.threshold:
        raise _too_few(reviews, wanted, people, team.threshold)
    return trusts


def count_people(trusts: Sequence[JudgedReceipt]) -> int:
    """Return how many people stand behind receipts: the most that can each be given a raw key of its own."""
    keys: dict[str, set[str]] = {}
    literal = {person_of(j.signer.principal) for j in trusts if j.signer is not None and j.signer.counts_alone}
    for judged in trusts:
        signer, statement = judged.signer, judged.statement
        if signer is None or statement is None:
            continue
        person = person_of(signer.principal) if signer.counts_alone else OTHERS
        if person == OTHERS and person_of(statement.reviewer) in literal:
            continue
        keys.setdefault(person, set()).add(raw_id(judged))
    return _matching(keys)


def raw_id(judged: JudgedReceipt) -> str:
    """Return what tells raw keys apart."""
    return "" if judged.signer is None else judged.signer.raw


def steps_of(reviews: Reviews, *, team: Team, wanted: Wanted) -> tuple[tuple[Step, ...], str]:
    """Return the steps of judging a token by all receipts, and the reason why it does not hold, empty where it does."""
    names = ("refusals", "history", "people")
    try:
        trusts = verify_quorum(reviews, team=team, wanted=wanted)
    except ReceiptError as error:
        at = {"refused": 0, "receipts-missing": 1, "history-broken": 1}.get(error.reason, 2)
        done = [Step(name, "ok") for name in names[:at]]
        detail = "; ".join([error.message, *error.details[:3]])
        left = [Step(name, "not reached") for name in names[at + 1 :]]
        return (*done, Step(names[at], "no", detail), *left), error.reason
    people = count_people(trusts)
    detail = f"{people} of {team.threshold} needed: " + ", ".join(_principals(trusts))
    return (Step("refusals", "ok", "none"), Step("history", "ok"), Step("people", "ok", detail)), ""


def _principals(trusts: Iterable[JudgedReceipt]) -> list[str]:
    return sorted({judged.statement.reviewer for judged in trusts if judged.statement is not None})


def _too_few(reviews: Reviews, wanted: Wanted, people: int, threshold: int) -> ReceiptError:
    gaps = [gap.message for gap in reviews.gaps if gap.line[1:3] == (wanted.system, wanted.name)]
    if gaps:
        return ReceiptError("history-broken", "receipts are missing from a sequence", details=gaps)
    rows = [_counted(judged, wanted) for judged in reviews.receipts if _is_about(judged, wanted)]
    older = [j for j in reviews.receipts if j.status.holds and _is_about(j, wanted)]
    if older and all(j.statement is not None and j.statement.generation < wanted.generation for j in older):
        return ReceiptError("not-newest", f"a newer state was reviewed: generation {wanted.generation}")
    if sum(1 for judged in reviews.receipts if judged.status.holds and _is_about(judged, wanted)) > people:
        rows.insert(0, "what is by one key or one person counts once")
    return ReceiptError("too-few-people", f"{people} of {threshold} people trust it", details=rows[:20])


def _is_about(judged: JudgedReceipt, wanted: Wanted) -> bool:
    return _is_line(judged, wanted) and judged.statement is not None and judged.statement.token == wanted.token


def _is_line(judged: JudgedReceipt, wanted: Wanted) -> bool:
    return judged.statement is not None and judged.statement.plugin[:2] == (wanted.system, wanted.name)


def _say(judged: JudgedReceipt) -> str:
    statement = judged.statement
    name = _name(judged)
    return name if statement is None else f"{statement.decision.value} by {statement.reviewer} ({name})"


def _counted(judged: JudgedReceipt, wanted: Wanted) -> str:
    older = judged.statement is not None and judged.statement.generation < wanted.generation
    why = f": {judged.reason}" if judged.reason else ""
    return f"{_name(judged)}: {judged.status.value}{why}{', of an older generation: sign it again' if older else ''}"


def _name(judged: JudgedReceipt) -> str:
    return judged.file.rpartition("/")[2]


def _matching(keys: dict[str, set[str]]) -> int:
    """Return the size of the largest matching of people and keys."""
    owner: dict[str, str] = {}

    def find(person: str, seen: set[str]) -> bool:
        for key in sorted(keys[person] - seen):
            seen.add(key)
            if key not in owner or find(owner[key], seen):
                owner[key] = person
                return True
        return False

    return sum(find(person, set()) for person in sorted(keys))


def newest_generation(receipts: Collection[JudgedReceipt], *, system: str, name: str) -> int:
    """Return the highest generation that anybody reviewed of a plugin, 0 for none."""
    return max(
        (
            judged.statement.generation
            for judged in receipts
            if judged.status.holds and judged.statement is not None and judged.statement.plugin[:2] == (system, name)
        ),
        default=0,
    )
