"""What has to be written otherwise for Python 3 to read a statement of Python 2 as Python 2 does.

Each edit stays inside its line, so that lines stay what they are; how columns move is known by the edits themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from plugseal.lang.python.older.tokens import Token, statements_of, tokens_of
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_OCTAL: Final = lazy(rb"0[0-7]+[lL]?")
_ESCAPE: Final = lazy(rb"\\.", re.S)
_GOES_ON: Final = frozenset(b"and or in is if else".split())
"""Names that go on with an expression, so that what stands before them is one."""
_BEGINS: Final = frozenset((b"{", b"[", b"~", b"`", b"-", b"+"))
_AFTER_ASYNC: Final = frozenset((b"def", b"for", b"with"))


class Edit(NamedTuple):
    """Bytes of the source and what is to stand in their place."""

    start: int
    end: int
    text: bytes


def edits_of(data: bytes) -> list[Edit]:
    """Return what has to be edited, in the source's order; nothing where the source can't be told apart."""
    tokens = tokens_of(data)
    if tokens is None:
        return []
    edits = _indentation(tokens)
    statements = statements_of(tokens)
    is_unicode = any(_makes_unicode(statement) for statement in statements)
    for statement in statements:
        edits.extend(_of_tokens(statement, is_unicode=is_unicode))
        of_statement = _STATEMENTS.get(statement[0].text)
        if of_statement is not None and statement[0].kind == "name":
            edits.extend(of_statement(statement, data))
        for at, token in enumerate(statement):
            if token.text == b"lambda":
                edits.extend(_parameters(statement, at + 1, b":"))
    return [edit for edit in sorted(set(edits)) if edit.text != data[edit.start : edit.end]]


def _indentation(tokens: list[Token]) -> list[Edit]:
    """Return blanks for the tabs that indent: Python 2 takes one for up to eight blanks."""
    starts = [True, *(token.kind == "newline" for token in tokens)]
    return [
        Edit(token.start, token.end, token.text.expandtabs(8))
        for token, is_first in zip(tokens, starts, strict=False)
        if is_first and token.kind == "space" and b"\t" in token.text
    ]


def _makes_unicode(statement: list[Token]) -> bool:
    """Say whether a statement makes every literal without a prefix one of Unicode."""
    words = [token.text for token in statement]
    return words[:2] == [b"from", b"__future__"] and b"unicode_literals" in words


def _of_tokens(statement: list[Token], *, is_unicode: bool) -> list[Edit]:
    edits: list[Edit] = []
    is_open = False
    for at, token in enumerate(statement):
        if token.kind == "number":
            edits.extend(_number(token))
        elif token.kind == "string":
            edits.extend(_string(token, is_unicode=is_unicode))
        elif token.text == b"<>":
            edits.append(Edit(token.start, token.end, b"!="))
        elif token.text == b"`":
            is_open = not is_open
            edits.append(Edit(token.start, token.end, b"repr(" if is_open else b")"))
        elif token.text == b"async":
            following = statement[at + 1].text if at + 1 < len(statement) else b""
            if following not in _AFTER_ASYNC:
                edits.append(Edit(token.end, token.end, b"_"))
    return edits


def _number(token: Token) -> list[Edit]:
    edits = [Edit(token.start + 1, token.start + 1, b"o")] if _OCTAL.fullmatch(token.text) else []
    if token.text[-1:] in b"lL":
        edits.append(Edit(token.end - 1, token.end, b""))
    return edits


def _string(token: Token, *, is_unicode: bool) -> list[Edit]:
    """Return what a literal needs: `ur` is no prefix any more, and `\\u` was two characters in one without a prefix."""
    quote = min(place for place in (token.text.find(b"'"), token.text.find(b'"')) if place >= 0)
    prefix = token.text[:quote].lower()
    escapes = [(token.start + found.start(), found[0][1:]) for found in _ESCAPE.finditer(token.text)]
    if prefix in (b"ur", b"ru") or (is_unicode and prefix == b"r"):
        if any(letter in b"uU" for _, letter in escapes):
            return _raw_unicode(token.start + prefix.index(b"r"), escapes)
        at = token.start + prefix.find(b"u")
        return [Edit(at, at + 1, b"")] if b"u" in prefix else []
    if prefix or is_unicode:
        return []
    return [Edit(place, place, b"\\") for place, letter in escapes if letter in b"uUN"]


def _raw_unicode(raw: int, escapes: list[tuple[int, bytes]]) -> list[Edit]:
    """Return what makes a raw literal a plain one: of its backslashes, those of `\\u` alone meant a character."""
    edits = [Edit(raw, raw + 1, b"")]
    for place, letter in escapes:
        if letter not in b"uU":
            edits.append(Edit(place, place, b"\\\\" if letter in b"\\'\"" else b"\\"))
    return edits


def _call(statement: list[Token], data: bytes) -> list[Edit]:
    """Return `print x` as `print(x)`, `print >>f, x` as `print( f, x)`."""
    if len(statement) == 1:
        return []
    word, first = statement[0], statement[1]
    last = statement[-1].end
    if first.text == b">>":
        return [Edit(first.start, first.end, b"( "), Edit(last, last, b")")]
    begins = first.kind in ("string", "number") or first.text in _BEGINS
    if not begins and (first.kind != "name" or first.text in _GOES_ON):
        return []
    blank = data[word.end : word.end + 1] in (b" ", b"\t")
    return [Edit(word.end, word.end + blank, b"("), Edit(last, last, b")")]


def _exec(statement: list[Token], data: bytes) -> list[Edit]:
    """Return `exec x in y` as `exec(x , y)`, `exec (x) + y` as `exec((x) + y)`."""
    edits = _call(statement, data)
    if not edits and len(_outermost(statement)) > 1:
        word, last = statement[0].end, statement[-1].end
        edits = [Edit(word, word, b"("), Edit(last, last, b")")]
    if edits:
        within = next((token for token in _outermost(statement) if token.text == b"in"), None)
        if within is not None:
            edits.append(Edit(within.start, within.end, b", "))
    return edits


def _raise(statement: list[Token], _: bytes) -> list[Edit]:
    """Return `raise E, x` as `raise E( x)`."""
    comma = next((token for token in _outermost(statement) if token.text == b","), None)
    if comma is None or comma is statement[-1]:
        return []
    last = statement[-1].end
    return [Edit(comma.start, comma.end, b"("), Edit(last, last, b")")]


def _except(statement: list[Token], data: bytes) -> list[Edit]:
    """Return `except E, e:` as `except E as e:`; what else than a name is bound gets none."""
    commas = [token for token in _outermost(statement) if token.text == b","]
    if len(commas) != 1 or statement[-1].text != b":":
        return []
    bound = statement[statement.index(commas[0]) + 1 : -1]
    if len(bound) == 1 and bound[0].kind == "name":
        return [Edit(commas[0].start, bound[0].start, b" as ")]
    end = statement[-1].start
    held = data[commas[0].start : end]
    return [] if b"\n" in held or b"\r" in held else [Edit(commas[0].start, end, b" as _")]


def _def(statement: list[Token], _: bytes) -> list[Edit]:
    """Return `def f(a, (b, c)):` as `def f(a,  b, c ):`."""
    at = next((at for at, token in enumerate(statement) if token.text == b"("), None)
    return [] if at is None else _parameters(statement, at + 1, b")")


def _parameters(statement: list[Token], first: int, end: bytes) -> list[Edit]:
    """Return blanks for the brackets around parameters that take a tuple apart."""
    edits: list[Edit] = []
    depth = apart = 0
    begins = True
    for at in range(first, len(statement)):
        token = statement[at]
        if token.text == b"lambda" or (depth == 0 and token.text == end):
            break  # The parameters of an inner lambda are looked at by themselves, and so no token twice.
        if token.text == b"(" and (begins or apart):
            apart += 1
        elif token.text == b")" and apart:
            apart -= 1
            edits.append(Edit(token.start, token.end, b" "))
            depth -= 1
            continue
        depth += token.opens - token.closes
        if depth < 0:
            break
        if apart and token.text == b"(":
            edits.append(Edit(token.start, token.end, b" "))
        begins = token.text == b"," and depth == apart
    return edits


def _outermost(statement: list[Token]) -> list[Token]:
    """Return the tokens that stand in no brackets."""
    found: list[Token] = []
    depth = 0
    for token in statement:
        if depth == 0 and not token.opens:
            found.append(token)
        depth = max(depth + token.opens - token.closes, 0)
    return found


_STATEMENTS: Final[dict[bytes, Callable[[list[Token], bytes], list[Edit]]]] = {
    b"print": _call,
    b"exec": _exec,
    b"raise": _raise,
    b"except": _except,
    b"def": _def,
}
