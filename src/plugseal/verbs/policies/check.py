"""Judge a repository by a team's policy: every plugin, its receipts, what a change loosens. Writes nothing.

The policy, its exceptions and its keys come from where the judged change can't write: a base revision, or a file that
was named. One that lies in the judged tree may only ask for more. What can't be judged is never a pass.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from plugseal.errors import NothingToJudgeError
from plugseal.model.checked import Checked, Verdict
from plugseal.model.fingerprint import build_fingerprints
from plugseal.model.inventory import Inventory
from plugseal.policy.baseline import apply_baseline
from plugseal.policy.decide import Reviewed, decide
from plugseal.rules.load import load_rules
from plugseal.verbs.policies.notes import build_notes
from plugseal.verbs.policies.rules import NAME, Rules, rules_of_base, rules_of_file
from plugseal.verbs.scan import OnProgress, scan_with

if TYPE_CHECKING:
    from plugseal.model.tree import Tree


def check_path(
    path: Path,
    *,
    policy: str = "",
    base: str = "",
    baseline: str = "",
    now: int | None = None,
    on_progress: OnProgress | None = None,
) -> Checked:
    """Return what a policy says of a repository.

    Args:
        path: the repository, or any folder.
        policy: a file outside the change's reach; with `base` the policy's path within that revision.
        base: an object ID or `refs/…`: policy, exceptions, keys and older receipts are read from it.
        baseline: a file of accepted findings; with `base` its path within that revision.
        now: seconds since 1970.
        on_progress: called now and then.

    Raises:
        PlugsealError: something can't be judged at all.
    """
    now = int(time.time()) if now is None else now
    rules = rules_of_base(path, base, policy or NAME, baseline) if base else rules_of_file(path, policy, baseline)
    inventory, tree = scan_with(load_rules(), path, on_progress=on_progress, asks_hosts=False)
    if not inventory.plugins and not inventory.findings and not inventory.hides_something:
        raise NothingToJudgeError("no plugin there, and nothing that a client would run", place=str(path))
    return judge(inventory, tree, path, rules, now=now)


def judge(inventory: Inventory, tree: Tree, path: Path, rules: Rules, *, now: int) -> Checked:
    """Return what rules say of an inventory.

    Raises:
        PlugsealError: receipts or keys can't be read.
    """
    today = time.strftime("%Y-%m-%d", time.gmtime(now))
    policy = rules.policy
    accepted, hidden = frozenset[int](), None
    if rules.baseline is not None:
        accepted, hidden = apply_baseline(rules.baseline, build_fingerprints(inventory))
    reviewed: dict[str, Reviewed] = {}
    governance = rules.governance
    signed: tuple[str, ...] = ()
    if rules.turn is not None:
        from plugseal.verbs.receipts.rotation import settle

        governance, signed = settle(path, rules.turn, governance, now=now)
    governance = (*governance, *rules.unexcused)
    if policy.receipts is not None:
        from plugseal.verbs.policies.receipts import review_all

        reviewed, gone = review_all(inventory, tree, path, rules, now=now)
        governance = (*governance, *gone)
    trail: tuple[Verdict, ...] = ()
    if policy.trail is not None:
        from plugseal.verbs.policies.receipts import team_of_rules
        from plugseal.verbs.policies.trail import judge_trail

        team = team_of_rules(path, rules, policy.trail.team) if policy.trail.signed else None
        trail = (judge_trail(path, policy.trail, team, before=rules.trail_before, now=now),)
    decided = decide(policy, inventory, reviewed=reviewed, today=today, accepted=accepted)
    notes = build_notes(policy, decided.used, today=today, unheard=rules.unheard)
    return Checked(
        inventory=inventory,
        verdicts=(*decided.verdicts, *trail),
        policy=f"{policy.name}, {policy.digest[:8]}, {policy.origin}",
        file=policy.name,
        is_own=rules.is_own,
        governance=governance,
        notes=(*signed, *notes),
        hidden=hidden,
        findings=decided.findings,
    )
