"""Functions that are handed over with what they will be called with: `Thread(target=os.remove, args=("x",))`.

Who calls them later is told by the last name of what they are handed to, whether that is known or not: a pool that is a
parameter has a `submit` as well. Where the arguments stand elsewhere, the function is merely mentioned.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from plugseal.lang.python.collecting.scope import Scope
from plugseal.records import NamedTuple

_REDUCING: Final = frozenset(("__reduce__", "__reduce_ex__"))
_MAX_EACH: Final = 16


class _Way(NamedTuple):
    """How a function that is handed over gets its arguments."""

    function: int
    keywords: tuple[str, ...] = ()
    """The function's place, and its names."""
    words: int = -1
    words_keyword: str = ""
    """Where a tuple of arguments stands; by default, what stands behind the function is given to it as it stands."""
    is_each: bool = False
    """Whether the tuple holds the one argument of each of several calls."""


_SPAWNED: Final = _Way(1, ("target", "function"), 3, "args")
_APPLIED: Final = _Way(0, ("func",), 1, "args")
_MAPPED: Final = _Way(0, ("func", "fn", "function"), 1, "iterable", True)
_SCHEDULED: Final = _Way(2, ("action",), 3, "argument")
_FIRST: Final = _Way(0, ("func", "fn", "function", "callback", "sync_fn", "async_fn"))
_SECOND: Final = _Way(1, ("func", "callback"))
_WAYS: Final = {
    **dict.fromkeys(("Thread", "Process", "DummyProcess"), _SPAWNED),
    "Timer": _Way(1, ("function",), 2, "args"),
    "start_new_thread": _Way(0, ("function",), 1, "args"),
    "add_job": _Way(0, ("func",), 2, "args"),
    **dict.fromkeys(("apply", "apply_async"), _APPLIED),
    **dict.fromkeys(("map", "imap", "imap_unordered", "map_async"), _MAPPED),
    **dict.fromkeys(("enter", "enterabs"), _SCHEDULED),
    **dict.fromkeys(
        "run_in_executor call_later call_at add_signal_handler add_reader add_writer finalize".split(), _SECOND
    ),
    **dict.fromkeys(
        "submit to_thread run_sync run_sync_in_worker_thread start_soon call_soon call_soon_threadsafe register"
        " callback run_in_threadpool MethodType partial addCleanup runcall do".split(),
        _FIRST,
    ),
}
"""By last name. `operator.call` is called like too much else."""
HANDING: Final = frozenset(_WAYS)
_SOMEWHERE: Final = frozenset("partial MethodType register do apply map enter".split())
"""What only keeps a function, or is a name of much else."""


class Handed(NamedTuple):
    """One call that somebody else will make of a function."""

    call: ast.Call
    """As if it were written there."""
    is_sure: bool


class HandedFunctions:
    """Which expressions of a scope are handed over as functions."""

    __slots__ = ("_calls", "_reduced")

    def __init__(self, scope: Scope) -> None:
        self._calls: dict[int, tuple[ast.expr, ast.Call, str]] = {}
        for call, name in zip(scope.calls, scope.called, strict=True):
            way = _WAYS.get(name)
            function = _given(call, way.function, way.keywords) if way is not None else None
            if function is not None:
                self._calls[id(function)] = (function, call, name)
        reduces = scope.name in _REDUCING
        pairs = [node.elts for node in scope.exits if isinstance(node, ast.Tuple)] if reduces else []
        self._reduced = {id(pair[0]): pair[1] for pair in pairs if len(pair) > 1}

    def of(self, node: ast.expr) -> list[Handed]:
        """Return the calls that will be made of a function; none where it is not known to be handed over like that."""
        words = self._reduced.get(id(node))
        if words is not None:
            return [Handed(_call(node, items), False) for items in (_items(words),) if items is not None]
        found = self._calls.get(id(node))
        if found is None:
            return []
        is_sure = found[2] not in _SOMEWHERE
        return [Handed(call, is_sure) for call in _calls_of(node, found[1], _WAYS[found[2]])]

    def each(self) -> Iterator[ast.Call]:
        """Yield every such call."""
        for function, call, name in self._calls.values():
            yield from _calls_of(function, call, _WAYS[name])


def _calls_of(function: ast.expr, call: ast.Call, way: _Way) -> list[ast.Call]:
    if way.words < 0:
        behind = call.args[call.args.index(function) + 1 :] if function in call.args else call.args
        return [_call(function, behind, [one for one in call.keywords if one.value is not function])]
    given = _given(call, way.words, (way.words_keyword,))
    items = _items(given)
    if items is None:
        return []
    if way.is_each:
        return [_call(function, [item]) for item in items[:_MAX_EACH]]
    named = [ast.keyword(None, one.value) for one in call.keywords if one.arg in ("kwargs", "kwds")]
    return [_call(function, items, named)]


def _call(function: ast.expr, positional: list[ast.expr], keywords: list[ast.keyword] | None = None) -> ast.Call:
    return ast.copy_location(ast.Call(function, positional, keywords or []), function)


def _items(node: ast.expr | None) -> list[ast.expr] | None:
    return node.elts if isinstance(node, (ast.Tuple, ast.List)) else None


def _given(call: ast.Call, at: int, keywords: tuple[str, ...]) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg in keywords:
            return keyword.value
    before = call.args[: at + 1]
    if len(before) <= at or any(isinstance(one, ast.Starred) for one in before):
        return None
    return before[at]
