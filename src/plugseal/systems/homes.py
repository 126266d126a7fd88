"""The folders in which hosts look for plugins, in the order in which they look. Pure text; nothing is looked at.

A variable counts only where the host itself honours it and says so. Agent Plugins has no folder of its own: lingtai
goes by what an agent's `init.json` declares.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.model.home import UserRoot

AMBER: Final = ".amber/plugins"
AMNESS: Final = ".amness/plugins"
CODEWHALE: Final = ".codewhale/plugins"
_PLACES: Final = (
    (lazy(r"(?:\A|/)(?:\.amber|(?:\.config|share)/amber)/plugins(/.*)?\Z", re.DOTALL, needs=("amber/plugins",)), AMBER),
    (lazy(r"(?:\A|/)\.amness/plugins(/.*)?\Z", re.DOTALL, needs=(AMNESS,)), AMNESS),
    (lazy(r"(?:\A|/)\.codewhale/plugins(/.*)?\Z", re.DOTALL, needs=(CODEWHALE,)), CODEWHALE),
)


def anchor_in(path: str) -> str:
    """Return the part of a path from the known folder of plugins in it on, in one spelling; empty if there is none."""
    for pattern, anchor in _PLACES:
        match = pattern.search(path)
        if match is not None:
            return anchor + (match[1] or "")
    return ""


def user_roots(home: str, environment: Mapping[str, str], workspace: str = "") -> tuple[UserRoot, ...]:
    """Return where hosts look for plugins beside a workspace, by system, those that win first.

    Args:
        home: the user's home, absolute.
        environment: variables of the process.
        workspace: the absolute path of a workspace whose own folder takes its place in the order; empty for none.
    """
    from plugseal.model.home import UserRoot

    config = _absolute(environment.get("XDG_CONFIG_HOME", ""))
    codewhale = _absolute(environment.get("CODEWHALE_HOME", "")) or f"{home}/.codewhale"
    amber = [("user", f"{config}/amber/plugins")] if config else []
    amber += [("user", f"{home}/.config/amber/plugins"), ("user", f"{home}/.local/share/amber/plugins")]
    amber += [("workspace", f"{workspace}/{AMBER}")] if workspace else []
    amber += [("system", "/usr/local/share/amber/plugins"), ("system", "/usr/share/amber/plugins")]
    amness = [("user", f"{home}/{AMNESS}")]
    amness += [("workspace", f"{workspace}/{AMNESS}")] if workspace else []
    found = [UserRoot("amber", scope, path, AMBER, by_folder=True) for scope, path in amber]
    found += [UserRoot("amness", scope, path, AMNESS, ordered=False) for scope, path in amness]
    found.append(UserRoot("codewhale", "user", f"{codewhale}/plugins", CODEWHALE))
    first: dict[tuple[str, str], UserRoot] = {}
    for root in found:
        first.setdefault((root.system, root.path), root)
    return tuple(first.values())


def _absolute(path: str) -> str:
    """Return a path without its last slash, empty where it is not absolute: hosts would look in the current folder."""
    return path.rstrip("/") if path.startswith("/") else ""
