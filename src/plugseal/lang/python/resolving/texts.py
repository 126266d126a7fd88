"""Methods of text and bytes, formatting and decoders, for values that are known. Nothing here runs code.

Every function returns None where the result is not known, would be too long, or the call is an error in Python.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from typing import Final

from plugseal.lang.folded import HOLE, MAX_ITEMS, MAX_TEXT, Text
from plugseal.lang.judging.telling import MAX_COMBINED, choices
from plugseal.lang.python.resolving.values import (
    MAX_ALTERNATIVES,
    AnyValue,
    Mapping,
    Sequence,
    Values,
)
from plugseal.patterns import lazy

_SAFE_CODECS: Final = frozenset(
    "utf8 utf16 utf16le utf16be utf32 ascii usascii latin1 iso88591 cp1252 rot13 hex hexcodec base64 base64codec "
    "unicodeescape rawunicodeescape zlib zip zipcodec zlibcodec idna punycode utf8sig utf7 "
    "cp037 cp273 cp500 cp875 cp1026 cp1140 cp437 cp850 iso885915 uu".split()
)
_SLOW_CODECS: Final = frozenset(("idna", "punycode"))
_MAX_SLOW: Final = 1_024
"""Characters that those may take: they are made for names, and work in the square of a text's length."""
_PERCENT: Final = lazy(
    r"%(?:\((?P<key>[^)]{0,64})\))?(?P<flags>[-#0 +]{0,4}\d{0,3}(?:\.\d{0,3})?)(?P<type>[sdixXocr%])"
)
_BRACES: Final = lazy(r"\{\{|\}\}|\{(?P<field>[^{}!:.\[]{0,64})(?P<rest>[^{}]{0,64})\}")
_UNARY: Final = frozenset("lower upper strip lstrip rstrip swapcase title capitalize casefold hex".split())
_EXPAND: Final = frozenset("strip lstrip rstrip removeprefix removesuffix".split())


def plain(values: Values) -> str | bytes | int | float | None:
    """Return the one constant that values fold to in full, else None."""
    for value in values:
        if isinstance(value, Text) and value.whole:
            return value.value
    return None


def format_percent(pattern: Text, given: AnyValue | None) -> list[Text]:
    """Return all that `pattern % given` may be; unknown parts become holes."""
    found = [_format_percent(pattern, one) for one in (_each_list(given) if given is not None else (None,))]
    return [one for one in found if one is not None]


def _format_percent(pattern: Text, given: AnyValue | None) -> Text | None:
    text = pattern.value
    was_bytes = isinstance(text, bytes)
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        return None
    items: list[Values] = list(given.items) if isinstance(given, Sequence) else [(given,) if given is not None else ()]
    whole, used = pattern.whole, 0

    def fill(match: re.Match[str]) -> str:
        nonlocal whole, used
        if match["type"] == "%":
            return "%"
        values: Values = ()
        if match["key"] is not None:
            values = given.find(match["key"]) if isinstance(given, Mapping) else ()
        elif used < len(items):
            values, used = items[used], used + 1
        filled = _fill_percent(match["flags"], match["type"], plain(values))
        whole = whole and filled is not None
        return HOLE if filled is None else filled

    result = _PERCENT.sub(fill, text)
    if len(result) > MAX_TEXT:
        return None
    return Text(result.encode("latin-1", "replace") if was_bytes and whole else result, whole)


def _fill_percent(flags: str, kind: str, value: str | bytes | int | float | None) -> str | None:
    if value is None or len(flags) > 4:
        return None
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    try:
        return f"%{flags}{kind}" % (value,)
    except (TypeError, ValueError, OverflowError):
        return None


def format_braces(pattern: str, positional: list[Values], keywords: dict[str, Values]) -> Text | None:
    """Return `pattern.format(...)` for plain fields; other fields become holes."""
    whole, count = True, 0

    def fill(match: re.Match[str]) -> str:
        nonlocal whole, count
        if match[0] in ("{{", "}}"):
            return match[0][0]
        field = match["field"]
        values: Values = ()
        if not field:
            values = positional[count] if count < len(positional) else ()
            count += 1
        elif field.isdigit():
            values = positional[int(field)] if int(field) < len(positional) else ()
        else:
            values = keywords.get(field, ())
        filled = format_value(plain(values), match["rest"])
        whole = whole and filled is not None
        return HOLE if filled is None else filled

    result = _BRACES.sub(fill, pattern)
    return Text(result, whole) if len(result) <= MAX_TEXT else None


