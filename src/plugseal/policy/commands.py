"""Whether a shell line is one simple command, so that an allowed word can't bring others along.

What is not plainly one command with literal words is none: operators, redirections, substitutions, variables,
assignments, globs that a shell would expand, line breaks. Nothing here runs or expands anything.
"""

from __future__ import annotations

from typing import Final

from plugseal.patterns import lazy

_ASSIGNMENT: Final = lazy(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_LITERAL: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^")
_QUOTED: Final = lazy(r'"((?:[^$`\\"\n\r!]|\\[^\n\r!])*)"')
"""A text in double quotes in which a backslash stands before every mark that a shell would obey."""
_ESCAPED: Final = lazy(r'\\([$`"\\])')


def simple_words(line: str) -> tuple[str, ...] | None:
    """Return the words of a line that is one simple command with literal words, None for any other."""
    words: list[str] = []
    word: list[str] | None = None
    at = 0
    while at < len(line):
        character = line[at]
        if character in " \t":
            if word is not None:
                words.append("".join(word))
            word, at = None, at + 1
            continue
        read = _piece(line, at)
        if read is None:
            return None
        piece, at = read
        word = [*(word or []), piece]
    if word is not None:
        words.append("".join(word))
    if not words or _ASSIGNMENT.match(line.lstrip(" \t")) or not words[0]:
        return None
    return tuple(words)


def _piece(line: str, at: int) -> tuple[str, int] | None:
    """Return the next literal piece of a word and where it ends, None for anything that a shell would interpret."""
    character = line[at]
    if character == "'":
        end = line.find("'", at + 1)
        text = line[at + 1 : end]
        return None if end < 0 or "\n" in text or "\r" in text else (text, end + 1)
    if character == '"':
        quoted = _QUOTED.match(line, at)
        return None if quoted is None else (_ESCAPED.sub(r"\1", quoted[1]), quoted.end())
    if character == "\\":
        is_literal = at + 1 < len(line) and line[at + 1] not in "\n\r"
        return (line[at + 1], at + 2) if is_literal else None
    return (character, at + 1) if character in _LITERAL or character > "\x7f" else None
