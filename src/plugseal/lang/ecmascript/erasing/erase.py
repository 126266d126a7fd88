"""Erase TypeScript's types: each is replaced by blanks, so that every other character keeps its line and column.

Rules
- What is left is JavaScript as it stood in the file: nothing is moved but a parenthesis of an arrow function whose
  types go over several lines, and nothing is added but a semicolon where a type was all that kept two statements apart.
- A blank stands for each UTF-16 unit, as JavaScript counts columns; line ends stay.
- Syntax that makes code (`enum`, a namespace with values, parameter properties, `import =`, `export =`, decorators) has
  no meaning without its types: it is a fault, and so is everything that two parsers could read differently.
- The result is parsed again as JavaScript: what that grammar refuses is a fault too.

It never runs anything, and it never guesses: a file has all of its types erased, or it has faults.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.erasing.erasing import LINE_ENDS, Edit, Unerasable, place_of
from plugseal.lang.ecmascript.parsing.parse import parse_script
from plugseal.limits import MAX_SOURCE_BYTES
from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugseal.lang.ecmascript.parsing.parse import Node

TYPED: Final = (".ts", ".mts", ".cts")
"""Suffixes of files that may hold types; `.tsx` needs more than erasing."""
MAX_FAULTS: Final = 100
_MARK: Final = b"\xef\xbb\xbf"
_NOT_TYPESCRIPT: Final = "is no TypeScript that is known here"


class Erased(NamedTuple):
    """A file without its types."""

    data: bytes
    """Empty where there are faults."""
    faults: tuple[Unerasable, ...] = ()


def erase_types(data: bytes) -> Erased:
    """Return a TypeScript file without its types, or every reason why that can't be done.

    Args:
        data: the whole file.
    """
    mark = _MARK if data.startswith(_MARK) else b""
    source = data[len(mark) :]
    if len(source) > MAX_SOURCE_BYTES:
        return _refused(1, 1, f"is larger than {MAX_SOURCE_BYTES:,} bytes")
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as error:
        return _refused(source.count(b"\n", 0, error.start) + 1, 1, "is not UTF-8")
    tree = parse_script(source, ".ts", as_written=True)
    if tree is None:
        return _refused(1, 1, "takes too much work to parse")
    from plugseal.lang.ecmascript.erasing.eraser import Eraser

    notes = Eraser(source).walk(tree.root_node)
    faults = [*notes.faults, *_wrong(tree.root_node, source, notes.known)]
    if not faults:
        without = _applied(source, notes.edits)
        again = parse_script(without, "")
        faults = (
            [Unerasable(1, 1, "takes too much work to parse")] if again is None else [*_wrong(again.root_node, without)]
        )
        if not faults:
            return Erased(mark + without)
    return Erased(b"", tuple(sorted(set(faults))[:MAX_FAULTS]))


def _applied(source: bytes, edits: list[Edit]) -> bytes:
    parts: list[bytes] = []
    done = 0
    for edit in sorted(edits):
        if edit.start < done:
            continue  # inside one that is blank already
        parts += (source[done : edit.start], _blanks(source[edit.start : edit.end], edit))
        done = edit.end
    return b"".join((*parts, source[done:]))


def _blanks(erased: bytes, edit: Edit) -> bytes:
    blanks = [char if char in LINE_ENDS else "  " if ord(char) > 0xFFFF else " " for char in erased.decode("utf-8")]
    if edit.first:
        blanks[0] = edit.first + blanks[0][1:]
    if edit.last:
        blanks[-1] = blanks[-1][:-1] + edit.last
    return "".join(blanks).encode("utf-8")


def _wrong(root: Node, source: bytes, known: frozenset[int] | set[int] = frozenset()) -> Iterator[Unerasable]:
    """Yield what the grammar did not understand.

    Args:
        root: of the tree.
        source: what was parsed.
        known: first bytes of what the grammar does not know and we do.
    """
    if not root.has_error:
        return
    waiting = [root]
    found = 0
    while waiting and found < MAX_FAULTS:
        node = waiting.pop()
        if node.is_missing or (node.type == "ERROR" and node.start_byte not in known):
            found += 1
            yield Unerasable(*place_of(source, node.start_byte), _NOT_TYPESCRIPT)
        elif node.has_error:
            waiting += reversed(node.children)


def _refused(line: int, column: int, what: str) -> Erased:
    return Erased(b"", (Unerasable(line, column, what),))
