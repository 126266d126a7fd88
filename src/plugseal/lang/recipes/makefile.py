"""Read a makefile or a justfile: the lines that it gives to a shell, with their variables put in where they are plain.

What make or just would compute is not computed: it becomes a word that nobody knows (`$1` to the shell), so that what
it stands in is said and its object is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.recipes.found import Found, shell_of
from plugseal.lang.recipes.make_directives import take_directive
from plugseal.lang.recipes.mapped import Mapped
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

MAKE: Final = "Makefile"
JUST: Final = "justfile"
_UNKNOWN: Final = "$1"
_ASSIGNMENT: Final = lazy(
    r"[ ]*(?:export[ \t]+|override[ \t]+|private[ \t]+)*([\w.%/-]+)[ \t]*(:{1,3}=|\?=|\+=|!=|=)[ \t]*"
)
_REFERENCE: Final = lazy(r"\$(?:\$|\(|\{|(.))")
_CONDITIONAL: Final = lazy(r"[ \t]*(?:ifeq|ifneq|ifdef|ifndef|else|endif|include|-include|sinclude|vpath)\b")
_DEFINE: Final = lazy(r"[ \t]*(?:override[ \t]+)?define[ \t]+([\w.-]+)")
_SHELL_CALL: Final = lazy(r"\$[({]shell[ \t]+")
_AUTOMATIC: Final = frozenset("@<^+?*%|")
_BUILT_IN: Final = {"MAKE": "make", "CC": "cc", "CXX": "c++", "AR": "ar", "RM": "rm -f", "SHELL": "sh", "CURDIR": "."}
_MAX_LINES: Final = 200_000
_MAX_DEPTH: Final = 8
_MAX_CALLS: Final = 64
"""Calls of a shell in one line."""
_MAX_VALUE: Final = 4096


class _Line(NamedTuple):
    number: int
    """1-based."""
    text: str


def read_makefile(text: str, path: str) -> Found:
    """Return what a makefile says.

    Args:
        text: with LF line ends.
        path: of the file, below the scanned root.
    """
    found = Found(MAKE)
    lines = _lines(text, found)
    variables = _variables(lines)
    language = shell_of(_plain_value("SHELL", variables) or "sh")
    in_define = False
    at = 0
    while at < len(lines):
        line = lines[at]
        group = [line]
        while group[-1].text.endswith("\\") and at + 1 < len(lines):
            at += 1
            group.append(lines[at])
        at += 1
        in_define = _take(group, found, variables, language, path, in_define=in_define)
    return found


def _take(
    group: list[_Line],
    found: Found,
    variables: dict[str, list[str]],
    language: str | None,
    path: str,
    *,
    in_define: bool,
) -> bool:
    first = group[0].text
    if in_define and re.match(r"[ \t]*endef\b", first):
        return False
    if _DEFINE.match(first) and not first.startswith("\t"):
        return True
    is_recipe = first.startswith("\t") or in_define
    if not is_recipe and first.lstrip().startswith("#"):
        return in_define
    for line in group:
        _shell_calls(line, found, variables, "command" if is_recipe else "import")
        if not is_recipe:
            take_directive(line.text, line.number, path, found)
    if is_recipe:
        _recipe(group, found, variables, language, column=1 if first.startswith("\t") else 0)
        return in_define
    if _CONDITIONAL.match(first):
        return in_define
    assignment = _ASSIGNMENT.match(first)
    if assignment is not None:
        if assignment[2] == "!=":
            _recipe(group, found, variables, language, column=assignment.end(), trigger="import")
        return in_define
    rule = first.find(";")
    if ":" in first and rule > first.find(":"):
        _recipe(group, found, variables, language, column=rule + 1)
    return in_define


def _recipe(
    group: list[_Line],
    found: Found,
    variables: dict[str, list[str]],
    language: str | None,
    *,
    column: int,
    trigger: str = "command",
) -> None:
    """Give a recipe's lines to its shell."""
    if language is None:
        found.lack("its recipes are read by a program that is not known")
        return
    text = Mapped()
    for number, line in enumerate(group):
        start = column if number == 0 else (1 if line.text.startswith("\t") else 0)
        if number == 0:
            start += len(line.text[start:]) - len(line.text[start:].lstrip(" \t@+-"))
        else:
            text.end_line()
        _fill(text, line.text, line.number, start, variables)
    found.run(text, trigger, "recipe", language=language)


