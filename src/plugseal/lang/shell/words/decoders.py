"""What some small programs make of a known text: decoders that hide a script's code from its readers.

Each is a function of its words and its input, bounded, and never runs anything. None means: not known.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.lang.shell.words.escapes import unescape_ansi

MAX_DECODED: Final = 262_144
_NUL: Final = "\U000f0000"
"""Stands for a zero byte between two decoders, since a zero in a text is a hole."""
_LZMA_BYTES: Final = 64 * 1024 * 1024
_DECODE: Final = frozenset(("-d", "-D", "--decode", "-di", "-id", "-dw0"))
_FEWEST_SHIFTED: Final = 13
"""Letters that an alphabet must shift to hide a text."""
_UNPACKERS: Final = frozenset(("gunzip", "zcat", "bunzip2", "bzcat", "unxz", "xzcat", "gzip", "bzip2", "xz"))
_CLASSES: Final = {"[:lower:]": "a-z", "[:upper:]": "A-Z", "[:digit:]": "0-9", "[:alpha:]": "A-Za-z"}


def is_decoder(words: Sequence[str]) -> bool:
    """Say whether a command makes text readable again that was made unreadable: `base64 -d`, `xxd -r`, `rev`, `tr`."""
    name = words[0].rpartition("/")[2] if words else ""
    options = words[1:]
    if name in ("base64", "base32", "basenc", "base58", "ascii85", "uudecode"):
        return name == "uudecode" or any(word in _DECODE or word.startswith("--decode") for word in options)
    if name == "openssl":
        return "-d" in options or ("enc" in options and "-d" in options)
    if name == "xxd":
        return any(re.match(r"-\w*r", word) for word in options)
    if name in _UNPACKERS:
        return name not in ("gzip", "bzip2", "xz") or any(re.match(r"-\w*d|--decompress", word) for word in options)
    if name == "tr":
        if len(options) != 2 or options[0].startswith("-"):
            return False
        old, new = _set(options[0]), _set(options[1])
        shifted = [
            mark for mark, other in zip_longest(old, new[: len(old)], fillvalue=new[-1:]) if _is_other(mark, other)
        ]
        return len(shifted) >= _FEWEST_SHIFTED
    return name == "rev"


def _is_other(mark: str, other: str) -> bool:
    """Say whether a letter or a digit comes out that was another one; a change of case hides nothing."""
    return other.isalnum() and mark.lower() != other.lower()


def printed(words: Sequence[str], given: str | None) -> str | None:
    """Return what a command prints, where that is known.

    Args:
        words: the command.
        given: what it reads, None where that is not known.
    """
    name = words[0].rpartition("/")[2] if words else ""
    if any(HOLE in word for word in words):
        return HOLE if name in ("echo", "printf") else None
    if name == "echo":
        return _echo(words[1:])
    if name == "printf":
        return _printf(words[1:])
    if given is None or len(given) > MAX_DECODED or HOLE in given:
        return None
    if name in ("cat", "tee", "sponge"):
        return given if all(word in ("-", "-u") for word in words[1:]) or name == "tee" else None
    if name == "rev":
        return "\n".join(line[::-1] for line in given.split("\n"))
    if name == "tac":
        return "".join(reversed(given.splitlines(keepends=True)))
    if name == "tr":
        return _tr(words[1:], given)
    if name == "sed":
        return _sed(words[1:], given)
    return _decoded(name, given) if is_decoder(words) else None


def _echo(words: Sequence[str]) -> str:
    is_escaped, newline, at = False, "\n", 0
    while at < len(words) and re.fullmatch(r"-[neE]+", words[at]):
        is_escaped = is_escaped or "e" in words[at]
        newline = "" if "n" in words[at] else newline
        at += 1
    text = " ".join(words[at:])
    return (unescape_ansi(text)[0] if is_escaped else text) + newline


def _printf(words: Sequence[str]) -> str | None:
    words = list(words)
    if words[:1] == ["-v"]:
        words = words[2:]
    if words[:1] == ["--"]:
        words = words[1:]
    if not words:
        return None
    form, values, at, found = words[0], words[1:], 0, ""
    while True:
        start = at
        for piece in re.split(r"(%[-+0# ]*(?:[1-9]\d*)?(?:\.\d+)?[a-zA-Z%])", form):
            if piece == "%%":
                found += "%"
            elif piece[:1] == "%" and len(piece) > 1:
                value = values[at] if at < len(values) else ""
                at += 1
                found += unescape_ansi(value)[0] if piece[-1] == "b" else value[:1] if piece[-1] == "c" else value
            else:
                found += unescape_ansi(piece)[0]
        if at >= len(values) or at == start or len(found) > MAX_DECODED:
            return found


def _set(text: str) -> str:
    """Return the characters of a set of `tr`."""
    for name, plain in _CLASSES.items():
        text = text.replace(name, plain)
    text = unescape_ansi(text)[0]
    found, at = "", 0
    while at < len(text) and len(found) < 512:
        if at + 2 < len(text) and text[at + 1] == "-" and text[at] <= text[at + 2]:
            found += "".join(map(chr, range(ord(text[at]), min(ord(text[at + 2]), ord(text[at]) + 256) + 1)))
            at += 3
        else:
            found += text[at]
            at += 1
    return found


def _tr(words: Sequence[str], given: str) -> str | None:
    if len(words) == 2 and words[0] in ("-d", "--delete"):
        dropped = _set(words[1])
        return "".join(mark for mark in given if mark not in dropped)
    if len(words) != 2 or words[0].startswith("-"):
        return None
    old, new = _set(words[0]), _set(words[1])
    if not new:
        return None
    table = {ord(mark): new[min(at, len(new) - 1)] for at, mark in reversed(list(enumerate(old)))}
    return given.translate(table)


def _sed(words: Sequence[str], given: str) -> str | None:
    """Replace literal text, the only thing of sed that is followed."""
    found = (
        re.fullmatch(r"s(.)((?:(?!\1)[\w /.,:;#@-])+)\1((?:(?!\1)[\w /.,:;#@-])*)\1(g?)", words[-1]) if words else None
    )
    if found is None or len(words) != 1 or "." in found[2]:
        return None
    lines = given.split("\n")
    return "\n".join(line.replace(found[2], found[3], -1 if found[4] else 1) for line in lines)


def _decoded(name: str, given: str) -> str | None:
    data = given.replace(_NUL, "\0").encode("latin-1", "ignore")
    try:
        if name in ("base64", "openssl"):
            return _text(base64.b64decode(re.sub(rb"[^A-Za-z0-9+/=]", b"", data)))
        if name == "base32":
            return _text(base64.b32decode(re.sub(rb"\s", b"", data)))
        if name == "xxd":
            return _text(binascii.unhexlify(re.sub(rb"[^0-9A-Fa-f]", b"", data)))
        if name in ("gunzip", "zcat", "gzip"):
            return _text(zlib.decompressobj(31).decompress(data, MAX_DECODED))
    except (ValueError, binascii.Error, zlib.error, OSError, EOFError):
        return None
    return _unpacked(name, data)


def _unpacked(name: str, data: bytes) -> str | None:
    """Return what the rarer packers make of bytes; their libraries are loaded only here."""
    import bz2
    import lzma

    try:
        if name in ("bunzip2", "bzcat", "bzip2"):
            return _text(bz2.BZ2Decompressor().decompress(data, MAX_DECODED))
        if name in ("unxz", "xzcat", "xz"):
            return _text(lzma.LZMADecompressor(memlimit=_LZMA_BYTES).decompress(data, MAX_DECODED))
    except (ValueError, OSError, lzma.LZMAError, EOFError):
        return None
    return None


def _text(data: bytes) -> str | None:
    """Return decoded bytes so that another decoder gets the same bytes again; UTF-8 is read at the end."""
    return data.decode("latin-1").replace("\0", _NUL) if len(data) <= MAX_DECODED else None


def as_utf8(text: str) -> str:
    """Return what was decoded to bytes as the text that these bytes are."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return text
