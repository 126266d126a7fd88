"""Read one file of JavaScript or TypeScript: bytes in, facts out. Never raises, never runs anything of it.

What the grammar does not understand makes the file `partial`; the facts of the rest are kept. A file that JavaScript's
grammar does not understand is tried with TypeScript's: types are written in `.js` files too. What only Windows' script
host takes for code is read besides, as that host reads the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from plugseal.lang.ecmascript.parsing.allowance import Allowance
from plugseal.lang.ecmascript.parsing.conditional import MARK, is_open, uncovered
from plugseal.lang.ecmascript.parsing.grammar import grammar_of
from plugseal.lang.ecmascript.parsing.parse import parse_counted
from plugseal.lang.facts import PARTIAL_STATUS, Context, Event, FileFacts, Nested, unread
from plugseal.limits import MAX_SOURCE_BYTES
from plugseal.model.capability import fact_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugseal.lang.ecmascript.parsing.parse import Tree

_T = TypeVar("_T", Event, Nested)
JAVASCRIPT: Final = "javascript"
_WIDE: Final = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
TOO_LARGE: Final = "larger than is read"
TOO_MUCH_WORK: Final = "takes too much work to parse"
NOT_UNDERSTOOD: Final = "holds syntax that is wrong, or newer than is known here"


class ScriptReader:
    """The reader of JavaScript, or of TypeScript."""

    def __init__(self, language: str) -> None:
        self.language = language

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        return read_script(data, context, language=self.language)


def read_script(data: bytes, context: Context, *, language: str) -> FileFacts:
    """Return the facts of one script."""
    if len(data) > MAX_SOURCE_BYTES:
        return unread(language, TOO_LARGE)
    data = _decoded(data)
    allowance = Allowance(len(data))
    facts = _read(data, context, language, allowance)
    if MARK not in data:
        return facts
    hosts = _read(uncovered(data), context, language, allowance)
    if facts.reason == NOT_UNDERSTOOD and is_open(data):
        facts = facts._replace(status=hosts.status, reason=hosts.reason)
    return _with_host(facts, hosts)


def _with_host(facts: FileFacts, hosts: FileFacts) -> FileFacts:
    """Return the facts of a file with those that it has for Windows' script host alone.

    What that host does not understand it does not run; that a comment could not be read is no fault of the file.
    """
    is_cut = facts.status == "read" and hosts.status != "read" and hosts.reason != NOT_UNDERSTOOD
    return facts._replace(
        status=PARTIAL_STATUS if is_cut else facts.status,
        reason=hosts.reason if is_cut else facts.reason,
        facts=tuple(sorted({*facts.facts, *hosts.facts}, key=fact_order)),
        events=_in_order((*facts.events, *hosts.events)),
        pending=_in_order((*facts.pending, *hosts.pending)),
        imports=tuple(sorted({*facts.imports, *hosts.imports})),
        entries=tuple(dict.fromkeys((*facts.entries, *hosts.entries))),
        nested=_in_order((*facts.nested, *hosts.nested)),
    )


def _in_order(found: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(sorted(dict.fromkeys(found), key=lambda one: one.span))


def _read(data: bytes, context: Context, language: str, allowance: Allowance) -> FileFacts:
    suffix = _suffix(context.path, language)
    tree, work = parse_counted(data, suffix, most=allowance.calls)
    if tree is None:
        allowance.lose_calls(work)
        return unread(language, TOO_MUCH_WORK)
    if not tree.root_node.has_error:
        allowance.take_calls(work)
    else:
        allowance.lose_calls(work)
        tree, suffix = _better(data, tree, suffix, allowance)
    from plugseal.lang.ecmascript.analysis import TOO_NESTED, facts_of_script

    root = tree.root_node
    reason = NOT_UNDERSTOOD if root.has_error else ""
    # Depth is bounded by our own count; this is for what nobody thought of.
    try:
        return facts_of_script(
            data, root, grammar_of(suffix), context, language=language, allowance=allowance, reason=reason
        )
    except RecursionError:
        return unread(language, TOO_NESTED)


def _better(data: bytes, tree: Tree, suffix: str, allowance: Allowance) -> tuple[Tree, str]:
    """Return another grammar's tree where that one understands all of the file, and finding out is not too much."""
    for other in (".ts", ".tsx", ""):
        if other != suffix and allowance.lost > 0:
            again, work = parse_counted(data, other, most=allowance.lost)
            allowance.lose_calls(work)
            if again is not None and not again.root_node.has_error:
                return again, other
    return tree, suffix


def _decoded(data: bytes) -> bytes:
    """Return the source as the runtimes read it: UTF-8 without a mark, other encodings turned into it."""
    for mark, encoding in _WIDE:
        if data.startswith(mark):
            return data[2:].decode(encoding, "replace").encode("utf-8")
    data = data.removeprefix(b"\xef\xbb\xbf")
    return data if data.isascii() else data.decode("utf-8", "replace").encode("utf-8")


def _suffix(path: str, language: str) -> str:
    name = path.rpartition("/")[2].lower()
    if language == JAVASCRIPT:
        return ""
    return ".tsx" if name.endswith(".tsx") else ".ts"
