"""The one door to tree-sitter: bytes of JavaScript or TypeScript to a syntax tree, in bounded work.

The bound counts the parser's own steps, not time, so that the same bytes are read or refused on every machine.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from plugseal.lang.treesitter import parse_bounded
from plugseal.limits import KIB
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from tree_sitter import Language as Language
    from tree_sitter import Node as Node
    from tree_sitter import Tree as Tree

MIN_PROGRESS_CALLS: Final = 500
PROGRESS_CALLS_PER_KIB: Final = 25
"""Calls of the parser's progress function, one for about a hundred of its steps. Of 1,315 real files the busiest, a
minified one, took 18; hostile ones take 50."""
MAX_DENSE_BYTES: Final = 512 * KIB
DENSE_PROGRESS_CALLS_PER_KIB: Final = 64
"""For the first part of a file, which may be all numbers, commas and brackets: such data take as many steps."""
MAX_PROGRESS_CALLS: Final = 110_000
"""However large a file is. The busiest of all real ones, a minified one of 5 MB, took 79,000."""
MAX_LOST_CALLS: Final = 15_000
"""For all tries together of a file that is not understood: where much is wrong, each takes twenty times as long."""
_TYPED: Final = frozenset((".ts", ".mts", ".cts"))
_MODULE_TYPE: Final = lazy(rb"<\s*typeof\s+import\(\s*(?:'[^'\n]{0,500}'|\"[^\"\n]{0,500}\")\s*\)\s*>(?=\s*\()")
"""The type of a module given to a call, `load<typeof import('./a')>()`, which the grammar takes for comparisons."""
_TYPE_EXPORT: Final = lazy(rb"\bexport[ \t]+(type)(?=[ \t]*[*][ \t]+(?:as[ \t]+[\w$]+[ \t]+)?from\b)")
"""`export type * from`, which the grammar does not know; without the word it says no less."""
_GLOBAL: Final = lazy(rb"(?<=\n)([ \t]+)global[ ](?=\{)")
"""Declarations for all modules inside those of one, which the grammar knows at the top alone."""
_DOTTED: Final = lazy(rb"\bfunction[ \t]{1,9}[A-Za-z_$][\w$]{0,60}(?:\.[A-Za-z_$][\w$]{0,60}){1,4}(?=[ \t]{0,9}\()")
"""`function String.prototype.x() {}`, as Windows' script host takes it."""
_VISIBLE: Final = lazy(rb"[^\r\n]")


def parse_script(data: bytes, suffix: str, *, as_written: bool = False) -> Tree | None:
    """Return the syntax tree of a file, or None where that would take too much work.

    Args:
        data: the whole file.
        suffix: of its name, e.g. `.ts`; it decides which of the languages it is.
        as_written: whether words of types are left in their places that the grammar does not know there.
    """
    return parse_counted(data, suffix, as_written=as_written)[0]


def allowed_calls(size: int) -> int:
    """Return how much work a file of a size in bytes may take."""
    dense = min(size, MAX_DENSE_BYTES)
    rest = size - dense
    allowed = MIN_PROGRESS_CALLS + (dense * DENSE_PROGRESS_CALLS_PER_KIB + rest * PROGRESS_CALLS_PER_KIB) // KIB
    return min(MAX_PROGRESS_CALLS, allowed)


def parse_counted(
    data: bytes, suffix: str, *, most: int = MAX_PROGRESS_CALLS, as_written: bool = False
) -> tuple[Tree | None, int]:
    """Return the same, and how much work it took, of which no more than `most` is done."""
    if b"typeof import(" in data and language_of(suffix) is not language_of(""):
        data = _MODULE_TYPE.sub(lambda type_: _VISIBLE.sub(b" ", type_[0]), data)  # Erased, as before it is run.
    has_more = not as_written and (b"export type " in data or b"global {" in data)
    if has_more and language_of(suffix) is not language_of(""):
        data = _TYPE_EXPORT.sub(lambda found: found[0][:-4] + b"    ", data)
        if b"declare module" in data:
            data = _GLOBAL.sub(rb"\1if (1) ", data)  # A block as long, in which declarations may stand.
    allowed = min(most, allowed_calls(len(data)))
    tree, calls = parse_bounded(language_of(suffix), data, most=allowed)
    if tree is not None and tree.root_node.has_error and not as_written and _DOTTED.search(data):
        data = _DOTTED.sub(lambda found: found[0].replace(b".", b"_"), data)
        again, more = parse_bounded(language_of(suffix), data, most=max(allowed - calls, 1))
        tree, calls = again or tree, calls + more
    if tree is not None and calls > MAX_LOST_CALLS and tree.root_node.has_error:
        return None, calls
    return tree, calls


def language_of(suffix: str) -> Language:
    """Return the language that a suffix means: JavaScript where it means none of TypeScript's two."""
    return _language(suffix if suffix == ".tsx" else ".ts" if suffix in _TYPED else "")


@lru_cache(maxsize=3)
def _language(suffix: str) -> Language:
    from tree_sitter import Language

    if suffix == ".ts":
        import tree_sitter_typescript

        return Language(tree_sitter_typescript.language_typescript())
    if suffix == ".tsx":
        import tree_sitter_typescript

        return Language(tree_sitter_typescript.language_tsx())
    import tree_sitter_javascript

    return Language(tree_sitter_javascript.language())
