"""Walk a syntax tree once and note what the judge needs: commands, pipes, redirections, assignments, functions, reads.

Every note knows its block: the innermost stretch that may run or not, or runs on its own. An assignment counts for a
later use for certain only if its block is around the use as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from plugseal.lang.shell.parse import kind_codes
from plugseal.lang.shell.source import Source

if TYPE_CHECKING:
    from plugseal.lang.shell.parse import Node

(
    LEAF,
    INNER,
    COMMAND,
    PIPELINE,
    REDIRECTED,
    ASSIGNMENT,
    SIMPLE,
    EXPANSION,
    FUNCTION,
    BLOCK,
    IF,
    LOOP,
    LIST,
    DECLARATION,
) = range(14)
TEST, HEREDOC, ARITHMETIC, ERROR, UNSET, CASE = range(14, 20)
_CODES: Final = (
    *((name, LEAF) for name in ("word", "raw_string", "number", "variable_name", "special_variable_name", "comment")),
    *((name, LEAF) for name in ("string_content", "heredoc_start", "heredoc_end", "test_operator", "file_descriptor")),
    *((name, LEAF) for name in ("ansi_c_string", "heredoc_content", "extglob_pattern")),
    ("command", COMMAND),
    ("pipeline", PIPELINE),
    ("redirected_statement", REDIRECTED),
    ("variable_assignment", ASSIGNMENT),
    ("simple_expansion", SIMPLE),
    ("expansion", EXPANSION),
    ("function_definition", FUNCTION),
    *((name, BLOCK) for name in ("subshell", "command_substitution", "process_substitution", "case_item")),
    *((name, BLOCK) for name in ("elif_clause", "else_clause")),
    ("if_statement", IF),
    *((name, LOOP) for name in ("while_statement", "for_statement", "c_style_for_statement")),
    ("list", LIST),
    *((name, DECLARATION) for name in ("declaration_command",)),
    ("unset_command", UNSET),
    ("test_command", TEST),
    ("heredoc_redirect", HEREDOC),
    ("arithmetic_expansion", ARITHMETIC),
    ("compound_statement", ARITHMETIC),
    ("ERROR", ERROR),
)
_REDIRECTS: Final = frozenset(("file_redirect", "herestring_redirect", "heredoc_redirect"))
_SETTERS: Final = frozenset(("read", "mapfile", "readarray", "getopts", "let"))
_LONGEST_SETTER: Final = 9
MAX_NODES: Final = 2_000_000


class Block(NamedTuple):
    """A stretch of a script."""

    number: int
    parent: int
    is_loop: bool
    function: str
    """The innermost function that it belongs to, empty for none."""
    end: int
    """Where it ends, in bytes."""


class Assigned(NamedTuple):
    """One place where a variable gets a value."""

    at: int
    block: int
    values: tuple[Node, ...] | None
    """What it may be, each a word, an array or a command that prints it; empty for the empty text, None for unknown."""
    is_more: bool = False
    """Whether it is added to what was there before."""
    is_local: bool = False


class Command(NamedTuple):
    """A simple command."""

    node: Node
    block: int
    redirects: tuple[Node, ...]
    name: Node | None
    arguments: tuple[Node, ...]
    assignments: tuple[Node, ...]
    """Those before its name, which it alone sees."""
    owner: Node
    """The command with its redirections."""


class Read(NamedTuple):
    """A use of a variable."""

    name: str
    node: Node
    block: int


class Script:
    """What one walk has found."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.blocks: list[Block] = [Block(0, -1, False, "", len(source.data))]
        self.commands: list[Command] = []
        self.by_node: dict[int, Command] = {}
        """Commands by the number of their node."""
        self.pipelines: list[tuple[Node, tuple[Node, ...], int]] = []
        self.redirects: list[tuple[Node, int]] = []
        """Redirections of anything."""
        self.assigned: dict[str, list[Assigned]] = {}
        self.exported: list[tuple[Node, int]] = []
        """Declarations."""
        self.plain: list[tuple[Node, int]] = []
        """Assignments that belong to no command."""
        self.unsets: list[tuple[Node, int]] = []
        self.reads: list[Read] = []
        self.functions: dict[str, Node] = {}
        self.tests: list[tuple[Node, int]] = []
        self.errors: list[Node] = []
        self.is_cut = False
        """Whether the tree was too large to be walked."""

    def assign(self, name: str, assigned: Assigned) -> None:
        """Note one place where a variable gets a value."""
        self.assigned.setdefault(name, []).append(assigned)


