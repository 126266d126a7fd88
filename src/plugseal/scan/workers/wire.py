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
from typing import Final, NoReturn

from plugseal.errors import DataError
from plugseal.lang.facts import (
    UNKNOWN,
    Anchor,
    Context,
    EntryPoint,
    Event,
    FileFacts,
    Function,
    Interest,
    LocalCall,
    Nested,
    Ref,
    Unknown,
    Value,
)
from plugseal.scan.kept.checked import (
    RESOLUTIONS,
    Json,
    as_each,
    as_fact,
    as_one_of,
    as_place,
    as_row,
    as_span,
    as_text,
)

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
_STATUSES: Final = frozenset({"read", "partial", "unread"})


def render_facts(facts: FileFacts) -> bytes:
    """Return the facts of one file as JSON bytes."""
    return render_json(plain_facts(facts))


def parse_facts(data: bytes) -> FileFacts:
    """Return the facts that `render_facts` wrote.

    Raises:
        DataError: the bytes are anything else.
    """
    return as_facts(parse_json(data))


def plain_facts(facts: FileFacts) -> Json:
    """Return the facts of one file as plain data."""
    return [
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
        facts.functions,
        facts.calls,
    ]


def as_facts(value: Json) -> FileFacts:
    """Return the facts that `plain_facts` took apart.

    Raises:
        DataError: it is anything else.
    """
    row = as_row(value, 12)
    language, status, reason, facts, events, pending, exports, imports, entries, nested, functions, calls = row
    return FileFacts(
        as_text(language),
        as_one_of(status, _STATUSES),
        as_text(reason),
        as_each(facts, as_fact),
        as_each(events, _event),
        as_each(pending, _event),
        as_each(exports, _export),
        as_each(imports, as_text),
        as_each(entries, _entry),
        as_each(nested, _nested),
        as_each(functions, _function),
        as_each(calls, _call),
    )


def render_context(context: Context) -> bytes:
    """Return all of a context but its path, which goes with each request."""
    interest = context.interest
    strings = interest.strings
    return render_json(
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
    calls, prefixes, imports, attributes, strings, modules = as_row(parse_json(data), 6)
    pattern = None
    if strings is not None:
        text, flags = as_row(strings, 2)
        pattern = re.compile(as_text(text), as_place(flags))
    interest = Interest(
        frozenset(as_each(calls, as_text)),
        as_each(prefixes, as_text),
        frozenset(as_each(imports, as_text)),
        frozenset(as_each(attributes, as_text)),
        pattern,
    )
    return Context("", interest, frozenset(as_each(modules, as_text)))


def render_header(reader: str, path: str) -> bytes:
    """Return the header of a request to read one file."""
    return render_json([reader, path])


def parse_header(data: bytes) -> tuple[str, str]:
    """Return the reader's name and the path that `render_header` wrote.

    Raises:
        DataError: the bytes are anything else.
    """
    reader, path = as_row(parse_json(data), 2)
    return as_text(reader), as_text(path)


def render_json(value: Json) -> bytes:
    """Return plain data as JSON bytes."""
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


def parse_json(data: bytes) -> Json:
    """Return what `render_json` wrote, with unknown, named and large values in their places.

    Raises:
        DataError: it is no JSON, or holds a number or an object that is none of those.
    """
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
            return Ref(as_text(value))
        if key == "int":
            return int(as_text(value), 16)
        if key == "float":
            return float.fromhex(as_text(value))
    raise DataError("malformed frame: unknown value")


def _refuse(_number: str) -> NoReturn:
    raise DataError("malformed frame: number")


def _value(value: Json) -> Value:
    if isinstance(value, list):
        return tuple(_value(item) for item in value)
    if value is None or isinstance(value, (str, int, float, Ref, Unknown)):
        return value
    raise DataError("malformed frame: value")


def _keyword(value: Json) -> tuple[str, Value]:
    name, argument = as_row(value, 2)
    return as_text(name), _value(argument)


def _event(value: Json) -> Event:
    kind, name, span, arguments, keywords, resolution, trigger = as_row(value, 7)
    return Event(
        as_text(kind),
        as_text(name),
        as_span(span),
        as_each(arguments, _value),
        as_each(keywords, _keyword),
        as_one_of(resolution, RESOLUTIONS),
        as_text(trigger),
    )


def _export(value: Json) -> tuple[str, tuple[str, ...]]:
    name, origins = as_row(value, 2)
    return as_text(name), as_each(origins, as_text)


def _entry(value: Json) -> EntryPoint:
    name, trigger, line = as_row(value, 3)
    return EntryPoint(as_text(name), as_text(trigger), as_place(line))


def _function(value: Json) -> Function:
    name, line, end_line = as_row(value, 3)
    return Function(as_text(name), as_place(line), as_place(end_line))


def _call(value: Json) -> LocalCall:
    line, name = as_row(value, 2)
    return LocalCall(as_place(line), as_text(name))


def _nested(value: Json) -> Nested:
    language, text, span, anchors, trigger, how = as_row(value, 6)
    return Nested(
        as_text(language), as_text(text), as_span(span), as_each(anchors, _anchor), as_text(trigger), as_text(how)
    )


def _anchor(value: Json) -> Anchor:
    offset, line, column = as_row(value, 3)
    return Anchor(as_place(offset), as_place(line), as_place(column))
