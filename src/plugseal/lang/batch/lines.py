"""Take a batch file apart into commands, each with its place: carets, quotes, operators and brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from plugseal.patterns import lazy

_OPERATORS: Final = lazy(r"&&|\|\||[&|()\n]")
_REDIRECT: Final = lazy(r"(?<![\w.])?(\d?)(>>|>|<)\s*(&\d|\"[^\"]*\"|[^\s&|<>()]+)")


class Piece(NamedTuple):
    """One command."""

    text: str
    """Without carets; marks that a caret or quotes protect stand as they are."""
    start: int
    end: int
    is_fed: bool
    """Whether it reads what the command before it writes."""
    has_carets: bool
    """Whether carets stand between letters."""


def pieces(text: str, base: int = 0) -> Iterator[Piece]:
    """Yield the commands of a text, in its order."""
    at, start, fed, depth = 0, 0, False, 0
    kept: list[str] = []
    is_quoted = hidden = False
    while at <= len(text):
        mark = text[at : at + 1]
        if mark == "^" and not is_quoted:
            following = text[at + 1 : at + 2]
            hidden = hidden or (following.isalpha() and text[at - 1 : at].isalpha())
            kept.append("" if following == "\n" else following)
            at += 2
            continue
        operator = _OPERATORS.match(text, at) if not is_quoted or mark == "\n" else None
        if operator is not None and not _parts(operator[0], text, at, kept, depth):
            operator = None
        if mark and operator is None:
            is_quoted ^= mark == '"'
            kept.append(mark)
            at += 1
            continue
        words = "".join(kept)
        if words.strip():
            lead = len(text[start:at]) - len(text[start:at].lstrip())
            end = start + len(text[start:at].rstrip())
            yield Piece(words.strip(), base + start + lead, base + end, fed, hidden)
        if operator is None:
            return
        fed = operator[0] == "|"
        depth += (mark == "(") - (mark == ")")
        at = start = operator.end()
        kept, is_quoted, hidden = [], False, False


def _parts(operator: str, text: str, at: int, kept: list[str], depth: int) -> bool:
    """Say whether a mark parts commands: `2>&1` holds none that does, and a bracket that nobody opened is a letter."""
    if operator == "&":
        return text[at - 1 : at] not in (">", "<")
    if operator == ")" and depth <= 0:
        return False
    return operator not in "()" or _is_bracket("".join(kept), operator)


def _is_bracket(before: str, mark: str) -> bool:
    """Say whether a bracket opens or closes a block, and is no letter of a word."""
    words = before.strip().lower()
    if mark == "(":
        return not words or words.startswith(("if ", "else")) or words.endswith(" do") or words in ("@",)
    return not words.startswith(("echo", "for ", "set ", "rem", "::")) or (words.startswith("for ") and " do" in words)


def cut_redirects(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a command without its redirections, and these as sign and target."""
    found: list[tuple[str, str]] = []

    def take(match: re.Match[str]) -> str:
        if text[: match.start()].count('"') % 2:
            return match[0]
        if not match[3].startswith("&"):
            found.append((match[2], match[3].strip('"')))
        return " "

    return _REDIRECT.sub(take, text), found


def words_of(text: str) -> list[str]:
    """Return the words of a command."""
    return [found[0].replace('"', "") for found in re.finditer(r'(?:"[^"]*"?|[^\s"])+', text)][:2_000]
