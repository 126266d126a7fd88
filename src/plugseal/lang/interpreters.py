"""Which programs run what they read, which languages they understand, and which bring files from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from plugseal.lang.textkinds import LANGUAGES_BY_INTERPRETER

SHELLS: Final = frozenset("sh bash zsh dash ksh ash fish mksh csh tcsh rbash posh yash busybox elvish rc".split())
FETCHERS: Final = frozenset(
    """
    curl wget wget2 http https xh httpie lynx aria2c axel fetch nc ncat netcat socat telnet ftp lwp-request openssl
    gsutil
    """.split()
)
RUNS: Final = frozenset(("eval", "source", "."))
"""Commands of the shell that run a text."""
LINE_READERS: Final = frozenset(("at", "batch", "ssh", "parallel"))
"""Programs that give what they read to a shell, later or elsewhere; the last two only without a command."""


_READ_INPUT: Final = frozenset("rscript julia swift octave elixir erl scala groovy guile racket sbcl clisp m4".split())
"""Interpreters of languages that nobody here reads, which run what they are fed."""
_READS_ON: Final = frozenset(("-", "-s", "-x", "-e", "-u", "-l", "-i", "/dev/stdin"))
"""Words with which an interpreter still runs what it is fed."""


@lru_cache(maxsize=512)
def language_of(program: str) -> str:
    """Return the language that a program interprets, empty where it is no interpreter."""
    if program in SHELLS:
        return "shell"
    known = LANGUAGES_BY_INTERPRETER.get(program.rstrip("0123456789."), "")
    return known or (program if program in _READ_INPUT else "")


def language_fed(words: Sequence[str]) -> str | None:
    """Return the language in which a command runs what it is fed.

    Empty where its program is no interpreter, None where there is none, or it is given a script or other words.
    """
    if not words or not _READS_ON.issuperset(words[1:]):
        return None
    return language_of(words[0].replace("\\", "/").rpartition("/")[2].lower())
