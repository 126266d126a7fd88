"""Walk a syntax tree once and note what the judge needs, touching as few nodes as can be.

Words without a substitution hold no command, so nothing below them is looked at; the text between two offsets tells.
Every note knows its block: the innermost stretch that may run or not. An assignment counts for a later use for certain
only if its block is around the use as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.shell.parsing.names import ENVIRONMENT, SHOWN
from plugseal.lang.shell.parsing.parse import kind_codes
from plugseal.lang.shell.parsing.script import (
    APART,
    BRANCH,
    FUNCTION,
    LOOP,
    NAMED,
    PIPE,
    Assigned,
    Block,
    Command,
    Script,
    further_words,
)
from plugseal.lang.shell.parsing.setting import SETTERS, note_set, note_shift, setter_of
from plugseal.lang.shell.parsing.source import Source
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugseal.lang.shell.parsing.parse import Node

    _Handler = Callable[["_Walk", Node, int], None]

_LEAF, _INNER, _WORD, _COMMAND, _PIPELINE, _REDIRECTED, _REDIRECT, _ASSIGNMENT, _FUNCTION = range(9)
_BLOCK, _IF, _LOOP, _LIST, _DECLARATION, _UNSET, _TEST, _COMPOUND, _HEREDOC, _ERROR, _THEN, _APART, _ELSE = range(9, 22)
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
    *((name, _APART) for name in ("subshell", "command_substitution", "process_substitution")),
    ("case_item", _BLOCK),
    *((name, _ELSE) for name in ("elif_clause", "else_clause")),
    ("if_statement", _IF),
    *((name, _LOOP) for name in ("while_statement", "for_statement", "c_style_for_statement")),
    ("list", _LIST),
    ("declaration_command", _DECLARATION),
    ("unset_command", _UNSET),
    ("test_command", _TEST),
    ("compound_statement", _COMPOUND),
    ("ERROR", _ERROR),
    ("then", _THEN),
)
_NAME: Final = lazy(rb"([A-Za-z0-9_:.+-]+)(?=\s|\Z)|[A-Za-z0-9_.:/+-]+(?=[\s;&|<>)]|\Z)")
"""The name of a command that is written as it is; the first group has those that may be a function's or the shell's."""
_TARGET: Final = lazy(r"([A-Za-z_]\w*)(\[[^\]]*\])?(\+?=)", re.ASCII)
_LOCAL: Final = lazy(rb"(?:local|declare|typeset|readonly)[ \t]+[A-Za-z_]")
"""A declaration without options, which is no more than its assignments."""
_COMPUTED: Final = lazy(rb"'[^'\n]{0,512}(?:\$\(|`)|\\\$\(")
"""A command that is run not now but whenever a prompt is shown."""
_REFERRING: Final = lazy(rb"\b(?:declare|typeset)[ \t]+-[a-zA-Z]{0,8}n[a-zA-Z]{0,8}[ \t]+\Z")
"""A declaration of other names for variables."""
_INSIDE: Final = lazy(rb"\$\(|`|<\(|>\(")
"""What a word holds that holds commands."""
_RUN_IN_ARITHMETIC: Final = frozenset(("command_substitution", "process_substitution", "expansion", "simple_expansion"))
_JUST_WORDS: Final = lazy(rb"[^$`<>]*(?:\$(?!\()[^$`<>]*)*\Z")
"""A command that holds no more than its words."""
_IDLE: Final = lazy(
    rb"(?:echo|exit|return|true|false|shift|break|continue|:)(?=[\s;&|)]|\Z)[^$`<>]*(?:\$(?!\()[^$`<>]*)*\Z"
)
"""One of the most frequent of the silent ones that holds no more than its words."""
_NOWHERE: Final = lazy(rb"\d*(?:[<>]&\s*(?:\d+|-)|(?:&>>?|>>?|<)\s*/dev/null)\Z")
_NO_TAIL: Final[tuple[Node | None, list[Node]]] = (None, [])
_SEVERAL: Final = frozenset(("list", "pipeline", "negated_command"))
"""Statements that end with a command."""
SILENT: Final = frozenset(
    b"echo exit return true false : shift break continue wait times umask printf shopt kill let type jobs bg fg".split()
)
"""Commands of the shell that do nothing that is told; `printf -v` sets a variable."""
MAX_NODES: Final = 4_000_000
_new: Final = tuple.__new__


def _words_behind(redirect: Node, data: bytes) -> list[Node]:
    """Return the words of a command that the grammar takes for part of a redirection; most have none."""
    count = redirect.named_child_count
    if count < 2 or (count == 2 and data[redirect.start_byte] in b"0123456789"):
        return []
    return further_words(redirect, data)


def _inside_arithmetic(node: Node) -> list[Node]:
    """Return what runs inside `$((n + 1))`, which the grammar takes for a subshell where a here-document holds it."""
    children = node.named_children
    inner = children[0] if len(children) == 1 else None
    if inner is None or inner.type != "subshell" or inner.end_byte != node.end_byte - 1:
        return children
    found: list[Node] = []
    waiting = [inner]
    while waiting:
        one = waiting.pop()
        if one.type in _RUN_IN_ARITHMETIC:
            found.append(one)
        else:
            waiting.extend(one.named_children)
    return found


def collect(root: Node, source: Source) -> Script:
    """Return what a tree holds, in bounded time and without recursion."""
    script = Script(source, root)
    _Walk(script).run(root)
    script.finish()
    return script


class _Walk:
    """One walk; each handler notes a node and puts the nodes inside on the stack that are to be walked."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._data = script.source.data
        self._stack: list[tuple[list[Node], int]] = []
        """Nodes that stand in one block."""
        self._owners: dict[int, Node] = {}
        """The statement with redirections, by the number of the command inside."""
        self._tails: dict[int, tuple[Node, list[Node]]] = {}
        """The statement whose redirections are a command's, and the words behind these, by the command's number."""
        self._ends: dict[int, int] = {}
        """Where that ends which runs only behind the last of a list, by the number of the list."""
        self._codes = kind_codes(_CODES, _INNER)

    def run(self, root: Node) -> None:
        """Walk everything below a node."""
        codes, handlers, stack = self._codes, _HANDLERS, self._stack
        stack.append(([root], 0))
        pop, left = stack.pop, MAX_NODES
        while stack:
            nodes, block = pop()
            for node in nodes:
                code = codes[node.kind_id]
                if code == _LEAF:
                    continue
                if code == _INNER:
                    nodes += node.named_children  # The loop goes on through them.
                else:
                    handlers[code](self, node, block)
            left -= len(nodes)
            if left < 0:
                self._script.is_cut = True
                return

    def _new_block(self, parent: int, place: tuple[int, int], kind: int = BRANCH, function: str = "") -> int:
        blocks = self._script.blocks
        blocks.append(_new(Block, (parent, kind, function or blocks[parent].function, *place)))
        return len(blocks) - 1

    def _word(self, node: Node, block: int) -> None:
        if _INSIDE.search(self._data, node.start_byte, node.end_byte):
            self._stack.append((node.named_children, block))

    def _command(self, node: Node, block: int) -> None:
        start, end, data = node.start_byte, node.end_byte, self._data
        if _IDLE.match(data, start, end) is not None:
            if data.startswith(b"shift", start) and not self._script.blocks[block].function:
                count = data[start + len(b"shift") : end].strip()
                note_shift(self._script, start, block, int(count or 1) if not count or count.isdigit() else None)
            return
        found = _NAME.match(data, start, end)
        name = found[0] if found is not None else b""
        tells = (name == b"printf" and b" -v " in data[start:end]) or (name == b"let" and b"[" in data[start:end])
        if name not in SILENT or tells:
            owner = self._owners.get(node.id, node) if self._owners else node
            first = name.decode("ascii") if found is not None and found.lastindex else ""
            tail, more = self._tails.get(node.id, _NO_TAIL) if self._tails else _NO_TAIL
            command = Command(node, block, (owner, tail or owner), (start, end, first))
            if more:
                command.add(more, data)
            self._script.commands.append(command)
            setter = name or setter_of(node, data)
            if setter in SETTERS:
                note_set(self._script, setter, command)
        if _JUST_WORDS.match(data, start, end) is None:
            self._stack.append(([child for child in node.named_children if not self._is_assigned(child, block)], block))

    def _is_assigned(self, node: Node, block: int) -> bool:
        """Say whether a word of a command is an assignment, which is no more than a word to all that comes later."""
        if self._codes[node.kind_id] != _ASSIGNMENT:
            return False
        self._word(node, block)
        return True

    def _pipeline(self, node: Node, block: int) -> None:
        children = [child for child in node.named_children if child.type != "comment"]
        self._script.pipelines.append((node, tuple(children)))
        self._stack.append((children, self._new_block(block, node.byte_range, PIPE)))

    def _redirected(self, node: Node, block: int) -> None:
        children = node.named_children
        if children:
            last: Node | None = children[0]
            if self._codes[children[0].kind_id] == _COMMAND:
                self._owners[children[0].id] = node
            else:  # `a && b <c`: what is redirected is the last command alone.
                last = self._last_command(children[0])
            if last is not None:
                more = [word for child in children[1:] for word in _words_behind(child, self._data)]
                if more or last is not children[0]:
                    self._tails[last.id] = (node, more)
        self._stack.append((children, block))

    def _last_command(self, node: Node) -> Node | None:
        """Return the command that a list, a pipe or a denied one ends with."""
        while node.named_child_count and node.type in _SEVERAL:
            node = node.named_children[-1]
        return node if self._codes[node.kind_id] == _COMMAND else None

    def _redirect(self, node: Node, block: int) -> None:
        if not _NOWHERE.match(self._data, node.start_byte, node.end_byte):
            self._script.redirects.append((node, block))
            self._word(node, block)

    def _assignment(self, node: Node, block: int, *, is_local: bool = False) -> None:
        start, end = node.start_byte, node.end_byte
        found = _TARGET.match(self._script.source.marks, start, end)
        if found is not None:
            name, index, sign = found.groups()
            is_more = index is not None or sign == "+="
            if is_local or not _REFERRING.search(self._data, max(0, start - 64), start):
                assigned = Assigned(end, block, node, is_more, is_local)
            else:
                assigned = Assigned(end, block, node.child_by_field_name("value"), part=NAMED)
            self._script.assign(name, assigned)
            if name in ENVIRONMENT or (name in SHOWN and _COMPUTED.search(self._data, start, end)):
                self._script.plain.append((node, block))
        if _INSIDE.search(self._data, start, end):
            self._stack.append((node.named_children, block))

    def _function(self, node: Node, block: int) -> None:
        name = node.child_by_field_name("name")
        text = self._script.source.of(name) if name is not None else ""
        if text:
            self._script.define(text, node)
        inside = self._new_block(block, node.byte_range, FUNCTION, text or "?")
        self._stack.append((node.named_children, inside))

    def _branch(self, node: Node, block: int) -> None:
        self._stack.append((node.named_children, self._new_block(block, node.byte_range)))

    def _apart(self, node: Node, block: int) -> None:
        inside = _inside_arithmetic(node) if self._data.startswith(b"$((", node.start_byte) else node.named_children
        if inside:
            self._stack.append((inside, self._new_block(block, node.byte_range, APART)))

    def _if(self, node: Node, block: int) -> None:
        codes = self._codes
        around: list[Node] = []
        inside: list[Node] = around
        for child in node.children:
            code = codes[child.kind_id]
            if code == _THEN:
                inside = []
                self._stack.append((inside, self._new_block(block, node.byte_range)))
            elif code == _ELSE:
                around.append(child)
            elif code != _LEAF:
                inside.append(child)
        if around:
            self._stack.append((around, block))

    def _loop(self, node: Node, block: int) -> None:
        inside = self._new_block(block, node.byte_range, LOOP)
        if node.type == "for_statement":
            variable = node.child_by_field_name("variable")
            if variable is not None:
                name = self._script.source.of(variable)
                self._script.assign(name, Assigned(variable.end_byte, inside, node))
        self._stack.append((node.named_children, inside))

    def _list(self, node: Node, block: int) -> None:
        end = self._ends.pop(node.id, node.end_byte)
        children = node.children
        is_first = True
        for at, child in enumerate(children):
            if not child.is_named:
                continue
            if is_first and at + 1 < len(children) and children[at + 1].type == "&&":
                self._ends[child.id] = end  # What follows runs where this leaves off.
            place = (child.start_byte, end)
            self._stack.append(([child], block if is_first else self._new_block(block, place)))
            is_first = False

    def _declaration(self, node: Node, block: int) -> None:
        if not _LOCAL.match(self._data, node.start_byte):
            self._script.declared.append((node, block))
        is_local = bool(self._script.blocks[block].function) and not self._data.startswith(
            (b"export", b"readonly"), node.start_byte
        )
        rest: list[Node] = []
        for child in node.named_children:
            code = self._codes[child.kind_id]
            if code == _ASSIGNMENT:
                self._assignment(child, block, is_local=is_local)
            elif code != _LEAF:
                rest.append(child)
        if rest:
            self._stack.append((rest, block))

    def _unset(self, node: Node, block: int) -> None:
        self._script.unsets.append((node, block))

    def _test(self, node: Node, block: int) -> None:
        if self._data.find(b" -", node.start_byte, node.end_byte) >= 0:
            self._script.tests.append((node, block))
        self._word(node, block)

    def _compound(self, node: Node, block: int) -> None:
        if self._data.startswith(b"((", node.start_byte):
            self._script.tests.append((node, block))
        self._stack.append((node.named_children, block))

    def _heredoc(self, node: Node, block: int) -> None:
        rest: list[Node] = []
        for child in node.named_children:
            if self._codes[child.kind_id] == _PIPELINE and node.parent is not None:
                # `cat <<END | sh`: the grammar puts the rest of the pipe inside the here-document.
                elements = [one for one in child.named_children if one.type != "comment"]
                self._script.pipelines.append((child, (node.parent, *elements)))
                self._stack.append((elements, block))
            else:
                rest.append(child)
        self._stack.append((rest, block))

    def _error(self, node: Node, block: int) -> None:
        self._script.errors.append(node)
        self._stack.append((node.named_children, block))


_HANDLERS: Final[tuple[_Handler, ...]] = tuple(
    {
        _COMMAND: _Walk._command,
        _PIPELINE: _Walk._pipeline,
        _REDIRECTED: _Walk._redirected,
        _REDIRECT: _Walk._redirect,
        _ASSIGNMENT: _Walk._assignment,
        _FUNCTION: _Walk._function,
        _BLOCK: _Walk._branch,
        _ELSE: _Walk._branch,
        _APART: _Walk._apart,
        _IF: _Walk._if,
        _LOOP: _Walk._loop,
        _LIST: _Walk._list,
        _DECLARATION: _Walk._declaration,
        _UNSET: _Walk._unset,
        _TEST: _Walk._test,
        _COMPOUND: _Walk._compound,
        _HEREDOC: _Walk._heredoc,
        _ERROR: _Walk._error,
    }.get(code, _Walk._word)
    for code in range(_ELSE + 1)
)
"""By our number of a kind, what is done with a node of it."""
