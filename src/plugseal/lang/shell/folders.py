"""Follow the working folder through a script: how many known folders below the place of its start each command runs.

Only what keeps `..` from leading out is followed: `cd`, `pushd` and `popd` with words that are known, back to where it
was behind a subshell, the lesser depth where branches meet. What is not known counts as the place of the start, so that
a path which may lead out is said to.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from plugseal.lang.command_words import HOLE
from plugseal.lang.python.paths import is_outside
from plugseal.lang.shell.marks import OWN, ROOT, SPLIT
from plugseal.lang.shell.script import APART, FUNCTION, LOOP, PIPE
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.shell.judge import Judge
    from plugseal.lang.shell.script import Block, Command

_CHANGES: Final = lazy(rb"\b(?:cd|pushd|popd)\b")
_MAY_CHANGE: Final = lazy(rb"cd[\s;]|pushd|popd")
_CHANGERS: Final = frozenset(("cd", "pushd", "popd"))
_UNKNOWN: Final = frozenset(("eval", "source", "."))
"""Commands that may change the folder to any other."""
_WRAPPERS: Final = frozenset(("builtin", "command"))


class Folders:
    """The working folder at each place of one script."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._at: list[int] = [0]
        self._depths: list[int] = [0]
        self._open: list[tuple[Block, int]] = []
        """Blocks around the place that is looked at, with the depth before each."""
        self._depth = 0
        self._pushed: list[int] = []
        self._is_followed = False

    def depth(self, offset: int) -> int:
        """Return how many folders deep what stands at an offset runs; asked for only where something leads upwards."""
        if not self._is_followed:
            self._is_followed = True
            if _MAY_CHANGE.search(self._judge.source.data) is not None:
                self._follow()
        return self._depths[bisect_right(self._at, offset) - 1]

    def _follow(self) -> None:
        for command in self._judge.script.commands:
            self._leave(command.start)
            self._enter(command.block)
            self._set(command.start, self._depth)
            self._run(command)
            self._set(command.end, self._depth)
        self._leave(len(self._judge.source.data) + 1)

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
        blocks = self._judge.script.blocks
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
        return _CHANGES.search(self._judge.source.data, start, end) is not None

    def _run(self, command: Command) -> None:
        """Follow what one command does to the folder."""
        function = self._judge.script.functions.get(command.first)
        if function is not None:
            if self._changes(function.start_byte, function.end_byte):
                self._depth = 0
            return
        if command.first in _UNKNOWN:
            self._depth = 0
        if command.first not in _CHANGERS and command.first not in _WRAPPERS:
            return
        words = self._judge.texts_of(command)
        if words[0] in _WRAPPERS:
            words = words[1:]
        if not words or words[0] not in _CHANGERS or self._judge.script.blocks[command.block].kind == PIPE:
            return
        before = self._depth
        if words[0] == "popd":
            self._depth = self._pushed.pop() if self._pushed and len(words) == 1 else 0
            return
        if words[0] == "pushd":
            self._pushed.append(before)
        is_sure = len(self._judge.lists_of(command)) == 1
        plain = [word for word in words[1:] if not word.startswith("-") or word == "-"]
        self._depth = self._below(plain[0], before) if len(plain) == 1 and is_sure else 0

    def _below(self, folder: str, depth: int) -> int:
        """Return how deep a folder is that is named from another one."""
        if HOLE in folder or SPLIT in folder or folder[:1] in ("-", "+"):
            return 0
        if OWN in folder:
            folder, depth = self._judge.report.own(folder), 0
        elif folder[:1] == ROOT:
            folder, depth = folder[1:].lstrip("/"), 0
        if ROOT in folder or is_outside(folder.replace("..", ".")):
            return 0
        for part in folder.split("/"):
            if part == "..":
                depth -= 1
                if depth < 0:
                    return 0
            elif part not in ("", "."):
                depth += 1
        return depth
