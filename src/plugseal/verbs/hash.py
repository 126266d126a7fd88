"""Give the receipts of a tree: of its content always, of what it can do for each plugin that is exactly there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from plugseal.encode.treehash import build_manifest, content_receipt, dirhash_h1
from plugseal.intake.read import read_tree, verify_representable
from plugseal.model.plugin import Plugin
from plugseal.model.receipt import TreeReceipts
from plugseal.model.tree import Tree
from plugseal.rules.rule import RuleSet
from plugseal.scan.discover import Keeper, discover
from plugseal.scan.linking.covered import is_whole, own_tree
from plugseal.scan.resolved import followed
from plugseal.verbs.codewhale.tokens import codewhale_receipts
from plugseal.verbs.scan import OnProgress, scan_with


def hash_path(
    path: Path,
    *,
    means: Callable[[Plugin], bool] = bool,
    is_named: bool = False,
    on_progress: OnProgress | None = None,
) -> TreeReceipts:
    """Return the receipts of a directory, a file or an archive.

    Args:
        path: what to read.
        means: says which of the plugins exactly there are meant; all of them by default.
        is_named: whether a unit is meant and not the path: one that covers a part of the folder is this part then.
        on_progress: called now and then.

    Raises:
        IntakeError: if the path can't be read at all.
        TreeRefusedError: with every reason, if the tree can have no receipt.
    """
    inventory, tree = scan_with(RuleSet((), ""), path, on_progress=on_progress)
    plugins = tuple(report for report in inventory.plugins if is_whole(report, tree) and means(report.plugin))
    if is_named and len(plugins) == 1 and plugins[0].plugin.covers is not None:
        tree = own_tree(tree, plugins[0].plugin)
    tree = verify_representable(_followed(tree, [report.plugin for report in inventory.plugins]))
    files = [entry for entry in tree.entries if entry.digest is not None]
    return TreeReceipts(
        path=str(path),
        content=content_receipt(tree),
        h1=dirhash_h1(tree),
        files=len(files),
        bytes=sum(entry.size for entry in files),
        left_out=tree.left_out,
        plugins=plugins,
        hosts=codewhale_receipts(plugins, path),
    )


def build_path_manifest(
    path: Path, *, means: Callable[[Plugin], bool] | None = None, on_progress: OnProgress | None = None
) -> bytes:
    """Return the text whose SHA-256 is the content receipt of a path; nothing is scanned.

    Args:
        path: what to read.
        means: which unit is meant, where that is not the path.
        on_progress: called now and then.

    Raises:
        IntakeError: if the path can't be read at all.
        TreeRefusedError: with every reason, if the tree can have no receipt.
    """
    keeper = Keeper()
    tree = read_tree(path, keeper, on_progress=on_progress)
    if means is not None or any(entry.target is not None for entry in tree.entries):
        plugins = discover(keeper.listing())
        named = [plugin for plugin in plugins if not plugin.root and means is not None and means(plugin)]
        if len(named) == 1 and named[0].covers is not None:
            tree = own_tree(tree, named[0])
        tree = _followed(tree, plugins)
    return build_manifest(verify_representable(tree))


def _followed(tree: Tree, plugins: Iterable[Plugin]) -> Tree:
    """Return a tree with its links followed where it is all of a plugin whose system allows them."""
    return next((done for p in plugins if not p.root and (done := followed(tree, p)) is not tree), tree)
