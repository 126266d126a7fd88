"""The one door to RFC 8785: canonical JSON, with types judged before a byte is made.

Rules: only null, booleans, integers up to 2**53 - 1, strings, lists, tuples and dictionaries with string keys have
a canonical form here. Floats have none, `-0.0` and `1.0` included: nothing that is signed needs them, and writers
disagree on them. Lone surrogates have none anywhere. Nesting is bounded. Never guesses, never converts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, TypeAlias, Union

from plugseal import limits
from plugseal.errors import CanonicalError

Json: TypeAlias = Union[bool, int, str, Sequence["Json"], "dict[str, Json]", None]

MAX_INTEGER: Final = 2**53 - 1
"""The largest integer that every JSON reader holds exactly."""


def build_canonical(value: Json) -> bytes:
    """Return the RFC 8785 bytes of `value`.

    Raises:
        CanonicalError: a part of it has no canonical form; the message says where.
    """
    if verify_canonical(value):
        # Where no key is beyond ASCII the two differ in nothing: neither in escapes nor in the order of keys.
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    import rfc8785

    return rfc8785.dumps(value)


def verify_canonical(value: object) -> bool:
    """Refuse what has no canonical form, and say whether all keys are ASCII.

    Raises:
        CanonicalError: as `build_canonical`.
    """
    has_plain_keys = True
    pending: list[tuple[object, str, int]] = [(value, "$", 0)]
    while pending:
        item, where, depth = pending.pop()
        if depth > limits.MAX_DATA_DEPTH:
            raise CanonicalError(f"nests deeper than {limits.MAX_DATA_DEPTH}", place=where)
        if type(item) is dict:
            for key, below in item.items():
                _verify_string(key, where)
                has_plain_keys = has_plain_keys and key.isascii()
                pending.append((below, f"{where}.{key}", depth + 1))
        elif isinstance(item, list | tuple) and type(item) in (list, tuple):
            pending.extend((below, f"{where}[{index}]", depth + 1) for index, below in enumerate(item))
        else:
            _verify_scalar(item, where)
    return has_plain_keys


def _verify_scalar(item: object, where: str) -> None:
    # By exact type: a subclass may print itself otherwise, and `True` is an integer to `isinstance`.
    if item is None or type(item) is bool:
        return
    if type(item) is int:
        if not -MAX_INTEGER <= item <= MAX_INTEGER:
            raise CanonicalError("the integer is larger than 2**53 - 1", place=where)
        return
    if type(item) is str:
        _verify_string(item, where)
        return
    raise CanonicalError(f"`{type(item).__name__}` has no canonical form", place=where)


def _verify_string(item: object, where: str) -> None:
    if type(item) is not str:
        raise CanonicalError(f"a key is `{type(item).__name__}`, not `str`", place=where)
    if not item.isascii():
        try:
            item.encode("utf-8")
        except UnicodeEncodeError as error:
            raise CanonicalError("a string holds a lone surrogate", place=where) from error
