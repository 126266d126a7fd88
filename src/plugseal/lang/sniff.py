"""Tell a text that is a program, a page or an encoded file from one that is only text, whatever its name says.

A text counts as a program if most of its lines are lines of that language: prose that quotes commands is prose. This
names a reader to try; it never makes anything inert.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from plugseal.patterns import lazy

_HEAD_BYTES: Final = 65_536
_MAX_LINES: Final = 400
_MAX_LINE: Final = 400
_MOST: Final = 0.6
_SHARE_OF_STRONG: Final = 0.12
_MARKUP: Final = lazy(
    rb"\A(?:\xef\xbb\xbf)?\s{0,200}(?:<\?xml[^>]{0,200}\?>\s{0,200})?(?:<!--.{0,2000}?-->\s{0,200})?"
    rb"<(?P<tag>!doctype\s+(?P<type>[a-z]+)|\?php|[a-z][\w:-]{0,40})",
    re.IGNORECASE | re.DOTALL,
)
_LANGUAGES: Final = {
    "python": (
        re.compile(r"\s*(?:import \w[\w., ]*|from [\w.]+ import .+|def \w+\(.*|class \w+.*:|exec\(.*|@\w.*)\Z"),
        re.compile(
            r"\s*(?:#.*|(?:if|elif|for|while|with|try|except|else|finally)\b.*:|return\b.*|raise\b.*|pass|\"\"\".*|"
            r"[\w.\[\]\"']+ ?[-+*/|]?= ?.+"
            r"|[\w.]+\(.*\)?[,:]?|[)\]}]+[,:]?|await .*|async .*)\Z"
        ),
    ),
    "shell": (
        re.compile(
            r"\s*(?:set [-+][a-z]+.*|(?:sudo |env )?(?:curl|wget|chmod|chown|rm|mkdir|sh|bash|eval|exec|source|"
            r"apt-get|apt|tar|nc|export|cd|"
            r"trap|nohup|crontab|systemctl|printf|kill|cp|mv|ln|unzip|echo)(?: .*)?|if \[.*|while read.*|"
            r"for \w+ in .*|\w+\(\) ?\{)\Z"
        ),
        re.compile(r"\s*(?:#.*|fi|done|esac|else|then|do|\w+=\S*|[})]|\w+ (?:-{1,2}\w.*|\S*[/$].*)|.*\\)\Z"),
    ),
    "javascript": (
        re.compile(
            r"\s*(?:(?:const|let|var) .*(?:=|require\().*|import .* from .*|import ['\"].*|export .*|"
            r"(?:async )?function\b.*|"
            r"(?:module\.)?exports\b.*|require\(.*|class \w+.*\{|.*=> ?\{?)\Z"
        ),
        re.compile(r"\s*(?://.*|/?\*.*|.*[;{}],?|return\b.*|[)\]}]+.*|if ?\(.*|await .*|[\w.]+\(.*)\Z"),
    ),
}
_COMMAND_LINE: Final = lazy(r"(?:sudo[ ]+)?([a-z][\w.+-]*)(?:[ ]+\S+){0,3}?[ ]+(?:-{1,2}[A-Za-z]|[^\s'\"]*[/$|<>~])")
_SHORTEST_CODED: Final = 64
_MAX_CODED: Final = 8 * 1024 * 1024


def markup_language(data: bytes) -> str:
    """Return `HTML`, `SVG`, `XML` or `PHP` for a text that begins as one, empty for any other."""
    match = _MARKUP.match(data[:_HEAD_BYTES])
    if match is None:
        return ""
    tag = match["tag"].lower()
    if tag == b"?php":
        return "PHP"
    name = (match["type"] or tag).lower()
    if name in (b"html", b"script", b"body", b"head", b"iframe", b"template"):
        return "HTML"
    if name == b"svg":
        return "SVG"
    return "XML" if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml") or match["type"] else ""


def program_language(data: bytes) -> str:
    """Return the language that most lines of a text are written in, empty for a text that is no program."""
    text = data[:_HEAD_BYTES].decode("utf-8", "replace")
    lines = [line.rstrip()[:_MAX_LINE] for line in text.splitlines()[:_MAX_LINES] if line.strip()]
    best, most = "", _MOST
    for language, (strong, weak) in _LANGUAGES.items():
        firm = sum(strong.match(line) is not None for line in lines)
        if firm < max(1, _SHARE_OF_STRONG * len(lines)):
            continue
        share = (firm + sum(weak.match(line) is not None for line in lines if not strong.match(line))) / len(lines)
        if share > most:
            best, most = language, share
    return best


def is_only_commands(data: bytes) -> bool:
    """Say whether each line of a text gives options or paths to a program that is known: a script without a mark."""
    from plugseal.lang.programs.tables import programs  # few texts have neither a name nor anything else

    text = data[:_HEAD_BYTES].decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines()[:_MAX_LINES] if line.strip() and not line.startswith("#")]
    known = programs()
    for line in lines:
        match = _COMMAND_LINE.match(line)
        if match is None or not any(match[1] in table for table in known):
            return False
    return bool(lines)


def is_json(data: bytes) -> bool:
    """Say whether a text is one JSON document."""
    from plugseal.encode.json import parse_json
    from plugseal.errors import DataError

    if data.lstrip()[:1] not in (b"{", b"["):
        return False
    try:
        parse_json(data)
    except DataError:
        return False
    return True


def decoded_text(data: bytes) -> bytes | None:
    """Return what a text decodes to that is Base64 or hexadecimal from end to end, None for any other text."""
    if not _SHORTEST_CODED <= len(data) <= _MAX_CODED or data[:4096].translate(None, _CODED):
        return None
    packed = data.translate(None, b" \t\r\n")
    if packed.translate(None, _CODED):
        return None
    try:
        if len(packed) % 2 == 0 and not packed.translate(None, b"0123456789abcdefABCDEF"):
            return binascii.unhexlify(packed)
        return base64.b64decode(packed.translate(_URL_SAFE), validate=True)
    except (binascii.Error, ValueError):
        return None


_CODED: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_- \t\r\n"
_URL_SAFE: Final = bytes.maketrans(b"-_", b"+/")
