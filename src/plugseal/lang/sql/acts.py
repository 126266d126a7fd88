"""What SQL does outside of its database: files, programs, libraries and connections, by words in their order.

A text falls into words, strings and signs; comments are dropped, so that nothing in them counts, and neither does a
word inside a string. Where a database needs rights for an act, it is told all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.connection_texts import host_of_connection
from plugseal.lang.judging.objects import share_of
from plugseal.lang.placed_acts import Act
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_TOKEN: Final = lazy(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?P<string>(?:[^']|'')*)'|\"(?P<quoted>(?:[^\"]|\"\")*)\"|"
    r"(?P<line>^[ \t]*(?:\\!|\.(?:shell|system))[ \t]+[^\n]*)|"
    r"(?P<client>^[ \t]*(?:\\|\.)[a-z]+[ \t]+[^\n]*)|(?P<word>[A-Za-z_][\w$]*)|\s+|(?P<sign>.)",
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
    "dblink": ("net.outbound", "host", 0),
    "http_get": ("net.outbound", "host", 0),
    "url": ("net.outbound", "host", 0),
    "dblink_connect": ("net.outbound", "host", 0),
    "dblink_exec": ("net.outbound", "host", 0),
    "pg_stat_file": ("fs.read", "path", 0),
    "pg_file_write": ("fs.write", "path", 0),
    "pg_ls_logdir": ("fs.read", "", 0),
    "http_post": ("net.outbound", "host", 0),
    "httpuritype": ("net.outbound", "host", 0),
    "read_ndjson": ("fs.read", "path", 0),
    "read_json_objects": ("fs.read", "path", 0),
    "read_xlsx": ("fs.read", "path", 0),
    "sniff_csv": ("fs.read", "path", 0),
    "openrowset": ("net.outbound", "text", 1),
}
"""Functions by name: the capability, what their argument is, and which one it is."""
_PACKAGES: Final = {
    "utl_http": ("net.outbound", "host"),
    "utl_tcp": ("net.outbound", "host"),
    "utl_smtp": ("net.outbound", "host"),
    "utl_inaddr": ("net.outbound", "host"),
    "utl_file": ("fs.write", ""),
    "dbms_scheduler": ("process.exec", ""),
    "dbms_ldap": ("net.outbound", "host"),
}
"""Packages of Oracle whose functions leave the database: `utl_http.request('…')`."""
_PROCEDURES: Final = {
    "xp_cmdshell": ("process.shell", "line"),
    "xp_dirtree": ("fs.read", "path"),
    "xp_fileexist": ("fs.read", "path"),
    "xp_subdirs": ("fs.read", "path"),
    "xp_create_subdir": ("fs.write", "path"),
    "xp_delete_file": ("fs.delete", ""),
    "xp_regread": ("fs.read", ""),
    "xp_regwrite": ("persistence", ""),
    "sp_oacreate": ("code.dynamic", "text"),
    "sp_execute_external_script": ("code.dynamic", ""),
    "sp_addextendedproc": ("code.native", ""),
    "sp_addlinkedserver": ("net.outbound", ""),
    "sp_send_dbmail": ("net.outbound", ""),
}
"""Procedures of SQL Server that leave the database."""
_CLIENT: Final = lazy(r"[ \t]*(?:\\|\.)([a-z]+)[ \t]+(?:'([^'\n]*)'|\"([^\"\n]*)\"|([^\s;]+))([^\n]*)")
_OF_CLIENTS: Final = {
    "\\": {"i": "fs.read", "ir": "fs.read", "include": "fs.read", "o": "fs.write", "out": "fs.write", "w": "fs.write"},
    ".": {
        "read": "fs.read",
        "import": "fs.read",
        "open": "fs.write",
        "restore": "fs.read",
        "output": "fs.write",
        "once": "fs.write",
        "log": "fs.write",
        "backup": "fs.write",
        "save": "fs.write",
        "clone": "fs.write",
        "load": "code.native",
        "cd": "",
    },
}
"""What a line of psql (`\\i`) or of sqlite3 (`.read`) does to the file that it names, or to a program behind `|`."""
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
        elif token.kind == "client":
            for act in _of_client(token.text):
                yield token.offset, act
        elif token.kind == "word":
            for act in _at_word(tokens, at, token.text.lower()):
                yield token.offset, act


def _of_client(line: str) -> Iterator[Act]:
    """Yield what a line for a client does; `\\copy` is a statement like any other."""
    found = _CLIENT.match(line)
    if found is None:
        return
    if found[1] == "copy":
        yield from acts_of_sql(line.lstrip()[1:])
        return
    capability = _OF_CLIENTS[line.lstrip()[0]].get(found[1], "")
    named = next((text for text in (found[2], found[3], found[4]) if text is not None), "")
    if not capability or named in ("stdout", "off", "stderr"):
        return
    if named.startswith("|"):
        yield Act("process.shell", "line", f"{named}{found[5]}".lstrip("| ") or None)
    else:
        yield Act(capability, "path", named)


def _behind_mark(line: str) -> str:
    """Return the command line that a line of a client hands to a shell."""
    mark = _MARK.match(line)
    return line[mark.end() if mark else 0 :].strip()


def _at_word(tokens: list[_Token], at: int, word: str) -> Iterator[Act]:
    if word in _CALLS and _sign(tokens, at + 1) == "(":
        capability, kind, position = _CALLS[word]
        named = _argument(tokens, at + 2, position)
        if kind == "host" and named is not None:
            named = host_of_connection(named) or named
        yield _remote(named) or Act(capability, kind, named)
    elif word == "attach":
        named = _string(tokens, at + (2 if _word(tokens, at + 1) == "database" else 1))
        if named is not None and named not in ("", ":memory:"):
            for capability in ("fs.read", "fs.write"):
                yield Act(capability, "path", named.removeprefix("file:").partition("?")[0])
    elif word == "program" and _word(tokens, at - 1) in ("from", "to"):
        yield Act("process.shell", "line", _string(tokens, at + 1))
    elif word in _PROCEDURES:
        yield from _procedure(_PROCEDURES[word], _string(tokens, at + 1))
    elif word in _PACKAGES and _sign(tokens, at + 1) == "." and _sign(tokens, at + 3) == "(":
        capability, kind = _PACKAGES[word]
        named = _argument(tokens, at + 4, 0) if kind else None
        yield _remote(named) or Act(capability, kind, named)
    elif word == "connection" or (word in ("host", "hostaddr") and _word(tokens, at - 1) != "table"):
        text = _string(tokens, at + 1)
        host = text if word != "connection" else host_of_connection(text or "")
        if host and (word == "connection" or _in_options(tokens, at)):
            yield Act("net.outbound", "host", host)
    elif word == "disk" and _sign(tokens, at + 1) == "=":
        named = _string(tokens, at + 2)
        yield Act("fs.write" if _word(tokens, at - 1) == "to" else "fs.read", "path", named)
    elif word == "bulk" and _word(tokens, at - 1) in ("", "(") and _sign(tokens, at + 1) == "'":
        yield Act("fs.read", "path", _string(tokens, at + 1))
    elif word == "insert" and _word(tokens, at - 1) == "bulk":
        yield from _behind_word(tokens, at, "from", "fs.read")
    elif word == "install" and _word(tokens, at + 2) == "from":
        named = _string(tokens, at + 3)
        yield Act("code.fetched", "text", _word(tokens, at + 1))
        yield from [found] if (found := _remote(named)) is not None else ()
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


def _procedure(known: tuple[str, str], named: str | None) -> Iterator[Act]:
    capability, kind = known
    share = share_of(named) if kind == "path" and named else None
    if share is not None:
        yield Act("net.outbound", "host", share)
    yield Act(capability, kind, named if kind else None)


def _in_options(tokens: list[_Token], at: int) -> bool:
    """Say whether a word stands in `OPTIONS (…)`."""
    for place in range(at - 1, max(-1, at - 40), -1):
        if tokens[place].text in (";", ")"):
            return False
        if tokens[place].text == "(":
            return _word(tokens, place - 1) == "options"
    return False


def _behind_word(tokens: list[_Token], at: int, word: str, capability: str) -> Iterator[Act]:
    """Yield what is done to the file that a word of the same statement is followed by."""
    for place in range(at + 1, min(at + 40, len(tokens))):
        if tokens[place].text == ";":
            return
        if _word(tokens, place) == word:
            yield Act(capability, "path", _string(tokens, place + 1))
            return


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
