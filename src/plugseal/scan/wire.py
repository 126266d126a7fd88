"""What crosses a worker's pipe: facts, contexts and frames, as bytes and back.

Rules
- `parse_facts(render_facts(x)) == x` in values *and* types, lone surrogates, huge integers and infinities included.
- The other end runs parsers over hostile bytes, so a reply is hostile too: every field is checked before it is
  believed, and anything unexpected is refused as a whole.

It never holds anything but plain JSON: no pickle, no code.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable
from typing import Final, NoReturn, TypeAlias, TypeVar

from plugseal.errors import DataError
from plugseal.lang.facts import (
    UNKNOWN,
    Anchor,
    Context,
    EntryPoint,
    Event,
    FileFacts,
    Interest,
    Nested,
    Ref,
    Unknown,
    Value,
)
from plugseal.model.capability import Capability, Channel, Fact, Resolution
from plugseal.model.location import Span

Json: TypeAlias = object
"""What the JSON decoder yields; each use narrows it."""
T = TypeVar("T")

REQUEST: Final = struct.Struct(">cII")
"""Kind, bytes of the header, bytes of the data."""
REPLY: Final = struct.Struct(">cI")
"""What the worker does next, bytes of the facts."""
KIND_CONTEXT: Final = b"c"
KIND_READ: Final = b"r"
STAYS: Final = b"s"
RETIRES: Final = b"e"
"""The worker's heap has grown so far that it ends after this reply."""

_MAX_JSON_INTEGER: Final = 2**53
_MAX_PLACE: Final = 2**31
_STATUSES: Final = frozenset({"read", "partial", "unread"})
_CAPABILITIES: Final = frozenset(c.value for c in Capability)
_RESOLUTIONS: Final = frozenset(r.value for r in Resolution)
_CHANNELS: Final = frozenset(c.value for c in Channel)


def render_facts(facts: FileFacts) -> bytes:
    """Return the facts of one file as JSON bytes."""
    return _render(
        [
            facts.language,
            facts.status,
            facts.reason,
            facts.facts,
            [_plain_event(event) for event in facts.events],
            [_plain_event(event) for event in facts.pending],
            facts.exports,
            facts.imports,
            facts.entries,
            facts.nested,
        ]
    )


def parse_facts(data: bytes) -> FileFacts:
    """Return the facts that `render_facts` wrote.

    Raises:
        DataError: the bytes are anything else.
    """
    language, status, reason, facts, events, pending, exports, imports, entries, nested = _row(_parse(data), 10)
    return FileFacts(
        _text(language),
        _one_of(status, _STATUSES),
        _text(reason),
        _each(facts, _fact),
        _each(events, _event),
        _each(pending, _event),
        _each(exports, _export),
        _each(imports, _text),
        _each(entries, _entry),
        _each(nested, _nested),
    )


def render_context(context: Context) -> bytes:
    """Return all of a context but its path, which goes with each request."""
    interest = context.interest
    strings = interest.strings
    return _render(
        [
            sorted(interest.calls),
            interest.call_prefixes,
            sorted(interest.imports),
            sorted(interest.attributes),
            None if strings is None else [strings.pattern, strings.flags],
            sorted(context.local_modules),
        ]
    )


def parse_context(data: bytes) -> Context:
    """Return the context that `render_context` wrote, without a path.

    Raises:
        DataError: the bytes are anything else.
    """
    calls, prefixes, imports, attributes, strings, modules = _row(_parse(data), 6)
    pattern = None
    if strings is not None:
        text, flags = _row(strings, 2)
        pattern = re.compile(_text(text), _place(flags))
    interest = Interest(
        frozenset(_each(calls, _text)),
        _each(prefixes, _text),
        frozenset(_each(imports, _text)),
        frozenset(_each(attributes, _text)),
        pattern,
    )
    return Context("", interest, frozenset(_each(modules, _text)))


def render_header(reader: str, path: str) -> bytes:
    """Return the header of a request to read one file."""
    return _render([reader, path])


def parse_header(data: bytes) -> tuple[str, str]:
    """Return the reader's name and the path that `render_header` wrote.

    Raises:
        DataError: the bytes are anything else.
    """
    reader, path = _row(_parse(data), 2)
    return _text(reader), _text(path)