def _fill(text: Mapped, line: str, number: int, start: int, variables: dict[str, list[str]]) -> None:
    """Add a line with make's references put in."""
    at = start
    for match in _REFERENCE.finditer(line, start):
        if match.start() < at:
            continue
        text.add(line[at : match.start()], number, at + 1)
        end, value = _value(line, match, variables, 0)
        text.put(value, number, match.start() + 1)
        at = end
    text.add(line[at:], number, at + 1)


def _value(line: str, match: re.Match[str], variables: dict[str, list[str]], depth: int) -> tuple[int, str]:
    """Return where a reference ends and what the shell sees of it."""
    mark = match[0][1]
    if mark == "$":
        return match.end(), "$"
    if mark not in "({":
        return match.end(), _UNKNOWN if mark in _AUTOMATIC else _named(mark, variables, depth)
    end = _closing(line, match.end(), mark)
    inner = line[match.end() : end]
    if re.fullmatch(r"[\w.-]+", inner) is None:
        return end + 1, _UNKNOWN
    return end + 1, _named(inner, variables, depth)


def _named(name: str, variables: dict[str, list[str]], depth: int) -> str:
    if name in _BUILT_IN and name not in variables:
        return _BUILT_IN[name]
    value = _plain_value(name, variables)
    if name not in variables:
        # Make takes what it does not know from the environment, as the shell does.
        return f"${{{name}}}" if re.fullmatch(r"[A-Za-z_]\w*", name) else _UNKNOWN
    if value is None or depth >= _MAX_DEPTH:
        return _UNKNOWN
    filled = []
    at = 0
    for match in _REFERENCE.finditer(value):
        if match.start() < at:
            continue
        filled.append(value[at : match.start()])
        at, part = _value(value, match, variables, depth + 1)
        filled.append(part)
    filled.append(value[at:])
    whole = "".join(filled)
    return whole if len(whole) <= _MAX_VALUE else _UNKNOWN


def _plain_value(name: str, variables: dict[str, list[str]]) -> str | None:
    """Return a variable's value where it has one alone."""
    values = variables.get(name, [])
    return values[0] if len(values) == 1 and len(values[0]) <= _MAX_VALUE else None


