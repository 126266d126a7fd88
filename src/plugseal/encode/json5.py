"""Bring JSON5 to JSON: the words of a document are spelled as JSON spells them, its lines stay where they are.

What JSON5 adds (comments, single quotes, bare keys, trailing commas, hexadecimal numbers, numbers with a bare point or
a plus) is rewritten; the strict reader of JSON then decides, so that nothing is accepted here that it refuses. Columns
may move where a line held such a word.

See: https://spec.json5.org
"""

from __future__ import annotations

import json
import re
from typing import Final

from plugseal.encode.text import decode_text
from plugseal.errors import DataError
from plugseal.patterns import lazy

_TOKEN: Final = lazy(
    r"(?P<blank>[\s\u00a0\ufeff]+|//[^\n\r\u2028\u2029]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<text>\"(?:[^\"\\\n\r]|\\.)*\"|'(?:[^'\\\n\r]|\\.)*')"
    r"|(?P<number>[+-]?(?:0[xX][0-9A-Fa-f]{1,16}|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![\w$]))"
    r"|(?P<word>[^\W\d][\w$]*|[$][\w$]*)"
    r"|(?P<mark>[\[\]{}:,])"
    r"|(?P<other>.).*",
    re.DOTALL,
)
_NOT_LINE_END: Final = lazy(r"[^\n\r]")
_OPENING: Final = frozenset({"", "[", "{", ",", ":"})
"""What no comma at the end may follow."""
_CONSTANTS: Final = frozenset({"true", "false", "null"})
_ESCAPE: Final = lazy(r"\\(\r\n|.)", re.DOTALL)
_ESCAPES: Final = {"'": "'", '"': '\\"', "v": "\\u000b", "0": "\\u0000", "\n": "", "\r": "", "\r\n": ""}
_KEPT: Final = "\\/bfnrtu"


def build_json(data: bytes) -> bytes:
    """Return a document as JSON, each value on the line on which it stood.

    Args:
        data: the whole file.

    Raises:
        DataError: it holds what is no word of JSON5; all other faults are the strict reader's to find.
    """
    text = decode_text(data)
    pieces: list[str] = []
    last_comma, open_word, previous = -1, -1, ""
    for match in _TOKEN.finditer(text):
        kind, word = match.lastgroup or "", match[0]
        if kind == "blank":
            pieces.append(_NOT_LINE_END.sub(" ", word))
            continue
        if open_word >= 0:
            pieces[open_word] = _settled(pieces[open_word], word, text, match.start())
        if kind == "other":
            raise _fault(text, match.start(), match["other"])
        if word in ("]", "}") and last_comma >= 0:
            pieces[last_comma] = " "
        last_comma = len(pieces) if word == "," and previous not in _OPENING else -1
        previous = word
        open_word = len(pieces) if kind == "word" else -1
        pieces.append(_text(word) if kind == "text" else _number(word) if kind == "number" else word)
    if open_word >= 0:
        pieces[open_word] = _settled(pieces[open_word], "", text, len(text))
    return "".join(pieces).encode("utf-8", "surrogatepass")


def _settled(word: str, following: str, text: str, at: int) -> str:
    """Return what a bare word is, once it is known what follows it: a key before a colon, else one of the constants."""
    if following == ":":
        return json.dumps(word, ensure_ascii=False)
    if word in _CONSTANTS:
        return word
    raise _fault(text, at, word)


def _fault(text: str, at: int, word: str) -> DataError:
    return DataError(f"`{word}` is no part of JSON5", line=text.count("\n", 0, at) + 1)


def _text(word: str) -> str:
    """Return a string in double quotes, with the escapes of JSON alone."""
    inside = word[1:-1] if word[0] == '"' else _bare_quotes_escaped(word[1:-1])
    return f'"{_ESCAPE.sub(_escape, inside)}"'


def _bare_quotes_escaped(inside: str) -> str:
    return re.sub(r'\\.|"', lambda match: match[0] if match[0] != '"' else '\\"', inside, flags=re.DOTALL)


def _escape(match: re.Match[str]) -> str:
    character = match[1]
    if character in _KEPT:
        return match[0]
    return _ESCAPES.get(character, character)


def _number(word: str) -> str:
    sign = "-" if word.startswith("-") else ""
    digits = word.lstrip("+-")
    if digits[:2].lower() == "0x":
        return sign + str(int(digits, 16))
    whole, point, rest = digits.partition(".")
    if not point:
        return sign + digits
    fraction, exponent = re.split(r"(?=[eE])", rest, maxsplit=1) if re.search("[eE]", rest) else (rest, "")
    return f"{sign}{whole or '0'}.{fraction or '0'}{exponent}"