def format_value(value: str | bytes | int | float | None, rest: str = "") -> str | None:
    """Return a value as an f-string shows it, with `!s` and short format codes only."""
    if value is None or isinstance(value, float):
        return None
    if rest in ("", "!s"):
        return str(value)
    if rest == "!r":
        return repr(value)
    if rest == ":c" and isinstance(value, int):
        return chr(value) if 0 <= value < 0x110000 else None
    if rest.startswith(":") and len(rest) <= 5 and not isinstance(value, bytes):
        try:
            return format(value, rest[1:])
        except (TypeError, ValueError):
            return None
    return None


def method_results(
    value: str | bytes, name: str, positional: list[Values], keywords: dict[str, Values]
) -> list[AnyValue]:
    """Return all that a method of a known text or bytes may give."""
    if name == "join" and positional:
        found = [_join(value, one) for given in positional[0][:MAX_ALTERNATIVES] for one in _each_list(given)]
        return [one for one in found if one is not None]
    results: list[AnyValue] = []
    for given in choices((*positional, *keywords.values())):
        named = dict(zip(keywords, given[len(positional) :], strict=True))
        result = _call_method(value, name, list(given[: len(positional)]), named)
        results.extend((result,) if result is not None else ())
    return results


def _each_list(value: AnyValue) -> Iterator[AnyValue]:
    """Yield a sequence once for each way to take one text of every item."""
    if not isinstance(value, Sequence) or len(value.items) > MAX_COMBINED:
        yield value
        return
    yield from (Sequence(items) for items in choices(value.items))


def _call_method(
    value: str | bytes, name: str, positional: list[Values], keywords: dict[str, Values]
) -> AnyValue | None:
    try:
        if name == "format" and isinstance(value, str):
            return format_braces(value, positional, keywords)
        given = [plain(values) for values in positional]
        if any(one is None for one in given):
            return None
        return _call_plain(value, name, given, {key: plain(values) for key, values in keywords.items()})
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError, MemoryError, ArithmeticError):
        return None


def _call_plain(
    value: str | bytes, name: str, given: list[str | bytes | int | float | None], keywords: dict[str, object]
) -> AnyValue | None:
    if name in ("decode", "encode"):
        return decode(value, given[0] if given else keywords.get("encoding", "utf-8"))
    if (name in _UNARY and not given) or name in _EXPAND:
        return Text(getattr(value, name)(*given))
    if name == "replace" and len(given) in (2, 3):
        if len(given[1]) * (len(value) + 1) > 64 * MAX_TEXT:  # type: ignore[arg-type]  # str or bytes, else TypeError
            return None
        result = value.replace(*given)  # type: ignore[arg-type]  # a wrong type raises TypeError, which is caught
        return Text(result) if len(result) <= MAX_TEXT else None
    if name in ("split", "rsplit", "splitlines", "partition", "rpartition") and len(given) <= 2:
        parts = getattr(value, name)(*given)
        return Sequence(tuple((Text(part),) for part in parts)) if len(parts) <= MAX_ITEMS else None
    if name in ("zfill", "ljust", "rjust", "center") and given and isinstance(given[0], int) and given[0] <= MAX_TEXT:
        return Text(getattr(value, name)(*given))
    if name in ("find", "index", "count", "rfind", "__len__", "startswith", "endswith") and len(given) <= 3:
        return Text(getattr(value, name)(*given))
    if name == "__getitem__" and given and isinstance(given[0], int):
        return Text(value[given[0]])
    if name == "__add__" and given and type(given[0]) is type(value) and len(value) + len(given[0]) <= MAX_TEXT:
        return Text(value + given[0])  # type: ignore[operator]  # of one type
    return None


def _join(glue: str | bytes, value: AnyValue) -> Text | None:
    if isinstance(value, Text) and isinstance(value.value, str) and isinstance(glue, str):
        return Text(glue.join(value.value), value.whole) if len(value.value) * (len(glue) + 1) <= MAX_TEXT else None
    if not isinstance(value, Sequence):
        return None
    texts = [plain(item) for item in value.items]
    if isinstance(glue, bytes):
        if all(isinstance(text, bytes) for text in texts):
            return _bounded(glue.join(texts))  # type: ignore[arg-type]  # all are bytes
        return None
    if not any(isinstance(text, str) for text in texts):
        return None
    return _bounded_text(glue, [text if isinstance(text, str) else None for text in texts])


def _bounded(value: bytes) -> Text | None:
    return Text(value) if len(value) <= MAX_TEXT else None


