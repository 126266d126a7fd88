"""What functions of these languages make of texts that are known, by their names: joined, turned round, decoded.

Pure: texts in, a text out, or None where the function is not known or the text would be too long.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import unquote, unquote_plus

from plugseal.lang.folded import HOLE
from plugseal.patterns import lazy

_MAX_TEXT: Final = 65_536
_FORM: Final = lazy(r"%(?:(\d)\$)?[-+0# ]{0,5}\d{0,4}(?:\.\d{1,3})?([a-zA-Z%])")


def _hexadecimal(text: str) -> str | None:
    try:
        return bytes.fromhex(text).decode("utf-8", "replace")
    except ValueError:
        return None


def _base64(text: str) -> str | None:
    bare = re.sub(r"\s", "", text).translate(str.maketrans("-_", "+/")).rstrip("=")
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return None


_OF_ONE: Final[dict[str, Callable[[str], str | None]]] = {
    "str_rot13": lambda text: codecs.encode(text, "rot13"),
    "strrev reverse string.reverse": lambda text: text[::-1],
    "strtolower mb_strtolower lc downcase lower string.lower": str.lower,
    "strtoupper mb_strtoupper uc upcase upper string.upper": str.upper,
    "trim strip": str.strip,
    "rtrim chop rstrip chomp": str.rstrip,
    "ltrim lstrip": str.lstrip,
    "ucfirst capitalize": lambda text: text[:1].upper() + text[1:],
    "lcfirst": lambda text: text[:1].lower() + text[1:],
    "hex2bin": _hexadecimal,
    "urldecode CGI.unescape URI.decode_www_form_component": unquote_plus,
    "rawurldecode uri_unescape": unquote,
    "base64_decode Base64.decode64 Base64.strict_decode64 Base64.urlsafe_decode64": _base64,
    "decode_base64 MIME.Base64.decode_base64 vim.base64.decode ngx.decode_base64": _base64,
    "escapeshellcmd escapeshellarg Shellwords.escape shellescape": lambda text: text,
    "strval String to_s to_str freeze dup itself html_safe stripslashes": lambda text: text,
}
_BY_NAME: Final = {name: function for names, function in _OF_ONE.items() for name in names.split()}
_CHARACTERS: Final = frozenset(("chr", "string.char", "mb_chr"))
_MARKS: Final = {"n": "\n", "t": "\t", "r": "\r", "e": "\x1b", "0": "\0"}
FORMS: Final = frozenset(("sprintf", "format", "string.format", "Kernel.sprintf", "Kernel.format"))
DECODING: Final = frozenset(name for name, function in _BY_NAME.items() if function in (_base64, _hexadecimal))
"""Functions whose result was not to be read."""


def folded(name: str, given: Sequence[str | None]) -> str | None:
    """Return the text that a function gives.

    Args:
        name: of the function, or of a method of the first text.
        given: the texts, None for each that is not known.
    """
    if name in FORMS:
        return _formed(given)
    if not given or any(text is None for text in given):
        return None
    texts = [text for text in given if text is not None]
    if name in _CHARACTERS:
        return _characters(texts)
    if name in ("pack", "unpack") and len(texts) == 2:
        return _hexadecimal(texts[1]) if name == "pack" and texts[0] == "H*" else None
    if name in ("str_replace", "str_ireplace") and len(texts) == 3:
        return texts[2].replace(texts[0], texts[1])[:_MAX_TEXT] if texts[0] and HOLE not in texts[0] else None
    function = _BY_NAME.get(name)
    if function is None or HOLE in texts[0] or len(texts[0]) > _MAX_TEXT:
        return None
    return function(texts[0])


def joined(name: str, between: str | None, words: Sequence[str] | None) -> str | None:
    """Return what `implode`, `join` or `table.concat` makes of the words of a list."""
    if words is None or name not in ("implode", "join", "table.concat"):
        return None
    text = (between or "").join(words)
    return text if len(text) <= _MAX_TEXT else None


def _characters(texts: list[str]) -> str | None:
    if not all(text.isdecimal() and len(text) < 8 for text in texts):
        return None
    numbers = [int(text) for text in texts]
    return "".join(map(chr, numbers)) if all(number < 0x110000 for number in numbers) else None


def _formed(given: Sequence[str | None]) -> str | None:
    form = given[0] if given else None
    if form is None:
        return None
    at = 0

    def _put(found: re.Match[str]) -> str:
        nonlocal at
        if found[2] == "%":
            return "%"
        at += 1
        place = int(found[1]) if found[1] else at
        text = given[place] if place < len(given) else None
        return HOLE if text is None or found[2] not in "sdiu" else text

    text = _FORM.sub(_put, form)
    return text if len(text) <= _MAX_TEXT else HOLE


def unescaped(found: re.Match[str]) -> str:
    """Return the character that an escape stands for."""
    what = found[1]
    if what[0] in "xu" and len(what) > 1:
        number = int(what[1:].strip("{}"), 16)
        return chr(number) if number < 0x110000 else ""
    if what.isdigit():
        return chr(int(what, 8) & 0xFF) if all(mark in "01234567" for mark in what) else what
    return _MARKS.get(what, what if what in "\\'\"`$@#" else found[0])
