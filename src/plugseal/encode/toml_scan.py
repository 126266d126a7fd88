"""Walk TOML text by its lexical structure: hold every limit, and know where everything stands.

The lexical rules are exactly those of the parser that runs afterwards and decides what is valid: what this scanner
takes for a string or a comment is one there too, so that nothing can hide from the limits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TypeAlias

from plugseal.encode.places import Node
from plugseal.encode.text import LineIndex, fault_at
from plugseal.errors import DataError
from plugseal.limits import (
    MAX_DATA_DEPTH,
    MAX_DATA_NODES,
    MAX_KEY_BYTES,
    MAX_NUMBER_DIGITS,
    MAX_TOML_KEY_PARTS,
)
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_BLANK = lazy(r"[ \t]*")
_BLANK_LINES = lazy(r"[ \t\r\n]*")
_COMMENT = lazy(r"#[^\n]*")
_REST_OF_LINE = lazy(r"[ \t]*(?:#[^\n]*)?(?:\n|\r\n|\Z)")
_BARE_KEY = lazy(r"[A-Za-z0-9_-]+")
_STRING_STOP = {
    '"': re.compile(r'["\\\n]'),
    "'": re.compile(r"['\n]"),
    '"' * 3: re.compile(r'"{3}|\\'),
    "'" * 3: re.compile(r"'{3}"),
}
"""What to stop at inside each kind of string; a loop over these keeps memory flat where one pattern would not."""
_WORD = lazy(r"[A-Za-z0-9_+.:-]+(?: [0-9]{2}:[0-9.:+Zz-]*)?")
_FLOAT = lazy(r"[+-]?[0-9][0-9_]*(?:\.[0-9_]+(?:[eE][+-]?[0-9_]+)?|[eE][+-]?[0-9_]+)")


Children: TypeAlias = dict["str | int", Node]


class _Part(NamedTuple):
    """One part of a key."""

    name: str
    start: int
    end: int


class Scanner:
    """Walk a document by its lexical structure, within the limits; recursion is bounded by the depth limit."""

    def __init__(self, text: str, unescape: Callable[[str], str]) -> None:
        self._text = text
        self._unescape = unescape
        """Decode a quoted key with escapes, as written."""
        self._at = 0
        self._nodes_left = MAX_DATA_NODES
        self._top: Children = {}
        self._table = self._top
        """The table that key-value lines go to."""
        self._table_depth = 1

    def scan(self) -> Node:
        """Return the places of the whole document.

        Raises:
            DataError: the first fault that this scanner can see, over a limit or not.
        """
        while True:
            self._skip_lines()
            if self._at == len(self._text):
                root = Node(0, len(self._text))
                root.children = self._top
                return root
            if self._peek() == "[":
                self._header()
            else:
                self._pair(self._table, self._table_depth)
            if _REST_OF_LINE.match(self._text, self._at) is None:
                raise self._fault("expected the end of the line")

    def _header(self) -> None:
        """Take `[a.b]` or `[[a.b]]`."""
        start = self._at
        brackets = 2 if self._text.startswith("[[", start) else 1
        self._at += brackets
        self._skip(_BLANK)
        parts = self._key()
        self._take("]" * brackets, "after the name of a table")
        table, depth = self._descend(self._top, 1, parts[:-1])
        node = self._child(table, parts[-1])
        if brackets == 1:
            table, depth = self._descend(table, depth, parts[-1:])
            node.start, node.end = start, self._at
        else:
            item = Node(start, self._at)
            table = item.children = {}
            array = node.children = {} if node.children is None else node.children
            array[len(array)] = item
            depth += 2
        self._check_depth(depth)
        self._table, self._table_depth = table, depth

    def _descend(self, table: Children, depth: int, parts: list[_Part]) -> tuple[Children, int]:
        """Return the table that a dotted name leads to and its depth, making what is missing."""
        for part in parts:
            node = self._child(table, part)
            depth += 1
            if node.children and 0 in node.children:
                node = node.children[len(node.children) - 1]
                depth += 1
            if node.children is None:
                raise fault_at(self._text, part.start, f"`{part.name}` is a value already, not a table")
            table = node.children
        return table, depth

    def _child(self, table: Children, part: _Part) -> Node:
        node = table.get(part.name)
        if node is None:
            node = table[part.name] = Node(part.start, part.end, part.start, part.end)
            node.children = {}
        return node

    def _pair(self, table: Children, depth: int) -> None:
        """Take `a.b = value` into a table."""
        parts = self._key()
        self._take("=", "after a key")
        self._skip(_BLANK)
        table, depth = self._descend(table, depth, parts[:-1])
        self._check_depth(depth)
        last = parts[-1]
        if last.name in table:
            first = LineIndex(self._text).place(table[last.name].key_start)[0]
            raise fault_at(self._text, last.start, f"duplicate key `{last.name}`, first on line {first}")
        node = table[last.name] = Node(self._at, -1, last.start, last.end)
        self._value(node, depth)

    def _key(self) -> list[_Part]:
        """Take a dotted key and the blanks after it."""
        parts: list[_Part] = []
        while True:
            if len(parts) == MAX_TOML_KEY_PARTS:
                raise self._fault(f"a key of more than {MAX_TOML_KEY_PARTS} parts")
            self._count()
            parts.append(self._key_part())
            self._skip(_BLANK)
            if self._peek() != ".":
                return parts
            self._at += 1
            self._skip(_BLANK)

    def _key_part(self) -> _Part:
        start = self._at
        match = _BARE_KEY.match(self._text, start)
        if match is None and self._peek() not in ('"', "'"):
            raise self._fault("expected a key")
        end = match.end() if match else self._string_end(self._peek())
        written = self._text[start:end]
        if len(written) * 4 > MAX_KEY_BYTES and len(written.encode()) > MAX_KEY_BYTES:
            raise self._fault(f"a key of more than {MAX_KEY_BYTES:,} bytes")
        self._at = end
        return _Part(self._key_name(written, start), start, end)

    def _key_name(self, written: str, start: int) -> str:
        """Return what a part of a key means."""
        if written[0] not in "\"'":
            return written
        if written[0] == "'" or "\\" not in written:
            return written[1:-1]
        try:
            return self._unescape(written)
        except DataError as error:
            raise fault_at(self._text, start, error.message) from None

    def _string_end(self, quotes: str) -> int:
        """Return where the string ends that begins here with these quotes."""
        at = self._at + len(quotes)
        while True:
            match = _STRING_STOP[quotes].search(self._text, at)
            if match is None or match[0] == "\n":
                raise self._fault("a string without an end")
            if match[0] == quotes:
                break
            at = match.end() + 1
        end = match.end()
        if len(quotes) == 3:
            # Up to two quotes right before the closing three belong to the string.
            end += len(self._text[end : end + 2]) - len(self._text[end : end + 2].lstrip(quotes[0]))
        return end

    def _value(self, node: Node, depth: int) -> None:
        """Take one value inside so many containers."""
        self._count()
        head = self._peek()
        if head == "[":
            self._array(node, depth + 1)
        elif head == "{":
            self._inline_table(node, depth + 1)
        elif head in ('"', "'"):
            self._at = self._string_end(head * 3 if self._text.startswith(head * 3, self._at) else head)
        else:
            self._word()
        node.end = self._at

    def _array(self, node: Node, depth: int) -> None:
        self._check_depth(depth)
        self._at += 1
        children: Children = {}
        node.children = children
        while not self._ends("]", is_first=not children):
            item = children[len(children)] = Node(self._at)
            self._value(item, depth)

    def _inline_table(self, node: Node, depth: int) -> None:
        self._check_depth(depth)
        self._at += 1
        children: Children = {}
        node.children = children
        while not self._ends("}", is_first=not children):
            self._pair(children, depth)

    def _ends(self, closing: str, *, is_first: bool) -> bool:
        """Take the end of an array or inline table, or what stands between two of its members."""
        self._skip_lines()
        if not is_first and self._peek() == ",":
            self._at += 1
            self._skip_lines()
        elif not is_first and self._peek() != closing:
            raise self._fault(f"expected `,` or `{closing}`")
        if self._peek() != closing:
            return False
        self._at += 1
        return True

    def _word(self) -> None:
        """Take a number, a date or a literal name; what it means is not decided here."""
        match = _WORD.match(self._text, self._at)
        if match is None:
            raise self._fault("expected a value")
        word = match[0]
        if len(word) > MAX_NUMBER_DIGITS:
            raise self._fault("a number that is too large")
        if word.lstrip("+-") in ("inf", "nan"):
            raise self._fault("`inf` and `nan` are refused: no receipt can hold them")
        if _FLOAT.fullmatch(word) and math.isinf(_float(word)):
            raise self._fault("a number that is too large")
        self._at = match.end()

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, what: str, where: str) -> None:
        if not self._text.startswith(what, self._at):
            raise self._fault(f"expected `{what}` {where}")
        self._at += len(what)

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        match = pattern.match(self._text, self._at)
        before = self._at
        self._at = match.end() if match else self._at
        return self._at > before

    def _skip_lines(self) -> None:
        self._skip(_BLANK_LINES)
        while self._skip(_COMMENT):
            self._skip(_BLANK_LINES)

    def _check_depth(self, depth: int) -> None:
        if depth > MAX_DATA_DEPTH:
            raise self._fault(f"nests deeper than {MAX_DATA_DEPTH}")

    def _count(self) -> None:
        self._nodes_left -= 1
        if self._nodes_left < 0:
            raise self._fault("holds too many values")

    def _fault(self, message: str) -> DataError:
        return fault_at(self._text, self._at, message)


def _float(word: str) -> float:
    try:
        return float(word)
    except (ValueError, OverflowError):
        return 0.0
