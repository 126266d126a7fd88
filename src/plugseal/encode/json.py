"""Read JSON strictly: what two parsers could read differently is refused, with the place.

The standard parser makes the values; an own scanner, used for positions and when something is wrong, decides what the
fault is and where, so that messages are the same on every Python. The two accept the same documents (a property test).
Refused: duplicate keys (after escapes), NaN and infinities, numbers that overflow, lone surrogates, control characters
in strings, trailing commas and comments (unless asked for), anything after the value, and all that is over a limit.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

from plugseal.encode.places import Node, Places
from plugseal.encode.text import LineIndex, decode_text, fault_at
from plugseal.encode.values import Json
from plugseal.errors import DataError
from plugseal.limits import MAX_DATA_BYTES, MAX_DATA_DEPTH, MAX_DATA_NODES, MAX_KEY_BYTES, MAX_NUMBER_DIGITS

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9.eE+\-\w])")
_NAME = re.compile(r"(?:true|false|null)(?!\w)")
_SPACE = re.compile(r"[ \t\n\r]*")
_STRINGS = re.compile(r'"[^"]*"?')
"""A string once its escapes are gone. It ends with the text at the latest, so that no quote is tried twice: patterns
that know escapes take quadratic time or much memory on bombs."""
_NOT_STRUCTURE = re.compile(r"[^\[\]{},]+")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_NOISE = re.compile(r'"[^"]*"?|(//[^\n\r]*)|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = re.compile(r'"[^"]*"?|[\[{,][ \t\n\r]*,|(,)(?=[ \t\n\r]*[\]}])')
_NOT_LINE_END = re.compile(r"[^\n\r]")
_BAD_IN_STRING = re.compile(r'([\x00-\x1f])|(\\(?![/bfnrt]|u[0-9a-fA-F]{4}))|"')
_DECODER = json.JSONDecoder()
_DUPLICATE_HINT = "readers differ in which of the two they take: remove one"
_BAD_IN_STRING = re.compile(r'([\x00-\x1f])|\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})|(?<!\\)"')


def parse_json(
    data: bytes,
    *,
    comments: bool = False,
    allow_mark: bool = True,
    max_bytes: int = MAX_DATA_BYTES,
    max_depth: int = MAX_DATA_DEPTH,
    max_nodes: int = MAX_DATA_NODES,
) -> Json:
    """Return the value of a JSON document.

    Args:
        data: the whole file.
        comments: whether comments and trailing commas are allowed, as in the settings of editors (JSONC).
        allow_mark: whether a byte order mark of UTF-8 may lead.
        max_bytes: limit of the file.
        max_depth: limit of nested arrays and objects.
        max_nodes: limit of commas and opening brackets together, which bounds the number of values.

    Raises:
        DataError: the document is refused; it names line and column.
    """
    text = _text(data, comments, allow_mark, max_bytes)
    try:
        if _is_bounded(text, max_depth, max_nodes):
            value: Json = json.loads(
                text,
                object_pairs_hook=_unique,
                parse_constant=_refuse,
                parse_int=_integer,
                parse_float=_float,
            )
            if _SURROGATE.search(text) is None or not _holds_surrogate(value):
                return value
    except (ValueError, RecursionError):
        pass
    _Scanner(text, max_depth, max_nodes).scan()
    raise DataError("not valid JSON")


def index_json(data: bytes, *, comments: bool = False) -> Places:
    """Return where the keys and values of a JSON document stand.

    Raises:
        DataError: as `parse_json`.
    """
    text = _text(data, comments, True, MAX_DATA_BYTES)
    return Places(text, _Scanner(text, MAX_DATA_DEPTH, MAX_DATA_NODES).scan())


def _text(data: bytes, comments: bool, allow_mark: bool, max_bytes: int) -> str:
    text = decode_text(data, max_bytes=max_bytes, allow_mark=allow_mark)
    return _without_comments(text) if comments else text


def _without_comments(text: str) -> str:
    """Blank out comments and trailing commas; every offset stays what it was."""
    text = _blanked(text, _NOISE.finditer(_without_escapes(text)))
    return _blanked(text, _TRAILING_COMMA.finditer(_without_escapes(text)))


def _without_escapes(text: str) -> str:
    """Return a shadow of the same length in which a quote always begins or ends a string."""
    return text.replace("\\\\", "__").replace('\\"', "__")


def _blanked(text: str, matches: Iterator[re.Match[str]]) -> str:
    pieces = []
    last = 0
    for match in matches:
        noise = match[0]
        if match[1] or (len(noise) > 3 and noise.startswith("/*") and noise.endswith("*/")):
            pieces += [text[last : match.start()], _NOT_LINE_END.sub(" ", noise)]
            last = match.end()
    return "".join([*pieces, text[last:]])


def _is_bounded(text: str, max_depth: int, max_nodes: int) -> bool:
    """Say whether nesting and number of values are within the limits, before the recursive parser sees the text."""
    structure = _NOT_STRUCTURE.sub("", _STRINGS.sub("", _without_escapes(text)))
    if structure.count(",") + structure.count("[") + structure.count("{") > max_nodes:
        return False
    depth = 0
    for character in structure.replace(",", ""):
        depth += 1 if character in "[{" else -1
        if depth > max_depth:
            return False
    return True


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    result = dict(pairs)
    if len(result) != len(pairs) or any(_is_long(key) for key in result):
        raise ValueError
    return result


def _is_long(key: str) -> bool:
    return len(key) * 4 > MAX_KEY_BYTES and len(key.encode("utf-8", "surrogatepass")) > MAX_KEY_BYTES


def _refuse(_: str) -> Json:
    raise ValueError


def _integer(digits: str) -> int:
    if len(digits) > MAX_NUMBER_DIGITS:
        raise ValueError
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if len(digits) > MAX_NUMBER_DIGITS or math.isinf(value):
        raise ValueError
    return value


def _holds_surrogate(value: Json) -> bool:
    """Say whether any key or string of a value can't be written as UTF-8."""
    return _has_surrogate(json.dumps(value, ensure_ascii=False))


def _has_surrogate(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


class _Scanner:
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
        if _is_long(key):
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
        if _has_surrogate(value):
            raise self._fault("a lone surrogate in a string")
        self._at = end
        return str(value)

    def _string_fault(self) -> DataError:
        begin = self._at + 1
        match = _BAD_IN_STRING.search(_without_escapes(self._text[begin:]))
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
                _float(match[0]) if set(match[0]) & set(".eE") else _integer(match[0])
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
