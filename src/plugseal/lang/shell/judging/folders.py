"""Follow the working folder through a script: how many known folders below the place of its start each command runs.

Only what keeps `..` from leading out is followed: `cd`, `pushd` and `popd` with words that are known, back to where it
was behind a subshell, the lesser depth where branches meet. A folder is taken to be there, unless the script goes on
where it is not. What is not known counts as the place of the start, so that a path which may lead out is said to.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.judging.paths import is_outside
from plugseal.lang.shell.parsing.names import BUILTINS
from plugseal.lang.shell.parsing.script import APART, FUNCTION, LOOP, PIPE
from plugseal.lang.shell.words.marks import OWN, ROOT, SPLIT
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.shell.judging.subject import Subject
    from plugseal.lang.shell.parsing.parse import Node
    from plugseal.lang.shell.parsing.script import Block, Command

_CHANGES: Final = lazy(rb"\b(?:cd|pushd|popd)\b")
_MAY_CHANGE: Final = lazy(rb"cd[\s;]|pushd|popd")
_CHANGERS: Final = frozenset(("cd", "pushd", "popd"))
_UNKNOWN: Final = frozenset(("eval", "source", "."))
"""Commands that may change the folder to any other."""
_WRAPPERS: Final = frozenset(("builtin", "command", "time", "noglob", "nocorrect"))
_ELSEWHERE: Final = lazy(
    rb"\bautocd\b|(?<!unset )\bCDPATH\b(?!=(?:\"\"|'')?\s)|\b(?:alias|trap)\b[^\n]{0,1000}\b(?:cd|pushd|popd)\b|"
    rb"\bln\s+-\w{0,16}s"
)
"""What lets other commands change the folder, or `cd` lead elsewhere than down: such a script is not followed."""
_HUSHED: Final = lazy(rb"(?:2|&)>>?[ \t]*(?:/dev/null|&-)")
_GIVES_UP: Final = lazy(
    rb"[\s{(]*(?:(?:echo|printf|log|warn)\b[^\n]{0,1000}\b)?(exit|return|break|continue|die|fail|fatal|abort|error)\b"
)
"""What a script does that goes no further without the folder."""
_GLOB: Final = lazy(r"[*?\[]")


class Folders:
    """The working folder at each place of one script."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._at: list[int] = [0]
        self._depths: list[int] = [0]
        self._open: list[tuple[Block, int]] = []
        """Blocks around the place that is looked at, with the depth before each."""
        self._depth = 0
        self._pushed: list[int] = []
        self._is_followed = False
        self._changing: frozenset[str] = frozenset()
        """Functions that may change the folder."""

    def depth(self, offset: int) -> int:
        """Return how many folders deep what stands at an offset runs; asked for only where something leads upwards."""
        if not self._is_followed:
            self._is_followed = True
            data = self._subject.source.data
            if _MAY_CHANGE.search(data) is not None and _ELSEWHERE.search(data) is None:
                self._changing = self._find_changing()
                self._follow()
        return self._depths[bisect_right(self._at, offset) - 1]

    def _follow(self) -> None:
        for command in self._subject.script.commands:
            self._leave(command.start)
            self._enter(command.block)
            self._set(command.start, self._depth)
            self._run(command)
            self._set(command.end, self._depth)
        self._leave(len(self._subject.source.data) + 1)

    def _set(self, offset: int, depth: int) -> None:
        if depth != self._depths[-1]:
            self._at.append(offset)
            self._depths.append(depth)

    def _leave(self, offset: int) -> None:
        """Leave the blocks that end before an offset."""
        while self._open and self._open[-1][0].end <= offset:
            block, before = self._open.pop()
            self._depth = before if block.kind in (APART, PIPE, FUNCTION) else min(self._depth, before)
            self._set(block.end, self._depth)

    def _enter(self, number: int) -> None:
        """Enter the blocks around a command, outer ones first."""
        blocks = self._subject.script.blocks
        around: list[Block] = []
        known = [block for block, _ in self._open]
        while number > 0 and blocks[number] not in known:
            around.append(blocks[number])
            number = blocks[number].parent
        for block in reversed(around):
            self._open.append((block, self._depth))
            if block.kind == FUNCTION or (block.kind == LOOP and self._changes(block.start, block.end)):
                self._depth = 0

    def _changes(self, start: int, end: int) -> bool:
        return _CHANGES.search(self._subject.source.data, start, end) is not None

    def _find_changing(self) -> frozenset[str]:
        script = self._subject.script
        found = {
            script.blocks[command.block].function for command in script.commands if self._changer(command) is not None
        }
        callers: dict[str, set[str]] = {}
        for command in script.commands:
            callers.setdefault(command.first, set()).add(script.blocks[command.block].function)
        pending = list(found)
        while pending:
            more = callers.get(pending.pop(), set()) - found
            found |= more
            pending += more
        return frozenset(found)

    def _changer(self, command: Command) -> tuple[str, ...] | None:
        """Return the words of a command that may change the folder, from its name on; None for another one."""
        if command.first and command.first not in _CHANGERS | _WRAPPERS | _UNKNOWN:
            return None
        words = self._subject.texts_of(command)
        while words and (words[0] in _WRAPPERS or (words[0][:1] == "-" and words[0] != "-")):
            words = words[1:]
        if not words or (words[0] in BUILTINS and words[0] not in _CHANGERS | _UNKNOWN):
            return None
        is_other = "/" in words[0] or words[0] not in BUILTINS
        return None if is_other and HOLE not in words[0] and words[0] not in self._changing else words

    def _run(self, command: Command) -> None:
        """Follow what one command does to the folder."""
        if command.first in self._subject.script.functions:
            if command.first in self._changing:
                self._depth = 0
            return
        words = self._changer(command)
        if words is None or self._subject.script.blocks[command.block].kind == PIPE or _is_apart(command.owner):
            return
        before = self._depth
        if words[0] not in _CHANGERS:
            self._depth = 0
        elif words[0] == "popd":
            self._depth = min(before, self._pushed.pop()) if self._pushed and len(words) == 1 else 0
        else:
            if words[0] == "pushd":
                self._pushed.append(before)
            is_sure = len(self._subject.lists_of(command)) == 1 and words[1:2] != ("-n",)
            plain = [word for word in words[1:] if not word.startswith("-") or word == "-"]
            after = self._below(plain[0], before) if len(plain) == 1 and is_sure else 0
            self._depth = after if after <= before or self._must_succeed(command) else before

    def _must_succeed(self, command: Command) -> bool:
        """Say whether a script does not go on for certain where a command fails."""
        node, data = command.owner, self._subject.source.data
        while node.parent is not None and node.parent.type in ("list", "compound_statement", "negated_command"):
            if node.parent.type == "negated_command":
                return False
            node = node.parent
        if node.next_sibling is not None and _is_condition(node):
            return False
        sign = command.owner.next_sibling
        if sign is not None and sign.type == "||":
            end = sign.end_byte
            given_up = _GIVES_UP.match(data, end)
            body = self._subject.script.functions.get(given_up[1].decode("ascii")) if given_up is not None else None
            return given_up is not None and (
                body is None or re.search(rb"\bexit\b", data[body.start_byte : body.end_byte]) is not None
            )
        return _HUSHED.search(data, command.node.end_byte, command.owner.end_byte) is None

    def _below(self, folder: str, depth: int) -> int:
        """Return how deep a folder is that is named from another one."""
        if HOLE in folder or SPLIT in folder or folder[:1] in ("-", "+"):
            return 0
        if OWN in folder:
            folder, depth = self._subject.report.own(folder), 0
        elif folder[:1] == ROOT:
            folder, depth = folder[1:].lstrip("/"), 0
        if ROOT in folder or is_outside(folder.replace("..", ".")):
            return 0
        for part in folder.split("/"):
            if part == "..":
                depth -= 1
                if depth < 0:
                    return 0
            elif _GLOB.search(part):
                return 0  # `.?` is `..` as well.
            elif part not in ("", "."):
                depth += 1
        return depth


def _is_condition(node: Node) -> bool:
    """Say whether a statement is what an `if` asks, of its own or last in a row."""
    behind = node.next_sibling
    while behind is not None and behind.type in (";", "\n", "comment"):
        behind = behind.next_sibling
    return behind is not None and behind.type == "then"


def _is_apart(node: Node) -> bool:
    """Say whether a command, or the list that it stands in, runs in the background."""
    around: Node | None = node
    while around is not None and around.type not in ("program", "compound_statement", "subshell"):
        behind = around.next_sibling
        if behind is not None and behind.type == "&":
            return True
        around = around.parent
    return False
