"""Parse PowerShell: a text to a syntax tree. Every text has one; what is not understood is noted and passed over."""

from __future__ import annotations

import re
from typing import Final

from plugseal.lang.powershell.pipelines import PARAMETER, Pipelines
from plugseal.lang.powershell.scanning import MAX_DEPTH
from plugseal.lang.powershell.tree import Node
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_CONDITION_FIRST: Final = frozenset("if elseif while until switch for foreach".split())
_BLOCK_ONLY: Final = frozenset("else do try finally begin process end dynamicparam clean parallel sequence".split())
_VALUES: Final = frozenset("return throw exit break continue".split())
_FUNCTIONS: Final = frozenset("function filter workflow configuration".split())
_NAME: Final = lazy(r"[^\s({;]+")


class Parsed(NamedTuple):
    """A script."""

    root: Node
    faults: tuple[int, ...]
    """Where something stands that is not understood."""


def parse_powershell(text: str) -> Parsed:
    """Return the syntax tree of a script."""
    parser = _Parser(text)
    parts: list[Node] = []
    while parser.at < len(text):
        parts.extend(parser.statements(""))
        if parser.at < len(text):  # A bracket that closes nothing.
            parser.fault()
            parser.at += 1
    return Parsed(Node("block", 0, len(text), "", tuple(parts)), tuple(parser.faults))


