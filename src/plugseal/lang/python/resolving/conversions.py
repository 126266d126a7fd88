"""Functions that make text, numbers and sequences of others."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Final

from plugseal.lang.folded import HOLE, MAX_ITEMS, MAX_TEXT, Text
from plugseal.lang.python.collecting.scope import OPAQUE, Item
from plugseal.lang.python.resolving.arguments import Given
from plugseal.lang.python.resolving.combine import item_of, items_of, text_or_hole
from plugseal.lang.python.resolving.texts import DECODERS, decode, method_results, plain, unpack
from plugseal.lang.python.resolving.values import AnyValue, Made, Mapping, Sequence, Values, unique

Function = Callable[[Given], Values | None]
_ITEMS_PER_FUEL = 16
"""Characters that are decoded, and numbers of a range, cost by their number."""


def _unpacker(name: str) -> Function:
    def unpack_given(given: Given) -> Values | None:
        found: list[AnyValue] = []
        for value in given.plains(0, "s", "data"):
            if isinstance(value, (str, bytes)):
                given.resolver.fuel -= len(value) // _ITEMS_PER_FUEL
                result = unpack(name, value)
                found.extend((result,) if result is not None else ())
        return unique(found) or None

    return unpack_given


def _codecs(given: Given) -> Values | None:
    encoding = given.plain(1, "encoding")
    found = [
        _decoded(value, encoding if encoding is not None else "utf-8")
        for value in given.plains(0, "obj")
        if isinstance(value, (str, bytes))
    ]
    return unique([text for text in found if text is not None]) or None


def _decoded(value: str | bytes, encoding: object) -> Text | None:
    try:
        return decode(value, encoding)
    except (ValueError, TypeError, LookupError):
        return None


def _from_hex(given: Given) -> Values | None:
    found: list[AnyValue] = []
    for value in given.plains(0):
        if isinstance(value, str) and len(value) <= MAX_TEXT:
            with contextlib.suppress(ValueError):
                found.append(Text(bytes.fromhex(value)))
    return unique(found) or None


def _chr(given: Given) -> Values | None:
    codes = [v.value for v in given.values(0) if isinstance(v, Text) and isinstance(v.value, int)]
    return unique([Text(chr(code)) for code in codes if 0 <= code < 0x110000])


def _ord(given: Given) -> Values | None:
    value = given.plain(0)
    return (Text(ord(value)),) if isinstance(value, (str, bytes)) and len(value) == 1 else ()


def _int(given: Given) -> Values | None:
    value, base = given.plain(0), given.plain(1, "base")
    if isinstance(value, bool) or not isinstance(value, (str, int)) or (isinstance(value, str) and len(value) > 64):
        return ()
    try:
        return (Text(int(value, base) if isinstance(base, int) and isinstance(value, str) else int(value)),)
    except ValueError:
        return ()


def _str(given: Given) -> Values | None:
    encoding = given.plain(1, "encoding")
    found: list[AnyValue] = []
    for value in given.values(0):
        text = value if isinstance(value, Text) and value.whole else text_or_hole(value)
        if isinstance(text.value, bytes):
            decoded = _decoded(text.value, encoding) if encoding is not None else None
            found.extend((decoded,) if decoded is not None else ())
        elif isinstance(text.value, int):
            found.append(Text(str(text.value)))
        elif isinstance(text.value, str) and text.value != HOLE:
            found.append(text)
    return unique(found) or tuple(value for value in given.values(0) if isinstance(value, Made))


def _bytes(given: Given) -> Values | None:
    for value in given.values(0):
        if isinstance(value, Text) and isinstance(value.value, bytes):
            return (value,)
        if isinstance(value, Text) and isinstance(value.value, str) and value.whole:
            try:
                result = decode(value.value, given.plain(1, "encoding"))
            except (ValueError, LookupError):
                return ()
            return (result,) if result is not None else ()
        if isinstance(value, Sequence):
            codes = [plain(item) for item in value.items]
            if all(isinstance(code, int) and 0 <= code < 256 for code in codes):
                return (Text(bytes(codes)),)  # type: ignore[arg-type]  # all are int
    return tuple(value for value in given.values(0) if isinstance(value, Made))


def _listed(given: Given) -> Values | None:
    found: list[AnyValue] = []
    for value in given.values(0):
        items = items_of(value)
        found.append(value if items is None else Sequence(items))
    return unique(found)


def _reversed(given: Given) -> Values | None:
    found = [items_of(value) for value in given.values(0)]
    return unique([Sequence(items[::-1]) for items in found if items is not None])


def _next(given: Given) -> Values | None:
    how = Item(OPAQUE, "iterate")
    return unique([v for value in given.values(0) for v in item_of(given.resolver, value, how)])


def _range(given: Given) -> Values | None:
    numbers = [given.plain(at) for at in range(len(given.arguments.positional))]
    if not 1 <= len(numbers) <= 3 or not all(isinstance(number, int) for number in numbers):
        return ()
    if len(numbers) == 3 and numbers[2] == 0:
        return ()
    span = range(*numbers)  # type: ignore[arg-type]  # all are int
    if span[MAX_ITEMS:]:  # `len` refuses a number that is no index.
        return ()
    items = tuple((Text(n),) for n in span)
    given.resolver.fuel -= len(items) // _ITEMS_PER_FUEL
    return (Sequence(items),)


def _len(given: Given) -> Values | None:
    for value in given.values(0):
        if isinstance(value, Sequence):
            return (Text(value.size),)
        return (Text(len(value.value)),) if isinstance(value, Text) and isinstance(value.value, (str, bytes)) else ()
    return ()


def _zip(given: Given) -> Values | None:
    columns: list[tuple[Values, ...]] = []
    for at in range(len(given.arguments.positional)):
        found = [items_of(value) for value in given.values(at)[:1]]
        if not found or found[0] is None:
            return ()
        columns.append(found[0])
    rows = zip(*columns, strict=False)
    return (Sequence(tuple((Sequence(tuple(row)),) for row in rows)),) if columns else ()


def _enumerate(given: Given) -> Values | None:
    for value in given.values(0):
        items = items_of(value)
        if items is None:
            return ()
        pairs = tuple((Sequence(((Text(at),), values)),) for at, values in enumerate(items))
        return (Sequence(pairs),)
    return ()


def _dict(given: Given) -> Values | None:
    pairs: list[tuple[Values, Values]] = []
    for value in given.values(0):
        if isinstance(value, Mapping):
            pairs.extend(value.pairs)
        elif isinstance(value, (Made, str)):
            return (value,)
    arguments = given.arguments
    pairs.extend(((Text(key),), given.resolver.value(node, scope)) for key, node, scope in arguments.keywords)
    return (Mapping(tuple(pairs)),)


def _unbound_method(name: str) -> Function:
    """Return `str.join(", ", x)` and the like: a method taken from its class."""

    def call(given: Given) -> Values | None:
        positional = [given.values(at) for at in range(1, len(given.arguments.positional))]
        texts = [of for of in given.plains(0) if isinstance(of, (str, bytes))]
        return unique([one for of in texts for one in method_results(of, name, positional, {})]) or None

    return call


def _split_words(given: Given) -> Values | None:
    import shlex

    text = given.plain(0, "s")
    if not isinstance(text, str) or len(text) > 4_096:
        return None
    try:
        words = shlex.split(text)
    except ValueError:
        return None
    return (Sequence(tuple((Text(word),) for word in words)),)


CONVERSIONS: Final[dict[str, Function]] = {
    **{name: _unpacker(name) for name in DECODERS},
    "codecs.decode": _codecs,
    "codecs.encode": _codecs,
    "builtins.bytes.fromhex": _from_hex,
    "builtins.bytearray.fromhex": _from_hex,
    "builtins.chr": _chr,
    "builtins.unichr": _chr,
    "builtins.ord": _ord,
    "builtins.int": _int,
    "builtins.str": _str,
    "builtins.unicode": _str,
    "builtins.bytes": _bytes,
    "builtins.bytearray": _bytes,
    "builtins.memoryview": _bytes,
    "builtins.list": _listed,
    "builtins.tuple": _listed,
    "builtins.set": _listed,
    "builtins.frozenset": _listed,
    "builtins.sorted": _listed,
    "builtins.iter": _listed,
    "builtins.reversed": _reversed,
    "builtins.next": _next,
    "builtins.range": _range,
    "builtins.len": _len,
    "builtins.zip": _zip,
    "builtins.enumerate": _enumerate,
    "builtins.dict": _dict,
    **{
        f"builtins.{kind}.{name}": _unbound_method(name)
        for kind in ("str", "bytes")
        for name in (
            "join",
            "format",
            "replace",
            "lower",
            "upper",
            "decode",
            "encode",
            "strip",
            "__add__",
            "__getitem__",
            "split",
        )
    },
    "shlex.split": _split_words,
}
"""By canonical name."""
