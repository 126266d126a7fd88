"""The text of CMake's files as commands with words, and what their variables stand for where they are set once.

See: https://cmake.org/cmake/help/latest/manual/cmake-language.7.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.lang.recipes.found import Found
from plugseal.model.location import Span
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_TOKEN: Final = lazy(
    r"#\[(?P<comment>=*)\[|#[^\n]*|\[(?P<bracket>=*)\[|\"(?P<quoted>(?:[^\"\\]|\\.)*)\"|(?P<open>\()|(?P<close>\))|"
    r"(?P<bare>(?:[^\s()#\"\\]|\\.|\"(?:[^\"\\]|\\.)*\")+)|\s+|.",
    re.DOTALL,
)
REFERENCE: Final = lazy(r"\$(?:(ENV|CACHE)?\{([^{}$]*)\}|<[^<>]*>)")
_ESCAPE: Final = lazy(r"\\(.)", re.DOTALL)
_KNOWN: Final = {
    "CMAKE_COMMAND": "cmake",
    "CMAKE_CTEST_COMMAND": "ctest",
    "CMAKE_MAKE_PROGRAM": "make",
    "PYTHON_EXECUTABLE": "python3",
    "Python_EXECUTABLE": "python3",
    "Python3_EXECUTABLE": "python3",
    "BASH_PROGRAM": "bash",
    "GIT_EXECUTABLE": "git",
    "CURL_EXECUTABLE": "curl",
    "CMAKE_CURRENT_SOURCE_DIR": ".",
    "CMAKE_CURRENT_LIST_DIR": ".",
    "CMAKE_SOURCE_DIR": ".",
    "PROJECT_SOURCE_DIR": ".",
    "CMAKE_BINARY_DIR": "build",
    "CMAKE_CURRENT_BINARY_DIR": "build",
    "PROJECT_BINARY_DIR": "build",
}
_KEYWORD: Final = lazy(r"[A-Z][A-Z0-9_]+\Z")
_MAX_COMMANDS: Final = 50_000
_MAX_PASSES: Final = 4


class Word(NamedTuple):
    """One argument, as written."""

    text: str
    is_quoted: bool


class Command(NamedTuple):
    """One command."""

    name: str
    words: list[Word]
    span: Span

    @property
    def texts(self) -> list[str]:
        """Return the words without what says how they were quoted."""
        return [word.text for word in self.words]


def groups(texts: list[str], keyword: str) -> Iterator[list[str]]:
    """Yield the words behind each of a keyword, up to the next one."""
    group: list[str] | None = None
    for text in texts:
        if text == keyword:
            if group:
                yield group
            group = []
        elif group is not None:
            if _KEYWORD.match(text) and text in _ENDINGS:
                if group:
                    yield group
                group = None
            elif not (text == "ARGS" and len(group) == 1):
                group.append(text)
    if group:
        yield group


_ENDINGS: Final = frozenset(
    """
    WORKING_DIRECTORY TIMEOUT RESULT_VARIABLE RESULTS_VARIABLE OUTPUT_VARIABLE ERROR_VARIABLE INPUT_FILE OUTPUT_FILE
    ERROR_FILE OUTPUT_QUIET ERROR_QUIET COMMAND_ECHO OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE
    ENCODING ECHO_OUTPUT_VARIABLE ECHO_ERROR_VARIABLE COMMAND_ERROR_IS_FATAL RETURN_VALUE DEPENDS BYPRODUCTS COMMENT
    VERBATIM USES_TERMINAL COMMAND_EXPAND_LISTS SOURCES OUTPUT MAIN_DEPENDENCY IMPLICIT_DEPENDS DEPFILE JOB_POOL APPEND
    PRE_BUILD PRE_LINK POST_BUILD TARGET CONFIGURATIONS DEPENDEES DEPENDERS ALWAYS LOG
    """.split()
)


def pairs(texts: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each keyword with the words behind it."""
    key, values = "", list[str]()
    for text in texts:
        if _KEYWORD.match(text) and text != "COMMAND":
            yield key, values
            key, values = text, []
        else:
            values.append(text)
    yield key, values


def single_values(commands: list[Command]) -> dict[str, str]:
    """Return the variables that are set once, to one word, by name."""
    seen: dict[str, list[str]] = {}
    for command in commands:
        if command.name == "set" and command.words:
            name, *values = command.texts
            one = values[0] if len(values) == 1 or values[1:2] in (["CACHE"], ["PARENT_SCOPE"]) else HOLE
            seen.setdefault(name, []).append(one)
    return {**_KNOWN, **{name: values[0] if len(values) == 1 else HOLE for name, values in seen.items()}}


def fill(text: str, variables: dict[str, str]) -> str:
    """Return a word with what its variables stand for, and a hole for what is not known."""
    for _ in range(_MAX_PASSES):
        filled = REFERENCE.sub(lambda match: _value(match, variables), text)
        if filled == text or len(filled) > 4_096:
            break
        text = filled
    return _ESCAPE.sub(lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), text)


def _value(match: re.Match[str], variables: dict[str, str]) -> str:
    if match[1] == "ENV":
        return "~" if match[2] in ("HOME", "USERPROFILE") else HOLE
    return HOLE if match[1] or match[2] is None else variables.get(match[2], HOLE)


def commands_in(text: str, found: Found) -> Iterator[Command]:
    """Yield the commands of a file: a name, and words in brackets."""
    at, line, start = 0, 1, 0
    name, place = "", (1, 1)
    words: list[Word] = []
    depth = count = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            break
        here = (line, at - start + 1)
        end = match.end()
        kind = match.lastgroup
        if kind in ("comment", "bracket"):
            close = "]" + match[kind] + "]"
            stop = text.find(close, end)
            stop = len(text) if stop < 0 else stop
            if kind == "bracket" and depth:
                words.append(Word(text[end:stop].replace("$", "\\$").removeprefix("\n"), True))
            end = stop + len(close)
        elif kind == "open":
            depth += 1
        elif kind == "close":
            depth -= depth > 0
            if depth == 0 and name:
                count += 1
                if count > _MAX_COMMANDS:
                    found.lack("has more commands than are read")
                    return
                yield Command(name, words, Span(*place, line, end - start + 1))
                name, words = "", []
        elif kind in ("quoted", "bare"):
            if depth:
                words.append(Word(match[kind].replace("\\\n", ""), kind == "quoted"))
            else:
                name, place, words = match[0].lower(), here, []
        newline = text.count("\n", at, end)
        if newline:
            line += newline
            start = text.rfind("\n", at, end) + 1
        at = end
