"""What one walk over a script's syntax tree has found."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from plugseal.lang.shell.parsing.parse import kind_codes
from plugseal.lang.shell.parsing.source import Source
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from plugseal.lang.shell.parsing.parse import Node

_MAX_WITHIN: Final = 256
_MAX_INNER: Final = 32
"""Functions that begin before a place and are asked whether they are around it."""
_DASH: Final = lazy(rb"[ \t]+-(?=[ \t]*[<>])")
_PLACEHOLDER: Final = lazy(rb"[ \t]+[\w./=:-]{0,64}<[A-Za-z][\w ./-]{0,64}>")
_OTHER, _ARGUMENT, _NAME, _REDIRECT, _ASSIGNMENT = range(5)
_CODES: Final = (
    *((name, _OTHER) for name in ("comment", "file_descriptor", "ERROR")),
    ("command_name", _NAME),
    *((name, _REDIRECT) for name in ("file_redirect", "herestring_redirect", "heredoc_redirect")),
    ("variable_assignment", _ASSIGNMENT),
)
"""What the children of a command are."""
_AT: Final = attrgetter("at")
_START: Final = attrgetter("start")
_BEGIN: Final = attrgetter("start_byte")


BRANCH, LOOP, FUNCTION, APART, PIPE = range(5)
"""What a block is: one that may run or not, one that runs several times, a function, a shell of its own, a pipe."""


class Block(NamedTuple):
    """A stretch of a script that may run or not, or that runs on its own."""

    parent: int
    kind: int
    function: str
    """The innermost function that it belongs to, empty for none."""
    start: int
    end: int


class Assigned(NamedTuple):
    """One place where a variable gets a value."""

    at: int
    block: int
    node: Node | None
    """The assignment, the `for` or the command that prints it; None where the value comes from outside."""
    is_more: bool = False
    """Whether it is added to what was there before."""
    is_local: bool = False
    part: int | None = None
    """Which part of what the node stands for, where a command of the shell sets it: a word by its number, or below."""


ROUND, WHOLE, LINES, WORDS, NAMED, ALL = range(-6, 0)
"""All of a text; its lines, or its words, as an array; what the variable of that name holds; all arguments."""
BEHIND: Final = -100_000
"""All arguments; below it, all but the first ones, as many as it is below."""


class Command:
    """A simple command; taken apart when it is asked for."""

    __slots__ = (
        "_more",
        "_parts",
        "_redirected",
        "block",
        "dash",
        "end",
        "first",
        "is_placed",
        "node",
        "owner",
        "start",
    )

    def __init__(self, node: Node, block: int, around: tuple[Node, Node], place: tuple[int, int, str]) -> None:
        self.node = node
        self.block = block
        self.owner, self._redirected = around
        """The command with its redirections, and the statement that these are of: a list's are its last command's."""
        self._more: list[Node] = []
        self.dash = -1
        """Where a `-` stands that the grammar leaves out: right before a redirection."""
        self.is_placed = False
        """Whether it looks like `run <file> word`: to a shell two redirections, to a reader something to fill in."""
        self.start, self.end, self.first = place
        """`first` is the name where that is written as it is and holds no slash, else empty."""
        self._parts: tuple[Node | None, list[Node], list[Node], list[Node]] | None = None

    @property
    def name(self) -> Node | None:
        """The word that says what runs."""
        return self._split()[0]

    @property
    def arguments(self) -> list[Node]:
        """The words behind the name."""
        return self._split()[1]

    @property
    def assignments(self) -> list[Node]:
        """Those before the name, which the command alone sees."""
        return self._split()[2]

    @property
    def redirects(self) -> list[Node]:
        """Its redirections."""
        return self._split()[3]

    def add(self, words: list[Node], data: bytes) -> None:
        """Add words that stand behind a redirection."""
        self._more = words
        self.end = words[-1].end_byte
        dash = _DASH.match(data, self.node.end_byte)
        self.dash = dash.end() - 1 if dash is not None else -1
        self.is_placed = _PLACEHOLDER.match(data, self.node.end_byte) is not None

    def _split(self) -> tuple[Node | None, list[Node], list[Node], list[Node]]:
        if self._parts is not None:
            return self._parts
        name: Node | None = None
        arguments: list[Node] = []
        assignments: list[Node] = []
        redirects: list[Node] = []
        codes = kind_codes(_CODES, _ARGUMENT)
        for child in self.node.named_children:
            code = codes[child.kind_id]
            if code == _ARGUMENT:
                arguments.append(child)
            elif code == _NAME:
                name = child
            elif code == _REDIRECT:
                redirects.append(child)
            elif code == _ASSIGNMENT:
                (arguments if name is not None else assignments).append(child)
        if self._redirected.id != self.node.id:
            redirects.extend(child for child in self._redirected.named_children if codes[child.kind_id] == _REDIRECT)
            arguments += self._more
        self._parts = (name, arguments, assignments, redirects)
        return self._parts


def further_words(redirect: Node, data: bytes) -> list[Node]:
    """Return the words of a command that the grammar takes for part of a redirection before them: `curl >a host`."""
    if redirect.type == "file_redirect":
        return _in_line(redirect.children_by_field_name("destination"), data)
    if redirect.type != "heredoc_redirect":
        return []
    first = next((child for child in redirect.named_children if child.type == "heredoc_start"), None)
    others = redirect.children_by_field_name("redirect")
    words = redirect.children_by_field_name("argument")
    found = _in_line(sorted(([first] if first is not None else []) + others + words, key=_BEGIN), data)
    found = [word for word in found if word.type != "file_redirect"]
    return sorted([*found, *(word for child in others for word in further_words(child, data))], key=_BEGIN)


def _in_line(words: list[Node], data: bytes) -> list[Node]:
    """Return the words behind the first, up to where a line ends: what comes then is another command.

    What stands close to the one before it is the rest of that one, which the grammar has cut.
    """
    found = []
    for before, word in pairwise(words):
        gap = data[before.end_byte : word.start_byte].replace(b"\\\n", b" ")
        if b"\n" in gap or data.startswith(b"\n", word.start_byte):
            break
        if gap and not _is_descriptor(word, data):
            found.append(word)
    return found


def _is_descriptor(word: Node, data: bytes) -> bool:
    """Say whether a number belongs to a redirection: `0` of `0>&1`."""
    return data[word.end_byte : word.end_byte + 1] in (b"<", b">") and data[word.start_byte : word.end_byte].isdigit()


class Script:
    """A script, taken apart."""

    def __init__(self, source: Source, root: Node) -> None:
        self.source = source
        self.root = root
        self.blocks: list[Block] = [Block(-1, BRANCH, "", 0, len(source.data))]
        self.commands: list[Command] = []
        """In the order of the text; those of the shell itself that do nothing are left out."""
        self.pipelines: list[tuple[Node, tuple[Node, ...]]] = []
        self.redirects: list[tuple[Node, int]] = []
        self.assigned: dict[str, list[Assigned]] = {}
        self.declared: list[tuple[Node, int]] = []
        """`export`, `declare`, `local` and their like."""
        self.plain: list[tuple[Node, int]] = []
        """Assignments that belong to no command, of variables that are in the environment already."""
        self.unsets: list[tuple[Node, int]] = []
        self.functions: dict[str, Node] = {}
        """Definitions by name."""
        self.tests: list[tuple[Node, int]] = []
        self.errors: list[Node] = []
        self.is_cut = False
        """Whether the tree was too large to be walked."""
        self._starts: list[int] = []
        self._bodies: list[tuple[int, int, str]] = []

    def assign(self, name: str, assigned: Assigned) -> None:
        """Note one place where a variable gets a value."""
        places = self.assigned.get(name)
        if places is None:
            self.assigned[name] = [assigned]
        else:
            places.append(assigned)

    def define(self, name: str, node: Node) -> None:
        """Note the definition of a function: of several the last one counts, and the outer one of two in each other."""
        known = self.functions.get(name)
        if known is None or node.start_byte >= known.end_byte or node.end_byte > known.end_byte:
            self.functions[name] = node

    def finish(self) -> None:
        """Bring everything into the order of the text."""
        for places in self.assigned.values():
            if len(places) > 1:
                places.sort(key=_AT)
        self.commands.sort(key=_START)
        self._starts = [command.start for command in self.commands]
        self._bodies = sorted((node.start_byte, node.end_byte, name) for name, node in self.functions.items())

    def within(self, start: int, end: int) -> list[Command]:
        """Return the commands between two offsets, not more of them than anybody writes."""
        first = bisect_left(self._starts, start)
        return self.commands[first : min(bisect_left(self._starts, end), first + _MAX_WITHIN)]

    def function_at(self, offset: int) -> str:
        """Return the function around an offset, empty for none."""
        at = bisect_left(self._bodies, (offset + 1, 0, ""))
        for start, end, name in reversed(self._bodies[max(0, at - _MAX_INNER) : at]):
            if start <= offset < end:
                return name  # The one that begins last is the innermost.
        return ""
