"""Methods of texts, buffers and arrays that are known: whatever can put a hidden name together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.scope import Given, Scope
from plugseal.lang.ecmascript.resolving.combine import add, as_text, join, spelled
from plugseal.lang.ecmascript.resolving.encodings import decode_bytes
from plugseal.lang.ecmascript.resolving.members import with_more
from plugseal.lang.ecmascript.resolving.values import (
    AnyValue,
    Arguments,
    Partial,
    Sequence,
    Values,
    unique,
)
from plugseal.lang.folded import MAX_ITEMS, MAX_TEXT, Text
from plugseal.lang.judging.telling import MAX_COMBINED, choices
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_SIMPLE: Final = lazy(
    r"(?:[\w\s#@!$%&|,;:~=<>/\"'`-]|\\[\W_]|\\[dwsDWSnrtfv]|\\x[\da-fA-F]{2}|\\u[\da-fA-F]{4}|"
    r"\[(?:[^\]\\]|\\.)+\]|[.+])+"
)
"""Regular expressions of which both languages mean the same, without nested repetition."""


_MAX_SLOTS: Final = 4
"""Arguments of which each alternative is looked at."""


def call_method(resolver: Resolver, of: Text | Sequence, name: str, arguments: Arguments) -> Values:
    """Return all that a method of a known text, buffer or array may give."""
    if isinstance(of, Sequence):
        return _of_sequence(resolver, of, name, arguments)
    found: list[AnyValue] = []
    for given in _each_way(resolver, arguments):
        found.extend(_of_constant(resolver, of, name, given))
    return unique(found)


def _each_way(resolver: Resolver, arguments: Arguments) -> Iterable[Arguments]:
    """Return arguments once for each way to take one of the texts that each of them may be."""
    slots = [resolver.bound(*one) for one in arguments.positional[:_MAX_SLOTS]]
    if all(len(values) < 2 for values in slots) or not any(_are_texts(values) for values in slots):
        return (arguments,)
    scope = arguments.scope or resolver.root
    rest = arguments.positional[_MAX_SLOTS:]
    return [
        Arguments(
            tuple(
                (Given(values), scope) if _are_texts(slot) else one
                for one, slot, values in zip(arguments.positional, slots, way, strict=False)
            )
            + rest,
            arguments.rest,
            arguments.scope,
        )
        for way in choices(slots)
    ]


def _are_texts(values: Values) -> bool:
    return sum(1 for value in values if isinstance(value, Text)) > 1


def _of_constant(resolver: Resolver, of: Text, name: str, arguments: Arguments) -> Values:
    if isinstance(of.value, bytes):
        return _of_bytes(resolver, of.value, name, arguments)
    if isinstance(of.value, (int, float)) and name == "toString":
        return _number_text(resolver, of.value, arguments)
    if not isinstance(of.value, str):
        return ()
    if not of.whole:
        return (of,) if name in ("toString", "trim", "toLowerCase", "toUpperCase", "valueOf") else ()
    return _of_text(resolver, of.value, name, arguments)


def _argument(resolver: Resolver, arguments: Arguments, position: int) -> object:
    """Return the one constant that an argument is; None where it is missing or not known."""
    if position >= len(arguments.positional):
        return None
    values = resolver.bound(*arguments.positional[position])
    return values[0].value if values and isinstance(values[0], Text) and values[0].whole else None


def _index(resolver: Resolver, arguments: Arguments, position: int) -> int | None:
    value = _argument(resolver, arguments, position)
    return int(value) if isinstance(value, (int, float)) else None


def _of_text(resolver: Resolver, text: str, name: str, arguments: Arguments) -> Values:
    simple = _PLAIN.get(name)
    if simple is not None:
        return (Text(simple(text)),)
    if name == "split":
        return _split(resolver, text, arguments)
    if name in ("slice", "substring", "substr"):
        return _cut(resolver, text, name, arguments)
    if name in ("replace", "replaceAll"):
        return _replace(resolver, text, name, arguments)
    if name == "concat":
        parts = [as_text(value[0]) if value else None for value in _all(resolver, arguments)]
        made = join([Text(text), *(part for part in parts if part is not None)]) if None not in parts else None
        return (made,) if made is not None else ()
    if name in ("charAt", "at", "charCodeAt", "codePointAt"):
        found = _index(resolver, arguments, 0) if arguments.positional else 0
        if found is None or not -len(text) <= (at := found) < len(text):
            return ()
        return (Text(ord(text[at]) if name.endswith(("CodeAt", "PointAt")) else text[at]),)
    if name == "repeat":
        times = _index(resolver, arguments, 0)
        fits = times is not None and times >= 0 and len(text) * times <= MAX_TEXT
        return (Text(text * times),) if fits and times is not None else ()
    if name in ("padStart", "padEnd"):
        return _padded(resolver, text, name, arguments)
    if name == "normalize":
        return (Text(text),) if text.isascii() else ()
    if name == "indexOf":
        part = _argument(resolver, arguments, 0)
        return (Text(text.find(part)),) if isinstance(part, str) else ()
    return ()


_PLAIN: Final[dict[str, Callable[[str], str]]] = {
    "toString": str,
    "valueOf": str,
    "trim": str.strip,
    "trimStart": str.lstrip,
    "trimEnd": str.rstrip,
    "toLowerCase": str.lower,
    "toUpperCase": str.upper,
    "toLocaleLowerCase": str.lower,
    "toLocaleUpperCase": str.upper,
}


def _padded(resolver: Resolver, text: str, name: str, arguments: Arguments) -> Values:
    size = _index(resolver, arguments, 0)
    by = _argument(resolver, arguments, 1) if len(arguments.positional) > 1 else " "
    if size is None or not isinstance(by, str) or not by or size > MAX_TEXT // 4 or text.isdigit():
        return ()  # A number that is padded counts something, and is another one the next time.
    missing = max(size - len(text), 0)
    padding = (by * (missing // len(by) + 1))[:missing]
    return (Text(padding + text if name == "padStart" else text + padding),)


def _split(resolver: Resolver, text: str, arguments: Arguments) -> Values:
    separator = _argument(resolver, arguments, 0) if arguments.positional else None
    if not arguments.positional:
        return (Sequence(((Text(text),),)),)
    if separator is None:
        pattern = _pattern(resolver, arguments)
        if pattern is None:
            return ()
        parts = [part for part in pattern.split(text) if part is not None] if pattern.groups == 0 else []
    elif separator == "":
        parts = list(text)
    else:
        parts = text.split(separator) if isinstance(separator, str) else []
    return (Sequence(tuple((Text(part),) for part in parts[:MAX_ITEMS])),) if parts else ()


def _cut(resolver: Resolver, text: str, name: str, arguments: Arguments) -> Values:
    start = _index(resolver, arguments, 0) or 0
    end = _index(resolver, arguments, 1)
    if len(arguments.positional) > 1 and end is None:
        return ()
    if name == "substring":
        start, end = max(start, 0), end if end is None else max(end, 0)
        if end is not None and start > end:
            start, end = end, start
    if name == "substr" and end is not None:
        start = start if start >= 0 else max(len(text) + start, 0)
        end = start + end
    return (Text(text[start:end]),)


def _replace(resolver: Resolver, text: str, name: str, arguments: Arguments) -> Values:
    wanted, by = _argument(resolver, arguments, 0), _argument(resolver, arguments, 1)
    if not isinstance(by, str) or len(text) > MAX_TEXT // 4:
        return ()
    if isinstance(wanted, str):
        made = text.replace(wanted, by, 1 if name == "replace" else -1)
        return (Text(made),) if len(made) <= MAX_TEXT else ()
    pattern = _pattern(resolver, arguments)
    if pattern is None or len(text) > 8_192 or "$" in by:
        return ()
    made = pattern.sub(lambda _match: by, text, count=0 if _is_global(resolver, arguments) else 1)
    return (Text(made),) if len(made) <= MAX_TEXT else ()


def _pattern(resolver: Resolver, arguments: Arguments) -> re.Pattern[str] | None:
    """Return a simple regular expression argument as ours; None for any other."""
    node = arguments.positional[0][0]
    if not hasattr(node, "kind_id") or not resolver.grammar.is_kind(node, "regex"):  # type: ignore[arg-type]  # it is a node
        return None
    # As it is written: `text_at` resolves escapes, and makes a `w` of the `\w` in brackets.
    written = resolver.data[node.start_byte + 1 : node.end_byte]  # type: ignore[union-attr]  # as above
    body, _, flags = written.decode("utf-8", "replace").rpartition("/")
    if len(body) > 64 or not _SIMPLE.fullmatch(body):
        return None
    try:
        return re.compile(body, re.ASCII | (re.IGNORECASE if "i" in flags else 0))
    except re.error:
        return None


def _is_global(resolver: Resolver, arguments: Arguments) -> bool:
    return "g" in resolver.text_at(arguments.positional[0][0]).rpartition("/")[2]  # type: ignore[arg-type]  # a regex


def _all(resolver: Resolver, arguments: Arguments) -> list[Values]:
    return [resolver.bound(*one) for one in arguments.positional[:MAX_ITEMS]]


def _of_bytes(resolver: Resolver, data: bytes, name: str, arguments: Arguments) -> Values:
    if name in ("toString", "toLocaleString"):
        encoding = _argument(resolver, arguments, 0)
        made = decode_bytes(data, encoding if isinstance(encoding, str) else "utf8")
        return (Text(made),) if made is not None else ()
    if name in ("slice", "subarray"):
        start, end = _index(resolver, arguments, 0), _index(resolver, arguments, 1)
        return (Text(data[start:end]),)
    if name == "reverse":
        return (Text(data[::-1]),)
    if name in ("map", "join"):
        return call_method(resolver, Sequence(tuple((Text(one),) for one in data[:MAX_ITEMS])), name, arguments)
    return ()


def _number_text(resolver: Resolver, value: float, arguments: Arguments) -> Values:
    radix = _index(resolver, arguments, 0) or 10
    if radix == 10:
        return (Text(spelled(value)),)
    if not isinstance(value, int) or not 2 <= radix <= 36 or value < 0:
        return ()
    digits = ""
    while value:
        value, digit = divmod(value, radix)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return (Text(digits or "0"),)


def _of_sequence(resolver: Resolver, of: Sequence, name: str, arguments: Arguments) -> Values:
    if of.size > MAX_ITEMS:
        return ()
    resolver.fuel -= of.size // 8
    if name == "join":
        return _join(resolver, of, arguments)
    if name == "reverse" or name == "toReversed":
        return (Sequence(of.items[::-1]),)
    if name == "concat":
        items = list(of.items)
        for values in _all(resolver, arguments):
            for value in values[:1]:
                items.extend(value.items if isinstance(value, Sequence) else [(value,)])
        return (Sequence(tuple(items[:MAX_ITEMS])),)
    if name == "slice":
        return (Sequence(of.items[_index(resolver, arguments, 0) : _index(resolver, arguments, 1)]),)
    if name in ("map", "flatMap"):
        return _map(resolver, of, arguments)
    if name in ("reduce", "reduceRight"):
        return _reduce(of, name)
    if name in ("pop", "shift"):
        return with_more(of, of.items[-1] if name == "pop" else of.items[0]) if of.items else ()
    if name == "at":
        at = _index(resolver, arguments, 0) or 0
        return with_more(of, of.at(at if at >= 0 else of.size + at))
    if name in ("find", "findLast"):
        return with_more(of, unique([one for item in of.items[:64] for one in item]))
    if name == "toString":
        return _join(resolver, of, Arguments(()))
    return (of,) if name in ("filter", "sort", "flat", "values", "fill") else ()


def _join(resolver: Resolver, of: Sequence, arguments: Arguments) -> Values:
    separator = _argument(resolver, arguments, 0) if arguments.positional else ","
    if not isinstance(separator, str):
        return ()
    found: list[AnyValue] = []
    for way in choices(of.items) if of.size <= MAX_COMBINED else (of.items,):
        parts: list[Text] = []
        for item in way:
            if parts:
                parts.append(Text(separator))
            parts.append(as_text(item[0] if item else None))
        made = join(parts) if parts else Text("")
        found.extend((made,) if made is not None else ())
    return unique(found)


def _map(resolver: Resolver, of: Sequence, arguments: Arguments) -> Values:
    """Return the array of what a function gives for each item."""
    if not arguments.positional or of.size > 1_024:
        return ()
    scope = arguments.scope or resolver.root
    functions = [v for v in resolver.bound(*arguments.positional[0]) if isinstance(v, (Scope, str, Partial))][:2]
    items = []
    for at, item in enumerate(of.items):
        resolver.fuel -= 2
        given = Arguments(((Given(item), scope), (Given((Text(at),)), scope)), scope=scope)
        items.append(unique([one for function in functions for one in resolver.called(function, given)]))
    return (Sequence(tuple(items)),)


def _reduce(of: Sequence, name: str) -> Values:
    """Return the sum of an array of texts: what such a function mostly makes."""
    items = of.items[::-1] if name == "reduceRight" else of.items
    total: AnyValue | None = Text("")
    for item in items:
        total = add(total, item[0]) if item else None
        if total is None:
            return ()
    return (total,) if isinstance(total, Text) else ()
