"""Settings of git by which it runs or loads something, in one table for all.

Readers ask it when a command sets one (`git -c`, `git config`), the unit of a tree's own `.git` when a file does. Many
hold something ordinary (`core.pager = cat`, `core.hooksPath = /dev/null`): these run nothing of anybody's.

See: https://git-scm.com/docs/git-config
"""

from __future__ import annotations

import re
from typing import Final

from plugseal.patterns import lazy

RUNS: Final = lazy(
    r"core\.(?:fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)|sequence\.editor"
    r"|diff\.external|diff\..+\.(?:command|textconv)|merge\..+\.driver|(?:diff|merge)tool\..+\.cmd"
    r"|filter\..+\.(?:clean|smudge|process)|gpg\.(?:.+\.)?program|pager\..+|interactive\.difffilter"
    r"|uploadpack\.packobjectshook|remote\..+\.(?:uploadpack|receivepack)|(?:browser|man)\..+\.cmd"
    r"|trailer\..+\.(?:command|cmd)|sendemail\.(?:.+\.)?(?:smtpserver|tocmd|cccmd|headercmd)|web\.browser"
    r"|credential\.(?:.+\.)?helper|submodule\..+\.update|alias\..+",
    re.DOTALL,
)
"""Keys whose value is a line for a shell."""
LOADS: Final = lazy(
    r"include\.path|includeif\..+\.path|core\.(?:hookspath|attributesfile|worktree)|init\.templatedir", re.DOTALL
)
"""Keys whose value is a file or a folder of which git runs something, or takes further settings."""
_ONLY_LINES: Final = lazy(r"credential\..*|submodule\..+\.update|alias\..+", re.DOTALL)
"""Keys whose value is a line only where it begins with `!`."""
_NOTHING: Final = frozenset({"true", "false", "yes", "no", "on", "off", "0", "1", "", "/dev/null", "nul"})
_ORDINARY: Final = lazy(
    r"(?:[\w/.-]*/)?(?:cat|less|more|true|echo|:|vi|vim|nvim|nano|emacs|code|delta|gpg2?|ssh|git-lfs|git"
    r")(?:\s+(?:-[A-Za-z]+|--(?:wait|color=\w+|skip)|--\s+%f|clean|smudge|filter-process|lfs))*"
)
"""Programs that people set git up with, without options by which these run another."""


def canonical(name: str) -> str:
    """Return a key as git compares it: section and last part in lower case, what stands between them as it is."""
    section, _, rest = name.partition(".")
    middle, dot, last = rest.rpartition(".")
    return f"{section.lower()}.{middle}{dot}{last.lower()}"


def line_of(name: str, value: str) -> str:
    """Return the line that a setting gives to a shell, empty where it names one of git's own words or nothing.

    Args:
        name: a canonical key.
        value: as git has it.
    """
    value = value.strip()
    if not RUNS.fullmatch(name):
        return ""
    if _ONLY_LINES.fullmatch(name):
        is_program = name.startswith("credential.") and value.startswith(("/", "~", "."))
        return value.removeprefix("!") if value.startswith("!") or is_program else ""
    return "" if value.lower() in _NOTHING else value


def loaded_by(name: str, value: str) -> str:
    """Return the file or folder by which a setting makes git run something, empty for none; arguments as above."""
    value = value.strip()
    return value if LOADS.fullmatch(name) and value.lower() not in _NOTHING else ""


def is_ordinary(line: str) -> bool:
    """Say whether a line starts only a program that people set git up with."""
    return _ORDINARY.fullmatch(line.strip()) is not None
