"""What a call starts: words of an argument list, the line that a shell is given, code for an interpreter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import Ref, Unknown, Value
from plugseal.lang.folded import HOLE, filled
from plugseal.lang.judging.objects import EXECUTABLES

if TYPE_CHECKING:
    from plugseal.lang.programs import Act

_SHELLS: Final = frozenset("sh bash zsh dash ksh ash fish cmd cmd.exe powershell powershell.exe pwsh pwsh.exe".split())
_SHELL_SWITCHES: Final = frozenset("-c /c /k -command -encodedcommand -enc -e -lc -ic -ec".split())
_OF_WINDOWS: Final = frozenset(
    "reg schtasks wmic netsh sc taskkill bcdedit icacls attrib takeown rundll32 regsvr32 certutil bitsadmin mshta"
    " cscript wscript msiexec del erase rd copy xcopy robocopy move ren cmd vssadmin wevtutil".split()
)
"""Programs that only Windows has: a line that begins with one, and has its backslashes, is read by `cmd`."""
_READ_HERE: Final = frozenset(("python", "awk", "sed", "SQL", "AppleScript"))
"""Languages of code for others that is not handed on."""


def acts_of(capability: str, value: Value, *, enters_lines: bool) -> list[Act]:
    """Return what the started program does by its words.

    Args:
        capability: of the call, which tells a line for a shell from words.
        value: what the call gives: a line, a program, or an argument list.
        enters_lines: whether a line for a shell is split and looked at as well.
    """
    from plugseal.lang.programs import acts_of_line, acts_of_words

    line = line_of(capability, value)
    if line is not None:
        return (acts_of_line(line) or []) if enters_lines else []
    if isinstance(value, str):
        return acts_of_words([value, HOLE])
    return acts_of_words(known_words(value), enters_lines=enters_lines)


def code_of(capability: str, value: Value) -> list[tuple[str, str, str]]:
    """Return (language, text, what runs it) of the lines and the code that a call gives to others.

    Code of Python is left out: who reads the call reads it too, where its names can mean what they mean around it.
    """
    from plugseal.lang.programs import code_of_words

    line = line_of(capability, value)
    if line is not None:
        if not line.replace(HOLE, "").strip():
            return []
        first = line.split(None, 1)[0].lower().removesuffix(".exe")
        if "\\" in line and first in _OF_WINDOWS:
            return [("batch", filled(line, "batch"), "a shell")]
        return [("shell", filled(line, "shell"), "a shell")]
    if isinstance(value, str):
        return []
    codes = [code for code in code_of_words(known_words(value)) if not code.is_elsewhere]
    return [
        (code.language, filled(code.text, code.language), code.program)
        for code in codes
        if code.language not in _READ_HERE and code.text.replace(HOLE, "").strip()
    ]


def line_of(capability: str, value: Value) -> str | None:
    """Return the line that a call gives to a shell, None where it gives words."""
    words = word_list(value)
    if capability != "process.shell" and not (isinstance(value, str) and " " in value):
        return None
    line = words[0] if words else value
    return line if isinstance(line, str) else None


def known_words(value: Value) -> list[str]:
    """Return the words of an argument list, interpreters by their usual names and `HOLE` for what is not known."""
    words = word_list(value)
    named = [EXECUTABLES.get(word.name, word) if isinstance(word, Ref) else word for word in words]
    return [word if isinstance(word, str) else HOLE for word in named]


def shell_line(value: Value) -> Value | None:
    """Return the line that an argument list gives to a shell (`["sh", "-c", line]`), or None where it starts none."""
    words = word_list(value)
    if len(words) < 2 or not isinstance(words[0], str):
        return None
    if words[0].replace("\\", "/").rpartition("/")[2].lower() not in _SHELLS:
        return None
    for at, word in enumerate(words[1:-1], 1):
        if isinstance(word, str) and word.lower() in _SHELL_SWITCHES:
            return words[at + 1]
    return None


def word_list(value: Value) -> tuple[Value, ...]:
    """Return the items of an argument list; empty for everything else."""
    return value if isinstance(value, tuple) and not isinstance(value, (Ref, Unknown)) else ()


def python_code(value: Value) -> str | None:
    """Return the code of `["python", "-c", code]`, if it is that."""
    words = word_list(value)
    if len(words) < 3:
        return None
    first = words[0]
    name = EXECUTABLES.get(first.name, first) if isinstance(first, Ref) else first
    if not isinstance(name, str) or not name.replace("\\", "/").rpartition("/")[2].lower().startswith(
        ("python", "pypy")
    ):
        return None
    for at, word in enumerate(words[1:-1], 1):
        code = words[at + 1]
        if word == "-c" and isinstance(code, str):
            return code
    return None
