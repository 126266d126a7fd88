"""What SQL does outside of its database: files, programs, libraries and connections, by words in their order.

A text falls into words, strings and signs; comments are dropped, so that nothing in them counts, and neither does a
word inside a string. Where a database needs rights for an act, it is told all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from plugseal.lang.placed_acts import Act
from plugseal.patterns import lazy

_TOKEN: Final = lazy(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?P<string>(?:[^']|'')*)'|\"(?P<quoted>(?:[^\"]|\"\")*)\"|"
    r"(?P<line>^[ \t]*(?:\\!|\.(?:shell|system))[ \t]+[^\n]*)|(?P<word>[A-Za-z_][\w$]*)|\s+|(?P<sign>.)",
    re.DOTALL | re.MULTILINE,
)
_MAX_TOKENS: Final = 200_000
_MARK: Final = lazy(r"[ \t]*(?:\\!|\.(?:shell|system))[ \t]+")
_REMOTE: Final = lazy(r"(?:https?|s3|ftp)://([^/:\s]+)", re.IGNORECASE)
_CALLS: Final = {
    "load_extension": ("code.native", "path", 0),
    "load_file": ("fs.read", "path", 0),
    "pg_read_file": ("fs.read", "path", 0),
    "pg_read_binary_file": ("fs.read", "path", 0),
    "pg_ls_dir": ("fs.read", "path", 0),
    "lo_import": ("fs.read", "path", 0),
    "lo_export": ("fs.write", "path", 1),
    "readfile": ("fs.read", "path", 0),
    "writefile": ("fs.write", "path", 0),
    "fsdir": ("fs.read", "path", 0),
    "read_csv": ("fs.read", "path", 0),
    "read_csv_auto": ("fs.read", "path", 0),
    "read_json": ("fs.read", "path", 0),
    "read_json_auto": ("fs.read", "path", 0),
    "read_parquet": ("fs.read", "path", 0),
    "read_text": ("fs.read", "path", 0),
    "read_blob": ("fs.read", "path", 0),
    "sys_exec": ("process.shell", "line", 0),
    "sys_eval": ("process.shell", "line", 0),
    "dblink": ("net.outbound", "text", 0),
    "http_get": ("net.outbound", "host", 0),
    "url": ("net.outbound", "host", 0),
    "openrowset": ("net.outbound", "text", 1),
}
"""Functions by name: the capability, what their argument is, and which one it is."""
_UNTRUSTED: Final = lazy(r"pl(?:python\d?u|perlu|sh|tclu|ruby)\Z|c\Z", re.IGNORECASE)


class _Token(NamedTuple):
    kind: str
    text: str
    offset: int


def acts_of_sql(statements: str) -> Iterator[Act]:
    """Yield what statements do outside of their database, in their order."""
    for _, act in placed_acts_of_sql(statements):
        yield act


def placed_acts_of_sql(statements: str) -> Iterator[tuple[int, Act]]:
    """Yield (offset in the text, what is done there)."""
    tokens = list(_tokens(statements))
    for at, token in enumerate(tokens):
        if token.kind == "line":
            yield token.offset, Act("process.shell", "line", _behind_mark(token.text))
        elif token.kind == "word":
            for act in _at_word(tokens, at, token.text.lower()):
                yield token.offset, act


def _behind_mark(line: str) -> str:
    """Return the command line that a line of a client hands to a shell."""
    mark = _MARK.match(line)
    return line[mark.end() if mark else 0 :].strip()


def _at_word(tokens: list[_Token], at: int, word: str) -> Iterator[Act]:
    if word in _CALLS and _sign(tokens, at + 1) == "(":
        capability, kind, position = _CALLS[word]
        named = _argument(tokens, at + 2, position)
        yield _remote(named) or Act(capability, kind, named)
    elif word == "attach":
        named = _string(tokens, at + (2 if _word(tokens, at + 1) == "database" else 1))
        if named is not None and named not in ("", ":memory:"):
            for capability in ("fs.read", "fs.write"):
                yield Act(capability, "path", named.removeprefix("file:").partition("?")[0])
    elif (word == "program" and _word(tokens, at - 1) in ("from", "to")) or word == "xp_cmdshell":
        yield Act("process.shell", "line", _string(tokens, at + 1))
    elif word in ("outfile", "dumpfile") and _word(tokens, at - 1) == "into":
        yield Act("fs.write", "path", _string(tokens, at + 1))
    elif word == "infile":
        yield Act("fs.read", "path", _string(tokens, at + 1))
    elif word == "into" and _word(tokens, at - 1) == "vacuum":
        yield Act("fs.write", "path", _string(tokens, at + 1))
    elif word == "copy":
        yield from _copy(tokens, at)
    elif word == "soname":
        yield Act("code.native", "path", _string(tokens, at + 1))
    elif word == "language" and _UNTRUSTED.match(_word(tokens, at + 1) or (_string(tokens, at + 1) or "-").lower()):
        yield Act("code.dynamic", "text", _word(tokens, at + 1) or _string(tokens, at + 1))


def _copy(tokens: list[_Token], at: int) -> Iterator[Act]:
    for place in range(at + 1, min(at + 400, len(tokens))):
        if tokens[place].text == ";":
            return
        word = _word(tokens, place)
        named = _string(tokens, place + 1) if word in ("from", "to") else None
        if named is not None:
            yield _remote(named) or Act("fs.read" if word == "from" else "fs.write", "path", named)


def _remote(named: str | None) -> Act | None:
    match = _REMOTE.match(named) if named else None
    return Act("net.outbound", "host", match[1].lower()) if match else None


def _argument(tokens: list[_Token], at: int, position: int) -> str | None:
    """Return a text among the arguments that begin at a token, None where it is none."""
    for _ in range(position):
        while at < len(tokens) and tokens[at].text not in (",", ")"):
            at += 1
        at += 1
    return _string(tokens, at)


def _string(tokens: list[_Token], at: int) -> str | None:
    token = tokens[at] if 0 <= at < len(tokens) else None
    if token is None or token.kind not in ("string", "quoted"):
        return None
    mark = "'" if token.kind == "string" else '"'
    return token.text.replace(mark * 2, mark)


def _word(tokens: list[_Token], at: int) -> str:
    return tokens[at].text.lower() if 0 <= at < len(tokens) and tokens[at].kind == "word" else ""


def _sign(tokens: list[_Token], at: int) -> str:
    return tokens[at].text if at < len(tokens) else ""


def _tokens(text: str) -> Iterator[_Token]:
    for count, match in enumerate(_TOKEN.finditer(text)):
        if count > _MAX_TOKENS:
            return
        if match.lastgroup is not None:
            yield _Token(match.lastgroup, match[match.lastgroup], match.start())
