"""Signed reviews at the gate: enough people of the pinned team must stand behind the very token that would start.

Rules
- Whose signatures count is what was pinned beside the policy. The folder of the receipts is named there too; it proves
  nothing by itself, and must be one that nobody else can write, outside the plugin.
- A receipt that was seen once and is gone refuses, a refusal that was deleted still counts, a newer reviewed state bars
  an older one, and a retired key adds nothing new.
- Only what somebody of the team signed is remembered, each receipt once and in one form: files that anybody can write
  fill no memory.
- The library of signatures is loaded here, when a policy asks, and never before.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from plugseal.errors import IntakeError, KeyRefusedError, ReceiptError, RefusedError, StateError
from plugseal.model.decision import Reason
from plugseal.model.policy import DemandedReviews, PinnedTeam
from plugseal.model.statement import JudgedReceipt
from plugseal.records import NamedTuple
from plugseal.runtime.refused import refused
from plugseal.runtime.seen_receipts import Receipts, add_seen, read_seen
from plugseal.trust.store import Store

if TYPE_CHECKING:
    from plugseal.signing.reviews import Reviews, Wanted
    from plugseal.signing.team import Team

_WRITABLE_BY_OTHERS: Final = 0o022
_STEPS: Final = ("refusals", "history", "people")
_AT: Final = {"refused": 0, "receipts-missing": 1, "history-broken": 1}
_SHORT: Final = 8


class Asked(NamedTuple):
    """What would start."""

    plugin: str
    """Its ID."""
    system: str
    name: str
    """Hostile text."""
    token: str
    root: str
    """Where its source lies."""


def verify_demanded(reviews: Sequence[DemandedReviews], store: Store, asked: Asked) -> None:
    """Refuse a plugin that the team did not review as every policy asks.

    Raises:
        RefusedError: with the step that failed.
    """
    pins = [one.pinned.pin for one in reviews if one.pinned is not None]
    for one in reviews:
        if one.pinned is None:
            raise refused(
                Reason.REVIEWS_UNREADABLE,
                asked.plugin,
                f"the policy ({one.origin}) asks for signed reviews, and no team was pinned with it",
                hint="pin it with its team: `plugseal policy pin FILE`",
            )
        _verify_one(one, one.pinned, store, asked, pins)


def read_reviews(folder: str) -> Receipts:
    """Return the receipts of a folder that nobody else can write.

    Raises:
        IntakeError: it is not there, others can write it, or something in it can't be read.
    """
    from plugseal.signing.folder import read_receipts

    if not os.path.isdir(folder):  # noqa: PTH112  # text
        raise IntakeError("the folder of the receipts is not there", place=folder)
    _verify_ours(folder)
    found = read_receipts(Path(folder))
    for file in found:
        _verify_entry(file.file, os.lstat(file.file))
    for token in {os.path.dirname(file.file) for file in found} - {folder}:  # noqa: PTH120  # text
        _verify_entry(token, os.lstat(token))
    return tuple(("/".join(file.file.split("/")[-2:]), file.data) for file in found)


def _verify_one(one: DemandedReviews, pinned: PinnedTeam, store: Store, asked: Asked, pins: list[str]) -> None:
    # (1) The keys are those that were pinned.
    team = _team(one, pinned, asked)
    # (2) The receipts lie where the plugin itself and other users can't write.
    receipts = _receipts(pinned.reviews, asked)
    # (3) What was seen before is still there; what is new is remembered from now on.
    before = _remember(store, pinned.pin, receipts, team, pins=pins, asked=asked)
    # (4) Nobody refuses it, nothing is missing, enough people trust it.
    _verify_quorum(one, team, asked, receipts=receipts, before=before, folder=pinned.reviews)


def _team(one: DemandedReviews, pinned: PinnedTeam, asked: Asked) -> Team:
    from plugseal.signing.demanded import demanded_team
    from plugseal.signing.team import build_team

    try:
        team = build_team(dict(pinned.files))
    except KeyRefusedError as error:
        raise refused(
            Reason.REVIEWS_UNREADABLE, asked.plugin, error.message, place=error.place, details=error.details
        ) from error
    if team.digest != pinned.digest:
        raise refused(
            Reason.REVIEWS_UNREADABLE,
            asked.plugin,
            f"the team beside the policy ({one.origin}) is not the one that was pinned",
            details=(f"pinned {pinned.digest}", f"found  {team.digest}"),
        )
    return demanded_team(team, one.demand)


def _receipts(folder: str, asked: Asked) -> Receipts:
    root, place = os.path.realpath(asked.root), os.path.realpath(folder)
    if place == root or place.startswith(f"{root}/"):
        raise refused(
            Reason.REVIEWS_UNREADABLE,
            asked.plugin,
            "the folder of the receipts lies in the plugin: it would vouch for itself",
            place=folder,
        )
    try:
        return read_reviews(folder)
    except (IntakeError, OSError) as error:
        message = error.message if isinstance(error, IntakeError) else (error.strerror or "").lower()
        at = error.place if isinstance(error, IntakeError) else folder
        raise refused(Reason.REVIEWS_UNREADABLE, asked.plugin, message, place=at) from error


def genuine_receipts(receipts: Receipts, team: Team, *, before: Receipts | None = None) -> Receipts:
    """Return the receipts that somebody of a team signed, each once, named and written as `receipt sign` does.

    What a retired key adds and trusts is left out: once remembered, it would count as one that was there before.

    Args:
        receipts: as they were read.
        team: whose signatures count.
        before: what is remembered already, None where nothing is.
    """
    from plugseal.encode.dsse import parse_envelope, render_envelope
    from plugseal.encode.statement import payload_digest
    from plugseal.signing.history import is_genuine
    from plugseal.signing.judge import judge_receipt, receipt_name
    from plugseal.signing.reviews import is_late

    known = None if before is None or not receipts else {payload_digest(parse_envelope(d).payload) for _, d in before}
    found: dict[str, bytes] = {}
    for file, data in receipts:
        judged = judge_receipt(file, data, team=team, now=_now(), known=known)
        if is_genuine(judged) and judged.statement is not None and not is_late(judged):
            envelope = parse_envelope(data)
            name = f"{judged.statement.token}/{receipt_name(envelope.keyid, judged.digest)}"
            found.setdefault(name, render_envelope(envelope))
    return tuple(found.items())


def _remember(
    store: Store, pin: str, receipts: Receipts, team: Team, *, pins: list[str], asked: Asked
) -> Receipts | None:
    try:
        before = read_seen(store, pin)
        known = frozenset(before or ())
        new = genuine_receipts(tuple(row for row in receipts if row not in known), team, before=before)
        if before is None or not known.issuperset(new):
            add_seen(store, pin, new, pins=pins)
    except StateError as error:
        raise refused(
            Reason.REVIEWS_UNREADABLE, asked.plugin, error.message, place=error.place, hint=error.hint or ""
        ) from error
    return before


def _verify_quorum(
    one: DemandedReviews,
    team: Team,
    asked: Asked,
    *,
    receipts: Receipts,
    before: Receipts | None,
    folder: str,
) -> None:
    from plugseal.signing.demanded import demanded_reviews
    from plugseal.signing.reviews import Wanted, judge_reviews, newest_generation, verify_quorum

    # Most of what was there before is there still: each is looked at once.
    looked = {row: _is_about(row, asked) for row in dict.fromkeys((*receipts, *(before or ())))}
    about = [row for row in receipts if looked[row]]
    old = None if before is None else [row for row in before if looked[row]]
    judged = judge_reviews(about, team=team, now=_now(), before=old)
    newest = newest_generation(judged.receipts, system=asked.system, name=asked.name)
    wanted = Wanted(asked.system, asked.name, asked.token, max(1, newest))
    try:
        verify_quorum(demanded_reviews(judged, one.demand), team=team, wanted=wanted)
    except ReceiptError as error:
        raise _refusal(error, one, judged, wanted, asked=asked, folder=folder) from error


def _refusal(
    error: ReceiptError, one: DemandedReviews, judged: Reviews, wanted: Wanted, *, asked: Asked, folder: str
) -> RefusedError:
    at = _AT.get(error.reason, 2)
    message = (
        f"the policy ({one.origin}): step {at + 1} of {len(_STEPS)}, {_STEPS[at]}: {error.reason}: {error.message}"
    )
    if error.reason == "refused":
        return refused(Reason.REVIEW_REFUSED, asked.plugin, message, place=folder, details=error.details)
    elsewhere = [row for row in (_elsewhere(found, wanted) for found in judged.receipts) if row]
    return refused(
        Reason.SIGNATURE_MISSING,
        asked.plugin,
        message,
        place=folder,
        details=[*error.details, *elsewhere][:20],
        hint=_HINTS.get(error.reason, ""),
    )


_HINTS: Final = {
    "receipts-missing": "restore them (`git -C FOLDER status`); after a rewrite `plugseal policy pin --anew FILE`",
    "history-broken": "bring the receipts that are missing, e.g. with `git pull`",
    "not-newest": "update the plugin to the state that was reviewed last, review and trust it",
}


def _elsewhere(judged: JudgedReceipt, wanted: Wanted) -> str:
    """Say what a receipt is about that is not about what would start, empty for one that is."""
    statement = judged.statement
    if statement is None:
        return f"{_name(judged)}: {judged.status.value}: {judged.reason}"
    if statement.token == wanted.token and statement.plugin[:2] == (wanted.system, wanted.name):
        return ""
    if statement.plugin[:2] != (wanted.system, wanted.name):
        return f"{_name(judged)}: about another plugin, {statement.plugin.system}:{statement.plugin.name}"
    content, capability = wanted.token.split(".")
    what = "content" if statement.content != content else "capabilities"
    reviewed = statement.content if what == "content" else statement.capability
    mine = content if what == "content" else capability
    return f"{_name(judged)}: about other {what}, {reviewed[:_SHORT]}, not {mine[:_SHORT]}"


def _now() -> int:
    return int(time.time())


def _name(judged: JudgedReceipt) -> str:
    return judged.file.rpartition("/")[2]


def _is_about(row: tuple[str, bytes], asked: Asked) -> bool:
    """Say whether a receipt may matter for a plugin; nothing is verified yet."""
    from plugseal.encode.dsse import parse_envelope
    from plugseal.encode.statement import parse_statement
    from plugseal.errors import DataError

    file, data = row
    if file.partition("/")[0] == asked.token:
        return True
    try:
        statement = parse_statement(parse_envelope(data).payload)
    except DataError:
        return False
    return statement.token == asked.token or statement.plugin[:2] == (asked.system, asked.name)


def _verify_ours(folder: str) -> None:
    """Refuse a folder that somebody else can write, rename or put another in the place of."""
    if os.path.realpath(folder) != folder:
        raise IntakeError("the folder of the receipts is reached through a link", place=folder)
    path = Path(folder)
    _verify_entry(folder, path.lstat())
    for above in path.parents:
        found = above.lstat()
        sticky = bool(found.st_mode & stat.S_ISVTX)
        _verify_entry(str(above), found, is_sticky=sticky)


def _verify_entry(path: str, found: os.stat_result, *, is_sticky: bool = False) -> None:
    if found.st_uid not in (0, os.geteuid()):
        raise IntakeError(f"belongs to user {found.st_uid}, who could take receipts away", place=path)
    if found.st_mode & _WRITABLE_BY_OTHERS and not is_sticky:
        mode = f"{stat.S_IMODE(found.st_mode):04o}"
        raise IntakeError(f"can be written by others (mode {mode})", place=path, hint="`chmod -R go-w` it")
