"""Messages of JSON-RPC over lines, judged without being changed: what two parsers could read differently is refused.

Refused in either direction: duplicate keys anywhere, keys of the envelope or directly below it that differ only in case
(some parsers fold it), lone surrogates, NaN and infinities, IDs that are not the same in every language, a request that
is an answer too, nesting beyond a bound, a line that is no JSON object (an array only where the protocol has batches),
bytes that are not UTF-8, a carriage return but at the line's end (it ends a line for some readers, so that a message
could stand inside of another). The bytes themselves are what is forwarded; nothing is ever written anew from what was
parsed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

MAX_DEPTH: Final = 128
MAX_WHOLE: Final = 2**53 - 1
"""Beyond it numbers are not the same number in every language."""
_LONG_BYTES: Final = 4096
_ENVELOPE: Final = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})
_PARTS: Final = ("params", "result", "error")
"""Of the envelope: what the other side looks into by name."""
_SURROGATE: Final = lazy(rb"\\u[dD][89a-fA-F]")


class Frame(NamedTuple):
    """One message of a line; a batch has several."""

    id: str | None
    """The ID as canonical JSON, None for a notification."""
    method: str | None
    """None for a response."""
    body: dict[str, Any]  # Any: JSON

    @property
    def is_request(self) -> bool:
        """Say whether it wants an answer."""
        return self.method is not None and self.id is not None

    @property
    def is_response(self) -> bool:
        """Say whether it is an answer."""
        return self.method is None and self.id is not None


def parse_line(line: bytes, *, batches: bool = False) -> tuple[Frame, ...]:
    """Return the messages of a line.

    Args:
        line: without its line end; a carriage return before it is allowed.
        batches: whether an array of messages is allowed (protocol version 2025-03-26).

    Raises:
        RefusedError: it can be read in two ways, or is no message.
    """
    value = _parse(line.removesuffix(b"\r"))
    if isinstance(value, list) and batches and value:
        return tuple(_frame(item) for item in value)
    return (_frame(value),)


def _parse(line: bytes) -> object:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _ambiguous("it is not UTF-8") from error
    if text.startswith("\ufeff"):
        raise _ambiguous("it begins with a byte order mark")
    if b"\r" in line and b"\r" in line.strip():
        raise _ambiguous("it holds a carriage return, which ends a line for some readers")
    try:
        value: object = _decode(text)
    except RefusedError:
        raise
    except (ValueError, RecursionError) as error:
        raise _ambiguous("it is no JSON") from error
    # The parser itself stops long before memory does.
    if _has_many_brackets(line) and _is_deep(value):
        raise _ambiguous(f"it nests deeper than {MAX_DEPTH}")
    if b"\\" in line and _SURROGATE.search(line) and _holds_surrogate(value):
        raise _ambiguous("it holds half of a character")
    return value


def _decode(text: str) -> object:
    if text.startswith("{"):
        # What `decode` does behind the blanks that it looks for before and after: nearly always there are none.
        value, end = _DECODER.raw_decode(text)
        if end == len(text):
            return value
    return _DECODER.decode(text)


def _frame(value: object) -> Frame:
    if not isinstance(value, dict):
        raise _ambiguous("it is no message")
    for key in () if value.keys() <= _ENVELOPE else value:
        if key not in _ENVELOPE and key.casefold() in _ENVELOPE:
            raise _ambiguous(f"its key `{key}` differs from `{key.casefold()}` only in case")
    for name in _PARTS:
        if name in value:
            _verify_spelling(value[name])
    method = None
    if "method" in value:
        method = value["method"]
        if not isinstance(method, str):
            raise _ambiguous("its method is no text")
        if "result" in value or "error" in value:
            raise _ambiguous("it is a request and an answer at the same time")
    elif "result" in value and "error" in value:
        raise _ambiguous("it is an answer and an error at the same time")
    return Frame(_id(value), method, value)


def _id(value: dict[str, Any]) -> str | None:  # Any: JSON
    if "id" not in value:
        return None
    number = value["id"]
    if number is None and "method" not in value:
        return None  # an error that answers nothing that could be read
    if isinstance(number, bool) or not isinstance(number, str | int):
        raise _ambiguous("its ID is neither text nor a whole number")
    if isinstance(number, int) and abs(number) > MAX_WHOLE:
        raise _ambiguous("its ID is too large a number")
    return json.dumps(number) if isinstance(number, str) else str(number)


def _verify_spelling(part: object) -> None:
    if isinstance(part, dict) and len({key.casefold() for key in part}) != len(part):
        raise _ambiguous("two of its keys differ only in case")


def _has_many_brackets(line: bytes) -> bool:
    """Say whether a line has more brackets that open than it may nest deep: only then can it."""
    if len(line) < _LONG_BYTES:
        return line.count(b"[") + line.count(b"{") > MAX_DEPTH
    # From one to the next: in a long line most bytes are text, which is searched faster than it is counted.
    left = MAX_DEPTH
    for bracket in (b"[", b"{"):
        at = line.find(bracket)
        while at >= 0:
            left -= 1
            if left < 0:
                return True
            at = line.find(bracket, at + 1)
    return False


def _is_deep(value: object) -> bool:
    waiting = [(value, 1)]
    while waiting:
        item, depth = waiting.pop()
        if not isinstance(item, dict | list):
            continue
        if depth > MAX_DEPTH:
            return True
        waiting.extend((below, depth + 1) for below in (item.values() if isinstance(item, dict) else item))
    return False


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _ambiguous("a key stands twice in it")
    return found


def _no_constant(text: str) -> object:
    raise _ambiguous(f"it holds `{text}`")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
"""Made once: every line passes through it."""


def _holds_surrogate(value: object) -> bool:
    return any("\ud800" <= character <= "\udfff" for text in _texts(value) for character in text)


def _texts(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend(item)
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def _ambiguous(what: str) -> RefusedError:
    return RefusedError(
        Reason.FRAME_AMBIGUOUS.value, f"a message was refused: {what}", hint=Reason.FRAME_AMBIGUOUS.hint
    )