def _render(value: Json) -> bytes:
    # Not ASCII with escapes: two lone surrogates side by side would come back as one character.
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def _plain_event(event: Event) -> Json:
    kind, name, span, arguments, keywords, resolution, trigger = event
    plain = [_plain(value) for value in arguments]
    named = [(key, _plain(value)) for key, value in keywords]
    return [kind, name, span, plain, named, resolution, trigger]


def _plain(value: Value) -> Json:
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return value if -_MAX_JSON_INTEGER < value < _MAX_JSON_INTEGER else {"int": hex(value)}
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, Ref):
        return {"ref": value.name}
    if isinstance(value, Unknown):
        return {}
    return [_plain(item) for item in value]


def _parse(data: bytes) -> Json:
    try:
        text = data.decode("utf-8", "surrogatepass")
        value: Json = json.loads(text, object_pairs_hook=_named_value, parse_float=_refuse, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise DataError("malformed frame") from error
    return value


def _named_value(pairs: list[tuple[str, Json]]) -> Value:
    if not pairs:
        return UNKNOWN
    if len(pairs) == 1:
        key, value = pairs[0]
        if key == "ref":
            return Ref(_text(value))
        if key == "int":
            return int(_text(value), 16)
        if key == "float":
            return float.fromhex(_text(value))
    raise DataError("malformed frame: unknown value")


def _refuse(_text: str) -> NoReturn:
    raise DataError("malformed frame: number")


def _value(value: Json) -> Value:
    if isinstance(value, list):
        return tuple(_value(item) for item in value)
    if value is None or isinstance(value, (str, int, float, Ref, Unknown)):
        return value
    raise DataError("malformed frame: value")


def _keyword(value: Json) -> tuple[str, Value]:
    name, argument = _row(value, 2)
    return _text(name), _value(argument)


def _event(value: Json) -> Event:
    kind, name, span, arguments, keywords, resolution, trigger = _row(value, 7)
    return Event(
        _text(kind),
        _text(name),
        _span(span),
        _each(arguments, _value),
        _each(keywords, _keyword),
        _one_of(resolution, _RESOLUTIONS),
        _text(trigger),
    )


def _fact(value: Json) -> Fact:
    span, capability, thing, resolution, channel, trigger = _row(value, 6)
    return Fact(
        _span(span),
        _one_of(capability, _CAPABILITIES),
        None if thing is None else _text(thing),
        _one_of(resolution, _RESOLUTIONS),
        _one_of(channel, _CHANNELS),
        _text(trigger),
    )


def _export(value: Json) -> tuple[str, tuple[str, ...]]:
    name, origins = _row(value, 2)
    return _text(name), _each(origins, _text)


def _entry(value: Json) -> EntryPoint:
    name, trigger, line = _row(value, 3)
    return EntryPoint(_text(name), _text(trigger), _place(line))


def _nested(value: Json) -> Nested:
    language, text, span, anchors, trigger, how = _row(value, 6)
    return Nested(_text(language), _text(text), _span(span), _each(anchors, _anchor), _text(trigger), _text(how))


def _anchor(value: Json) -> Anchor:
    offset, line, column = _row(value, 3)
    return Anchor(_place(offset), _place(line), _place(column))


def _span(value: Json) -> Span:
    line, column, end_line, end_column = _row(value, 4)
    return Span(_place(line), _place(column), _place(end_line), _place(end_column))


def _row(value: Json, length: int) -> list[Json]:
    if not isinstance(value, list) or len(value) != length:
        raise DataError(f"malformed frame: no row of {length}")
    return value


def _each(value: Json, parse: Callable[[Json], T]) -> tuple[T, ...]:
    if not isinstance(value, list):
        raise DataError("malformed frame: no list")
    return tuple(parse(item) for item in value)


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise DataError("malformed frame: no text")
    return value


def _one_of(value: Json, known: frozenset[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise DataError("malformed frame: unknown word")
    return value


def _place(value: Json) -> int:
    if type(value) is not int or not 0 <= value < _MAX_PLACE:
        raise DataError("malformed frame: no place")
    return value