class _Parser(Pipelines):
    """The statements of a script."""

    def statements(self, end: str) -> tuple[Node, ...]:
        """Take statements up to a bracket and the bracket; up to any where none is named."""
        if self.depth >= MAX_DEPTH:
            self.too_deep()
            return ()
        self.depth += 1
        found: list[Node] = []
        while True:
            self.lines()
            if self.at >= len(self.text):
                if end:
                    self.fault()
                break
            if self.text[self.at] in ")}":
                if self.text[self.at] == end:
                    self.at += 1
                    break
                if not end:
                    break
                self.fault()
                self.at += 1
                continue
            before = self.at
            found.append(self.statement())
            if self.at == before:
                self.fault()
                self.at += 1
        self.depth -= 1
        return tuple(found)

    def statement(self) -> Node:
        """Take one statement."""
        start = self.at
        if self.text[start] == ":" and re.compile(r":\w+\s").match(self.text, start):
            self.at = re.compile(r":\w+\s*").match(self.text, start).end()  # type: ignore[union-attr]  # as just seen
        while self.has("[") and self.attribute():
            pass
        start = self.at
        word = self.word()
        after = self.text[self.at + len(word) : self.at + len(word) + 1]
        if not word or after in ("-", ".", "\\", ":"):
            return self.chain()
        if word in _FUNCTIONS:
            return self._function(word)
        if word in _CONDITION_FIRST and re.compile(r"[\s(]|-").match(after or " "):
            found = self._conditional(word)
            if found is not None:
                return found
        if word in _BLOCK_ONLY and re.compile(r"\s*\{").match(self.text, self.at + len(word)):
            self.at += len(word)
            return Node("flow", start, 0, word, self._block())._replace(end=self.at)
        if word in ("catch", "trap"):
            return self._catch(word)
        if word == "param" and re.compile(r"\s*\(").match(self.text, self.at + 5):
            return self._parameters(start)
        if word in ("class", "enum") and re.compile(r"\s+\w+[^\n{;]*(?:\n\s*)?\{").match(
            self.text, self.at + len(word)
        ):
            return self._class()
        if word == "using" and re.compile(r"\s+(?:namespace|module|assembly)\b").match(self.text, self.at + 5):
            return self.chain()
        if word in _VALUES and not after.strip("\n\r\t ;})"):
            self.at += len(word)
            self.blank()
            inner = () if not self.text[self.at : self.at + 1].strip("\n;})") else (self.chain(),)
            return Node("flow", start, self.at, word, inner)
        return self.chain()

    def _block(self) -> tuple[Node, ...]:
        """Take a block in braces; nothing where there is none."""
        self.line_ends()
        if not self.take("{"):
            self.fault()
            return ()
        return (Node("block", self.at - 1, 0, "", self.statements("}"))._replace(end=self.at),)

    def _conditional(self, word: str) -> Node | None:
        """Take `if`, a loop or `switch`; None where the word is a command."""
        start = self.at
        self.at += len(word)
        self.blank()
        while word in ("foreach", "switch") and PARAMETER.match(self.text, self.at):
            self.at = PARAMETER.match(self.text, self.at).end()  # type: ignore[union-attr]  # as just seen
            self.blank()
            if not self.has("(") and not self.has("-"):
                self.bare()
                self.blank()
        self.line_ends()
        if not self.take("("):
            self.at = start
            return None
        if word == "foreach":
            return self._foreach(start)
        parts = list(self.statements(")"))
        if word == "switch":
            parts += self._clauses()
        elif not (word in ("while", "until") and not re.compile(r"\s*\{").match(self.text, self.at)):
            parts += self._block()
        if word == "if":
            parts += self._otherwise()
        return Node("flow", start, self.at, word, tuple(parts))

    def _otherwise(self) -> list[Node]:
        """Take every `elseif` and the `else` behind an `if`."""
        found: list[Node] = []
        while True:
            place = self.at
            self.line_ends()
            word = self.word()
            if word not in ("else", "elseif"):
                self.at = place
                return found
            start = self.at
            node = self._conditional(word) if word == "elseif" else None
            if node is None:
                self.at = start + len(word)
                node = Node("flow", start, 0, word, self._block())._replace(end=self.at)
            found.append(node)

    def _foreach(self, start: int) -> Node:
        self.line_ends()
        variable = self.primary()
        self.line_ends()
        if self.word() == "in":
            self.at += 2
        inner = self.statements(")")
        source = Node("group", start, self.at, "", inner)
        return Node("foreach", start, 0, "", (variable, source, *self._block()))._replace(end=self.at)

    def _clauses(self) -> list[Node]:
        """Take the clauses of a switch."""
        self.line_ends()
        found: list[Node] = []
        if not self.take("{"):
            self.fault()
            return found
        while True:
            self.lines()
            if self.at >= len(self.text) or self.take("}"):
                return found
            before = self.at
            found.append(self.bare() if self.word() else self.unary())
            self.line_ends()
            if self.has("{"):
                found += self._block()
            if self.at == before:
                self.fault()
                self.at += 1

    def _catch(self, word: str) -> Node:
        start = self.at
        self.at += len(word)
        while True:
            self.line_ends()
            if self.has("["):
                self.type()
            elif not self.take(","):
                break
        return Node("flow", start, 0, word, self._block())._replace(end=self.at)

    def _function(self, word: str) -> Node:
        start = self.at
        self.at += len(word)
        self.blank()
        name = _NAME.match(self.text, self.at)
        if name is None:
            return Node("flow", start, self.at, word)
        self.at = name.end()
        self.line_ends()
        parts: list[Node] = []
        if self.has("("):
            parts.append(self._parameters(self.at))
        parts += self._block()
        return Node("function", start, self.at, name[0].lower().rpartition(":")[2], tuple(parts))

    def _parameters(self, start: int) -> Node:
        """Take the names that a script or function is given, each with its default."""
        self.at = self.text.index("(", start) + 1
        parts: list[Node] = []
        while True:
            self.line_ends()
            if self.at >= len(self.text) or self.take(")"):
                break
            before = self.at
            declared = self.unary()
            while declared.kind == "cast":
                declared = declared.parts[0]
            self.line_ends()
            default: tuple[Node, ...] = ()
            if self.take("="):
                self.line_ends()
                default = (self.expression_without_comma(),)
            if declared.kind == "variable":
                parts.append(Node("parameter", before, self.at, declared.text, default))
            self.line_ends()
            if not self.take(",") and self.at == before:
                self.fault()
                self.at += 1
        return Node("flow", start, self.at, "param", tuple(parts))

    def _class(self) -> Node:
        """Take a class: the bodies of its methods, and the values of its fields."""
        start = self.at
        head = re.compile(r"\w+\s+(\w+)[^\n{;]*(?:\n\s*)?\{").match(self.text, start)
        if head is None:
            return self.chain()
        self.at = head.end()
        parts: list[Node] = []
        while True:
            self.lines()
            if self.at >= len(self.text) or self.take("}"):
                break
            method = re.compile(r"(?:hidden\s+|static\s+)*(?:\[[^\]\n]*\]+\s*)?(\w+)\s*(?=\()").match(
                self.text, self.at
            )
            if method is not None:
                self.at = method.end()
                given = self._parameters(self.at)
                self.line_ends()
                if self.take(":"):
                    self.blank()
                    self.word()
                    self.at = self.text.find("{", self.at) if self.text.find("{", self.at) >= 0 else self.at
                body = self._block()
                parts.append(Node("function", method.start(), self.at, method[1].lower(), (given, *body)))
                continue
            before = self.at
            modifier = re.compile(r"(?:hidden|static)\s+").match(self.text, self.at)
            self.at = modifier.end() if modifier else self.at
            parts.append(self.chain())
            if self.at == before:
                self.fault()
                self.at += 1
        return Node("flow", start, self.at, "class", tuple(parts))
