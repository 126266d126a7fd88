"""Which functions of a file are looked into that has too many for all of them, or that stand too deep in one another.

A function is looked into after the one that it stands in. Of those that wait, functions come first in whose text there
is a name that tells something: a bundle shows what starts programs and talks to others, however large it is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.scope import CLASS, Scope
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugseal.lang.ecmascript.collecting.noting import Collected

MAX_NODES: Final = 1_000_000
"""Nodes of a file that are looked at; only bundles of more than two megabytes have more."""
MAX_DEPTH: Final = 200
"""Functions inside functions; people and tools write no more than thirty."""
MAX_SCOPES: Final = 50_000
"""Functions and classes of a file; the largest bundles have a third of it."""
_TELLING: Final = lazy(
    rb"(?<![\w$.])(?:require|import|process|eval|Function|fetch|XMLHttpRequest|WebSocket|Deno|Bun|child_process)(?![\w$])"
    rb"|\b(?:exec|execSync|execFile|execFileSync|spawn|spawnSync|fork|readFile|readFileSync|writeFile|writeFileSync|unlink"
    rb"|unlinkSync|createReadStream|createWriteStream|createServer|createConnection|runInThisContext|runInNewContext)\b"
)
"""Names for which functions are looked into before others, where a file has too many for all of them."""


def visit_some(collected: Collected, visit: Callable[[Scope], None]) -> None:
    """Look into the functions of a huge file, as many as the bound allows: those first that hold a telling name."""
    scopes = collected.scopes
    telling = [found.start() for found in _TELLING.finditer(collected.data)]
    waiting, cold, done = deque([collected.root]), deque[Scope](), list[Scope]()
    left, own = MAX_NODES, {scopes[0]: scopes[0].node.descendant_count}
    while waiting or cold:
        scope = waiting.popleft() if waiting else cold.popleft()
        done.append(scope)
        if scope.depth > MAX_DEPTH or left < 0:
            collected.is_cut = True
            continue
        known = len(scopes)
        visit(scope)
        for inner in scopes[known:]:
            own[inner] = 0 if inner.kind == CLASS else inner.node.descendant_count
            own[scope] -= own[inner]
            at = bisect_left(telling, inner.node.start_byte)
            is_telling = at < len(telling) and telling[at] < inner.node.end_byte
            (waiting if is_telling else cold).append(inner)
        left -= own.pop(scope)
    scopes[:] = done
