"""Where the parser stands in a text: blanks, comments, words and strings of PowerShell."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Final

from plugseal.lang.powershell.tree import Node
from plugseal.patterns import lazy

MAX_DEPTH: Final = 60
"""Of brackets and operators in each other; what is deeper is left out and said to be."""
_BLANK: Final = lazy(r"(?:[ \t\r\f\v\xa0\u200b\ufeff]+|`\r?\n|<#[\s\S]*?(?:#>|\Z))*(?:#[^\n]*)?")
_LINES: Final = lazy(r"(?:[\s\xa0\u200b\ufeff;]+|`\r?\n|<#[\s\S]*?(?:#>|\Z)|#[^\n]*)*")
_LINE_ENDS: Final = lazy(r"(?:[\s\xa0\u200b\ufeff]+|`\r?\n|<#[\s\S]*?(?:#>|\Z)|#[^\n]*)*")
VARIABLE: Final = lazy(r"\$(?:\{((?:[^`}]|`[\s\S]){0,300})\}|((?:[A-Za-z_]\w*:(?!:))?\w+|[$?^]))")
_WORD: Final = lazy(r"[A-Za-z_]\w*")
_PLAIN_DOUBLE: Final = lazy(r'[^"`$]+')
_PLAIN_BARE: Final = lazy(r"[^\s;|&(){},'\"`$>]+")
_ESCAPES: Final = {"0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_UNICODE: Final = lazy(r"u\{([0-9A-Fa-f]{1,6})\}")
_ALIKE: Final = str.maketrans("\u201c\u201d\u201e\u2018\u2019\u201a\u201b\u2013\u2014\u2015", "\"\"\"''''---")
"""Signs that PowerShell takes for quotes and dashes."""


class Scanning(ABC):
    """A text and a place in it."""

    def __init__(self, text: str) -> None:
        self.text = text.translate(_ALIKE)
        self.at = 0
        self.depth = 0
        self.faults: list[int] = []
        """Where something stands that is not understood."""

    def blank(self) -> None:
        """Pass over blanks, comments and joined lines."""
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def lines(self) -> None:
        """Pass over everything between two statements."""
        found = _LINES.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def line_ends(self) -> None:
        """Pass over blanks and line ends, but no semicolon."""
        found = _LINE_ENDS.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def has(self, mark: str) -> bool:
        """Say whether a mark stands here."""
        return self.text.startswith(mark, self.at)

    def take(self, mark: str) -> bool:
        """Pass over a mark, if it stands here."""
        if self.text.startswith(mark, self.at):
            self.at += len(mark)
            return True
        return False

    def word(self) -> str:
        """Return the name that stands here, in small letters, without passing over it."""
        found = _WORD.match(self.text, self.at)
        return found[0].lower() if found else ""

    def fault(self) -> None:
        """Note that this place is not understood."""
        self.faults.append(self.at)

    @abstractmethod
    def statements(self, end: str) -> tuple[Node, ...]:
        """Return the statements up to a bracket, which is passed over; the parser gives the meaning."""

    def verbatim(self) -> Node:
        """Take `'text'`."""
        start = self.at
        self.at += 1
        pieces = []
        while True:
            end = self.text.find("'", self.at)
            if end < 0:
                self.fault()
                pieces.append(self.text[self.at :])
                self.at = len(self.text)
                break
            pieces.append(self.text[self.at : end])
            self.at = end + 1
            if not self.take("'"):
                break
            pieces.append("'")
        return Node("text", start, self.at, "".join(pieces))

    def here_string(self) -> Node | None:
        """Take a here-string, None where there is none."""
        head = re.compile(r"@(['\"])[ \t]*\r?\n").match(self.text, self.at)
        if head is None:
            return None
        start, quote = self.at, head[1]
        foot = re.compile(rf"\r?\n{quote}@").search(self.text, head.end() - 1)
        end = foot.start() if foot else len(self.text)
        body = max(head.end(), end)
        if foot is None:
            self.fault()
        if quote == "'":
            node = Node("text", start, 0, self.text[head.end() : body])
        else:
            self.at = head.end()
            node = Node("join", start, 0, '"', self.expanded(body))
        self.at = foot.end() if foot else len(self.text)
        return node._replace(end=self.at)

    def expandable(self) -> Node:
        """Take `"text"` with its variables."""
        start = self.at
        self.at += 1
        parts = self.expanded(-1)
        if not self.take('"'):
            self.fault()
        if all(part.kind == "text" for part in parts):
            return Node("text", start, self.at, "".join(part.text for part in parts), ())
        return Node("join", start, self.at, '"', parts)

    def expanded(self, end: int) -> tuple[Node, ...]:
        """Take what a text with variables holds, up to an offset, or to its quote where that is -1."""
        parts: list[Node] = []
        stop = len(self.text) if end < 0 else end
        while self.at < stop:
            start = self.at
            plain = _PLAIN_DOUBLE.match(self.text, self.at, stop)
            if plain:
                self.at = plain.end()
                parts.append(Node("text", start, self.at, plain[0]))
            elif self.text[self.at] == '"' and end < 0:
                if self.text[self.at + 1 : self.at + 2] != '"':
                    break
                self.at += 2
                parts.append(Node("text", start, self.at, '"'))
            else:
                parts.append(self.piece())
        return tuple(parts)

    def piece(self) -> Node:
        """Take an escape, a variable, a substitution, or a single character."""
        start = self.at
        if self.text[start] == "`":
            return Node("text", start, *self._escape())
        if self.has("$(") and self.depth < MAX_DEPTH:
            self.at += 2
            return Node("sub", start, 0, "", self.statements(")"))._replace(end=self.at)
        found = VARIABLE.match(self.text, start) if self.text[start] == "$" else None
        if found is not None:
            self.at = found.end()
            return variable_node(found)
        self.at += 1
        return Node("text", start, self.at, self.text[start])

    def _escape(self) -> tuple[int, str]:
        """Pass over a backtick and what it changes, and return the end and what it means."""
        self.at += 1
        mark = self.text[self.at : self.at + 1]
        code = _UNICODE.match(self.text, self.at)
        if code is not None and int(code[1], 16) <= 0x10FFFF:
            self.at = code.end()
            return self.at, chr(int(code[1], 16))
        self.at = min(len(self.text), self.at + 1)
        return self.at, "" if mark in ("\n", "\r") else _ESCAPES.get(mark, mark)

    def bare(self) -> Node:
        """Take a word of a command, with quotes, variables and escapes inside it."""
        start = self.at
        parts: list[Node] = []
        while self.at < len(self.text):
            plain = _PLAIN_BARE.match(self.text, self.at)
            mark = self.text[self.at]
            if plain:
                parts.append(Node("text", self.at, plain.end(), plain[0]))
                self.at = plain.end()
            elif mark == "'":
                parts.append(self.verbatim())
            elif mark == '"':
                parts.append(self.expandable())
            elif mark == "`" and self.text[self.at + 1 : self.at + 2] not in ("\n", "\r", ""):
                at = self.at
                self.at += 2
                parts.append(Node("text", at, self.at, self.text[at + 1]))
            elif mark == "$":
                parts.append(self.piece())
            else:
                break
        if all(part.kind == "text" for part in parts):
            return Node("text", start, self.at, "".join(part.text for part in parts))
        return Node("join", start, self.at, "", tuple(parts))


def variable_node(found: re.Match[str]) -> Node:
    """Return the node of a variable."""
    name = found[1] if found[1] is not None else found[2]
    return Node("variable", found.start(), found.end(), re.sub(r"`([\s\S])", r"\1", name).lower())
