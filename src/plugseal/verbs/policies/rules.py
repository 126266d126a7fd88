"""What a repository is judged by: a team's policy with its exceptions and keys, and where they come from.

They come from where the judged change can't write: a base revision, or a file that was named. A policy that lies in the
judged tree may only ask for more.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from plugseal.errors import CouldNotJudgeError, IntakeError, PlugsealError
from plugseal.model.checked import Objection
from plugseal.model.team_policy import TeamPolicy
from plugseal.policy.baseline import parse_baseline
from plugseal.policy.changed_keys import find_changed_keys
from plugseal.policy.loosened import find_gate_loosened, find_loosened
from plugseal.policy.team import parse_team_policy, tightened
from plugseal.policy.whole import WholePolicy, parse_whole_policy
from plugseal.records import NamedTuple
from plugseal.signing.folder import read_file

if TYPE_CHECKING:
    from plugseal.policy.base import Base
    from plugseal.verbs.receipts.rotation import Turn


NAME: Final = "plugseal.toml"
MAX_POLICY_BYTES: Final = 1024 * 1024
_MAX_BASELINE_BYTES: Final = 16 * 1024 * 1024


class Rules(NamedTuple):
    """What a repository is judged by, and where receipts and keys of the base are."""

    policy: TeamPolicy
    governance: tuple[Objection, ...] = ()
    team: dict[str, bytes] | None = None
    """Files of the team's folder; None where it is read from disk."""
    team_folder: Path | None = None
    before: tuple[tuple[str, bytes], ...] | None = None
    """Receipts of the base."""
    trail_before: Mapping[str, bytes] | None = None
    """Exported trails of the base, by path."""
    baseline: dict[str, tuple[str, str]] | None = None
    turn: Turn | None = None
    """The change of policy and keys, where people of both sides may sign it."""
    unexcused: tuple[Objection, ...] = ()
    """Governance that no signature excuses."""
    is_own: bool = False
    """Whether the policy lies in the judged tree and nobody named it: it may only ask for more."""
    unheard: str = ""
    """What it says and may not say, in a few words."""


def rules_of_file(path: Path, policy: str, baseline: str) -> Rules:
    """Return the rules of a file that was named, or of the judged tree itself, which may only ask for more."""
    place = Path(policy) if policy else path / NAME
    if not policy and not os.path.lexists(place):
        raise CouldNotJudgeError(
            "there is no policy",
            place=str(place),
            hint="write one with `plugseal policy new`, or name one: `--policy FILE`",
        )
    origin = "named" if policy else "of the judged tree itself: it may only ask for more"
    try:
        data = read_file(place, max_bytes=MAX_POLICY_BYTES)
    except IntakeError as error:
        raise CouldNotJudgeError(f"the policy {error.message}", place=error.place) from error
    compiled = parse_team_policy(data, name=str(place), origin=origin)
    unheard = "" if policy else _unheard(compiled)
    if not policy:
        compiled = tightened(compiled)
    accepted = None
    if baseline:
        accepted = parse_baseline(read_file(baseline, max_bytes=_MAX_BASELINE_BYTES), name=baseline)
    return Rules(compiled, team_folder=place.parent, baseline=accepted, is_own=not policy, unheard=unheard)


def _unheard(policy: TeamPolicy) -> str:
    """Say which parts of a policy out of the judged tree don't count."""
    parts = ["exceptions"] if policy.exceptions else []
    if any(one.capability == "unread" for one in policy.allow):
        parts.append("allowed unread files")
    return " and ".join(parts)


def rules_of_base(path: Path, revision: str, name: str, baseline: str) -> Rules:
    """Return the rules of a base revision, with what the head loosens of them."""
    from plugseal.policy.base import Base
    from plugseal.verbs.receipts.rotation import earlier_signatures, find_gone

    name = name.removeprefix("./")
    with Base(path, revision) as base:
        data = base.read(name, max_bytes=MAX_POLICY_BYTES)
        if data is None:
            raise CouldNotJudgeError(
                "the base revision has no policy",
                place=f"{base.id}:{name}",
                hint="the head's own is never taken instead",
            )
        before = parse_whole_policy(data, name=name, origin=f"of the base {base.id[:12]}")
        policy = before.team
        after = _read_head(path, name, data, before)
        rules = Rules(policy, _governance(name, before, after))
        if policy.trail is not None:
            rules = rules._replace(trail_before=dict(base.files(policy.trail.exports)))
        folder = next((one.team for one in (policy.receipts, policy.trail) if one is not None), None)
        if folder is not None:
            earlier = earlier_signatures(base)
            team = {file[len(folder) + 1 :]: found for file, found in base.files(folder)}
            head = _head_files(path, folder)
            rules = rules._replace(
                turn=_turn(path, policy, after, team, earlier),
                unexcused=find_gone(path, earlier),
                governance=(*rules.governance, *find_changed_keys(team, head, folder)),
                team=team,
                before=None if policy.receipts is None else _receipts(base, policy.receipts.reviews),
            )
        if baseline:
            accepted = base.read(baseline, max_bytes=_MAX_BASELINE_BYTES)
            if accepted is None:
                raise CouldNotJudgeError("the base revision has no such baseline", place=f"{base.id}:{baseline}")
            rules = rules._replace(baseline=parse_baseline(accepted, name=baseline))
    return rules


def _read_head(path: Path, name: str, data: bytes, before: WholePolicy) -> WholePolicy | PlugsealError:
    """Return the head's policy, or why there is none: read once, so that all judge the same bytes."""
    try:
        head = read_file(path / name, max_bytes=MAX_POLICY_BYTES)
        return before if head == data else parse_whole_policy(head, name=name, origin="of the head")
    except PlugsealError as error:
        return error


def _turn(
    path: Path,
    before: TeamPolicy,
    after: WholePolicy | PlugsealError,
    team: Mapping[str, bytes],
    earlier: Mapping[str, bytes],
) -> Turn | None:
    """Return the change that may be signed; None where there is none, or a side of it does not hold."""
    from plugseal.verbs.receipts.rotation import turn_of

    if isinstance(after, PlugsealError):
        return None
    try:
        return turn_of(path, before, after.team, team=team, earlier=earlier)
    except PlugsealError:
        return None


def _governance(name: str, before: WholePolicy, after: WholePolicy | PlugsealError) -> tuple[Objection, ...]:
    if isinstance(after, PlugsealError):
        why = "; ".join((after.message, *after.details))
        return (Objection("governance", f"the head's policy does not hold: {why}", 0, name, 0),)
    return (*find_loosened(before.team, after.team), *find_gate_loosened(before.gate, after.gate, name))


def _head_files(path: Path, folder: str) -> dict[str, bytes]:
    """Return the files of the head's folder of the team; a key's that can't be read is as good as gone."""
    from plugseal.signing.team import FILES

    found: dict[str, bytes] = {}
    try:
        names = sorted(os.listdir(path / folder))  # noqa: PTH208  # names, not paths
    except OSError:
        return found
    for name in names:
        try:
            found[name] = read_file(path / folder / name, max_bytes=_MAX_BASELINE_BYTES)
        except PlugsealError:
            if name not in FILES:
                found[name] = b""  # A folder or a link: it does not belong there, and is named.
    return found


def _receipts(base: Base, folder: str) -> tuple[tuple[str, bytes], ...]:
    from plugseal.signing.judge import SUFFIX

    return tuple((file, data) for file, data in base.files(folder) if file.endswith(SUFFIX))
