"""What quotes and backslashes of a shell stand for; text to text, nothing else."""

from __future__ import annotations

import re
from typing import Final

from plugseal.patterns import lazy

_BARE: Final = lazy(r"\\(\n?)([\s\S]?)")
_QUOTED: Final = lazy(r'\\(?:\n|([$`"\\]))')
_ANSI: Final = lazy(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|0?([0-7]{1,3})|c(.)|([abeEfnrtv\\'\"?]))", re.S
)
_PLAIN: Final = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}
_SPLIT_NAME: Final = lazy(r"""[\w./-](?:''|""|\\(?=\w)|["'][\w.-]+["']?(?=\w))|^["'][\w.-]+["'](?=\w)|^\\?["']{2}\w""")
_LAST_CODE_POINT: Final = 0x10FFFF


def unescape_bare(text: str) -> str:
    """Return a word that stands outside quotes without its backslashes."""
    return _BARE.sub(lambda found: "" if found[1] else found[2], text) if "\\" in text else text


def unescape_quoted(text: str) -> str:
    """Return the text between double quotes without its backslashes; others than the shell's own stay."""
    return _QUOTED.sub(lambda found: found[1] or "", text) if "\\" in text else text


def unescape_ansi(text: str) -> tuple[str, bool]:
    """Return what stands between `$'` and `'`, as `printf` and `echo -e` would print it too.

    Returns:
        The text, and whether an escape stands for a letter or digit that needs none: that is a disguise.
    """
    hidden = False

    def decoded(found: re.Match[str]) -> str:
        nonlocal hidden
        two, four, eight, octal, control, plain = found.groups()
        if plain is not None:
            return _PLAIN[plain]
        if control is not None:
            return chr(ord(control.upper()) & 0x1F)
        number = int(octal, 8) & 0xFF if octal is not None else int(two or four or eight, 16)
        text = chr(number) if number <= _LAST_CODE_POINT and not 0xD800 <= number < 0xE000 else "\ufffd"
        hidden = hidden or (text.isascii() and text.isalnum())
        return text

    return (_ANSI.sub(decoded, text), hidden) if "\\" in text else (text, False)


def is_split_name(raw: str) -> bool:
    """Say whether a name is cut in pieces by quotes or backslashes that a shell drops: `c''at`, `c\\at`, `"cu"rl`."""
    return _SPLIT_NAME.search(raw) is not None and "$" not in raw and "`" not in raw
