"""What an eraser notes of one file: the bytes that become blank, and the places where that can't be, with reasons.

Where TypeScript ends a statement at a line's end and the grammar reads on, the line's end counts: a type that would
have swallowed code is a fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.parsing.parse import Node

LINE_ENDS: Final = frozenset("\n\r\u2028\u2029")
AMBIGUOUS: Final = "is read differently by different parsers: put parentheses around it, or a semicolon before it"
_JOINED: Final = frozenset("array_type lookup_type generic_type subscript_expression instantiation_expression".split())
"""Types that go on after another, on the same line."""
_LISTS: Final = frozenset("program statement_block class_body switch_case switch_default".split())
"""Nodes in which one statement or member stands after another."""


class Unerasable(NamedTuple):
    """One place where types can't be erased."""

    line: int
    column: int
    what: str


class Edit(NamedTuple):
    """Bytes that become blanks."""

    start: int
    end: int
    first: str = ""
    """Stands in place of the first blank."""
    last: str = ""
    """Stands in place of the last blank."""


class Notes:
    """The edits and faults of one file."""

    def __init__(self, source: bytes) -> None:
        self.edits: list[Edit] = []
        self.faults: list[Unerasable] = []
        self.known: set[int] = set()
        """First bytes of what the grammar takes for an error and is none."""
        self._source = source
        self._settled: set[int] = set()
        """First bytes of what is blank already, with a sign in it that must stay."""
        self._before: dict[int, Node | None] = {}
        """What stands before each statement or member, by its ID; None for the first."""
        self._removed: dict[int, bool] = {}
        """IDs of statements and members that are gone, with whether code stood before them."""

    def blank(self, node: Node, *, first: str = "", last: str = "") -> None:
        """Note that a node becomes blank.

        Args:
            node: what is erased.
            first: stands in place of its first blank.
            last: stands in place of its last blank.
        """
        if node.start_byte in self._settled:
            return
        if first or last:
            self._settled.add(node.start_byte)
        self.verify_lines(node)
        self.edits.append(Edit(node.start_byte, node.end_byte, first, last))

    def list_children(self, node: Node) -> None:
        """Note what stands before each statement or member of a list: asking the tree for each would go through all."""
        if node.type not in _LISTS:
            return
        before: Node | None = None
        for child in node.children:
            if not child.is_extra:
                self._before[child.id] = before
                before = child

    def remove(self, node: Node) -> None:
        """Note that a statement or a member goes as a whole; a semicolon stays where it kept others apart."""
        after_code = self.stands_after_code(node)
        self.blank(node, first=";" if after_code else "")
        self._removed[node.id] = after_code

    def stands_after_code(self, node: Node) -> bool:
        """Say whether code stands before a node that nothing would keep apart from what follows it."""
        if node.id not in self._before:
            return True  # It is the body of something, which needs one.
        before = self._before[node.id]
        if before is None or before.type in ("{", ";", ":", "hash_bang_line"):
            return False
        if before.id in self._removed:
            return self._removed[before.id]
        return self._source[before.end_byte - 1 : before.end_byte] != b";"

    def fault(self, node: Node, what: str) -> None:
        """Note that something can't be erased."""
        self.faults.append(Unerasable(*place_of(self._source, node.start_byte), what))

    def text(self, node: Node) -> str:
        """Return a node's text."""
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def verify_lines(self, node: Node) -> None:
        """Note a type that goes on where TypeScript says that its line's end ended it."""
        waiting = [node]
        while waiting:
            inner = waiting.pop()
            parts = inner.children
            if inner.type in _JOINED and len(parts) > 1 and self.is_broken(parts[0], parts[1]):
                self.fault(parts[1], AMBIGUOUS)
            elif inner.type == "call_expression" and parts[0].type != "import":
                # `typeof a` above `(b)`: no type is called, but for `typeof import()`.
                self.fault(inner, AMBIGUOUS)
            waiting += inner.children

    def verify_same_line(self, node: Node) -> None:
        """Note a word that means something else when the line ends after it: `type`, `declare`, `private`."""
        following = node.next_sibling
        if following is not None and self.is_broken(node, following):
            self.fault(node, AMBIGUOUS)

    def is_broken(self, left: Node, right: Node) -> bool:
        """Say whether a line ends between two nodes."""
        return self.has_line_end(left.end_byte, right.start_byte)

    def has_line_end(self, start: int, end: int) -> bool:
        """Say whether a line ends between two offsets in bytes."""
        return not LINE_ENDS.isdisjoint(self._source[start:end].decode("utf-8", "replace"))


def place_of(source: bytes, offset: int) -> tuple[int, int]:
    """Return line and column of an offset in bytes, 1-based, columns in code points."""
    start = source.rfind(b"\n", 0, offset) + 1
    return source.count(b"\n", 0, offset) + 1, len(source[start:offset].decode("utf-8", "replace")) + 1


def end_with_comma(node: Node) -> int:
    """Return where a node ends with the comma behind it, if there is one."""
    following = node.next_sibling
    return following.end_byte if following is not None and following.type == "," else node.end_byte
