"""Look at the folders of the user's own in which hosts find plugins, and at what hides what there.

The home is that of the passwd entry, never of a variable that a scanned repository could have set.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from plugseal.model.home import Shadowed, UserRoot, UserScan
from plugseal.model.origin import Origin
from plugseal.systems.homes import user_roots

if TYPE_CHECKING:
    from plugseal.model.inventory import Inventory, PluginReport
    from plugseal.verbs.scan import OnProgress


def home_of_user() -> str:
    """Return the home of the user whose process this is; empty where the system keeps none."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_dir.rstrip("/")
    except (ImportError, KeyError):
        return ""


def known_roots(workspace: Path | None = None) -> tuple[UserRoot, ...]:
    """Return every folder in which a host of this user looks, whether it is there or not.

    Args:
        workspace: a workspace whose own folders take their places in the order.
    """
    home = home_of_user()
    place = os.path.realpath(workspace) if workspace is not None else ""
    return user_roots(home, os.environ, place) if home else ()


def existing_roots(workspace: Path | None = None) -> tuple[UserRoot, ...]:
    """Return those folders that are there, each by its canonical path."""
    found = (root._replace(path=os.path.realpath(root.path)) for root in known_roots(workspace))
    return tuple(root for root in found if Path(root.path).is_dir())


def scan_user(workspace: Path | None = None, *, on_progress: OnProgress | None = None) -> UserScan:
    """Return everything in the user's own folders of plugins.

    Args:
        workspace: a workspace whose own folders are looked at in their places too.
        on_progress: called now and then.

    Raises:
        IntakeError: a folder is there and can't be read.
        RuleError: the rules are not sound.
    """
    existing = existing_roots(workspace)
    there = {os.path.realpath(root.path) for root in existing}
    roots = tuple((root, _scan(root, on_progress)) for root in existing)
    return UserScan(
        roots=roots,
        missing=tuple(root for root in known_roots(workspace) if os.path.realpath(root.path) not in there),
        shadowed=tuple(_shadowed(roots)),
        conflicts=tuple(_conflicts(roots)),
    )


def _scan(root: UserRoot, on_progress: OnProgress | None) -> Inventory:
    # Hosts of ours ask for the folders alone, and load no scanner.
    from plugseal.verbs.scan import scan_path

    origin = Origin(root.scope, root.path if root.scope != "workspace" else "", root.anchor)
    return scan_path(Path(root.path), on_progress=on_progress, origin=origin)


def _shadowed(roots: Iterable[tuple[UserRoot, Inventory]]) -> Iterator[Shadowed]:
    """Yield the plugins whose name another has that its host finds first."""
    first: dict[tuple[str, str], str] = {}
    for root, report in _of_their_host(roots):
        path, key = _path(root, report), _key(root, report)
        winner = first.setdefault((root.system, key), path)
        if winner != path:
            yield Shadowed(root.system, key, report.id, path, winner, certain=root.ordered)


def _conflicts(roots: Iterable[tuple[UserRoot, Inventory]]) -> Iterator[str]:
    """Yield the tools that plugins of different names register under one with the same host."""
    from plugseal.model.plugin import ComponentKind

    claims: dict[tuple[str, str], dict[str, str]] = {}
    for root, report in _of_their_host(roots):
        for component in report.plugin.components:
            if component.kind is ComponentKind.TOOL:
                claim = claims.setdefault((root.system, component.name), {})
                claim.setdefault(_key(root, report), _path(root, report))
    for (system, tool), paths in sorted(claims.items()):
        if len(paths) > 1:
            yield f"{system}: {tool} is a tool of {' and of '.join(sorted(paths.values()))}"


def _path(root: UserRoot, report: PluginReport) -> str:
    return f"{root.path}/{report.plugin.root}".rstrip("/")


def _key(root: UserRoot, report: PluginReport) -> str:
    """Return the name by which a host tells plugins apart."""
    return report.plugin.root.rpartition("/")[2] if root.by_folder else report.plugin.name


def _of_their_host(roots: Iterable[tuple[UserRoot, Inventory]]) -> Iterator[tuple[UserRoot, PluginReport]]:
    """Yield the plugins that stand where the host of a folder looks for them."""
    for root, inventory in roots:
        for report in inventory.plugins:
            if report.plugin.system == root.system:
                yield root, report
