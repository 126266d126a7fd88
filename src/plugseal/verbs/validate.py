"""Judge plugins by the rules of their systems: every fault with its place, and what hosts and specifications say.

Manifests and names alone are looked at; what the code can do is `scan`'s to say.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from plugseal.model.inventory import hiding_faults
from plugseal.model.origin import Origin
from plugseal.model.plugin import Plugin
from plugseal.model.tree import Tree
from plugseal.model.validation import Validated, Validation
from plugseal.scan.discover import plugin_id
from plugseal.verbs.anchor import anchor_of
from plugseal.verbs.select import Selection, describe_in
from plugseal.verbs.user import existing_roots


def validate_selection(selection: Selection) -> Validation:
    """Return the judgement on the plugins at a path, or on the one plugin that is meant.

    Raises:
        IntakeError: the path can't be read.
    """
    origin = selection.origin or Origin(anchor=anchor_of(selection.path))
    plugins, tree = describe_in(selection.path, origin.anchor)
    if selection.system:
        plugins = tuple(plugin for plugin in plugins if selection.means(plugin) and _is_at_root(plugin))
    judged = tuple(_judge(plugins, tree, origin))
    if selection.id:
        judged = tuple(one._replace(id=selection.id) for one in judged)
    return Validation(str(selection.path), judged)


def validate_user() -> tuple[Validation, ...]:
    """Return the judgements on the plugins in each of the user's own folders.

    Raises:
        IntakeError: a folder can't be read.
    """
    found = []
    for root in existing_roots():
        origin = Origin(root.scope, root.path, root.anchor)
        plugins, tree = describe_in(Path(root.path), root.anchor)
        found.append(Validation(root.path, tuple(_judge(plugins, tree, origin))))
    return tuple(found)


def _judge(plugins: Iterable[Plugin], tree: Tree, origin: Origin) -> Iterable[Validated]:
    for plugin in plugins:
        why = "" if plugin.faults else _not_judged(plugin) or _hidden(tree.below(plugin.root))
        yield Validated(plugin, plugin_id(plugin, origin), why)


def _hidden(tree: Tree) -> str:
    """Say what of a plugin was not looked at, empty if nothing."""
    faults = hiding_faults(tree.faults)
    return f"{faults[0].path or 'a part of it'}: {faults[0].message}" if faults else ""


def _is_at_root(plugin: Plugin) -> bool:
    return not plugin.root or plugin.single_file


def _not_judged(plugin: Plugin) -> str:
    """Say what keeps a plugin without faults from being judged in full, empty if nothing does."""
    status = json.loads(dict(plugin.extra).get("contributions", '"read"')) if plugin.system == "amness" else "read"
    if status == "read":
        return ""
    if status == "partly":
        return "what it contributes was read in part: code puts it together"
    reasons = [json.loads(host.data).get("why_not_read") for host in plugin.hosts]
    return f"what it contributes was not read: {next(filter(None, reasons), 'its export is not known')}"
