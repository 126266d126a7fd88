"""What Codewhale itself would print for a bundle: the ID of its place, and a token for each of its hashes.

They are there to be compared with what Codewhale shows. Its capability hash covers counts and hosts alone, so such a
token says less than ours, and nothing here takes it for a review.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from plugseal.encode.codewhale import MANIFESTS, POLICIES, BundleInventory, bundle_capability_hash, bundle_plugin_id
from plugseal.model.inventory import PluginReport
from plugseal.model.receipt import HostReceipt, HostToken
from plugseal.verbs.user import existing_roots

_VERDICT = "codewhale-0.9.10"
_BEFORE_OTHERS = "0.9.1-0.9.3"
"""Versions that read `plugin.toml` though another manifest stands beside it."""
_SINCE_OTHERS = "0.9.4-0.9.7"
"""Versions of the first stream that read `plugin.json`."""


def codewhale_receipts(plugins: Iterable[PluginReport], path: Path) -> tuple[HostReceipt, ...]:
    """Return what Codewhale would print for each plugin that is a bundle of its.

    Args:
        plugins: those whose root is exactly `path`.
        path: where they were read; an archive has no place, so it has no ID.
    """
    found = []
    for report in plugins:
        data = _verdict(report)
        if data is not None:
            name = report.plugin.name
            identity = _plugin_id(path, name) if data["valid"] else None
            found.append(HostReceipt(report.id, "codewhale", identity, _tokens(data)))
    return tuple(found)


def find_scope(root: Path) -> str | None:
    """Return the scope in which Codewhale would find a bundle, None where it looks for none.

    Args:
        root: the bundle's canonical path.
    """
    parent = str(root.parent)
    if any(known.system == "codewhale" and known.path == parent for known in existing_roots()):
        return "user"
    return "workspace" if root.parent.parts[-2:] == (".codewhale", "plugins") else None


def _verdict(report: PluginReport) -> Mapping[str, object] | None:
    texts = [verdict.data for verdict in report.plugin.hosts if verdict.host == _VERDICT]
    found: Mapping[str, object] | None = json.loads(texts[0]) if texts else None
    return found


def _plugin_id(path: Path, name: str) -> str | None:
    root = Path(os.path.realpath(path))
    scope = find_scope(root) if root.is_dir() else None
    return None if scope is None else bundle_plugin_id(scope, name, os.fsencode(root), windows=os.name == "nt")


def _tokens(data: Mapping[str, object]) -> tuple[HostToken, ...]:
    content, inventory = data["content_hash"], data["inventory"]
    if not data["valid"] or content is None or not isinstance(inventory, dict):
        return ()
    values: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in inventory.items()}
    counted = BundleInventory(**values)
    if data["reads"] != data["manifest"]:
        return (HostToken("v1", _BEFORE_OTHERS, f"{content}.{bundle_capability_hash(counted, 'v1')}"),)
    first = {"v1": _SINCE_OTHERS} if data["manifest"] == MANIFESTS[0] else {}
    return tuple(
        HostToken(stream, first.get(stream, policy.versions), f"{content}.{bundle_capability_hash(counted, stream)}")
        for stream, policy in POLICIES.items()
    )
