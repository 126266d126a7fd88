"""Objects of capabilities as a policy compares them: what is denied is not reached by another spelling of it.

A denial holds if any reading of an object fits it: a path with `.`, `..`, doubled or backward slashes, as a `file:`
address, below another name of the home folder or of the root (`/proc/self/root`); a program by its name, its path or
with `.exe`; all of them without case. The `*` of an object stands for what nobody knows, and may be what is denied. An
allowance is sure: it holds for the path that is reached, not for one that only begins alike.

Pure; no file is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from plugseal.policy.globs import matches, may_match

_PATHS: Final = frozenset(
    ("fs.read", "fs.write", "fs.delete", "fs.meta", "path.outside", "credentials.read", "persistence", "code.native")
)
_PROGRAMS: Final = frozenset(("process.exec", "process.shell"))
_HOME: Final = r"(?i)\A(?:\$\{?HOME\}?|%USERPROFILE%|\$env:(?:HOME|USERPROFILE))(?=/|\Z)"
_FILE: Final = r"(?i)\Afile:(?://(?:localhost)?(?=/))?"
_RUNNABLE: Final = (".exe", ".cmd", ".bat", ".com")


def is_denied_object(objects: tuple[str, ...] | None, capability: str, found: str | None) -> bool:
    """Say whether an object is among those that are denied; one that is not known may be."""
    if objects is None or found is None:
        return True
    if capability == "net.outbound":
        from plugseal.policy.hosts import is_denied_host  # most starts are under no such policy

        return is_denied_host(objects, found)
    return any(_fits(glob, capability, found) for glob in objects)


def is_allowed_object(objects: tuple[str, ...] | None, capability: str, found: str | None) -> bool:
    """Say whether an object is surely among those that are allowed; one that is not known never is."""
    if objects is None:
        return True
    if found is None:
        return False
    if capability == "net.outbound":
        from plugseal.policy.hosts import is_allowed_host

        return is_allowed_host(objects, found)
    if capability.startswith("net."):
        return any(matches(glob.casefold(), found.casefold()) for glob in objects)
    if capability not in _PATHS or ".." not in found:
        return any(matches(glob, found) for glob in objects)
    # What climbs is where it leads to, and what climbs over something unknown may lead anywhere.
    where = normal_path(found)
    return found in objects or ("*" not in found and any(matches(glob, where) for glob in objects))


def _fits(glob: str, capability: str, found: str) -> bool:
    if matches(glob, found) or matches(glob.casefold(), found.casefold()):
        return True
    if capability in _PATHS:
        return any(may_match(one, other) for one in _path_readings(glob) for other in _path_readings(found))
    if capability in _PROGRAMS:
        return any(matches(one, other) for one in _program_globs(glob, found) for other in _program_readings(found))
    return False


@lru_cache(maxsize=1024)
def _path_readings(text: str) -> frozenset[str]:
    return frozenset((text.casefold(), normal_path(text).casefold()))


@lru_cache(maxsize=1024)
def normal_path(text: str) -> str:
    """Return a path without steps that lead nowhere: one `/`, no `.`, no `..` behind a name, one word for the home."""
    path = re.sub(_FILE, "", text.replace("\\", "/")) if text[:5].lower() == "file:" or "\\" in text else text
    path = re.sub(_HOME, "~", path)
    parts: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == ".." and parts and parts[-1] != ".." and "*" not in parts[-1]:
            parts.pop()
        elif part != ".." or parts or not path.startswith("/"):
            parts.append(part)
        if part == "root" and path.startswith("/") and _is_root_of_process(parts):
            parts.clear()
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def _is_root_of_process(parts: list[str]) -> bool:
    """Say whether these lead to `/` again: `/proc/self/root`, of a process or of one of its threads."""
    return parts[0] == "proc" and (len(parts) == 3 or (len(parts) == 5 and parts[2] == "task"))


@lru_cache(maxsize=1024)
def _program_readings(text: str) -> frozenset[str]:
    path = normal_path(text).casefold()
    names = {text.casefold(), path, path.rpartition("/")[2]}
    for ending in _RUNNABLE:
        names |= {name.removesuffix(ending) for name in tuple(names)}
    return frozenset(names)


def _program_globs(glob: str, found: str) -> Iterable[str]:
    folded = glob.casefold()
    names = {folded, normal_path(folded)}
    if "/" not in found and "\\" not in found:
        names.add(folded.rpartition("/")[2])  # it is looked up, and may be found there
    for ending in _RUNNABLE:
        names |= {name.removesuffix(ending) for name in tuple(names)}
    return names - {""}
