"""What a program of sed runs, reads and writes: its commands `e`, `r`, `w` and the flags of `s`; never run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.placed_acts import Act
from plugseal.patterns import lazy

_ADDRESS: Final = lazy(
    r"\s*(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/[IM]*|\\(.)(?:(?!\1)[^\\\n]|\\.)*\1)?\s*,?\s*(?:[+~]?\d+|\$|/(?:[^/\\\n]|\\.)*/[IM]*)?\s*!?\s*"
)
_MAX_COMMANDS: Final = 2_000


def acts_of_sed(program: str) -> Iterator[Act]:
    """Yield what a program does; a line that it gives to a shell has the kind `line`."""
    for _, act in placed_acts_of_sed(program):
        yield act


def placed_acts_of_sed(program: str) -> Iterator[tuple[int, Act]]:
    """Yield (offset in the program, what is done there)."""
    at = count = 0
    while at < len(program) and count < _MAX_COMMANDS:
        count += 1
        found = _ADDRESS.match(program, at)
        at = found.end() if found else at
        command = program[at : at + 1]
        if command in ("s", "y") and at + 1 < len(program):
            end = _behind_parts(program, at + 1)
            flags = re.compile(r"[gpiImMe0-9]*(?:w[ \t]*([^\n]*))?").match(program, end)
            if command == "s" and flags is not None:
                for act in _with_flags(flags):
                    yield at, act
                end = flags.end()
            at = end
        elif command in ("e", "r", "R", "w", "W"):
            end = program.find("\n", at)
            end = len(program) if end < 0 else end
            for act in _with_rest(command, program[at + 1 : end].strip()):
                yield at, act
            at = end
        elif command in ("a", "i", "c", "#"):
            at = _behind_text(program, at, goes_on=command != "#")
        elif command in (":", "b", "t", "T"):
            end = _end(program, at)
            at = len(program) if end < 0 else end
        else:
            at += 1


def _with_flags(flags: re.Match[str]) -> Iterator[Act]:
    """Yield what the flags of `s` do with the text that it made."""
    if "e" in flags[0].partition("w")[0]:
        yield Act("process.shell", "", None)
        yield Act("code.dynamic", "", None)
    if flags[1]:
        yield Act("fs.write", "path", flags[1])


def _behind_text(program: str, at: int, *, goes_on: bool) -> int:
    """Return where a comment ends, or a text that goes on in the next line behind a backslash."""
    while True:
        end = program.find("\n", at)
        if end < 0:
            return len(program)
        if not goes_on or program[end - 1] != "\\":
            return end
        at = end + 1


def _with_rest(command: str, rest: str) -> Iterator[Act]:
    if command == "e":
        yield Act("process.shell", "line" if rest else "", rest or None)
        if not rest:
            yield Act("code.dynamic", "", None)
    elif rest:
        yield Act("fs.read" if command in "rR" else "fs.write", "path", rest)


def _behind_parts(program: str, at: int) -> int:
    """Return where the two parts of `s` or `y` end."""
    mark, parts, at = program[at], 0, at + 1
    while at < len(program) and parts < 2:
        if program[at] == "\\":
            at += 1
        elif program[at] == mark:
            parts += 1
        at += 1
    return at


def _end(program: str, at: int) -> int:
    ends = [end for end in (program.find(";", at), program.find("\n", at), program.find("}", at)) if end >= 0]
    return min(ends) if ends else -1
