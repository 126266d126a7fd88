"""Walk a syntax tree once and note what the judge needs, touching as few nodes as can be.

Words without a substitution hold no command, so nothing below them is looked at; the text between two offsets tells.
Every note knows its block: the innermost stretch that may run or not. An assignment counts for a later use for certain
only if its block is around the use as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.shell.parse import kind_codes
from plugseal.lang.shell.script import Assigned, Block, Command, Script
from plugseal.lang.shell.source import Source
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugseal.lang.shell.parse import Node

    _Handler = Callable[[Node, int], None]

_LEAF, _INNER, _WORD, _COMMAND, _PIPELINE, _REDIRECTED, _REDIRECT, _ASSIGNMENT, _FUNCTION = range(9)
_BLOCK, _IF, _LOOP, _LIST, _DECLARATION, _UNSET, _TEST, _COMPOUND, _HEREDOC, _ERROR = range(9, 19)
_CODES: Final = (
    *((name, _LEAF) for name in ("word", "raw_string", "number", "variable_name", "special_variable_name", "comment")),
    *((name, _LEAF) for name in ("string_content", "heredoc_start", "heredoc_end", "test_operator", "file_descriptor")),
    *((name, _LEAF) for name in ("ansi_c_string", "heredoc_content", "extglob_pattern", "simple_expansion", "regex")),
    *((name, _WORD) for name in ("string", "concatenation", "command_name", "expansion", "array", "heredoc_body")),
    *((name, _WORD) for name in ("arithmetic_expansion", "binary_expression", "unary_expression", "translated_string")),
    ("command", _COMMAND),
    ("pipeline", _PIPELINE),
    ("redirected_statement", _REDIRECTED),
    ("file_redirect", _REDIRECT),
    ("herestring_redirect", _REDIRECT),
    ("heredoc_redirect", _HEREDOC),
    ("variable_assignment", _ASSIGNMENT),
    ("function_definition", _FUNCTION),
    *((name, _BLOCK) for name in ("subshell", "command_substitution", "process_substitution", "case_item")),
    *((name, _BLOCK) for name in ("elif_clause", "else_clause")),
    ("if_statement", _IF),
    *((name, _LOOP) for name in ("while_statement", "for_statement", "c_style_for_statement")),
    ("list", _LIST),
    ("declaration_command", _DECLARATION),
    ("unset_command", _UNSET),
    ("test_command", _TEST),
    ("compound_statement", _COMPOUND),
    ("ERROR", _ERROR),
)
_ERROR_KIND: Final = 65_535
_NAME: Final = lazy(rb"[A-Za-z0-9_.:/+-]+(?=[\s;&|<>)]|\Z)")
_TARGET: Final = lazy(rb"([A-Za-z_]\w*)(\[[^\]]*\])?(\+?=)")
_INSIDE: Final = lazy(rb"\$\(|`|[<>]\(")
"""What a word holds that holds commands."""
_NOWHERE: Final = lazy(rb"\d*(?:[<>]&\s*(?:\d+|-)|(?:&>>?|>>?|<)\s*/dev/null)\Z")
SILENT: Final = frozenset(
    b"echo exit return true false : shift break continue wait times umask printf shopt kill let type jobs bg fg".split()
)
"""Commands of the shell that do nothing that is told; `printf -v` sets a variable."""
_SETTERS: Final = frozenset((b"read", b"mapfile", b"readarray", b"getopts", b"let"))
MAX_NODES: Final = 2_000_000


def collect(root: Node, source: Source) -> Script:
    """Return what a tree holds, in bounded time and without recursion."""
    script = Script(source, root)
    _Walk(script).run(root)
    script.finish()
    return script


class _Walk:
    """One walk; each handler notes a node and puts on the stack what is walked next."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._data = script.source.data
        self._stack: list[tuple[Node, int]] = []
        self._owners: dict[int, Node] = {}
        """The statement with redirections, by the number of the command inside."""

    def run(self, root: Node) -> None:
        """Walk everything below a node."""
        codes = kind_codes(_CODES, _INNER)
        handlers = self._handlers()
        stack = self._stack
        stack.append((root, 0))
        pop, left = stack.pop, MAX_NODES
        while stack:
            node, block = pop()
            number = node.kind_id
            code = codes[number] if number != _ERROR_KIND else _ERROR
            if code == _LEAF:
                continue
            handlers[code](node, block)
            left -= 1
            if left < 0:
                self._script.is_cut = True
                return

    def _handlers(self) -> list[_Handler]:
        table: list[_Handler] = [self._inner] * 19
        table[_WORD] = self._word
        table[_COMMAND] = self._command
        table[_PIPELINE] = self._pipeline
        table[_REDIRECTED] = self._redirected
        table[_REDIRECT] = self._redirect
        table[_ASSIGNMENT] = self._assignment
        table[_FUNCTION] = self._function
        table[_BLOCK] = self._block
        table[_IF] = self._if
        table[_LOOP] = self._loop
        table[_LIST] = self._list
        table[_DECLARATION] = self._declaration
        table[_UNSET] = self._unset
        table[_TEST] = self._test
        table[_COMPOUND] = self._compound
        table[_HEREDOC] = self._heredoc
        table[_ERROR] = self._error
        return table

    def _push(self, nodes: list[Node], block: int) -> None:
        self._stack.extend([(node, block) for node in nodes])

    def _new_block(self, parent: int, *, is_loop: bool = False, function: str = "") -> int:
        blocks = self._script.blocks
        blocks.append(Block(parent, is_loop, function or blocks[parent].function))
        return len(blocks) - 1

    def _inner(self, node: Node, block: int) -> None:
        self._push(node.named_children, block)

    def _word(self, node: Node, block: int) -> None:
        if _INSIDE.search(self._data, node.start_byte, node.end_byte):
            self._push(node.named_children, block)

    def _command(self, node: Node, block: int) -> None:
        start, end, data = node.start_byte, node.end_byte, self._data
        found = _NAME.match(data, start, end)
        name = found[0] if found else b""
        owner = self._owners.get(node.id) if self._owners else None
        if name not in SILENT or (name == b"printf" and b" -v " in data[start:end]):
            command = Command(node, block, owner if owner is not None else node)
            self._script.commands.append(command)
            if name in _SETTERS or name == b"printf":
                self._set(name, command)
        if _INSIDE.search(data, start, end) or data.find(b"<", start, end) >= 0 or data.find(b">", start, end) >= 0:
            self._push([child for child in node.named_children if child.type != "variable_assignment"], block)
            for child in node.named_children:
                if child.type == "variable_assignment":
                    self._word(child, block)

    def _set(self, name: bytes, command: Command) -> None:
        """Note the variables that a command of the shell itself sets."""
        words = [self._script.source.of(word) for word in command.arguments]
        if name == b"printf":
            if len(words) > 2 and words[0] == "-v":
                self._script.assign(words[1], Assigned(command.end, command.block, command.node))
            return
        for word in words:
            if word.isidentifier():
                self._script.assign(word, Assigned(command.end, command.block, None))

    def _pipeline(self, node: Node, block: int) -> None:
        children = [child for child in node.named_children if child.type != "comment"]
        self._script.pipelines.append((node, tuple(children)))
        self._push(children, self._new_block(block))

    def _redirected(self, node: Node, block: int) -> None:
        children = node.named_children
        if children and children[0].type == "command":
            self._owners[children[0].id] = node
        self._push(children, block)

    def _redirect(self, node: Node, block: int) -> None:
        if not _NOWHERE.match(self._data, node.start_byte, node.end_byte):
            self._script.redirects.append((node, block))
            self._word(node, block)

    def _assignment(self, node: Node, block: int, *, is_local: bool = False) -> None:
        found = _TARGET.match(self._data, node.start_byte, node.end_byte)
        if found is not None:
            name = found[1].decode("ascii", "replace")
            is_more = found[2] is not None or found[3] == b"+="
            self._script.assign(name, Assigned(node.end_byte, block, node, is_more, is_local))
            self._script.plain.append((node, block, name))
        self._word(node, block)

    def _function(self, node: Node, block: int) -> None:
        name = node.child_by_field_name("name")
        text = self._script.source.of(name) if name is not None else ""
        if text:
            self._script.functions.setdefault(text, node)
        self._push(node.named_children, self._new_block(block, function=text or "?"))

    def _block(self, node: Node, block: int) -> None:
        self._push(node.named_children, self._new_block(block))

    def _if(self, node: Node, block: int) -> None:
        inside = block
        for child in node.children:
            if child.type == "then":
                inside = self._new_block(block)
            elif child.is_named:
                self._stack.append((child, block if child.type in ("elif_clause", "else_clause") else inside))

    def _loop(self, node: Node, block: int) -> None:
        inside = self._new_block(block, is_loop=True)
        if node.type == "for_statement":
            variable = node.child_by_field_name("variable")
            if variable is not None:
                name = self._script.source.of(variable)
                self._script.assign(name, Assigned(variable.end_byte, inside, node))
        self._push(node.named_children, inside)

    def _list(self, node: Node, block: int) -> None:
        for at, child in enumerate(node.named_children):
            self._stack.append((child, block if at == 0 else self._new_block(block)))

    def _declaration(self, node: Node, block: int) -> None:
        self._script.declared.append((node, block))
        is_local = bool(self._script.blocks[block].function) and not self._data.startswith(
            (b"export", b"readonly"), node.start_byte
        )
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._assignment(child, block, is_local=is_local)
            else:
                self._stack.append((child, block))

    def _unset(self, node: Node, block: int) -> None:
        self._script.unsets.append((node, block))

    def _test(self, node: Node, block: int) -> None:
        if self._data.find(b" -", node.start_byte, node.end_byte) >= 0:
            self._script.tests.append((node, block))
        self._word(node, block)

    def _compound(self, node: Node, block: int) -> None:
        if self._data.startswith(b"((", node.start_byte):
            self._script.tests.append((node, block))
        self._push(node.named_children, block)

    def _heredoc(self, node: Node, block: int) -> None:
        for child in node.named_children:
            if child.type == "pipeline" and node.parent is not None:
                # `cat <<END | sh`: the grammar puts the rest of the pipe inside the here-document.
                elements = [one for one in child.named_children if one.type != "comment"]
                self._script.pipelines.append((child, (node.parent, *elements)))
                self._push(elements, block)
            else:
                self._stack.append((child, block))

    def _error(self, node: Node, block: int) -> None:
        self._script.errors.append(node)
        self._push(node.named_children, block)