def collect(root: Node, source: Source) -> Script:
    """Return what a tree holds, in bounded time and without recursion."""
    script = Script(source)
    codes = kind_codes(_CODES, INNER)
    walk = _Walk(script)
    handlers = walk.handlers()
    stack: list[tuple[Node, int]] = [(root, 0)]
    left = MAX_NODES
    while stack:
        node, block = stack.pop()
        code = codes[node.kind_id] if node.kind_id < 65_535 else ERROR
        if code == LEAF:
            continue
        left -= 1
        if left < 0:
            script.is_cut = True
            return script
        handler = handlers[code]
        if handler is None:
            stack.extend([(child, block) for child in node.named_children])
        else:
            stack.extend(handler(node, block))
    for places in script.assigned.values():
        places.sort(key=lambda one: one.at)
    script.commands.sort(key=lambda one: one.node.start_byte)
    return script


class _Walk:
    """The kinds of nodes; each method returns what is walked next."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._source = script.source
        self._owners: dict[int, Node] = {}
        """The statement with redirections, by the number of the command inside."""

    def handlers(self) -> list[_Handler | None]:
        """Return the methods by our numbers of kinds."""
        table: list[_Handler | None] = [None] * 20
        table[COMMAND] = self._command
        table[PIPELINE] = self._pipeline
        table[REDIRECTED] = self._redirected
        table[ASSIGNMENT] = self._assignment
        table[SIMPLE] = self._simple
        table[EXPANSION] = self._expansion
        table[FUNCTION] = self._function
        table[BLOCK] = self._block
        table[IF] = self._if
        table[LOOP] = self._loop
        table[LIST] = self._list
        table[DECLARATION] = self._declaration
        table[UNSET] = self._unset
        table[TEST] = self._test
        table[HEREDOC] = self._heredoc
        table[ARITHMETIC] = self._arithmetic
        table[ERROR] = self._error
        return table

    def _new_block(self, node: Node, parent: int, *, is_loop: bool = False, function: str = "") -> int:
        blocks = self._script.blocks
        inside = function or blocks[parent].function
        blocks.append(Block(len(blocks), parent, is_loop, inside, node.end_byte))
        return len(blocks) - 1

    def _command(self, node: Node, block: int) -> list[tuple[Node, int]]:
        name: Node | None = None
        arguments, assignments, redirects = [], [], []
        children = node.named_children
        for child in children:
            kind = child.type
            if kind == "command_name":
                name = child
            elif kind in _REDIRECTS:
                redirects.append(child)
            elif kind == "variable_assignment" and name is None:
                assignments.append(child)
            elif kind not in ("comment", "file_descriptor"):
                arguments.append(child)
        owner = self._owners.get(node.id, node)
        if owner is not node:
            redirects.extend(child for child in owner.named_children if child.type in _REDIRECTS)
        found = Command(node, block, tuple(redirects), name, tuple(arguments), tuple(assignments), owner)
        self._script.commands.append(found)
        self._script.by_node[node.id] = found
        if owner is node:
            self._script.redirects.extend((redirect, block) for redirect in redirects)
        if name is not None and name.end_byte - name.start_byte <= _LONGEST_SETTER:
            self._set(self._source.of(name), found)
        following: list[tuple[Node, int]] = []
        for child in children:
            if child.type == "variable_assignment" and name is not None and child in assignments:
                following.extend((inner, block) for inner in child.named_children)
            else:
                following.append((child, block))
        return following

    def _set(self, name: str, command: Command) -> None:
        """Note the variables that a command of the shell itself sets."""
        if name == "printf":
            words = [self._source.of(word) for word in command.arguments[:2]]
            if len(words) == 2 and words[0] == "-v":
                self._script.assign(words[1], Assigned(command.node.end_byte, command.block, (command.node,)))
        elif name in _SETTERS:
            for word in command.arguments:
                text = self._source.of(word)
                if text.isidentifier():
                    self._script.assign(text, Assigned(command.node.end_byte, command.block, None))

    def _pipeline(self, node: Node, block: int) -> list[tuple[Node, int]]:
        children = tuple(child for child in node.named_children if child.type != "comment")
        self._script.pipelines.append((node, children, block))
        return [(child, block) for child in children]

    def _redirected(self, node: Node, block: int) -> list[tuple[Node, int]]:
        children = node.named_children
        self._script.redirects.extend((child, block) for child in children if child.type in _REDIRECTS)
        body = children[0] if children else None
        if body is not None and body.type == "command":
            self._owners[body.id] = node
        return [(child, block) for child in children]

    def _assignment(self, node: Node, block: int) -> list[tuple[Node, int]]:
        self._script.plain.append((node, block))
        return self._assign(node, block)

    def _assign(self, node: Node, block: int, *, is_local: bool = False) -> list[tuple[Node, int]]:
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if name is not None:
            is_more = name.type == "subscript" or self._source.data[name.end_byte : name.end_byte + 2] == b"+="
            values = (value,) if value is not None else ()
            variable = self._source.of(name).partition("[")[0]
            self._script.assign(variable, Assigned(node.end_byte, block, values, is_more, is_local))
        return [(child, block) for child in node.named_children if child.type != "variable_name"]

    def _simple(self, node: Node, block: int) -> list[tuple[Node, int]]:
        self._script.reads.append(Read(self._source.text(node.start_byte + 1, node.end_byte), node, block))
        return []

    def _expansion(self, node: Node, block: int) -> list[tuple[Node, int]]:
        children = node.named_children
        for child in children:
            if child.type in ("variable_name", "subscript"):
                name = self._source.of(child).partition("[")[0]
                self._script.reads.append(Read(name, node, block))
                break
        return [(child, block) for child in children]

    def _function(self, node: Node, block: int) -> list[tuple[Node, int]]:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        text = self._source.of(name) if name is not None else ""
        if text and body is not None:
            self._script.functions.setdefault(text, body)
        inside = self._new_block(node, block, function=text or "?")
        return [(child, inside) for child in node.named_children if child != name]

    def _block(self, node: Node, block: int) -> list[tuple[Node, int]]:
        inside = self._new_block(node, block)
        return [(child, inside) for child in node.named_children]

    def _if(self, node: Node, block: int) -> list[tuple[Node, int]]:
        following: list[tuple[Node, int]] = []
        inside = block
        for child in node.children:
            if child.type == "then":
                inside = self._new_block(node, block)
            elif child.is_named:
                following.append((child, block if child.type in ("elif_clause", "else_clause") else inside))
        return following

    def _loop(self, node: Node, block: int) -> list[tuple[Node, int]]:
        inside = self._new_block(node, block, is_loop=True)
        if node.type == "for_statement":
            variable = node.child_by_field_name("variable")
            if variable is not None:
                values = tuple(node.children_by_field_name("value"))
                name = self._source.of(variable)
                self._script.assign(name, Assigned(variable.end_byte, inside, values or None))
        return [(child, inside) for child in node.named_children]

    def _list(self, node: Node, block: int) -> list[tuple[Node, int]]:
        children = [child for child in node.named_children if child.type != "comment"]
        if not children:
            return []
        following = [(children[0], block)]
        following.extend((child, self._new_block(child, block)) for child in children[1:])
        return following

    def _declaration(self, node: Node, block: int) -> list[tuple[Node, int]]:
        self._script.exported.append((node, block))
        is_local = bool(self._script.blocks[block].function) and not self._source.data.startswith(
            (b"export", b"readonly"), node.start_byte
        )
        following: list[tuple[Node, int]] = []
        for child in node.named_children:
            if child.type == "variable_assignment":
                following.extend(self._assign(child, block, is_local=is_local))
            elif child.type != "variable_name":
                following.append((child, block))
        return following

    def _unset(self, node: Node, block: int) -> list[tuple[Node, int]]:
        self._script.unsets.append((node, block))
        return []

    def _test(self, node: Node, block: int) -> list[tuple[Node, int]]:
        self._script.tests.append((node, block))
        return [(child, block) for child in node.named_children]

    def _arithmetic(self, node: Node, block: int) -> list[tuple[Node, int]]:
        children = node.named_children
        if self._source.data[node.start_byte : node.start_byte + 2] == b"((":
            self._script.tests.append((node, block))
        return [(child, block) for child in children]

    def _heredoc(self, node: Node, block: int) -> list[tuple[Node, int]]:
        children = node.named_children
        return [(child, block) for child in children]

    def _error(self, node: Node, block: int) -> list[tuple[Node, int]]:
        self._script.errors.append(node)
        return [(child, block) for child in node.named_children]


if TYPE_CHECKING:
    from collections.abc import Callable

    _Handler = Callable[[Node, int], list[tuple[Node, int]]]
