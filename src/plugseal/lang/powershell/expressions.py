"""Parse the expressions of PowerShell, by the precedence of its operators."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from plugseal.lang.powershell.scanning import MAX_DEPTH, VARIABLE, Scanning, variable_node
from plugseal.lang.powershell.tree import Node
from plugseal.patterns import lazy

_COMPARISONS: Final = tuple(
    f"-{case}{word}"
    for case in ("", "i", "c")
    for word in (
        "join split replace match notmatch like notlike eq ne gt ge lt le contains notcontains in notin is isnot as "
        "shl shr"
    ).split()
)
_LEVELS: Final = (
    ("??", "?"),
    ("-and", "-or", "-xor"),
    ("-band", "-bor", "-bxor"),
    _COMPARISONS,
    ("+", "-"),
    ("*", "/", "%"),
    ("-f",),
    ("..",),
    (",",),
)
_LEVEL_OF: Final = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs}
_DASHED: Final = lazy(r"-[A-Za-z]+(?![\w])")
_SIGN: Final = lazy(r"\?\?(?!=)|\?(?=\s)|\.\.|[+*/%,-](?!=)")
_UNARY: Final = lazy(r"(?:!|\+\+|--|[+,-](?![A-Za-z])|-(?:not|bnot|join|[ic]?split)\b)", re.IGNORECASE)
_NUMBER: Final = lazy(
    r"(?:0[xX][0-9A-Fa-f]+|0[bB][01]+|(?:\d+\.\d+|\d+|\.\d+)(?:[eE][+-]?\d+)?)(?:[uU]?[lLsSyYdDnN]?)(?:[kKmMgGtTpP][bB])?(?!\w)"
)
_TYPE: Final = lazy(r"\[\s*([A-Za-z_][\w.+`]*)\s*((?:\[[\w.,\s+\[\]]{0,400}\]\s*)?)\]")
_NAME: Final = lazy(r"[A-Za-z_]\w*")
_STARTS: Final = lazy(r"[$@('\"\[{\d!+,-]|\.\d")


class Expressions(Scanning):
    """The expressions of a script."""

    def expression(self, level: int = 0) -> Node:
        """Take an expression whose operators bind at least as a level does."""
        self.depth += 1
        left = self.unary() if self.depth < MAX_DEPTH else self.too_deep()
        while True:
            place = self.at
            self.blank()
            sign = self._sign()
            if not sign or _LEVEL_OF[sign] < level:
                self.at = place
                break
            self.at += len(sign)
            self.line_ends()
            if sign == ",":
                left = self._list(left)
                continue
            right = self.expression(_LEVEL_OF[sign] + 1)
            if sign == "?":
                right = self._otherwise_value(right)
            left = Node("binary", left.start, self.at, sign, (left, right))
        self.depth -= 1
        return left

    def _otherwise_value(self, first: Node) -> Node:
        """Take what stands behind the colon of `a ? b : c`."""
        self.blank()
        if not self.take(":"):
            return first
        self.blank()
        return Node("list", first.start, self.at, "?", (first, self.expression(0)))

    def argument(self) -> Node:
        """Take an argument of a method: a comma parts it from the next."""
        return self.expression_without_comma()

    def expression_without_comma(self) -> Node:
        """Take an expression that a comma ends."""
        before, self.commas = self.commas, False
        node = self.expression()
        self.commas = before
        return node

    commas = True
    """Whether a comma makes a list here."""

    def _list(self, first: Node) -> Node:
        parts = [first, self.unary()]
        while True:
            place = self.at
            self.blank()
            if not self.take(","):
                self.at = place
                return Node("list", first.start, self.at, "", tuple(parts))
            self.line_ends()
            parts.append(self.unary())

    def _sign(self) -> str:
        found = _DASHED.match(self.text, self.at)
        if found is not None and found[0].lower() in _LEVEL_OF:
            return found[0].lower()
        sign = _SIGN.match(self.text, self.at)
        if sign is None or (sign[0] == "," and not self.commas):
            return ""
        return sign[0]

    def too_deep(self) -> Node:
        """Leave out the rest: brackets are too deep in each other."""
        self.fault()
        start = self.at
        self.at = len(self.text)
        return Node("text", start, self.at)

    def unary(self) -> Node:
        """Take an operand with the operators and casts before it."""
        before: list[tuple[str, str, int]] = []
        while len(before) < MAX_DEPTH:
            self.blank()
            start = self.at
            found = _UNARY.match(self.text, start)
            if found is not None and not _NUMBER.match(self.text, start):
                self.at = found.end()
                before.append(("unary", found[0].lower(), start))
                continue
            kind = self._cast()
            if not kind:
                break
            before.append(("cast", kind, start))
        node = self.postfix(self.primary())
        for what, text, start in reversed(before):
            node = Node(what, start, node.end, text, (node,))
        return node

    def _cast(self) -> str:
        """Pass over a type that stands before what it changes, and return its name; empty where there is none."""
        found = _TYPE.match(self.text, self.at)
        if found is None:
            return self.attribute()
        after = self.text[found.end() : found.end() + 2]
        if after == "::":
            return ""
        place = self.at
        self.at = found.end()
        self.blank()
        following = _STARTS.match(self.text, self.at)
        if following is None or (following[0] in "+-," and not _NUMBER.match(self.text, self.at)):
            self.at = place
            return ""
        return (found[1] + found[2]).lower().replace(" ", "")

    def attribute(self) -> str:
        """Pass over `[Parameter(…)]` and its like; what it is, is of no account."""
        if not re.compile(r"\[\s*[A-Za-z_][\w.]*\s*\(").match(self.text, self.at):
            return ""
        self.at = self.text.index("(", self.at) + 1
        self.arguments()
        self.blank()
        if not self.take("]"):
            self.fault()
        self.line_ends()
        return "attribute"

    def arguments(self) -> tuple[Node, ...]:
        """Take the arguments of a method, behind its bracket."""
        found: list[Node] = []
        while True:
            self.line_ends()
            if self.at >= len(self.text) or self.take(")"):
                return tuple(found)
            before = self.at
            flag = re.compile(r"[A-Za-z_]\w*(?=\s*[,)])").match(self.text, self.at)
            if flag is not None:
                self.at = flag.end()
                self.line_ends()
                self.take(",")
                continue
            if re.compile(r"[A-Za-z_]\w*\s*=(?!=)").match(self.text, self.at):
                self.at = self.text.index("=", self.at) + 1
                self.line_ends()
            found.append(self.argument())
            self.line_ends()
            if not self.take(",") and not self.has(")"):
                self.fault()
                if self.at == before:
                    self.at += 1

    def primary(self) -> Node:
        """Take one operand."""
        start = self.at
        mark = self.text[start : start + 1]
        if mark == "'":
            return self.verbatim()
        if mark == '"':
            return self.expandable()
        if mark == "$":
            return self._dollar()
        if mark == "@":
            return self._at()
        if mark == "(":
            self.at += 1
            return self._bracket("group", start, ")")
        if mark == "{":
            self.at += 1
            return self._bracket("block", start, "}")
        if mark == "[":
            return self.type()
        number = _NUMBER.match(self.text, start)
        if number is not None:
            self.at = number.end()
            return Node("number", start, self.at, number[0].lower())
        name = _NAME.match(self.text, start)
        self.at = name.end() if name else start
        self.fault()
        return Node("text", start, self.at, name[0] if name else "")

    def _bracket(self, kind: str, start: int, end: str) -> Node:
        commas, self.commas = self.commas, True
        inner = self.statements(end)
        self.commas = commas
        return Node(kind, start, self.at, "", inner)

    def _dollar(self) -> Node:
        start = self.at
        if self.has("$("):
            self.at += 2
            return self._bracket("sub", start, ")")
        found = VARIABLE.match(self.text, start)
        if found is None:
            self.at += 1
            self.fault()
            return Node("text", start, self.at, "$")
        self.at = found.end()
        return variable_node(found)

    def _at(self) -> Node:
        start = self.at
        if self.has("@("):
            self.at += 2
            return self._bracket("array", start, ")")
        if self.has("@{"):
            self.at += 2
            return self._table(start)
        here = self.here_string()
        if here is not None:
            return here
        self.at += 1
        name = _NAME.match(self.text, self.at)
        if name is None:
            self.fault()
            return Node("text", start, self.at, "@")
        self.at = name.end()
        return Node("splat", start, self.at, name[0].lower())

    def _table(self, start: int) -> Node:
        parts: list[Node] = []
        commas, self.commas = self.commas, True
        while True:
            self.lines()
            if self.at >= len(self.text) or self.take("}"):
                break
            before = self.at
            name = re.compile(r"[A-Za-z_][\w.-]*").match(self.text, self.at)
            if name is not None:
                self.at = name.end()
                key = Node("text", before, self.at, name[0])
            else:
                self.depth += 1
                key = self.unary() if self.depth < MAX_DEPTH else self.too_deep()
                self.depth -= 1
            self.blank()
            if not self.take("="):
                self.fault()
                self.at = max(self.at, before + 1)
                continue
            self.line_ends()
            parts += (key, self.statement())
            if self.at == before:
                self.at += 1
        self.commas = commas
        return Node("table", start, self.at, "", tuple(parts))

    @abstractmethod
    def statement(self) -> Node:
        """Take one statement; the parser gives the meaning."""

    def type(self) -> Node:
        """Take the name of a type in its brackets."""
        start = self.at
        found = _TYPE.match(self.text, start)
        if found is not None:
            self.at = found.end()
            return Node("type", start, self.at, (found[1] + found[2]).lower())
        self.at += 1
        depth = 1
        while self.at < len(self.text) and depth and self.text[self.at] != "\n":
            depth += {"[": 1, "]": -1}.get(self.text[self.at], 0)
            self.at += 1
        return Node("type", start, self.at, self.text[start + 1 : self.at - 1].strip().lower())

    def postfix(self, node: Node) -> Node:
        """Take what is asked of an operand: members, calls, indices."""
        before = -1
        while before < self.at < len(self.text):
            before = self.at
            if self.has("::"):
                node = self._member(node, "static", 2)
            elif self.has("?."):
                node = self._member(node, "member", 2)
            elif self.text[self.at] == "." and self.text[self.at + 1 : self.at + 2] not in (".", "", " "):
                node = self._member(node, "member", 1)
            elif self.text[self.at] == "[" and node.kind != "number":
                self.at += 1
                self.line_ends()
                commas, self.commas = self.commas, True
                index = self.expression()
                self.commas = commas
                self.line_ends()
                if not self.take("]"):
                    self.fault()
                node = Node("index", node.start, self.at, "", (node, index))
            elif self.has("++") or self.has("--"):
                self.at += 2
            else:
                break
        return node

    def _member(self, target: Node, kind: str, width: int) -> Node:
        place = self.at
        self.at += width
        self.line_ends()
        name = self._member_name()
        if name is None:
            self.at = place
            return target._replace(end=place)
        if self.has("("):
            self.at += 1
            call = "staticcall" if kind == "static" else "call"
            commas, self.commas = self.commas, True
            given = self.arguments()
            self.commas = commas
            return Node(call, target.start, self.at, "", (target, name, *given))
        return Node(kind, target.start, self.at, "", (target, name))

    def _member_name(self) -> Node | None:
        mark = self.text[self.at : self.at + 1]
        name = _NAME.match(self.text, self.at)
        if name is not None:
            self.at = name.end()
            return Node("text", name.start(), self.at, name[0])
        if mark and mark in "'\"$(":
            return self.primary()
        return None