def _variables(lines: list[_Line]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in lines:
        if line.text.startswith("\t"):
            continue
        match = _ASSIGNMENT.match(line.text)
        if match is None:
            continue
        value = line.text[match.end() :].partition(" #")[0].strip()
        # What is continued, computed or added to is not known.
        is_plain = match[2] not in ("+=", "!=") and not value.endswith("\\") and "$(call" not in value
        found.setdefault(match[1], []).extend([value] if is_plain else [value, ""])
    return found


def _shell_calls(line: _Line, found: Found, variables: dict[str, list[str]], trigger: str) -> None:
    comment = -1 if trigger == "command" else line.text.find(" #")
    stop = comment if comment >= 0 else len(line.text)
    for count, match in enumerate(_SHELL_CALL.finditer(line.text, 0, stop)):
        if count >= _MAX_CALLS:
            found.lack(f"holds more calls of a shell than are read (line {line.number})")
            return
        end = _closing(line.text, match.end(), line.text[match.start() + 1])
        text = Mapped()
        _fill(text, line.text[:end], line.number, match.end(), variables)
        found.run(text, trigger, "$(shell)")
        _shell(text, found, trigger)


def _shell(text: Mapped, found: Found, trigger: str) -> None:
    """Add that a line is given to a shell: while the file is read, whoever asks for anything in it runs that."""
    program = next(iter(text.text.split()), "")
    found.fact(text.span(), "process.shell", program if re.fullmatch(r"[\w./+-]+", program) else None, trigger)


def _closing(line: str, start: int, opening: str) -> int:
    """Return where the bracket that was opened before a place is closed: the line's end where it never is."""
    closing = ")" if opening == "(" else "}"
    depth = 1
    for at in range(start, len(line)):
        if line[at] == opening:
            depth += 1
        elif line[at] == closing:
            depth -= 1
            if depth == 0:
                return at
    return len(line)


def _lines(text: str, found: Found) -> list[_Line]:
    lines = [_Line(number, line) for number, line in enumerate(text.split("\n"), 1)]
    if len(lines) > _MAX_LINES:
        found.lack("has more lines than are read")
    return lines[:_MAX_LINES]


_JUST_RECIPE: Final = lazy(r"@?[A-Za-z_][\w-]*(?:[ \t](?:\"[^\"]*\"|'[^']*'|[^:\"'])*)?:(?!=)")
_JUST_BACKTICK: Final = lazy(r"(?<!`)`([^`\n]+)`(?!`)")
_JUST_EXPRESSION: Final = lazy(r"\{\{(?!\{)(?:(.*?)\}\}|.*)")
_JUST_SHELL: Final = lazy(r"set[ \t]+shell[ \t]*:=[ \t]*\[[ \t]*[\"']([^\"']+)")


def read_justfile(text: str) -> Found:
    """Return what a justfile says.

    Args:
        text: with LF line ends.
    """
    found = Found(JUST)
    lines = _lines(text, found)
    chosen = next((match[1] for line in lines if (match := _JUST_SHELL.match(line.text))), "sh")
    language = shell_of(chosen)
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.text[:1] in (" ", "\t", "#", ""):
            continue
        if _JUST_RECIPE.match(line.text):
            body = list(_indented(lines, at))
            at += len(body)
            _just_recipe(body, found, language)
            continue
        for match in _JUST_BACKTICK.finditer(line.text):
            piece = Mapped()
            piece.add(match[1], line.number, match.start(1) + 1)
            found.run(piece, "import", "backticks", language=language or "shell")
            _shell(piece, found, "import")
    return found


def _indented(lines: list[_Line], at: int) -> Iterator[_Line]:
    while at < len(lines) and (lines[at].text[:1] in (" ", "\t") or not lines[at].text.strip()):
        yield lines[at]
        at += 1


def _just_recipe(body: list[_Line], found: Found, language: str | None) -> None:
    filled = [line for line in body if line.text.strip()]
    if not filled:
        return
    indent = len(filled[0].text) - len(filled[0].text.lstrip(" \t"))
    first = filled[0].text[indent:]
    if first.startswith("#!"):
        words = first[2:].split()
        name = next((word for word in words if not word.endswith("/env") and not word.startswith("-")), "")
        whole = Mapped()
        for line in body:
            _fill_just(whole, line, min(indent, len(line.text)))
            whole.end_line()
        found.run(whole, "command", "recipe", language=shell_of(name) or "shell")
        return
    if language is None:
        found.lack("its recipes are read by a program that is not known")
        return
    group = Mapped()
    for line in filled:
        start = len(line.text) - len(line.text.lstrip(" \t@-"))
        _fill_just(group, line, start)
        if line.text.endswith("\\"):
            group.end_line()
            continue
        found.run(group, "command", "recipe", language=language)
        group = Mapped()
    found.run(group, "command", "recipe", language=language)


def _fill_just(text: Mapped, line: _Line, start: int) -> None:
    at = start
    for match in _JUST_EXPRESSION.finditer(line.text, start):
        if match[1] is None:
            break
        text.add(line.text[at : match.start()], line.number, at + 1)
        text.put(_UNKNOWN, line.number, match.start() + 1)
        at = match.end()
    text.add(line.text[at:], line.number, at + 1)
