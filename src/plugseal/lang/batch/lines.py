"""Take a batch file apart into commands, each with its place: carets, quotes, operators and brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_LONGEST: Final = 4
"""Letters of the longest word that a command is known by here."""
_OPERATORS: Final = lazy(r"&&|\|\||[&|()\n]")
_REDIRECT: Final = lazy(r"(?<![\w.])?(\d?)(>>|>|<)\s*(&\d|\"[^\"]*\"|[^\s&|<>()]+)")


class _Kept:
    """What a command holds so far: each bracket asks about it, so nothing here goes through all of it again."""

    def __init__(self) -> None:
        self.characters: list[str] = []
        self._begins = ""
        """The first letters that are no blank, and a few more."""
        self._first = 0
        self._letters = 0
        """How many are no blank."""
        self._has_do = False

    def add(self, character: str) -> None:
        """Take one character more; the empty one changes nothing."""
        if not character:
            return
        is_letter = not character.isspace()
        if is_letter and not self._letters:
            self._first = len(self.characters)
        self._letters += is_letter
        self.characters.append(character)
        if self._letters and len(self._begins) < _LONGEST:
            self._begins += character.lower()
        self._has_do = self._has_do or (character in "oO" and self._is_do(len(self.characters)))

    def is_bracket(self, mark: str) -> bool:
        """Say whether a bracket behind it opens or closes a block, and is no letter of a word."""
        if mark == "(":
            is_at = self._letters == 1 and self._begins[0] == "@"
            return not self._letters or is_at or self._begins_with("if ", "else") or self._ends_in_do()
        if self._begins_with("for "):
            return self._has_do
        return not self._begins_with("echo", "set ", "rem", "::")

    def _begins_with(self, *words: str) -> bool:
        found = next((word for word in words if self._begins.startswith(word)), "")
        return bool(found) and (found[-1] != " " or self._letters >= len(found))  # A blank at the end is none of it.

    def _ends_in_do(self) -> bool:
        end = len(self.characters)
        while end and self.characters[end - 1].isspace():
            end -= 1
        return end - 3 > self._first and self._is_do(end)

    def _is_do(self, end: int) -> bool:
        return "".join(self.characters[max(0, end - 3) : end]).lower() == " do"


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
    kept = _Kept()
    is_quoted = hidden = False
    while at <= len(text):
        mark = text[at : at + 1]
        if mark == "^" and not is_quoted:
            following = text[at + 1 : at + 2]
            hidden = hidden or (following.isalpha() and text[at - 1 : at].isalpha())
            kept.add("" if following == "\n" else following)
            at += 2
            continue
        operator = _OPERATORS.match(text, at) if not is_quoted or mark == "\n" else None
        if operator is not None and not _parts(operator[0], text, at, kept, depth):
            operator = None
        if mark and operator is None:
            is_quoted ^= mark == '"'
            kept.add(mark)
            at += 1
            continue
        words = "".join(kept.characters)
        if words.strip():
            lead = len(text[start:at]) - len(text[start:at].lstrip())
            end = start + len(text[start:at].rstrip())
            yield Piece(words.strip(), base + start + lead, base + end, fed, hidden)
        if operator is None:
            return
        fed = operator[0] == "|"
        depth += (mark == "(") - (mark == ")")
        at = start = operator.end()
        kept, is_quoted, hidden = _Kept(), False, False


def _parts(operator: str, text: str, at: int, kept: _Kept, depth: int) -> bool:
    """Say whether a mark parts commands: `2>&1` holds none that does, and a bracket that nobody opened is a letter."""
    if operator == "&":
        return text[at - 1 : at] not in (">", "<")
    if operator == ")" and depth <= 0:
        return False
    return operator not in "()" or kept.is_bracket(operator)


def cut_redirects(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a command without its redirections, and these as sign and target."""
    found: list[tuple[str, str]] = []
    quotes = looked = 0

    def take(match: re.Match[str]) -> str:
        nonlocal quotes, looked
        quotes += text.count('"', looked, match.start())
        looked = match.start()
        if quotes % 2:
            return match[0]
        if not match[3].startswith("&"):
            found.append((match[2], match[3].strip('"')))
        return " "

    return _REDIRECT.sub(take, text), found


def words_of(text: str) -> list[str]:
    """Return the words of a command."""
    return [found[0].replace('"', "") for found in re.finditer(r'(?:"[^"]*"?|[^\s"])+', text)][:2_000]
