"""Lines for a shell among what a program is fed that is no shell: `sqlite3 <<E` with `.shell …`, `ed <<E` with `!…`."""

from __future__ import annotations

import re
from typing import Final

from plugseal.patterns import lazy

_EDITOR: Final = lazy(r"^[ \t]*:?(?:sil(?:ent)?!?[ \t]{1,8})?(?:\d{0,6}|%)r?!(.{1,4096})", re.MULTILINE)
_MARKED: Final = lazy(r"^[ \t]*!(.{1,4096})", re.MULTILINE)
_DOTTED: Final = lazy(r"^[ \t]*\.(?:shell|system)[ \t]+(.{1,4096})", re.MULTILINE)
_SLASHED: Final = lazy(r"^[ \t]*(?:\\!|system[ \t])[ \t]*(.{1,4096})", re.MULTILINE)
_DEBUGGER: Final = lazy(r"^[ \t]*(?:shell[ \t]|!|platform[ \t]shell[ \t])[ \t]*(.{1,4096})", re.MULTILINE)
ESCAPES: Final = {
    **dict.fromkeys(("vi", "vim", "nvim", "ex", "view"), _EDITOR),
    **dict.fromkeys(("ed", "red", "dc", "ftp", "sftp", "tnftp", "lftp", "telnet", "mail", "gnuplot"), _MARKED),
    "sqlite3": _DOTTED,
    **dict.fromkeys(("mysql", "mariadb", "psql"), _SLASHED),
    **dict.fromkeys(("gdb", "lldb"), _DEBUGGER),
}
"""By program, how it writes that a line is one for a shell."""
_MAX_LINES: Final = 32


def fed_lines(program: str, text: str) -> list[str]:
    """Return the lines for a shell that a program reads in what it is fed."""
    pattern = ESCAPES.get(program)
    return [found[1] for found, _ in zip(pattern.finditer(text), range(_MAX_LINES), strict=False)] if pattern else []
