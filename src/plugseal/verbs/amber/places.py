"""Where amber looks for plugins, in its order, and which of them amber itself has switched on.

The home is that of the passwd entry; `XDG_CONFIG_HOME` counts as amber documents it. Nothing of a plugin is read here,
so that a host can ask without loading a scanner.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from plugseal.encode.json import parse_json
from plugseal.errors import DataError
from plugseal.model.home import UserRoot
from plugseal.model.trust import Subject
from plugseal.patterns import lazy
from plugseal.runtime.amber.manifest import SYSTEM
from plugseal.runtime.amber.offered import Rank
from plugseal.signing.files import read_regular
from plugseal.verbs.user import known_roots

ID: Final = lazy(r"\A[a-z0-9_]+\Z", re.ASCII)
STATE: Final = "state.json"
"""amber's own file beside the user's plugins: which are on."""
_MAX_STATE_BYTES: Final = 1 << 24
_WORKSPACES: Final = "/.amber/plugins"


def amber_roots(workspace: Path) -> tuple[UserRoot, ...]:
    """Return the folders in which amber looks, in its order."""
    return tuple(root for root in known_roots(workspace) if root.system == SYSTEM)


def rank_in(workspace: Path) -> Rank:
    """Return where plugins are found from a workspace: those of another workspace are not, others by path come last."""
    folders = [os.path.realpath(root.path) for root in amber_roots(workspace)]

    def rank(subject: Subject) -> int | None:
        folder = os.path.dirname(subject.root)  # noqa: PTH120  # text
        if folder in folders:
            return folders.index(folder)
        return None if folder.endswith(_WORKSPACES) else len(folders)

    return rank


def all_in(workspace: Path) -> Iterator[tuple[UserRoot, Path]]:
    """Yield every directory in which amber sees a plugin, in its order; amber itself goes by no order within one."""
    for root in amber_roots(workspace):
        try:
            names = sorted(os.listdir(root.path))  # noqa: PTH208  # names alone
        except OSError:
            continue
        for name in names:
            path = Path(root.path) / name
            if not name.startswith(".") and path.is_dir():
                yield root, path


def user_folder(workspace: Path) -> Path | None:
    """Return the folder into which amber installs for this user, None for an account without a home."""
    return next((Path(root.path) for root in amber_roots(workspace) if root.scope == "user"), None)


def is_on_in_amber(plugin: str, workspace: Path) -> bool | None:
    """Say whether amber itself has a plugin switched on, by its own state; None where that can't be read."""
    folder = user_folder(workspace)
    if folder is None or not os.path.lexists(folder / STATE):
        return False
    try:
        # A pipe in its place keeps nobody waiting.
        value = parse_json(read_regular(os.path.realpath(folder / STATE), max_bytes=_MAX_STATE_BYTES))
    except (OSError, DataError):
        return None
    known = value.get(plugin) if isinstance(value, dict) else 0
    if known is None:
        return False
    return known.get("enabled") is True if isinstance(known, dict) else None
