"""Verify receipts: one, those of a folder, or those of a whole repository with the plugins in it.

The steps are in order and the first that fails ends them. Content and capability are looked at where a plugin is named:
the receipt's own capability document is what was reviewed, and a fresh scan must find no more than it says.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from plugseal.errors import DataError, IntakeError, NothingToJudgeError
from plugseal.model.statement import (
    Decision,
    JudgedReceipt,
    Judgement,
    ReceiptStatus,
    Statement,
    Step,
    Verification,
)
from plugseal.signing.folder import read_receipt, read_receipts
from plugseal.signing.judge import judge_receipt
from plugseal.signing.team import Team
from plugseal.verbs.receipts.folder import FOLDER, read_document, reviews_folder

if TYPE_CHECKING:
    from pathlib import Path

    from plugseal.model.look import Look
    from plugseal.signing.folder import AnyPath
    from plugseal.signing.reviews import Reviews, Wanted

_MAX_KEY_BYTES = 64 * 1024
_ABOUT = ("content", "capability")
_ENVELOPE, _SIGNATURE, _SIGNER, _TIME = "envelope", "signature", "signer", "time"
_FAILS_AT = {
    ReceiptStatus.MALFORMED: _ENVELOPE,
    ReceiptStatus.WRONG_PLACE: _ENVELOPE,
    ReceiptStatus.UNKNOWN_KEY: _SIGNATURE,
    ReceiptStatus.BAD_SIGNATURE: _SIGNATURE,
    ReceiptStatus.NO_PRESENCE: _SIGNATURE,
    ReceiptStatus.WRONG_NAMESPACE: _SIGNATURE,
    ReceiptStatus.WRONG_REVIEWER: _SIGNER,
    ReceiptStatus.REVOKED_KEY: _SIGNER,
    ReceiptStatus.WRONG_AUDIENCE: _SIGNER,
}


def verify_receipt(path: AnyPath, *, team: Team, look: Look | None = None, now: int | None = None) -> Verification:
    """Verify one receipt, and the plugin that it is about where one is given.

    Raises:
        IntakeError: it can't be read.
    """
    one = read_receipt(path)
    judged = judge_receipt(one.file, one.data, team=team, now=_now() if now is None else now)
    statement = judged.statement
    steps, reason = _receipt_steps(judged)
    token = statement.token if statement else ""
    title = _title(statement)
    if reason or statement is None:
        left = ("decision", *_ABOUT) if look is not None else ("decision",)
        return Verification(title, (*steps, *_left(left)), reason, token, (judged,))
    if look is None:
        return Verification(title, (*steps, Step("decision", "ok", statement.decision.value)), "", token, (judged,))
    if statement.decision is not Decision.TRUST:
        decision = Step("decision", "no", f"{statement.reviewer} says {statement.decision.value}")
        return Verification(title, (*steps, decision, *_left(_ABOUT)), "refused", token, (judged,))
    from pathlib import Path

    about, reason = about_plugin(statement, look, Path(path).parent)
    return Verification(title, (*steps, Step("decision", "ok", "trust"), *about), reason, token, (judged,))


def verify_folder(
    path: Path, *, team: Team, look: Look | None = None, before: Path | None = None, now: int | None = None
) -> Judgement:
    """Verify all receipts of a folder together.

    Args:
        path: `reviews`, or a folder that holds it.
        team: who may sign, and how many it takes.
        look: at the one plugin that is asked about; every token that a receipt trusts by default.
        before: an older state of the folder, of which nothing may be gone.
        now: seconds since 1970.

    Raises:
        NothingToJudgeError: there is no receipt.
        IntakeError: a file can't be read, or does not belong there.
    """
    folder = reviews_folder(path)
    reviews = _judge(folder, team, before, _now() if now is None else now)
    if look is not None:
        found = [verify_plugin(reviews, look, team=team, folder=folder)]
    else:
        found = [_of_token(reviews, wanted, team) for wanted in _newest(reviews.receipts)]
    verifications = tuple(found)
    return Judgement(verifications, reviews.receipts, _faults(reviews))


def verify_repository(
    path: Path, *, team: Team, looks: Sequence[Look], before: Path | None = None, now: int | None = None
) -> Judgement:
    """Verify every plugin of a repository against its receipts.

    Raises:
        NothingToJudgeError: there is no plugin, or no receipt.
        IntakeError: as `verify_folder`.
    """
    if not looks:
        raise NothingToJudgeError("no plugin there", place=str(path))
    folder = path / FOLDER
    reviews = _judge(folder, team, before, _now() if now is None else now)
    verifications = tuple(verify_plugin(reviews, look, team=team, folder=folder) for look in looks)
    return Judgement(verifications, reviews.receipts, _faults(reviews))


def about_plugin(statement: Statement, look: Look, folder: Path) -> tuple[tuple[Step, ...], str]:
    """Return the steps of comparing a plugin with what was reviewed, and the reason why it does not hold."""
    report = look.report
    # The claimed plugin, not just some plugin with the same bytes.
    same = (statement.plugin.system, statement.plugin.name) == (look.plugin.system, look.plugin.name)
    if not same:
        return (
            Step("content", "no", f"it is about `{statement.plugin.name}`"),
            *_left(("capability",)),
        ), "other-plugin"
    if report.content_receipt != statement.content:
        now = (report.content_receipt or "none")[:8]
        detail = f"reviewed {statement.content[:8]}, now {now}"
        return (Step("content", "no", detail), *_left(("capability",))), "content-changed"
    content = Step("content", "ok", f"{report.files:,} files" if report.files != 1 else "1 file")
    capability, reason = _capability(statement, look, folder)
    return (content, capability), reason


def _capability(statement: Statement, look: Look, folder: Path) -> tuple[Step, str]:
    if look.report.capability_receipt == statement.capability:
        rules = "same rules" if look.inventory.rules_digest == statement.scanned.rules else "other rules"
        return Step("capability", "ok", f"{len(look.report.capabilities):,} capabilities, {rules}"), ""
    from plugseal.verbs.outdated import compare_documents

    try:
        reviewed = read_document(folder, statement.capability)
    except (DataError, IntakeError) as error:
        return Step("capability", "no", error.message), "document-changed"
    if reviewed is None:
        detail = "a scan of today says something else, and the reviewed document is not beside the receipt"
        return Step("capability", "no", detail), "review-outdated"
    found = compare_documents(reviewed, look.document)
    if found:
        return Step("capability", "no", "; ".join(found[:5])), "review-outdated"
    return Step("capability", "ok", "within what was reviewed, by other rules"), ""


def _receipt_steps(judged: JudgedReceipt) -> tuple[tuple[Step, ...], str]:
    status, statement, signer = judged.status, judged.statement, judged.signer
    good = {_ENVELOPE: "one signature, payload type known"}
    if signer is not None:
        good[_SIGNATURE] = f"{signer.kind}, key {signer.keyid[:8]}"
    if statement is not None:
        good[_SIGNER] = statement.reviewer + (", touched" if signer is not None and signer.presence else "")
        retired = ", by a key that is retired now" if status is ReceiptStatus.RETIRED_KEY else ""
        good[_TIME] = f"{statement.created} to {statement.expires}{retired}"
    names = (_ENVELOPE, _SIGNATURE, _SIGNER, _TIME)
    if status.holds:
        return tuple(Step(name, "ok", good[name]) for name in names), ""
    at = names.index(_FAILS_AT.get(status, _TIME))
    done = [Step(name, "ok", good.get(name, "")) for name in names[:at]]
    return (*done, Step(names[at], "no", judged.reason), *_left(names[at + 1 :])), status.value


def _left(names: Sequence[str]) -> tuple[Step, ...]:
    return tuple(Step(name, "not reached") for name in names)


def _judge(folder: Path, team: Team, before: Path | None, now: int) -> Reviews:
    files = read_receipts(folder)
    old = None if before is None else read_receipts(reviews_folder(before))
    if not files and not old:
        raise NothingToJudgeError(
            "there is no receipt", place=str(folder), hint="make one with `plugseal receipt sign`"
        )
    from plugseal.signing.reviews import judge_reviews

    return judge_reviews(files, team=team, now=now, before=old)


def verify_plugin(reviews: Reviews, look: Look, *, team: Team, folder: Path) -> Verification:
    """Return the steps of verifying one plugin by receipts that were judged.

    Args:
        reviews: all of the team's.
        look: the plugin as it is now.
        team: who may sign.
        folder: where the receipts lie, with the reviewed documents beside them.
    """
    from plugseal.signing.history import is_genuine

    plugin, content = look.plugin, look.report.content_receipt
    ours = [
        judged.statement
        for judged in (*reviews.receipts, *reviews.gone)
        if is_genuine(judged)
        and judged.statement
        and judged.statement.content == content
        and judged.statement.plugin[:2] == (plugin.system, plugin.name)
    ]
    if content is None or not ours:
        detail = "nobody reviewed what is there" if content else "it can't be represented"
        steps = (Step("content", "no", detail), *_left(("capability", "refusals", "history", "people")))
        return Verification(look.title, steps, "not-reviewed", look.report.token or "")
    # Today's own token where somebody reviewed it, else the newest one that the content was reviewed under.
    exact = [one for one in ours if one.capability == look.report.capability_receipt]
    statement = max(exact or ours, key=lambda one: (one.generation, one.sequence))
    about, reason = about_plugin(statement, look, folder / statement.token)
    if reason:
        return Verification(look.title, (*about, *_left(("refusals", "history", "people"))), reason, statement.token)
    wanted = _wanted(reviews.receipts, statement)
    from plugseal.signing.reviews import steps_of

    steps, reason = steps_of(reviews, team=team, wanted=wanted)
    return Verification(look.title, (*about, *steps), reason, statement.token)


def _of_token(reviews: Reviews, statement: Statement, team: Team) -> Verification:
    from plugseal.signing.reviews import steps_of

    steps, reason = steps_of(reviews, team=team, wanted=_wanted(reviews.receipts, statement))
    return Verification(_title(statement), steps, reason, statement.token)


def _wanted(receipts: Sequence[JudgedReceipt], statement: Statement) -> Wanted:
    from plugseal.signing.reviews import Wanted, newest_generation

    plugin = statement.plugin
    newest = newest_generation(receipts, system=plugin.system, name=plugin.name)
    return Wanted(plugin.system, plugin.name, statement.token, max(newest, 1))


def _newest(receipts: Sequence[JudgedReceipt]) -> list[Statement]:
    """Return the newest reviewed state of each plugin that receipts are about."""
    from plugseal.signing.history import is_genuine

    found: dict[tuple[str, str], Statement] = {}
    for judged in receipts:
        statement = judged.statement
        if statement is None or not is_genuine(judged):
            continue
        key = (statement.plugin.system, statement.plugin.name)
        old = found.get(key)
        if old is None or (statement.generation, statement.created) > (old.generation, old.created):
            found[key] = statement
    return [found[key] for key in sorted(found)]


def _faults(reviews: Reviews) -> tuple[str, ...]:
    gaps = [gap.message for gap in reviews.gaps]
    return (*gaps, *(f"`{judged.file}` was there before and is gone" for judged in reviews.gone))


def _title(statement: Statement | None) -> str:
    return "" if statement is None else f"{statement.plugin.name} {statement.plugin.version}".rstrip()


def _now() -> int:
    return int(time.time())
