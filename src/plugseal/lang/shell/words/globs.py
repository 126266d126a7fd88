"""Names of programs and files that are written with wildcards so that nobody reads them: `/b?n/c?t`."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import cache, lru_cache
from typing import Final

from plugseal.lang.programs.tables import programs

_FOLDERS: Final = ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/")
_FILES: Final = (
    "/etc/passwd /etc/shadow /etc/hosts /etc/hostname /etc/sudoers /etc/ssh/sshd_config /root/.ssh/id_rsa "
    "/proc/self/environ /etc/machine-id /etc/group"
).split()
_FIRST: Final = ("cat", "sh", "bash", "ls", "nc", "curl", "wget", "python3", "python", "id", "rm", "cp", "head", "tail")
"""The names to try first, where many fit."""
_MAX_PATTERN: Final = 64


@lru_cache(maxsize=256)
def named_by_glob(pattern: str) -> str | None:
    """Return the well-known program that a word with wildcards stands for, None where none does."""
    if len(pattern) > _MAX_PATTERN or not re.search(r"[A-Za-z]", pattern) or pattern.count("*") > 4:
        return None
    fits = re.compile(translate(pattern)).match
    for name in _names():
        if "/" not in pattern:
            if fits(name):
                return name
        elif any(fits(folder + name) for folder in _FOLDERS):
            return name
    return None


@lru_cache(maxsize=256)
def file_by_glob(pattern: str) -> str | None:
    """Return the well-known file that a path with `?` or `[` stands for, None where none does."""
    if len(pattern) > _MAX_PATTERN or not pattern.startswith("/") or not ("?" in pattern or "[" in pattern):
        return None
    fits = re.compile(translate(pattern)).match
    return next((file for file in _FILES if fits(file)), None)


@cache
def _names() -> tuple[str, ...]:
    return (*_FIRST, *sorted(programs().rules))
