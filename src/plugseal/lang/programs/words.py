"""What argument lists and literal lines do, for readers of other languages. Nothing is run and no disk is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from plugseal.lang.command_words import Command, split_line
from plugseal.lang.folded import HOLE, STAND_IN, filled
from plugseal.lang.placed_acts import Act
from plugseal.lang.programs.acts import acts_of
from plugseal.lang.programs.awk import acts_of_awk
from plugseal.lang.programs.sed import acts_of_sed
from plugseal.lang.programs.start import ENCODED, Code, started
from plugseal.patterns import lazy


def _acts_of_sql(statements: str) -> Iterator[Act]:
    from plugseal.lang.sql.acts import acts_of_sql  # few lines hold any

    return acts_of_sql(statements)


def _acts_of_applescript(script: str) -> Iterator[Act]:
    from plugseal.lang.applescript.acts import acts_of_applescript  # few lines hold any

    return acts_of_applescript(script)


_SMALL_READERS: Final = {
    "awk": acts_of_awk,
    "sed": acts_of_sed,
    "SQL": _acts_of_sql,
    "AppleScript": _acts_of_applescript,
}
SMALL_LANGUAGES: Final = frozenset(_SMALL_READERS)
"""Languages that are read here, since all that they do is told by a few words."""
_LINES: Final = frozenset(("shell", "batch"))
"""Languages of lines that start programs; what else is handed over is code."""
_MAX_DEPTH: Final = 4
_NO_FILES: Final = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "-", "NUL", "nul", "1", "2"))
_FETCHERS: Final = frozenset(("curl", "wget", "wget2", "http", "https", "xh", "lynx", "aria2c"))
_RUNNERS: Final = lazy(
    r"(?:ba|z|da|k|a|fi)?sh|python[\d.]*|pypy\d?|node(?:js)?|perl|ruby|php|deno|bun|lua|powershell|pwsh|iex"
)


def acts_of_words(words: Sequence[str], depth: int = 0, *, enters_lines: bool = True) -> list[Act]:
    """Return what a program does when it is started with these words, the first being its name.

    Args:
        words: the words; what is not known in them is a hole.
        depth: how many lines it stands in.
        enters_lines: whether what it gives to a shell is looked at as well.
    """
    if not words or depth > _MAX_DEPTH:
        return []
    found: list[Act] = []
    programs, codes = started(words)
    for one in programs:
        if one.is_elsewhere:
            continue
        found.extend(acts_of(one.name, one.words[1:]))
        found.extend(hidden_acts(one.words[1:]) if one.name in ("powershell", "pwsh") else ())
    for code in codes:
        if code.is_elsewhere:
            continue
        if code.language in SMALL_LANGUAGES:
            found.extend(_small(code, depth, enters_lines=enters_lines))
        elif code.language not in _LINES:
            found.append(Act("code.dynamic", "", None))
        elif enters_lines and code.language == "shell":
            found.extend(acts_of_line(code.text, depth + 1) or ())
    return list(dict.fromkeys(found))


def small_acts(code: Code) -> Iterator[Act]:
    """Yield what a program in one of the small languages does; what is not known of what it names is a hole."""
    for act in _SMALL_READERS[code.language](filled(code.text, code.language)):
        yield act._replace(named=act.named.replace(STAND_IN, HOLE)) if act.named and HOLE in code.text else act


def _small(code: Code, depth: int, *, enters_lines: bool) -> list[Act]:
    """Return what a program of awk or sed does."""
    found: list[Act] = []
    for act in small_acts(code):
        if act.kind != "line":
            found.append(act)
            continue
        found.append(Act(act.capability, "", None))
        if enters_lines and act.named is not None:
            found.extend(acts_of_line(act.named, depth + 1) or ())
    return found


def hidden_acts(words: Sequence[str]) -> list[Act]:
    """Return what it means that PowerShell is given its code in another form.

    Code that nobody knows here may have been packed on the way: that is how lines are handed on whole.
    """
    given = next((at for at, word in enumerate(words, 1) if ENCODED.fullmatch(word)), 0)
    return [Act("code.obfuscated", "", None, HOLE not in "".join(words[given : given + 1]))] if given else []


def code_of_words(words: Sequence[str]) -> list[Code]:
    """Return the code and the lines that an argument list gives to what it starts, and the lines inside such code."""
    codes = started(words)[1]
    small = [code for code in codes if code.language in SMALL_LANGUAGES]
    lines = [
        Code("shell", act.named, code.at, 0, code.program, code.is_elsewhere)
        for code in small
        for act in small_acts(code)
        if act.kind == "line" and act.named
    ]
    return [*codes, *lines]


def acts_of_line(line: str, depth: int = 0) -> list[Act] | None:
    """Return what a literal shell line does, or None where only a shell could tell."""
    commands = split_line(line)
    if commands is None or depth > _MAX_DEPTH:
        return None
    found: list[Act] = []
    before: Command | None = None
    for command in commands:
        found.extend(acts_of_words(command.words, depth))
        found.extend(Act("fs.write", "path", path) for path in command.writes if path not in _NO_FILES)
        found.extend(Act("fs.read", "path", path) for path in command.reads if path not in _NO_FILES)
        if before is not None and command.is_fed and _is(before, _FETCHERS.__contains__) and _is(command, _runs):
            found.extend(Act("code.fetched", act.kind, act.named) for act in acts_of_words(before.words)[:1])
        before = command if command.words else before
    return found


def _is(command: Command, test: object) -> bool:
    return callable(test) and any(test(one.name) for one in started(command.words)[0])


def _runs(name: str) -> bool:
    return _RUNNERS.fullmatch(name) is not None
