"""Functions of the language and of its standard modules whose results can be known: decoders, paths, reflection."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

from plugseal.lang.ecmascript.collecting.scope import Scope
from plugseal.lang.ecmascript.resolving.arguments import applied, argument_texts, argument_values
from plugseal.lang.ecmascript.resolving.combine import as_text, as_texts, is_number, join, number
from plugseal.lang.ecmascript.resolving.containers import (
    entries_listed,
    names_listed,
    object_of_entries,
    set_of,
    table_of,
    values_listed,
)
from plugseal.lang.ecmascript.resolving.encodings import decode_base64, encode_text
from plugseal.lang.ecmascript.resolving.members import member_of
from plugseal.lang.ecmascript.resolving.names import FUNCTION_MAKER
from plugseal.lang.ecmascript.resolving.texts import call_method
from plugseal.lang.ecmascript.resolving.values import (
    MAX_ALTERNATIVES,
    AnyValue,
    Arguments,
    Instance,
    Made,
    Mapping,
    Sequence,
    Values,
    unique,
)
from plugseal.lang.folded import HOLE, MAX_ITEMS, MAX_TEXT, Text
from plugseal.lang.judging.paths import join_paths
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugseal.lang.ecmascript.resolving.resolver import Resolver


def _fold_text(fold: Callable[[str], str | None]) -> Callable[[Resolver, Arguments], Values | None]:
    def folded(resolver: Resolver, arguments: Arguments) -> Values | None:
        found = [fold(text) for text in argument_texts(resolver, arguments, 0)]
        return unique([Text(text) for text in found if text is not None]) or None

    return folded


def _atob(text: str) -> str | None:
    data = decode_base64(text)
    return data.decode("latin-1") if data is not None else None


def _unescape(text: str) -> str:
    return re.sub(r"%u([0-9a-fA-F]{4})|%([0-9a-fA-F]{2})", lambda m: chr(int(m[1] or m[2], 16)), text)


def _buffer_from(resolver: Resolver, arguments: Arguments) -> Values:
    encodings = argument_texts(resolver, arguments, 1) or ["utf8"]
    found: list[AnyValue] = []
    for value in argument_values(resolver, arguments, 0)[:4]:
        if isinstance(value, Sequence):
            data = _bytes_of(value)
            if data is not None:
                found.append(Text(data))
        elif isinstance(value, Text) and isinstance(value.value, bytes):
            found.append(value)
        elif isinstance(value, Text) and isinstance(value.value, str) and value.whole:
            made = encode_text(value.value, encodings[0])
            if made is not None:
                found.append(Text(made))
    return unique(found) or (Made("globals.Buffer()", arguments),)


def _bytes_of(value: Sequence) -> bytes | None:
    if value.size > MAX_ITEMS:
        return None
    items = [item[0].value if len(item) == 1 and isinstance(item[0], Text) else None for item in value.items]
    numbers = [item for item in items if isinstance(item, int)]
    return bytes(item & 255 for item in numbers) if len(numbers) == len(items) else None


def _from_codes(resolver: Resolver, arguments: Arguments) -> Values:
    codes: list[str] = []
    for position in range(min(len(arguments.positional), MAX_ITEMS)):
        values = argument_values(resolver, arguments, position)
        code = values[0].value if len(values) == 1 and isinstance(values[0], Text) else None
        if not isinstance(code, (int, float)) or not 0 <= code < 0x110000:
            return ()
        codes.append(chr(int(code)))
    return (Text("".join(codes)),) if codes and not arguments.rest else ()


def _first(resolver: Resolver, arguments: Arguments) -> Values | None:
    """Return the first argument: what only wraps it, or gives back something that stands for it."""
    return argument_values(resolver, arguments, 0) or None


def _assign(resolver: Resolver, arguments: Arguments) -> Values | None:
    found = [one for at in range(min(len(arguments.positional), 8)) for one in argument_values(resolver, arguments, at)]
    return unique(found) or None


def _reflect_get(resolver: Resolver, arguments: Arguments) -> Values:
    names = argument_texts(resolver, arguments, 1)
    objects = argument_values(resolver, arguments, 0)
    return unique([one for name in names for value in objects for one in member_of(resolver, value, name)])


def _reflect_apply(resolver: Resolver, arguments: Arguments) -> Values:
    given = applied(resolver, arguments, 2)
    return unique([one for value in argument_values(resolver, arguments, 0) for one in resolver.called(value, given)])


def _reflect_construct(resolver: Resolver, arguments: Arguments) -> Values:
    given = applied(resolver, arguments, 1)
    functions = argument_values(resolver, arguments, 0)
    return unique([one for value in functions for one in resolver.called(value, given, is_new=True)])


def _descriptor(resolver: Resolver, arguments: Arguments) -> Values:
    found = _reflect_get(resolver, arguments)
    return (Mapping({"value": [found]}, lambda one: one),) if found else ()  # type: ignore[arg-type,return-value]  # holds values


def _prototype(resolver: Resolver, arguments: Arguments) -> Values | None:
    values = argument_values(resolver, arguments, 0)
    return unique([Instance(one) if isinstance(one, Scope) and one.kind == "class" else one for one in values])


def _make_function(_resolver: Resolver, arguments: Arguments) -> Values:
    return (Made(f"{FUNCTION_MAKER}()", arguments),)


_CLIMBS: Final = lazy(r"/(?!\.\.?(?:/|\Z))[^/\x00]+/\.\.(?=/|\Z)")
"""A name, and the step back from it."""


def _join(resolver: Resolver, arguments: Arguments) -> Values:
    paths: list[list[Text]] = [[]]
    for position in range(min(len(arguments.positional), 32)):
        # Nothing joins `null`: where a name begins as that, it is something else by then.
        values = tuple(one for one in argument_values(resolver, arguments, position) if not _is_null(one))
        parts = as_texts(values, MAX_ALTERNATIVES // len(paths) or 1)
        paths = [[*path, part] for path in paths for part in parts]
    if arguments.rest or not paths[0]:
        return (Text(HOLE, whole=False),)
    found: list[AnyValue] = [_without_climbs(join_paths([*path])) for path in paths]
    return unique(found)


def _without_climbs(joined: Text) -> Text:
    if isinstance(joined.value, str) and "/.." in joined.value:
        return Text(_CLIMBS.sub("", joined.value), joined.whole)
    return joined


def _is_null(value: AnyValue) -> bool:
    return isinstance(value, Text) and value.value is None


def _url(resolver: Resolver, arguments: Arguments) -> Values:
    texts = [as_text(value) for value in argument_values(resolver, arguments, 0)] or [Text(HOLE, whole=False)]
    bases = [as_text(value) for value in argument_values(resolver, arguments, 1)[:1]]
    found: list[AnyValue] = []
    for text in texts:
        made: Text | None = text
        if bases and not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", str(text.value)):
            base = str(bases[0].value)
            stem = base if base.endswith("/") else base + "/"
            made = join([Text(stem, bases[0].whole), Text(str(text.value).removeprefix("./").lstrip("/"), text.whole)])
        found.append(Made("globals.URL()", arguments, made))
    return unique(found)


def _file_path(resolver: Resolver, arguments: Arguments) -> Values:
    found: list[AnyValue] = []
    for value in argument_values(resolver, arguments, 0):
        text = as_text(value)
        found.append(Text(str(text.value).removeprefix("file://"), text.whole))
    return unique(found) or (Text(HOLE, whole=False),)


def _constant(text: str) -> Callable[[Resolver, Arguments], Values]:
    values: Values = (Text(text),)
    return lambda _resolver, _arguments: values


def _hole(_resolver: Resolver, _arguments: Arguments) -> Values:
    return (Text(HOLE, whole=False),)


def _made_folder(resolver: Resolver, arguments: Arguments) -> Values | None:
    """Return the folder that is made: the name it was told to begin with, and letters by chance."""
    begins = [as_text(value) for value in argument_values(resolver, arguments, 0)]
    names = [text.value.removesuffix(HOLE) for text in begins if isinstance(text.value, str)]
    return tuple(Text(f"{name}{HOLE}", whole=False) for name in names if name) or None


def _parse_json(resolver: Resolver, arguments: Arguments) -> Values | None:
    for text in argument_texts(resolver, arguments, 0):
        try:
            return (_from_json(json.loads(text)),)
        except (ValueError, RecursionError):
            return ()
    return None


def _from_json(value: object) -> AnyValue:
    if isinstance(value, dict):
        items = {key: [(_from_json(held),)] for key, held in value.items()}
        return Mapping(items, lambda one: one)  # type: ignore[arg-type,return-value]  # holds values
    if isinstance(value, list):
        return Sequence(tuple((_from_json(item),) for item in value))
    return Text(value if isinstance(value, (str, int, float, bool)) else None)


def _string(resolver: Resolver, arguments: Arguments) -> Values:
    values = argument_values(resolver, arguments, 0)
    return unique([as_text(value) for value in values])


def _parse_number(resolver: Resolver, arguments: Arguments) -> Values:
    values = argument_values(resolver, arguments, 0)
    bases = [
        v.value for v in argument_values(resolver, arguments, 1) if isinstance(v, Text) and isinstance(v.value, int)
    ]
    radix = bases[0] if bases and 2 <= bases[0] <= 36 else 10
    found: list[AnyValue] = []
    for value in values[:4]:
        held = value.value if isinstance(value, Text) and value.whole else None
        if is_number(held):
            found.append(Text(held))
        elif isinstance(held, str):
            made = _leading_number(held.strip(), radix)
            if made is not None:
                found.append(made)
    return unique(found)


def _leading_number(text: str, radix: int) -> Text | None:
    if radix == 16:
        text = text.removeprefix("0x").removeprefix("0X")
    digits = re.match(r"[+-]?[0-9a-zA-Z]{1,15}", text)
    if digits is None:
        return None
    for end in range(digits.end(), 0, -1):
        try:
            return number(float(int(text[:end], radix)))
        except ValueError:
            continue
    return None


def _array_from(resolver: Resolver, arguments: Arguments) -> Values:
    found: list[AnyValue] = []
    for value in argument_values(resolver, arguments, 0)[:4]:
        if isinstance(value, Text) and isinstance(value.value, str) and value.whole and len(value.value) <= MAX_ITEMS:
            value = Sequence(tuple((Text(one),) for one in value.value))
        if isinstance(value, Sequence):
            given = arguments.after(1)
            found.extend(call_method(resolver, value, "map", given) if given.positional else (value,))
    return unique(found)


def _array_of(resolver: Resolver, arguments: Arguments) -> Values:
    size = min(len(arguments.positional), MAX_ITEMS)
    return (Sequence(tuple(argument_values(resolver, arguments, at) for at in range(size))),)


def _decoded(resolver: Resolver, arguments: Arguments) -> Values:
    """Return the text that a decoder makes of bytes."""
    found = [one.value for one in argument_values(resolver, arguments, 0) if isinstance(one, Text)]
    return unique([Text(one.decode("utf-8", "replace")) for one in found if isinstance(one, bytes)])


def _concatenate(resolver: Resolver, arguments: Arguments) -> Values:
    for value in argument_values(resolver, arguments, 0):
        if isinstance(value, Sequence):
            parts = [item[0].value if item and isinstance(item[0], Text) else None for item in value.items]
            known = [part for part in parts if isinstance(part, bytes)]
            if len(known) == len(parts) and sum(map(len, known)) <= MAX_TEXT:
                return (Text(b"".join(known)),)
    return ()


FUNCTIONS: Final[dict[str, Callable[[Resolver, Arguments], Values | None]]] = {
    "globals.atob": _fold_text(_atob),
    "globals.btoa": _fold_text(lambda text: base64.b64encode(text.encode("latin-1", "replace")).decode("ascii")),
    "globals.unescape": _fold_text(_unescape),
    "globals.decodeURIComponent": _fold_text(unquote),
    "globals.decodeURI": _fold_text(unquote),
    "globals.encodeURIComponent": _fold_text(lambda text: quote(text, safe="-_.!~*'()")),
    "globals.String": _string,
    "globals.Number": _parse_number,
    "globals.parseInt": _parse_number,
    "globals.parseFloat": _parse_number,
    "globals.String.fromCharCode": _from_codes,
    "globals.String.fromCodePoint": _from_codes,
    "globals.String.raw": _string,
    "globals.Buffer.from": _buffer_from,
    "globals.Buffer": _buffer_from,
    "globals.Buffer.concat": _concatenate,
    "globals.Uint8Array": _buffer_from,
    "globals.Uint8Array.from": _buffer_from,
    "buffer.Buffer.from": _buffer_from,
    "buffer.Buffer": _buffer_from,
    "buffer.atob": _fold_text(_atob),
    "globals.TextDecoder().decode": _decoded,
    "util.TextDecoder().decode": _decoded,
    "globals.Array.from": _array_from,
    "globals.Array.of": _array_of,
    "globals.Map": table_of,
    "globals.WeakMap": table_of,
    "globals.Set": set_of,
    "globals.Object.values": values_listed,
    "globals.Object.keys": names_listed,
    "globals.Object.entries": entries_listed,
    "globals.Object.fromEntries": object_of_entries,
    "globals.Object": _first,
    "globals.Object.freeze": _first,
    "globals.Object.seal": _first,
    "globals.Object.create": _first,
    "globals.Object.assign": _assign,
    "globals.Object.getPrototypeOf": _prototype,
    "globals.Reflect.getPrototypeOf": _prototype,
    "globals.Object.getOwnPropertyDescriptor": _descriptor,
    "globals.Reflect.getOwnPropertyDescriptor": _descriptor,
    "globals.Reflect.get": _reflect_get,
    "globals.Reflect.apply": _reflect_apply,
    "globals.Reflect.construct": _reflect_construct,
    "globals.Proxy": _first,
    "globals.Promise.resolve": _first,
    "globals.JSON.parse": _parse_json,
    "globals.URL": _url,
    "globals.Function": _make_function,
    "url.URL": _url,
    "url.fileURLToPath": _file_path,
    "url.pathToFileURL": _first,
    "util.promisify": _first,
    "util.callbackify": _first,
    "util.deprecate": _first,
    "path.join": _join,
    "path.resolve": _join,
    "path.normalize": _first,
    "path.dirname": _hole,
    "path.posix.join": _join,
    "path.win32.join": _join,
    "fs.mkdtemp": _made_folder,
    "fs.mkdtempSync": _made_folder,
    "fs/promises.mkdtemp": _made_folder,
    "fs-extra.mkdtemp": _made_folder,
    "fs-extra.mkdtempSync": _made_folder,
    "os.homedir": _constant("~"),
    "os.tmpdir": _constant("/tmp"),  # noqa: S108  # nosec B108  # what it gives, not a place we use
    "process.cwd": _constant("."),
}
"""By qualified name: what a call of it gives, or None where the name itself is the better answer."""
