"""Walk JSON text without recursion: where everything stands, and what its first fault is."""

from __future__ import annotations

import json
import math

from plugseal.encode.places import Node
from plugseal.encode.text import LineIndex, fault_at
from plugseal.errors import DataError
from plugseal.limits import MAX_KEY_BYTES, MAX_NUMBER_DIGITS
from plugseal.patterns import lazy

_NUMBER = lazy(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9.eE+\-\w])")
_NAME = lazy(r"(?:true|false|null)(?!\w)")
_SPACE = lazy(r"[ \t\n\r]*")
_BAD_IN_STRING = lazy(r'([\x00-\x1f])|(\\(?![/bfnrt]|u[0-9a-fA-F]{4}))|"')
_DECODER = json.JSONDecoder()
_DUPLICATE_HINT = "readers differ in which of the two they take: remove one"


def is_long(key: str) -> bool:
    """Say whether a key is over the limit."""
    return len(key) * 4 > MAX_KEY_BYTES and len(key.encode("utf-8", "surrogatepass")) > MAX_KEY_BYTES


def integer(digits: str) -> int:
    """Return an integer, or raise ValueError where it is over the limit."""
    if len(digits) > MAX_NUMBER_DIGITS:
        raise ValueError
    return int(digits)


def real(digits: str) -> float:
    """Return a float, or raise ValueError where it is too long or infinite."""
    value = float(digits)
    if len(digits) > MAX_NUMBER_DIGITS or math.isinf(value):
        raise ValueError
    return value


def has_surrogate(text: str) -> bool:
    """Say whether a text can't be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def without_escapes(text: str) -> str:
    """Return a shadow of the same length in which a quote always begins or ends a string."""
    return text.replace("\\\\", "__").replace('\\"', "__")


class Scanner:
    """Walk a document without recursion, building the tree of places and naming the first fault."""

    def __init__(self, text: str, max_depth: int, max_nodes: int) -> None:
        self._text = text
        self._at = 0
        self._max_depth = max_depth
        self._nodes_left = max_nodes
        self._open: list[tuple[Node, dict[str | int, Node], str]] = []
        """The containers around the current place, each with its children and the bracket that ends it."""

    def scan(self) -> Node:
        """Return the places of the whole document.

        Raises:
            DataError: the first fault.
        """
        self._skip()
        if self._at == len(self._text):
            raise self._fault("empty, not a JSON document")
        root = self._value(Node(self._at))
        while self._open:
            self._member()
        if self._at != len(self._text):
            raise self._fault("text after the end of the JSON value")
        return root

    def _member(self) -> None:
        """Take one member of the innermost container, or its end."""
        parent, children, closing = self._open[-1]
        if self._peek() == closing:
            self._at += 1
            parent.end = self._at
            self._open.pop()
            self._skip()
            return
        if children:
            self._take(",", f"expected `,` or `{closing}`")
            self._count()
            if self._peek() == closing:
                raise self._fault(f"a comma before `{closing}`")
        if closing == "]":
            children[len(children)] = self._value(Node(self._at))
            return
        self._pair(children)

    def _pair(self, children: dict[str | int, Node]) -> None:
        """Take one key with its value."""
        start = self._at
        if self._peek() != '"':
            raise self._fault("expected a key in double quotes or `}`")
        key = self._string()
        end = self._at
        if is_long(key):
            raise fault_at(self._text, start, f"a key of more than {MAX_KEY_BYTES:,} bytes")
        if key in children:
            first = LineIndex(self._text).place(children[key].key_start)[0]
            raise fault_at(self._text, start, f"duplicate key `{key}`, first on line {first}", hint=_DUPLICATE_HINT)
        self._skip()
        self._take(":", "expected `:` after the key")
        children[key] = self._value(Node(self._at, -1, start, end))

    def _value(self, node: Node) -> Node:
        """Take one value, of a container only the beginning."""
        head = self._peek()
        if head in ("[", "{"):
            self._count()
            if len(self._open) >= self._max_depth:
                raise self._fault(f"nests deeper than {self._max_depth}")
            node.children = {}
            self._open.append((node, node.children, "]" if head == "[" else "}"))
            self._at += 1
        elif head == '"':
            self._string()
        else:
            self._word()
        node.end = self._at
        self._skip()
        return node

    def _string(self) -> str:
        try:
            value, end = _DECODER.raw_decode(self._text, self._at)
        except ValueError:
            raise self._string_fault() from None
        if has_surrogate(value):
            raise self._fault("a lone surrogate in a string")
        self._at = end
        return str(value)

    def _string_fault(self) -> DataError:
        begin = self._at + 1
        match = _BAD_IN_STRING.search(without_escapes(self._text[begin:]))
        if match is None or match[0] == '"':
            return self._fault("a string without an end")
        if match[1]:
            message, hint = "a control character in a string", "write it as an escape"
        else:
            message, hint = "an unknown escape in a string", None
        return fault_at(self._text, begin + match.start(), message, hint=hint)

    def _word(self) -> None:
        """Take a number or a literal name."""
        match = _NUMBER.match(self._text, self._at)
        try:
            if match is not None:
                real(match[0]) if set(match[0]) & set(".eE") else integer(match[0])
        except ValueError:
            raise self._fault("a number that is too large") from None
        match = match or _NAME.match(self._text, self._at)
        if match is None:
            raise self._fault(_word_fault(self._text, self._at))
        self._at = match.end()

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, character: str, message: str) -> None:
        if self._peek() != character:
            raise self._fault(message)
        self._at += 1
        self._skip()

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match else self._at

    def _count(self) -> None:
        self._nodes_left -= 1
        if self._nodes_left < 0:
            raise self._fault("holds too many values")

    def _fault(self, message: str) -> DataError:
        return fault_at(self._text, self._at, message)


def _word_fault(text: str, at: int) -> str:
    if at >= len(text):
        return "ends in the middle of a value"
    if text.startswith(("NaN", "Infinity", "-Infinity"), at):
        return "`NaN` and `Infinity` are not JSON"
    if text.startswith(("//", "/*"), at):
        return "comments are not JSON"
    return "expected a value"
