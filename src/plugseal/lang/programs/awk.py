"""What a program of awk starts, reads, writes and connects to; told by its tokens, never run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.placed_acts import Act
from plugseal.patterns import lazy

_TOKEN: Final = lazy(
    r"""(?P<blank>[ \t\r]+|\\\r?\n|\#[^\n]*)
      | (?P<text>"(?:[^"\\\n]|\\[\s\S])*")
      | (?P<name>[A-Za-z_]\w*)
      | (?P<mark>\|&|>>|&&|\|\||[<>!=]=|[|><(){};,\n])
      | (?P<other>[\s\S])""",
    re.X,
)
_MAX_TOKENS: Final = 20_000
_REGEX: Final = lazy(r"/(?:[^/\\\n]|\\.)+/")
_SOCKET: Final = lazy(r"/inet[46]?/(?:tcp|udp)/([^/]*)/([^/]*)/([^/]*)")
_ENDS: Final = frozenset(("", "{", "(", ",", ";", "\n", "&&", "||", "!", "~"))


def acts_of_awk(program: str) -> Iterator[Act]:
    """Yield what a program does; a line that it gives to a shell has the kind `line`."""
    for _, act in placed_acts_of_awk(program):
        yield act


def placed_acts_of_awk(program: str) -> Iterator[tuple[int, Act]]:
    """Yield (offset in the program, what is done there)."""
    placed = _tokens(program)
    tokens = [(kind, text) for kind, text, _ in placed]
    is_printing = False
    for at, (_, text, offset) in enumerate(placed):
        for act in _acts_at(tokens, at, is_printing=is_printing):
            yield offset, act
        if text in ("print", "printf"):
            is_printing = True
        elif text in ("\n", ";", "}"):
            is_printing = False


def _acts_at(tokens: list[tuple[str, str]], at: int, *, is_printing: bool) -> Iterator[Act]:
    """Yield what one token does among the others."""
    kind, text = tokens[at]
    before = tokens[at - 1][1] if at else ""
    after = tokens[at + 1] if at + 1 < len(tokens) else ("", "")
    if kind == "name" and text == "system" and after[1] == "(":
        yield from _line(tokens[at + 2] if at + 2 < len(tokens) else ("", ""))
    elif kind == "name" and text == "getline" and before == "|" and at > 1:
        yield from _line(tokens[at - 2])
    elif kind == "name" and text == "ENVIRON":
        yield _environ(tokens[at + 1 : at + 4])
    elif text in ("|", "|&") and after[0] == "text":
        yield from _line(after)
    elif text in (">", ">>") and is_printing and after[0] == "text":
        yield Act("fs.write", "path", after[1][1:-1])
    elif (text == "<" and before == "getline") or (text == "<" and at > 1 and tokens[at - 2][1] == "getline"):
        if after[0] == "text":
            yield Act("fs.read", "path", after[1][1:-1])
    elif kind == "text" and (socket := _SOCKET.match(text[1:])):
        yield _connection(socket)


def _tokens(program: str) -> list[tuple[str, str, int]]:
    """Return (kind, text, offset) of each token."""
    found: list[tuple[str, str, int]] = []
    at = 0
    while at < len(program) and len(found) < _MAX_TOKENS:
        if program[at] == "/" and (not found or found[-1][1] in _ENDS):
            regex = _REGEX.match(program, at)
            if regex:
                found.append(("other", "/", at))
                at = regex.end()
                continue
        match = _TOKEN.match(program, at)
        if match is None:
            break
        if match.lastgroup != "blank":
            found.append((match.lastgroup or "", match[0], at))
        at = match.end()
    return found


def _line(token: tuple[str, str]) -> Iterator[Act]:
    kind, text = token
    if kind == "text" and text.startswith('"/inet'):
        return
    yield Act("process.shell", "line" if kind == "text" else "", _plain(text) if kind == "text" else None)
    if kind != "text":
        yield Act("code.dynamic", "", None)


def _environ(tokens: list[tuple[str, str]]) -> Act:
    if len(tokens) == 3 and tokens[0][1] == "[" and tokens[1][0] == "text":
        return Act("env.read", "text", _plain(tokens[1][1]))
    return Act("env.bulk", "", None)


def _connection(socket: re.Match[str]) -> Act:
    local, host, port = socket[1], socket[2], socket[3].rstrip('"')
    if host in ("", "0"):
        return Act("net.listen", "text", local or None)
    return Act("net.outbound", "host", f"{host}:{port}" if port.isdigit() else host)


def _plain(text: str) -> str:
    return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
