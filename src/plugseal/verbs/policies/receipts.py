"""What a team's signed reviews say of each plugin of a repository, for a policy that asks for them.

The keys are those of the base or of the named policy; what the head revokes is revoked as well. One scan serves all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from plugseal.errors import PlugsealError
from plugseal.model.checked import Objection
from plugseal.model.inventory import Inventory, PluginReport
from plugseal.model.look import Look
from plugseal.model.origin import Origin
from plugseal.model.statement import Decision, JudgedReceipt
from plugseal.model.tree import Tree
from plugseal.model.trust import Subject
from plugseal.policy.decide import Reviewed
from plugseal.scan.document import build_document, document_bytes
from plugseal.scan.linking.covered import own_tree
from plugseal.scan.resolved import followed
from plugseal.signing.demanded import demanded_reviews, demanded_team
from plugseal.signing.folder import read_file, read_receipts
from plugseal.signing.reviews import Reviews, added_late, judge_reviews
from plugseal.signing.revoked import parse_revoked, union
from plugseal.signing.team import REVOKED, Team, build_team, read_team
from plugseal.verbs.look import look
from plugseal.verbs.receipts.verify import verify_plugin
from plugseal.verbs.select import Selection

if TYPE_CHECKING:
    from plugseal.verbs.policies.rules import Rules

_MAX_REVOKED_BYTES = 16 * 1024 * 1024


def review_all(
    inventory: Inventory, tree: Tree, path: Path, rules: Rules, *, now: int
) -> tuple[dict[str, Reviewed], tuple[Objection, ...]]:
    """Return what the receipts say of each plugin, by its ID, and the receipts that a change takes away or adds late.

    What a retired key adds counts for nothing now; in the next base it would count as one that was there before.

    Raises:
        PlugsealError: keys or receipts can't be read.
    """
    demand = rules.policy.receipts
    if demand is None:
        return {}, ()
    team = demanded_team(team_of_rules(path, rules, demand.team), demand)
    folder = path / demand.reviews
    files = [(file.file, file.data) for file in read_receipts(folder)]
    judged = judge_reviews(files, team=team, now=now, before=rules.before)
    reviews = demanded_reviews(judged, demand)
    gone = tuple(Objection("governance", "a receipt that was there is gone", 0, one.file, 0) for one in judged.gone)
    late = tuple(Objection("governance", "a retired key adds a receipt", 0, one.file, 0) for one in added_late(judged))
    about = _by_plugin(reviews)
    found = {}
    for report in inventory.plugins:
        its = about.get((report.plugin.system, report.plugin.name), Reviews(()))
        found[report.id] = _review(report, inventory, tree, path, its, team, folder)
    return found, (*gone, *late)


def _by_plugin(reviews: Reviews) -> dict[tuple[str, str], Reviews]:
    """Return the receipts about each plugin: to look through all of them for each would take their product."""
    receipts: dict[tuple[str, str], list[JudgedReceipt]] = {}
    gone: dict[tuple[str, str], list[JudgedReceipt]] = {}
    for rows, grouped in ((reviews.receipts, receipts), (reviews.gone, gone)):
        for one in rows:
            if one.statement is not None:
                grouped.setdefault((one.statement.plugin.system, one.statement.plugin.name), []).append(one)
    return {
        key: Reviews(tuple(receipts.get(key, ())), reviews.gaps, tuple(gone.get(key, ()))) for key in {*receipts, *gone}
    }


def team_of_rules(path: Path, rules: Rules, folder: str) -> Team:
    """Return the team by which a repository is judged; what the head revokes is revoked as well.

    Args:
        path: the repository.
        rules: of the base, or of a named policy.
        folder: of the team, below the policy's own.

    Raises:
        PlugsealError: its keys can't be read.
    """
    if rules.team is None:
        return read_team((rules.team_folder or path) / folder)
    team = build_team({name: data for name, data in rules.team.items() if name != "README.md"})
    lists = [parse_revoked(data) for data in _head_revoked(path / folder)]
    return team._replace(revoked=union([team.revoked, *lists]))


def _head_revoked(folder: Path) -> Iterable[bytes]:
    for name in REVOKED:
        if os.path.lexists(folder / name):
            yield read_file(folder / name, max_bytes=_MAX_REVOKED_BYTES)


def _review(
    report: PluginReport, inventory: Inventory, tree: Tree, path: Path, reviews: Reviews, team: Team, folder: Path
) -> Reviewed:
    verification = verify_plugin(reviews, _look(report, inventory, tree, path), team=team, folder=folder)
    if verification.reason == "review-outdated" and (alone := _look_alone(report, path)) is not None:
        verification = verify_plugin(reviews, alone, team=team, folder=folder)
    if verification.holds:
        keys = (
            one.signer.keyid
            for one in reviews.receipts
            if one.signer is not None
            and one.status.holds
            and one.statement is not None
            and one.statement.token == verification.token
            and one.statement.decision is Decision.TRUST
        )
        return Reviewed((), frozenset(keys))
    failed = next((step for step in verification.steps if step.verdict == "no"), None)
    detail = "" if failed is None else failed.detail
    return Reviewed((f"{verification.reason}: {detail}" if detail else verification.reason,))


def _look(report: PluginReport, inventory: Inventory, tree: Tree, path: Path) -> Look:
    """Return a plugin out of the scan of the whole repository."""
    plugin = report.plugin
    own = own_tree(tree, plugin)
    links = tuple((entry.path, entry.target) for entry in own.entries if entry.target is not None)
    root = path / plugin.root if plugin.root else path
    return Look(
        path=str(root),
        id=report.id,
        subject=Subject(plugin.system, plugin.name, Origin().scope, str(root)),
        place=(0, 0),
        report=report,
        inventory=inventory,
        tree=followed(own, plugin),
        document=document_bytes(build_document(plugin, report.capabilities, list(links))),
        links=links,
    )


def _look_alone(report: PluginReport, path: Path) -> Look | None:
    """Return a plugin as a scan of its own folder tells it, which is what people sign; None where that is no other.

    Readers name files beside a script from the folder that is scanned, so the same script says less or more below it.
    """
    plugin = report.plugin
    if not plugin.root:
        return None
    try:
        alone = look(Selection(path / plugin.root, plugin.system, plugin.name))
    except PlugsealError:
        return None  # It was there a moment ago: what the scan of the whole says stands.
    return alone if alone.report.content_receipt == report.content_receipt else None
