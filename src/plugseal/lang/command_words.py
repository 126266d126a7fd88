"""Split a literal shell line into the words of its simple commands, where that is exact; nothing is expanded or run.

Only what can be split without knowing the shell: words in quotes, `;` `&&` `||` `|` `&` and line ends between commands,
redirections to files. Everything that would need a shell (substitutions, here-documents, groups, loops, functions)
makes the whole line unsplit: whoever asks gets None and knows no more than that a shell runs something.
A word that holds a variable is not known, except that the home folder is `~`.
"""

from __future__ import annotations

import re
from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_MAX_LINE: Final = 16_384
_MAX_WORDS: Final = 2_000
_TOKEN: Final = lazy(
    r"""
    (?P<blank>(?:[ \t\r]|\\\r?\n)+)
  | (?P<comment>(?<![^\s;|&])\#[^\n]*)
  | (?P<redirect>\d*(?:&>>?|>>|>\||>&|<&|>|<(?![<(])))
  | (?P<end>&&|\|\||\|&|;(?!;)|\||&|\n)
  | (?P<word>(?:
        '[^']*'
      | "(?:[^"\\`$]|\\[\s\S]|\$(?![({'"]))*(?:\$\{[A-Za-z_]\w*\}(?:[^"\\`$]|\\[\s\S]|\$(?![({'"]))*)*"
      | \\[^\n]
      | \$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|[0-9@*\#?!-])
      | [^\s;|&<>()`$\\'"]
    )+)
    """,
    re.X,
)
_PIECE: Final = lazy(
    r"""'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\[\s\S])*)"|\\(?P<escaped>[\s\S])|(?P<plain>[^'"\\]+)"""
)
_ESCAPED: Final = lazy(r'\\([$`"\\\n])')
_VARIABLE: Final = lazy(r"\$(?:\w+|\{\w+\}|[@*#?!-])")
_HOME: Final = lazy(r"\$(?:HOME|\{HOME\})(?=$|/)")
_ASSIGNMENT: Final = lazy(r"[A-Za-z_]\w*\+?=")
_KEYWORDS: Final = frozenset(
    "if then else elif fi for while until do done case esac select function { } [[ coproc".split()
)
_BEFORE: Final = lazy(r"\s*(?:#[^\n]*(?:\n\s*|\Z))*")
_FIRST: Final = lazy(
    r"""[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|[^\s"';&|])*(?=\s)\s*|"(?P<double>[^"\n]+)"|'(?P<single>[^'\n]+)'|(?P<word>[^\s;|&]+)"""
)
_MAX_SETTINGS: Final = 64


class Command(NamedTuple):
    """One simple command of a line."""

    words: tuple[str, ...]
    """Unquoted; what is not known in a word is a hole."""
    writes: tuple[str, ...]
    reads: tuple[str, ...]
    is_fed: bool
    """Whether it reads what the command before it writes."""


def split_line(line: str) -> tuple[Command, ...] | None:
    """Return the simple commands of a line, or None where only a shell could tell them apart."""
    if len(line) > _MAX_LINE:
        return None
    commands: list[Command] = []
    words: list[str] = []
    files: dict[str, list[str]] = {">": [], "<": []}
    at, count, expected, fed = 0, 0, "", False
    while at < len(line):
        match = _TOKEN.match(line, at)
        count += 1
        if match is None or count > _MAX_WORDS:
            return None
        at, kind = match.end(), match.lastgroup
        if kind in ("word", "redirect") and _joins(match, line, kind, expected):
            return None
        if kind == "word":
            word = _unquoted(match[0])
            if expected:
                files[expected].append(word)
                expected = ""
            elif words or not _ASSIGNMENT.match(match[0]):
                words.append(word)
        elif kind == "redirect":
            expected = "<" if "<" in match[0] else ">"
        elif kind == "end":
            if expected or (words and words[0] in _KEYWORDS):
                return None
            if words or files[">"]:
                commands.append(Command(tuple(words), tuple(files[">"]), tuple(files["<"]), fed))
            words, files, fed = [], {">": [], "<": []}, match[0] in ("|", "|&")
    if expected or (words and words[0] in _KEYWORDS):
        return None
    if words or files[">"]:
        commands.append(Command(tuple(words), tuple(files[">"]), tuple(files["<"]), fed))
    return tuple(commands)


def first_word(line: str) -> str:
    """Return the word that a line's first command begins with, behind comments and settings, without quotes."""
    before = _BEFORE.match(line)
    at = before.end() if before is not None else 0
    for _ in range(_MAX_SETTINGS):
        found = _FIRST.match(line, at)
        if found is None:
            return ""
        word = found["double"] or found["single"] or found["word"]
        if word:
            return "" if _ASSIGNMENT.match(word) else word.strip("(){}\"'") or word
        at = found.end()
    return ""


def _joins(match: re.Match[str], line: str, kind: str, expected: str) -> bool:
    """Say whether a token runs into something that belongs to a shell: `name()`, `$(…)`, a redirection of nothing."""
    following = line[match.end() : match.end() + 1]
    return following in ("(", "`") and following != "" if kind == "word" else bool(expected)


def _unquoted(token: str) -> str:
    parts: list[str] = []
    for piece in _PIECE.finditer(token):
        if piece["single"] is not None:
            parts.append(piece["single"])
        elif piece["escaped"] is not None:
            parts.append(piece["escaped"])
        elif piece["double"] is not None:
            parts.append(_ESCAPED.sub(r"\1", _expanded(piece["double"])))
        else:
            parts.append(_expanded(piece["plain"] or ""))
    return "".join(parts)


def _expanded(text: str) -> str:
    return _VARIABLE.sub(HOLE, _HOME.sub("~", text)) if "$" in text else text