def _bounded_text(glue: str, texts: list[str | None]) -> Text | None:
    if sum(len(text or HOLE) + len(glue) for text in texts) > MAX_TEXT:
        return None
    return Text(glue.join(HOLE if text is None else text for text in texts), None not in texts)


def decode(value: str | bytes, encoding: object) -> Text | None:
    """Return `value` through one of the known codecs; from text to bytes or back, as the codec works."""
    if not isinstance(encoding, str) or len(value) > MAX_TEXT:
        return None
    name = encoding.lower().replace("-", "").replace("_", "").replace(" ", "")
    if name not in _SAFE_CODECS or (name in _SLOW_CODECS and len(value) > _MAX_SLOW):
        return None
    if name == "rot13":
        return Text(codecs.encode(value, "rot13")) if isinstance(value, str) else None
    if name in ("hex", "hexcodec"):
        return Text(binascii.unhexlify(value))
    if name in ("base64", "base64codec"):
        return Text(binascii.a2b_base64(value))
    if name in ("zip", "zlib", "zipcodec", "zlibcodec"):
        return Text(inflate(value, 15)) if isinstance(value, bytes) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Unknown escapes make some codecs warn.
        return Text(value.decode(encoding)) if isinstance(value, bytes) else Text(value.encode(encoding))


def inflate(data: bytes, window: int) -> bytes:
    """Return unpacked data of at most `MAX_TEXT` bytes.

    Raises:
        ValueError: it is longer, or not packed like this.
    """
    machine = zlib.decompressobj(window)
    try:
        result = machine.decompress(data, MAX_TEXT)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if machine.unconsumed_tail:
        raise ValueError("too long")
    return result


def _packed(opener: Callable[[bytes], bytes]) -> Callable[[str | bytes], bytes]:
    def unpack(value: str | bytes) -> bytes:
        return opener(value.encode("ascii") if isinstance(value, str) else value)

    return unpack


def _bz2(data: bytes) -> bytes:
    import bz2

    return bz2.BZ2Decompressor().decompress(data, MAX_TEXT)


def _lzma(data: bytes) -> bytes:
    import lzma

    try:
        return lzma.LZMADecompressor(memlimit=64 << 20).decompress(data, MAX_TEXT)
    except lzma.LZMAError as error:
        raise ValueError(str(error)) from None


DECODERS: Final[dict[str, Callable[[str | bytes], bytes]]] = {
    "base64.b64decode": _packed(base64.b64decode),
    "base64.standard_b64decode": _packed(base64.b64decode),
    "base64.urlsafe_b64decode": _packed(base64.urlsafe_b64decode),
    "base64.decodebytes": _packed(base64.decodebytes),
    "base64.decodestring": _packed(base64.decodebytes),
    "base64.b32decode": _packed(base64.b32decode),
    "base64.b16decode": _packed(base64.b16decode),
    "base64.b85decode": _packed(base64.b85decode),
    "base64.a85decode": _packed(base64.a85decode),
    "binascii.a2b_base64": _packed(binascii.a2b_base64),
    "binascii.unhexlify": _packed(binascii.unhexlify),
    "binascii.a2b_hex": _packed(binascii.unhexlify),
    "zlib.decompress": _packed(lambda data: inflate(data, 15)),
    "gzip.decompress": _packed(lambda data: inflate(data, 31)),
    "bz2.decompress": _packed(_bz2),
    "lzma.decompress": _packed(_lzma),
}
"""Functions that unpack one argument, with the same done here, bounded."""


def unpack(name: str, value: str | bytes) -> Text | None:
    """Return what a decoder gives for a constant."""
    if len(value) > MAX_TEXT:
        return None
    try:
        result = DECODERS[name](value)
    except (ValueError, OSError, EOFError, MemoryError, LookupError):
        return None
    return _bounded(result)


def slice_of(value: AnyValue, bounds: tuple[int | None, int | None, int | None]) -> AnyValue | None:
    """Return a slice of a known text or sequence."""
    cut = slice(*bounds)
    if bounds[2] == 0:
        return None
    if isinstance(value, Text) and isinstance(value.value, (str, bytes)):
        if value.whole:
            return Text(value.value[cut])
        head = value.value.partition(HOLE)[0] if isinstance(value.value, str) else b""
        keeps_head = bounds[0] in (None, 0) and bounds[2] in (None, 1)
        return Text(head + HOLE, whole=False) if keeps_head and isinstance(head, str) and head else None
    if isinstance(value, Sequence):
        return Sequence(value.items[cut])
    return None
