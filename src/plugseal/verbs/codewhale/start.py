"""Begin one start of Codewhale's runtime: discover bundles as it does, and fix the registry before anything is used.

Discovery reads the two roots that it documents and no other application's: `~/.codewhale/plugins` (or that below
`$CODEWHALE_HOME`) and `.codewhale/plugins` of the workspace. A root, or the folder above it, that is a link loads
nothing. It writes nothing, starts nothing and asks no network.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from plugseal.encode.codewhale import SURFACES, bundle_plugin_id
from plugseal.errors import IntakeError, NothingToJudgeError
from plugseal.model.codewhale import Bundle, Diagnostic
from plugseal.model.identity import subject_id
from plugseal.model.plugin import Plugin
from plugseal.model.trust import Subject
from plugseal.runtime.codewhale.authority import Place, place_of
from plugseal.runtime.codewhale.host import Host
from plugseal.runtime.codewhale.registry import Registry, build_registry
from plugseal.runtime.environment import snapshot
from plugseal.systems.homes import CODEWHALE
from plugseal.trust.actor import current_actor
from plugseal.trust.store import Store
from plugseal.verbs.select import describe_in
from plugseal.verbs.user import known_roots

SYSTEM: Final = "codewhale"
_VERDICT: Final = "codewhale-0.9.1"
_FUTURE: Final = frozenset(SURFACES[3:])
_COUNTED: Final = ("skills", "mcp_servers", "stdio_mcp_servers", "remote_mcp_servers")
_LEGACY: Final = "overrides.json"


@dataclass(frozen=True, slots=True)
class Start:
    """One start: fixed once it is made."""

    host: Host
    registry: Registry
    homes: tuple[str, ...]
    """Canonical paths of the discovery roots that are there."""
    legacy: tuple[str, ...]
    """Files of older versions that are there; nothing in them is ever taken for trust."""


def begin(workspace: Path, store: Store) -> Start:
    """Return a start in a workspace.

    Args:
        workspace: its folder.
        store: what was trusted.

    Raises:
        NothingToJudgeError: there is no such folder.
        RefusedError: a policy is there and can't be believed.
    """
    # The variables first: nothing of a workspace may have changed them.
    variables = snapshot()
    real = os.path.realpath(workspace)
    place = place_of(real)
    if place is None:
        raise NothingToJudgeError("no such workspace", place=str(workspace), hint="name a folder by `--workspace DIR`")
    host = Host(store, subject_id, current_actor(), variables)
    roots = _roots(real)
    homes: dict[str, Place] = {}
    bundles: list[Bundle] = []
    told: list[Diagnostic] = []
    for scope, path in roots.items():
        found = _home(path, told)
        if found is not None:
            homes[scope] = found
            bundles += _bundles(scope, path, told)
    registry = build_registry(bundles, host, workspace=place, homes=homes, diagnostics=told)
    legacy = tuple(f"{path}/{_LEGACY}" for path in roots.values() if os.path.lexists(f"{path}/{_LEGACY}"))
    return Start(host, registry, tuple(home.path for home in homes.values()), legacy)


def _roots(workspace: str) -> dict[str, str]:
    """Return the discovery roots by scope, the user's first; one that is both is the user's."""
    users = [root.path for root in known_roots() if root.system == SYSTEM]
    roots = {"user": users[0]} if users else {}
    own = f"{workspace}/{CODEWHALE}"
    if os.path.realpath(own) not in {os.path.realpath(path) for path in roots.values()}:
        roots["workspace"] = own
    return roots


def _home(path: str, told: list[Diagnostic]) -> Place | None:
    """Return a discovery root as it is now, None where nothing may be loaded from it."""
    for folder in (os.path.dirname(path), path):  # noqa: PTH120  # text
        if os.path.islink(folder):  # noqa: PTH114  # text
            told.append(Diagnostic("error", "root-symlink", "is a symbolic link: nothing is loaded through it", folder))
            return None
        if os.path.lexists(folder) and not os.path.isdir(folder):  # noqa: PTH112  # text
            told.append(Diagnostic("error", "root-not-directory", "is no folder", folder))
            return None
    return place_of(os.path.realpath(path))


def _bundles(scope: str, path: str, told: list[Diagnostic]) -> Iterator[Bundle]:
    """Yield the bundles right in a discovery root, by the names of their folders."""
    try:
        plugins, _ = describe_in(Path(path), CODEWHALE)
    except IntakeError as error:
        told.append(Diagnostic("error", "root-read-failed", error.message, path))
        return
    real = os.path.realpath(path)
    for plugin in sorted(plugins, key=lambda plugin: plugin.root):
        if plugin.system == SYSTEM and plugin.root and "/" not in plugin.root:
            yield _bundle(plugin, scope, f"{real}/{plugin.root}")


def _bundle(plugin: Plugin, scope: str, root: str) -> Bundle:
    data = _verdict(plugin)
    said = [Diagnostic(*(str(one[key]) for key in Diagnostic._fields)) for one in data.get("diagnostics", ())]
    inventory = data.get("inventory") or {}
    host_id = ""
    if data.get("valid"):
        host_id = bundle_plugin_id(scope, plugin.name, os.fsencode(root), windows=os.name == "nt")
    return Bundle(
        name=plugin.name,
        version=plugin.version,
        folder=plugin.root,
        scope=scope,
        root=root,
        id=subject_id(Subject(SYSTEM, plugin.name, scope, root)),
        host_id=host_id,
        counts=tuple((kind, int(inventory.get(kind, 0))) for kind in _COUNTED),
        # Which of two bundles comes first is decided over all roots, not within the one that was read.
        diagnostics=tuple(one for one in said if one.code != "name-conflict"),
        inactive=tuple(surface for surface in data.get("inactive", ()) if surface in _FUTURE),
    )


def _verdict(plugin: Plugin) -> Mapping[str, Any]:
    texts = [verdict.data for verdict in plugin.hosts if verdict.host == _VERDICT]
    found: Mapping[str, Any] = json.loads(texts[0]) if texts else {}
    return found
