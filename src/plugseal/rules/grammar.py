"""Which regular expressions a rule may use: only those that no text can make slow.

Rules are ours, but the text they search is hostile. The check reads the parsed pattern, so it can't be fooled by
escapes: no repetition inside a repetition, no back-reference, no look-behind, no conditional group.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Any, Final

from plugseal.patterns import lazy

if sys.version_info >= (3, 11):
    from re import _constants as _sre
    from re import _parser as _parser
else:
    import sre_constants as _sre
    import sre_parse as _parser

MAX_PATTERN_CHARACTERS: Final = 4_000
_FEW: Final = 8
"""A repetition of at most this many is no loop: `(?:[a-z0-9]{4}-){3}` stays linear."""

_REPEAT_NAMES: Final = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_REPEATS: Final = {getattr(_sre, name) for name in _REPEAT_NAMES if hasattr(_sre, name)}
_FORBIDDEN: Final = {
    _sre.GROUPREF: "a back-reference",
    _sre.GROUPREF_EXISTS: "a conditional group",
}


def check_pattern(pattern: str) -> str | None:
    """Say what is wrong with a pattern, None where nothing is.

    Args:
        pattern: as it stands in a rule.
    """
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        return f"pattern is longer than {MAX_PATTERN_CHARACTERS} characters"
    try:
        parsed = _parser.parse(pattern)
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"pattern does not compile: {error}"
    if re.search(pattern, "") is not None:
        return "pattern matches the empty text"
    return _check_items(parsed, in_loop=False)


def join_patterns(patterns: Iterable[str]) -> str:
    """Return one pattern for any of several; flags at the beginning of one hold for that one alone."""
    return "|".join(
        f"(?{flags[1]}:{one[flags.end() :]})" if (flags := _FLAGS.match(one)) else f"(?:{one})" for one in patterns
    )


_FLAGS: Final = lazy(r"\(\?([aimsx]+)\)")


def _check_items(items: Any, *, in_loop: bool) -> str | None:
    """Walk a parsed pattern; `items` is the standard library's own untyped tree."""
    for operation, argument in items:
        if operation in _FORBIDDEN:
            return f"pattern has {_FORBIDDEN[operation]}"
        if operation in _REPEATS:
            _, most, body = argument
            loops = most > _FEW
            if loops and in_loop:
                return "pattern has a repetition inside a repetition"
            fault = _check_items(body, in_loop=in_loop or loops)
        else:
            fault = _check_children(operation, argument, in_loop=in_loop)
        if fault:
            return fault
    return None


def _check_children(operation: Any, argument: Any, *, in_loop: bool) -> str | None:
    """Walk whatever one operation contains."""
    if operation in (_sre.ASSERT, _sre.ASSERT_NOT):
        direction, body = argument
        if direction < 0 and _has_loop(body):
            return "pattern has a look-behind of no fixed width"
        return _check_items(body, in_loop=in_loop)
    if operation is _sre.BRANCH:
        return next((f for branch in argument[1] if (f := _check_items(branch, in_loop=in_loop))), None)
    if operation is _sre.SUBPATTERN:
        return _check_items(argument[-1], in_loop=in_loop)
    if operation is getattr(_sre, "ATOMIC_GROUP", None):
        return _check_items(argument, in_loop=in_loop)
    return None


def _has_loop(items: Any) -> bool:
    return any(operation in _REPEATS for operation, _ in items)
