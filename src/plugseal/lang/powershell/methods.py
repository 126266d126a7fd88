"""The methods of texts and of the types that decode, join and take texts apart."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Sequence
from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.lang.powershell.operators import fill, join, replaced
from plugseal.lang.powershell.values import (
    DECODED,
    MADE,
    MAX_LIST,
    MAX_TEXT,
    Item,
    Made,
    Many,
    cut,
    flags_of,
    host_of,
    items_of,
    number_of,
    text_of,
)

_BYTES: Final = "byte[]"
_MAX_INFLATED: Final = 1 << 20
_ENCODINGS: Final = {
    "unicode": "utf-16-le",
    "bigendianunicode": "utf-16-be",
    "utf8": "utf-8",
    "utf32": "utf-32-le",
    "ascii": "ascii",
    "default": "latin-1",
    "latin1": "latin-1",
    "utf-8": "utf-8",
    "utf-16": "utf-16-le",
    "utf7": "utf-7",
}
_FOLDERS: Final = {
    "userprofile": "~",
    "mydocuments": "~/Documents",
    "personal": "~/Documents",
    "desktop": "~/Desktop",
    "desktopdirectory": "~/Desktop",
    "applicationdata": "%APPDATA%",
    "localapplicationdata": "%LOCALAPPDATA%",
    "commonapplicationdata": "C:\\ProgramData",
    "startup": "%APPDATA%\\Microsoft\\Windows\\Start Menu\\Programs\\Startup",
    "commonstartup": "C:\\ProgramData\\Microsoft\\Windows\\Start Menu\\Programs\\Startup",
    "system": "C:\\Windows\\System32",
    "windows": "C:\\Windows",
    "programfiles": "C:\\Program Files",
}


def text_method(target: Item, name: str, given: Sequence[Item]) -> Item | None:
    """Return what a method of a text or a list gives, None where it is not known."""
    if isinstance(target.value, Many) and name not in ("tostring", "getenumerator", "toarray"):
        return None
    if name in ("tostring", "getenumerator", "toarray", "trim", "clone") and not given:
        return cut(target.value.strip(), target) if name == "trim" and isinstance(target.value, str) else target
    if not isinstance(target.value, str):
        return None
    text = target.value
    words = [text_of(item) for item in given]
    numbers = [number_of(item) for item in given]
    if name == "replace" and len(words) == 2 and words[0] and HOLE not in words[0]:
        if len(text) * max(1, len(words[1])) > MAX_TEXT * 16:
            return None
        return cut(text.replace(words[0], words[1]), target, flags=MADE)
    if name in ("tolower", "tolowerinvariant"):
        return cut(text.lower(), target)
    if name in ("toupper", "toupperinvariant"):
        return cut(text.upper(), target)
    if name == "tochararray":
        return None if HOLE in text else Item(Many(tuple(Item(mark, target.flags) for mark in text[:MAX_LIST])))
    if HOLE in text:
        return None
    if name in ("substring", "remove") and numbers and None not in numbers:
        start, count = numbers[0] or 0, (numbers[1] or 0) if len(numbers) > 1 else len(text)
        kept = text[start : start + count] if name == "substring" else text[:start] + text[start + count :]
        return cut(kept, target, flags=MADE)
    if name == "split" and words:
        return _split(target, text, words)
    if name == "insert" and len(words) == 2 and numbers[0] is not None:
        return cut(text[: numbers[0]] + words[1] + text[numbers[0] :], target, flags=MADE)
    if name in ("trim", "trimstart", "trimend") and words:
        marks = "".join(words)
        return cut({"trim": text.strip, "trimstart": text.lstrip, "trimend": text.rstrip}[name](marks), target)
    if name == "normalize":
        return target
    return None


def _split(target: Item, text: str, words: list[str]) -> Item:
    marks = words[0]
    parts = text.split(marks) if len(marks) > 1 else re.split(f"[{re.escape(marks)}]", text) if marks else text.split()
    return Item(Many(tuple(Item(part, target.flags) for part in parts[:MAX_LIST])), target.flags | MADE, target.host)


def static_method(kind: str, name: str, given: Sequence[Item]) -> Item | None:
    """Return what a method of a type gives, None where it is not known."""
    found = flags_of(*given)
    if kind == "convert":
        return _convert(name, given)
    if kind == "string":
        if name == "join" and len(given) >= 2:
            return join(given[1] if len(given) == 2 else Item(Many(tuple(given[1:]))), text_of(given[0]))
        if name == "format" and given:
            return fill(text_of(given[0]), tuple(given[1:]), given[0])
        if name in ("concat", "new"):
            flat = [part for one in given for part in (items_of(one) or (one,))]
            return cut("".join(text_of(part) for part in flat), *given, flags=MADE)
        return None
    if kind == "char" and name in ("convertfromutf32", "parse") and given:
        number = number_of(given[0])
        return None if number is None or not 0 <= number < 0x110000 else Item(chr(number), found | MADE)
    if kind in ("io.path", "environment"):
        return _place(kind, name, given)
    if kind in ("regex", "text.regularexpressions.regex") and name == "replace" and len(given) >= 3:
        return replaced(text_of(given[0]), text_of(given[1]), text_of(given[2]), given[0], is_case=True)
    if kind in ("regex", "text.regularexpressions.regex") and name == "unescape" and given:
        return given[0]
    if kind == "text.encoding" and name == "getencoding" and given:
        return Item(Made("text.encoding", (given[0],)))
    if kind == "uri" and name == "unescapedatastring" and given:
        return cut(_percent(text_of(given[0])), given[0], flags=DECODED)
    is_parsing = kind == "management.automation.language.parser" and name == "parseinput"
    if given and (is_parsing or (kind == "scriptblock" and name == "create")):
        return Item(Made("scriptblock", (given[0],)), found, host_of(*given))
    return None


def _place(kind: str, name: str, given: Sequence[Item]) -> Item | None:
    """Return a path that a method puts together or knows."""
    if kind == "io.path" and name == "combine":
        return cut("/".join(text_of(item).rstrip("/\\") for item in given), *given)
    if kind == "io.path" and name in ("gettemppath", "gettempfilename", "getrandomfilename"):
        return Item("%TEMP%" if name == "gettemppath" else f"%TEMP%/{HOLE}")
    if kind == "io.path" and name == "getfullpath" and given:
        return given[0]
    if kind == "environment" and name == "getfolderpath" and given:
        folder = _FOLDERS.get(text_of(given[0]).lower().rpartition(".")[2])
        return Item(folder) if folder else None
    if kind == "environment" and name == "expandenvironmentvariables" and given:
        return given[0]
    return None


def _percent(text: str) -> str:
    return re.sub(r"%([0-9A-Fa-f]{2})", lambda found: chr(int(found[1], 16)), text)


def _convert(name: str, given: Sequence[Item]) -> Item | None:
    if not given:
        return None
    flags = flags_of(*given)
    if name == "frombase64string":
        data = decode64(text_of(given[0]))
        return Item(_bytes_value(data) if data else HOLE, flags | DECODED, host_of(*given))
    if name == "tobase64string":
        plain = _bytes(given[0])
        return None if plain is None else cut(base64.b64encode(plain).decode("ascii"), *given, flags=MADE)
    if name in ("toint32", "tobyte", "toint16", "toint64", "touint32"):
        text, base = text_of(given[0]), number_of(given[1]) if len(given) > 1 else None
        if base in (2, 8, 16) and len(text) < 20:
            try:
                return Item(int(text, base), flags | MADE)
            except ValueError:
                return None
        number = number_of(given[0])
        return None if number is None else Item(number, flags)
    if name == "tochar":
        number = number_of(given[0])
        return None if number is None or not 0 <= number < 0x110000 else Item(chr(number), flags | MADE)
    if name == "tostring":
        return given[0]
    return Item(HOLE, flags | DECODED, host_of(*given)) if name in ("fromhexstring",) else None


def decode64(text: str) -> str | None:
    """Return the bytes that a text in base64 holds, as Latin-1; None where it is none."""
    if HOLE in text or not text.strip():
        return None
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode("latin-1")
    except (binascii.Error, ValueError):
        return None


def encoded_bytes(encoding: Item, given: Item) -> Item:
    """Return the bytes of a text in an encoding, as Latin-1; a text that is not wholly known stays as it is."""
    name = text_of(encoding.value.given[0]).lower() if isinstance(encoding.value, Made) and encoding.value.given else ""
    if not isinstance(given.value, str) or HOLE in given.value or len(given.value) > MAX_TEXT // 4:
        return given
    data = given.value.encode(_ENCODINGS.get(name, "utf-8"), "replace")
    return given._replace(value=_bytes_value(data.decode("latin-1")))


def _bytes_value(data: str) -> str | Made:
    """Return bytes as a value: those with a zero among them, which stands for what is not known, are kept in base64."""
    if HOLE not in data:
        return data
    return Made(_BYTES, (Item(base64.b64encode(data.encode("latin-1")).decode("ascii")),))


def decoded_bytes(encoding: Item, given: Item) -> Item:
    """Return the text that bytes are in an encoding."""
    name = ""
    if isinstance(encoding.value, Made) and encoding.value.given:
        name = text_of(encoding.value.given[0]).lower()
    data = _bytes(given)
    flags = flags_of(given) | DECODED
    if data is None:
        return Item(HOLE, flags, host_of(given))
    try:
        text = data.decode(_ENCODINGS.get(name, "utf-8"), "replace").lstrip("\ufeff")
    except (UnicodeError, ValueError):
        return Item(HOLE, flags, host_of(given))
    return cut(text, given, flags=DECODED)


def _bytes(item: Item) -> bytes | None:
    value = item.value
    if isinstance(value, str) and HOLE not in value:
        try:
            return value.encode("latin-1")
        except UnicodeEncodeError:
            return None
    if isinstance(value, Many):
        numbers = [number_of(one) for one in value.items]
        if all(number is not None and 0 <= number < 256 for number in numbers):
            return bytes(number or 0 for number in numbers)
    if isinstance(value, Made) and value.given:
        if value.type == _BYTES:
            return base64.b64decode(text_of(value.given[0]))
        if value.type.endswith(("gzipstream", "deflatestream")):
            return _inflated(value)
        if value.type.endswith(("memorystream", "streamreader")):
            return _bytes(value.given[0])
    return None


def _inflated(made: Made) -> bytes | None:
    data = _bytes(made.given[0])
    if data is None:
        return None
    try:
        return zlib.decompressobj(47 if made.type.endswith("gzipstream") else -15).decompress(data, _MAX_INFLATED)
    except zlib.error:
        return None


def read_stream(target: Item) -> Item:
    """Return what a reader of a stream reads to its end."""
    return decoded_bytes(Item(Made("text.encoding", ())), target)
