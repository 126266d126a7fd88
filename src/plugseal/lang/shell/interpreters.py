"""Which programs run what they read, which languages they understand, and which bring files from elsewhere."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from plugseal.lang.shell.names import SHELLS
from plugseal.lang.textkinds import LANGUAGES_BY_INTERPRETER

FETCHERS: Final = frozenset(
    """
    curl wget wget2 http https xh httpie lynx aria2c axel fetch nc ncat netcat socat telnet ftp lwp-request openssl
    gsutil
    """.split()
)
RUNS: Final = frozenset(("eval", "source", "."))
"""Commands of the shell that run a text."""
LINE_READERS: Final = frozenset(("at", "batch", "ssh"))
"""Programs that give what they read to a shell, later or elsewhere; `ssh` only where it is told no command."""


_READ_INPUT: Final = frozenset(
    "osascript rscript julia swift octave elixir erl scala groovy guile racket sbcl clisp m4".split()
)
"""Interpreters of languages that nobody here reads, which run what they are fed."""


@lru_cache(maxsize=512)
def language_of(program: str) -> str:
    """Return the language that a program interprets, empty where it is no interpreter."""
    if program in SHELLS:
        return "shell"
    known = LANGUAGES_BY_INTERPRETER.get(program.rstrip("0123456789."), "")
    return known or (program if program in _READ_INPUT else "")
