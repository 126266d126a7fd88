"""The conditions of a bundle: systems and programs that it needs. Whether they hold is never taken for trust."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Final

from plugseal.runtime.environment import PATH

_SYSTEMS: Final = {"darwin": "macos", "win32": "windows", "cygwin": "windows"}


def unmet_condition(extra: Mapping[str, str], variables: Mapping[str, str]) -> str:
    """Return what a bundle needs and this machine has not, empty where it has all.

    Args:
        extra: what the reviewed manifest says beside its components.
        variables: our environment.
    """
    try:
        when = json.loads(extra.get("when", "{}"))
        systems, programs = when.get("os", []), when.get("binaries", [])
        wanted = [str(name).lower() for name in systems]
    except (ValueError, AttributeError, TypeError):
        return "its conditions can't be read"
    if wanted and this_system() not in wanted:
        return f"it is not for {this_system()}"
    for program in programs:
        if not _is_installed(str(program), variables.get("PATH") or PATH):
            return f"it needs `{program}`"
    return ""


def this_system() -> str:
    """Return what a manifest calls the system that this runs on."""
    return _SYSTEMS.get(sys.platform, sys.platform.rstrip("0123456789"))


def _is_installed(name: str, path: str) -> bool:
    """Say whether a program is there; nothing is started, and no relative folder is looked into."""
    if "/" in name or "\0" in name or not name:
        return False
    folders = [folder for folder in path.split(os.pathsep) if folder.startswith("/")]
    return any(os.path.isfile(f"{folder}/{name}") for folder in folders)  # noqa: PTH113  # text, at every start
