"""Parse the pipelines and commands of PowerShell: words, options, redirections, assignments."""

from __future__ import annotations

import re
from typing import Final

from plugseal.lang.powershell.expressions import Expressions
from plugseal.lang.powershell.scanning import MAX_DEPTH
from plugseal.lang.powershell.tree import Node
from plugseal.patterns import lazy

_EXPRESSION: Final = lazy(
    r"[$'\"(\[{!]|@[({'\"]|\d[\d.]*(?:[kKmMgG][bB])?(?![\w-])|0[xX]|,|[+-](?=[\d$(])|\+\+|--(?=\$)"
    r"|-(?:not|bnot|join|[ic]?split)\b",
    re.IGNORECASE,
)
_ASSIGNMENT: Final = lazy(r"(?:\?\?|[-+*/%])?=(?!=)")
_REDIRECT: Final = lazy(r"[*1-6]?>>?(?:&[12])?|<(?!#)")
PARAMETER: Final = lazy(r"-[A-Za-z_?][\w-]*(?=[\s;|&(){},:'\"$>]|\Z)")
_ENDS: Final = frozenset("\n;|&)}")
_SPLAT: Final = lazy(r"@[A-Za-z_]\w*(?=[\s;|)}]|\Z)")
_TYPED: Final = lazy(r"\[[\w.\[\]]+\](?:::|[$('\"@])")
_LINE_END: Final = lazy(r"[\n|]|\Z")


class Pipelines(Expressions):
    """The pipelines of a script."""

    def chain(self) -> Node:
        """Take pipelines that `&&` and `||` join."""
        found = [self._pipeline()]
        while True:
            place = self.at
            self.blank()
            if not (self.take("&&") or self.take("||")):
                self.at = place
                break
            self.line_ends()
            found.append(self._pipeline())
        self.take("&")
        return found[0] if len(found) == 1 else Node("chain", found[0].start, self.at, "", tuple(found))

    def _pipeline(self) -> Node:
        start = self.at
        parts: list[Node] = []
        while self.at < len(self.text):
            part = self._element()
            if part.kind == "assign" and not parts:
                return part
            parts.append(part)
            place = self.at
            self.line_ends()
            if not (self.has("|") and not self.has("||")):
                self.at = place
                break
            self.at += 1
            self.line_ends()
        return Node("pipeline", start, self.at, "", tuple(parts))

    def _element(self) -> Node:
        """Take a command or an expression with what is done with its value."""
        start = self.at
        if not _EXPRESSION.match(self.text, start):
            return self._command()
        node = self.expression()
        self.blank()
        sign = _ASSIGNMENT.match(self.text, self.at)
        if sign is not None:
            self.at = sign.end()
            self.line_ends()
            if self.depth >= MAX_DEPTH or self.at >= len(self.text):
                self.fault()
                return node
            self.depth += 1
            value = self.statement()
            self.depth -= 1
            return Node("assign", start, self.at, sign[0], (node, value))
        redirects = self._redirects()
        if redirects:
            return Node("command", start, self.at, "value", (node, *redirects))
        return node

    def _redirects(self) -> list[Node]:
        found: list[Node] = []
        while True:
            self.blank()
            one = self._redirect()
            if one is None:
                return found
            found.append(one)

    def _redirect(self) -> Node | None:
        sign = _REDIRECT.match(self.text, self.at)
        if sign is None:
            return None
        start = self.at
        self.at = sign.end()
        if "&" in sign[0]:
            return Node("redirect", start, self.at, sign[0])
        self.blank()
        return Node("redirect", start, 0, sign[0], (self._word(),))._replace(end=self.at)

    def _command(self) -> Node:
        start = self.at
        operator = ""
        if self.text[start] in "&." and self.text[start + 1 : start + 2] not in ("&", "/", "\\", "."):
            operator = self.text[start]
            self.at += 1
            self.blank()
        if self.at >= len(self.text):
            return Node("command", start, self.at, operator)
        parts = [self._word()]
        if parts[0].end == parts[0].start:
            self.fault()
        while True:
            self.blank()
            if self.at >= len(self.text) or self.text[self.at] in _ENDS:
                break
            before = self.at
            parts.append(self._part())
            if self.at == before:
                self.at += 1
        return Node("command", start, parts[-1].end, operator, tuple(parts))

    def _part(self) -> Node:
        """Take one word of a command, an option with its value, or a redirection."""
        redirect = self._redirect()
        if redirect is not None:
            return redirect
        start = self.at
        if self.has("--%"):
            end = _LINE_END.search(self.text, start)
            self.at = end.start() if end else len(self.text)
            return Node("text", start, self.at, self.text[start + 3 : self.at].strip())
        option = PARAMETER.match(self.text, start)
        if option is not None:
            self.at = option.end()
            value: tuple[Node, ...] = ()
            if self.take(":"):
                self.blank()
                value = (self._listed(),)
            return Node("option", start, self.at, option[0][1:].lower(), value)
        return self._listed()

    def _listed(self) -> Node:
        """Take a word, or several that commas part."""
        parts = [self._word()]
        while True:
            place = self.at
            self.blank()
            if not self.take(","):
                self.at = place
                break
            self.line_ends()
            if self.at >= len(self.text):
                break
            parts.append(self._word())
        return parts[0] if len(parts) == 1 else Node("list", parts[0].start, self.at, "", tuple(parts))

    def _word(self) -> Node:
        """Take one word as a command is given it."""
        start = self.at
        if self.depth >= MAX_DEPTH:
            return self.too_deep()
        mark = self.text[start : start + 1]
        self.depth += 1
        if mark in ("(", "{") or self.has("@(") or self.has("@{") or self.has("@'") or self.has('@"') or self._splats():
            node = self.postfix(self.primary())
        elif mark and mark in "$'\"[":
            node = self._quoted_or_bare(start)
        else:
            node = self.bare()
        self.depth -= 1
        return node

    def _splats(self) -> bool:
        return _SPLAT.match(self.text, self.at) is not None

    def _quoted_or_bare(self, start: int) -> Node:
        """Take a value with its members; where other characters follow at once, it is the start of a bare word."""
        faults = len(self.faults)
        if self.text[start] == "[" and not _TYPED.match(self.text, start):
            return self.bare()
        node = self.postfix(self.primary() if self.text[start] != "[" else self.unary())
        after = self.text[self.at : self.at + 1]
        if after and not after.isspace() and after not in ";|&(){},>":
            del self.faults[faults:]
            self.at = start
            return self.bare()
        return node
