"""What expressions of AppleScript stand for: texts, joined by `&`, of literals and of variables that hold one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from plugseal.lang.applescript.tokens import Token
from plugseal.lang.folded import HOLE

_CHARACTERS: Final = {"return": "\r", "linefeed": "\n", "space": " ", "tab": "\t", "quote": '"'}
_FOLDERS: Final = {
    "home": "~",
    "library": "~/Library",
    "desktop": "~/Desktop",
    "documents": "~/Documents",
    "downloads": "~/Downloads",
    "pictures": "~/Pictures",
    "preferences": "~/Library/Preferences",
    "application": "~/Library/Application Support",
    "keychain": "~/Library/Keychains",
    "temporary": "/tmp",  # noqa: S108  # nosec B108  # what the system calls so; nothing is opened
    "startup": "",
    "me": ".",
}
"""Folders by the word behind `path to`: `path to home folder`."""
_LEADING: Final = frozenset("posix path of file alias folder the a reference to quoted form contents url".split())
"""Words before a text that leave it what it is, but for its quotes."""
_ENDS: Final = frozenset(
    "with without as user password in into to then from giving saving using default for at is equals".split()
)
"""Words that end an expression where it is an argument."""
_MAX_DEPTH: Final = 8
_MAX_TEXT: Final = 4_096
"""Of a text that is put together: variables could double it again and again."""
Variables = Mapping[str, str]


def value_at(tokens: Sequence[Token], at: int, variables: Variables, depth: int = 0) -> str:
    """Return the text that begins at a token; what is not known in it is a hole."""
    return evaluate(tokens, at, variables, depth)[0]


def evaluate(tokens: Sequence[Token], at: int, variables: Variables, depth: int = 0) -> tuple[str, int]:
    """Return the text that begins at a token, and where it ends."""
    found = ""
    while at < len(tokens):
        text, at = _operand(tokens, at, variables, depth)
        found = _placed(found, text)
        if len(found) > max(_MAX_TEXT, len(text)):
            found = HOLE
        if at >= len(tokens) or tokens[at].text != "&" or tokens[at].kind != "sign":
            break
        at += 1
    return found, at


def _placed(before: str, text: str) -> str:
    """Return a text behind another one; a folder and names parted by colons are a path."""
    if text and before in _FOLDERS.values() and before and ":" in text and "/" not in text:
        return f"{before}/{text.replace(':', '/')}"
    return before + text


def _operand(tokens: Sequence[Token], at: int, variables: Variables, depth: int) -> tuple[str, int]:
    """Return one operand and where it ends; it is a hole where it is more than a text or a name."""
    is_quoted = False
    start = at
    while at < len(tokens) and tokens[at].kind == "word" and tokens[at].text in _LEADING:
        if tokens[at].text == "path" and _word(tokens, at + 1) == "to":
            return _folder(tokens, at + 2)
        is_quoted = is_quoted or tokens[at].text == "quoted"
        at += 1
    if at >= len(tokens):
        return HOLE, max(at, start + 1)
    token = tokens[at]
    if token.text == "(" and token.kind == "sign":
        text, at = (HOLE, at + 1) if depth >= _MAX_DEPTH else evaluate(tokens, at + 1, variables, depth + 1)
        text, at = _behind(tokens, at, text)
        at += at < len(tokens)
    elif token.kind == "text" or token.kind == "number":
        text, at = token.text, at + 1
    elif token.kind == "word":
        text, at = variables.get(token.text, _CHARACTERS.get(token.text, HOLE)), at + 1
    else:
        text = HOLE
    text, at = _behind(tokens, at, text)
    quoted = "'" + text.replace("'", "'\\''") + "'" if is_quoted and HOLE not in text else text
    return quoted, at


def _behind(tokens: Sequence[Token], at: int, text: str) -> tuple[str, int]:
    """Return a value and where it ends: what else stands there makes it something that is not known."""
    while at < len(tokens):
        token = tokens[at]
        if token.kind == "sign" and token.text in "&),}{":
            break
        if (
            token.kind == "word"
            and token.text == "as"
            and _word(tokens, at + 1) in ("text", "string", "alias", "posix")
        ):
            at += 2
            continue
        if token.kind == "word" and token.text in _ENDS:
            break
        text, at = HOLE, at + 1
    return text, at


def _folder(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """Return the folder that `path to` names, and where the expression ends."""
    name = _word(tokens, at)
    at += 1
    while _word(tokens, at) in ("folder", "items", "support", "disk", "user", "domain", "from", "local", "container"):
        at += 1
    return _behind(tokens, at, _FOLDERS.get(name, HOLE))


def _word(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if at < len(tokens) and tokens[at].kind == "word" else ""
