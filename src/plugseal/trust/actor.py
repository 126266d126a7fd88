"""Who acts, as far as the machine tells: account, terminal and the programs that started us.

It names accounts and programs, never people: a program with a terminal of its own can feign all of it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from plugseal.model.trust import Actor

_MAX_PARENTS: Final = 8
_MAX_NAME: Final = 64


def current_actor() -> Actor:
    """Return who runs this process."""
    uid = os.geteuid()
    return Actor(_account(uid), uid, _terminal(), _parents())


def _account(uid: int) -> str:
    import pwd

    try:
        return _plain(pwd.getpwuid(uid).pw_name)
    except KeyError:
        return f"user {uid}"


def _terminal() -> str | None:
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        try:
            return _plain(os.ttyname(stream.fileno()))
        except (OSError, ValueError, AttributeError):
            continue
    return None


def _parents() -> tuple[str, ...]:
    """Return the names of the programs above, the nearest first; empty where the system does not tell."""
    found: list[str] = []
    pid = os.getppid()
    while pid > 0 and len(found) < _MAX_PARENTS:
        try:
            stat = Path(f"/proc/{pid}/stat").read_bytes()
        except OSError:
            break
        # The name stands in parentheses and may hold some itself: the last one ends it.
        name, _, rest = stat.partition(b"(")[2].rpartition(b")")
        found.append(_plain(name.decode("utf-8", "replace")))
        parts = rest.split()
        pid = int(parts[1]) if len(parts) > 1 else 0
    return tuple(found)


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")[:_MAX_NAME]
