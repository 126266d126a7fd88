"""Which literals a pattern needs: every text with a match holds one of them.

A text is searched for a few literals in no time, while compiling a pattern takes longer than matching a rule. So the
literals of every rule's pattern are recorded when the rules are tested, and a scan compiles the few patterns whose
literals it meets. The answer is read from the parsed pattern, from the inside out: of each part, either the exact texts
that it matches, where these are few, or literals of which one stands in every match.

Literals are in lower case and ASCII alone: they hold for a text in ASCII that is put into lower case.

See: https://swtch.com/~rsc/regexp/regexp4.html
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, Final

from plugseal.records import NamedTuple

if sys.version_info >= (3, 11):
    from re import _constants as _sre
    from re import _parser as _parser
else:
    import sre_constants as _sre
    import sre_parse as _parser

_MAX_EXACT: Final = 16
"""More texts than that are no longer spelled out."""
_MAX_NEEDED: Final = 48
"""So many literals are looked for in the time of a search."""
_MAX_SET: Final = 8
"""Characters of a set that is spelled out."""

_REPEATS: Final = {
    getattr(_sre, name) for name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") if hasattr(_sre, name)
}
_ATOMIC: Final = getattr(_sre, "ATOMIC_GROUP", None)
_Texts = frozenset[str]
_NOTHING: Final[_Texts] = frozenset()


class _Part(NamedTuple):
    """What is known of the texts that a part of a pattern matches."""

    exact: _Texts | None
    """All of them; None where they are many."""
    needed: _Texts = _NOTHING
    """Each of them holds one of these; nothing where that is not known."""


_EMPTY: Final = _Part(frozenset({""}))
_ANYTHING: Final = _Part(None)


def find_needs(pattern: str, flags: int = 0) -> tuple[str, ...]:
    """Return literals of which every match of a pattern holds at least one, sorted; nothing where none are known.

    Args:
        pattern: a sound regular expression.
        flags: of `re`.
    """
    parsed: Any = _parser.parse(pattern, flags)
    part = _sequence(parsed)
    found = _better(part.needed, part.exact or _NOTHING)
    return tuple(sorted(_shortest(found))) if len(found) <= _MAX_NEEDED else ()


def _sequence(items: Iterable[tuple[Any, Any]]) -> _Part:
    """Say what is known of parts that follow each other; exact texts side by side make longer ones."""
    run: _Texts = frozenset({""})
    needed = _NOTHING
    is_exact = True
    for operation, argument in items:
        part = _part(operation, argument)
        if part.exact is not None and len(part.exact) * len(run) <= _MAX_EXACT:
            run = frozenset(map("".join, product(run, part.exact)))
            continue
        needed = _better(_better(needed, run), part.needed)
        run, is_exact = part.exact or frozenset({""}), False
    return _Part(run if is_exact else None, _better(needed, run))


def _part(operation: Any, argument: Any) -> _Part:
    """Say what is known of one part; `operation` and `argument` are the standard library's own untyped tree."""
    if operation is _sre.LITERAL:
        return _characters([argument])
    if operation is _sre.IN:
        return _set(argument)
    if operation in (_sre.AT, _sre.ASSERT, _sre.ASSERT_NOT):
        return _EMPTY  # They look, and match no character.
    if operation is _sre.SUBPATTERN:
        return _sequence(argument[-1])
    if operation is _ATOMIC:
        return _sequence(argument)
    if operation is _sre.BRANCH:
        return _branches([_sequence(branch) for branch in argument[1]])
    if operation in _REPEATS:
        return _repeated(*argument)
    return _ANYTHING


def _characters(codes: Sequence[int]) -> _Part:
    """Say what one of a few characters matches; beyond ASCII nobody knows its other case."""
    if any(code > 0x7F for code in codes):
        return _ANYTHING
    return _Part(frozenset(chr(code).lower() for code in codes))


def _set(items: Sequence[tuple[Any, Any]]) -> _Part:
    """Say what a set matches, where it is a few characters."""
    codes: list[int] = []
    for operation, argument in items:
        if operation is _sre.LITERAL:
            codes.append(argument)
        elif operation is _sre.RANGE and argument[1] - argument[0] < _MAX_SET:
            codes += range(argument[0], argument[1] + 1)
        else:
            return _ANYTHING
    return _characters(codes) if len(codes) <= _MAX_SET else _ANYTHING


def _branches(parts: Sequence[_Part]) -> _Part:
    """Say what is known of one of several parts: all that is known of each of them."""
    exact = _NOTHING.union(*(part.exact or _NOTHING for part in parts))
    needed = [_better(part.needed, part.exact or _NOTHING) for part in parts]
    is_exact = all(part.exact is not None for part in parts) and len(exact) <= _MAX_EXACT
    return _Part(exact if is_exact else None, _NOTHING.union(*needed) if all(needed) else _NOTHING)


def _repeated(least: int, most: int, body: Iterable[tuple[Any, Any]]) -> _Part:
    """Say what is known of a repetition: all that is known of its body, where it can't be left out."""
    part = _sequence(body)
    if least == 0:
        is_optional = most == 1 and part.exact is not None
        return _Part(part.exact | {""}) if is_optional and part.exact is not None else _ANYTHING
    return part if least == most == 1 else _Part(None, _better(part.needed, part.exact or _NOTHING))


def _better(one: _Texts, other: _Texts) -> _Texts:
    """Return those of two sets of literals that fewer texts hold: the longer ones, then the fewer."""
    return min(one, other, key=_worth)


def _worth(texts: _Texts) -> tuple[int, int]:
    return (-min(map(len, texts)), len(texts)) if texts and "" not in texts else (1, 0)


def _shortest(texts: _Texts) -> _Texts:
    """Leave out what holds another literal: it is found with it."""
    return frozenset(text for text in texts if not any(other != text and other in text for other in texts))
