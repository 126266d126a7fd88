"""Messages of JSON-RPC over lines, judged without being changed: what two parsers could read differently is refused.

Refused in either direction: duplicate keys anywhere, envelope keys that differ only in case, lone surrogates, NaN and
infinities, nesting beyond a bound, a line that is no JSON object (an array only where the protocol has batches), bytes
that are not UTF-8. The bytes themselves are what is forwarded; nothing is ever written anew from what was parsed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason

MAX_DEPTH: Final = 128
_ENVELOPE: Final = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_STRUCTURE: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]')


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
    depth = 0
    for token in _STRUCTURE.finditer(line):
        mark = token[0]
        if mark in (b"[", b"{"):
            depth += 1
            if depth > MAX_DEPTH:
                raise _ambiguous(f"it nests deeper than {MAX_DEPTH}")
        elif mark in (b"]", b"}"):
            depth -= 1
    try:
        value: object = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RefusedError:
        raise
    except (ValueError, RecursionError) as error:
        raise _ambiguous("it is no JSON") from error
    if _SURROGATE.search(line) and _holds_surrogate(value):
        raise _ambiguous("it holds half of a character")
    return value


def _frame(value: object) -> Frame:
    if not isinstance(value, dict):
        raise _ambiguous("it is no message")
    for key in value:
        if key not in _ENVELOPE and key.lower() in _ENVELOPE:
            raise _ambiguous(f"its key `{key}` differs from `{key.lower()}` only in case")
    method = value.get("method")
    if method is not None and not isinstance(method, str):
        raise _ambiguous("its method is no text")
    number = value.get("id")
    if isinstance(number, bool) or not isinstance(number, str | int | float | None):
        raise _ambiguous("its ID is neither text nor a number")
    return Frame(None if number is None else json.dumps(number), method, value)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _ambiguous("a key stands twice in it")
    return found


def _no_constant(text: str) -> object:
    raise _ambiguous(f"it holds `{text}`")


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
