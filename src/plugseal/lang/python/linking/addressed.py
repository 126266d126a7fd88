"""Descriptions of tools in Python, by their form, in a file that declares tools.

They are the docstrings of functions that a decorator or a call registers, and what stands behind `description=` and its
like. Told by names alone, whatever the library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.addressed import HOLE, MAX_ADDRESSED_BYTES, Addressed, Literals, Part, gathered
from plugseal.lang.python.parsing.decode import decode_source
from plugseal.patterns import lazy

_MARK: Final = lazy(
    rb"@[\w.]{0,80}(?:tool|resource|prompt)\w{0,40}|"
    rb"(?:Tool(?<!\wTool)|FastMCP(?<!\wFastMCP)|McpServer(?<!\wMcpServer)|MCPServer(?<!\wMCPServer)|"
    rb"StructuredTool(?<!\wStructuredTool)|FunctionTool(?<!\wFunctionTool))\w{0,20}\(|BaseTool(?<!\wBaseTool)\b|"
    rb"mcp(?:(?<=from[ \t]mcp)|(?<=import[ \t]mcp))\b|\.(?:add_)?tool\(|[\"'](?:inputSchema|input_schema)[\"']",
    needs=(b"tool", b"resource", b"prompt", b"fastmcp", b"mcp", b"inputschema", b"input_schema"),
)
"""Without one of these a file declares no tool.

What stands before a word is asked behind it: where every branch begins with a letter, most places are passed over.
"""
_REGISTERS: Final = lazy(
    r"(?:^|\n)[ \t]*@(?:[A-Za-z_]\w*[ \t]*\.[ \t]*)*"
    r"(?:\w{0,40}tools?(?:_plain)?|resource(?:_template)?|prompt|skill|kernel_function|ai_function|ai_callable)\b"
)
_REGISTERED: Final = lazy(
    r"(?:\btool\([^()\n]{0,200}\)|\.(?:add|register)_tool|\bfrom_function)\([ \t\n]{0,80}([A-Za-z_]\w*)"
)
_DEFINED: Final = lazy(r"(?:^|\n)[ \t]*(?:async[ \t]+)?def[ \t]+([A-Za-z_]\w*)[ \t]*(?=\(|\[)")
_TO_BODY: Final = lazy(
    r"(?:[^:\"']|\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'){0,400}:"
    r"[ \t]*(?:(?:#[^\n]*|\r?)\n(?:[ \t]*(?:#[^\n]*|\r?)\n)*[ \t]*)?(?=[rRuUfF]{0,2}[\"'])"
)
_SAID: Final = lazy(
    r"\b(?:description|instructions|__doc__)(?:[ \t]{0,20}:[ \t]{0,20}[\w.\[\]][\w.\[\] |]{0,60})?"
    r"[ \t]{0,20}=(?!=)[ \t]*|"
    r"[\"'](?:description|instructions)[\"'](?:[ \t]{0,20}:|\][ \t]{0,20}=(?!=))[ \t]*|"
    r"\.add_tool\([ \t\r\n]{0,80}[\w.]{1,100}[ \t\r\n]{0,80}"
    r",[ \t\r\n]{0,80}[\"'][\w. -]{1,100}[\"'][ \t\r\n]{0,80},[ \t\r\n]{0,80}"
    r"(?=[\"'])"
)
_CONSTANT: Final = lazy(
    r"(?:^|\n)[ \t]*([A-Za-z_]\w*)(?:[ \t]*:[ \t]*[\w.\[\]]{1,40})?[ \t]*\+?=[ \t]*(?=[(\\\"'rRuUfF])"
)
_BRACKET: Final = lazy(
    r"(?:\"\"\"(?:[^\"\\]|\\[\s\S]|\"(?!\"\"))*\"\"\"|'''(?:[^'\\]|\\[\s\S]|'(?!''))*'''|"
    r"\"(?:[^\"\\\n]|\\[\s\S])*\"?|'(?:[^'\\\n]|\\[\s\S])*'?|#[^\n]*)|([(\[{])|([)\]}])"
)
_HOLE: Final = lazy(r"\{\{|\}\}|\{[ ]*([A-Za-z_]\w*)[ ]*\}|\{[^{}]*\}")
_ESCAPE: Final = lazy(
    r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|N\{[^{}]{1,80}\}|([0-7]{1,3})|(\r\n|[\s\S]))"
)
_SHORT: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "\n": "", "\r\n": ""}
_MAX_BRACKETS: Final = 20_000


def addressed_in_python(data: bytes) -> tuple[Addressed, ...]:
    """Return the texts of a Python file that a model reads; none where its text can't be told."""
    if len(data) > MAX_ADDRESSED_BYTES or _MARK.search(data) is None:
        return ()
    text, _ = decode_source(data)
    literals = _PythonLiterals(text, ((match[1], match.end()) for match in _CONSTANT.finditer(text)))
    return gathered(_texts(text, literals))


def _texts(text: str, literals: Literals) -> Iterator[Addressed]:
    called = {match[1] for match in _REGISTERED.finditer(text)}
    decorated = iter([match.end() for match in _REGISTERS.finditer(text)])
    registered = next(decorated, None)
    for match in _DEFINED.finditer(text):
        is_registered = match[1] in called
        while registered is not None and registered <= match.start() + 1:
            is_registered = True
            registered = next(decorated, None)
        if is_registered:
            yield Addressed(match[1], _docstring(text, match.end(), literals))
    for match in _SAID.finditer(text):
        yield Addressed("", literals.said(match.end()))


def _docstring(text: str, at: int, literals: Literals) -> tuple[Part, ...]:
    """Return the docstring of a function whose parameters begin at an offset."""
    for _ in range(2):  # Those of types may stand before the others.
        if text[at : at + 1] in ("(", "["):
            at = _behind_bracket(text, at)
    body = _TO_BODY.match(text, at)
    return literals.parts(body.end()) if body is not None else ()


def _behind_bracket(text: str, at: int) -> int:
    """Return the offset behind the bracket that opens at an offset, the end where it never closes."""
    depth = 0
    for number, match in enumerate(_BRACKET.finditer(text, at)):
        depth += (match[1] is not None) - (match[2] is not None)
        if depth <= 0 and match[2] is not None:
            return match.end()
        if number >= _MAX_BRACKETS:
            break
    return len(text)


class _PythonLiterals(Literals):
    literal = lazy(
        r"(?:[rR][fF]?|[fF][rR]?|[uU])?(?:\"\"\"(?:[^\"\\]|\\[\s\S]|\"(?!\"\"))*\"\"\"|'''(?:[^'\\]|\\[\s\S]|'(?!''))*'''|"
        r"\"(?:[^\"\\\n]|\\[\s\S])*\"|'(?:[^'\\\n]|\\[\s\S])*')"
    )
    blank = lazy(r"(?:[ \t\r\n(\\]+|#[^\n]*)*(?:(?:textwrap\.)?dedent\(|inspect\.cleandoc\()?[ \t\r\n]*")
    name = lazy(r"[A-Za-z_]\w*")
    joins = "+"
    is_joined_without = True

    def read(self, literal: re.Match[str], followed: int) -> list[Part]:
        written = literal[0]
        prefix = written[: len(written) - len(written.lstrip("rRfFuU"))].lower()
        edge = 3 if written[len(prefix) :].startswith(('"""', "'''")) else 1
        inner = written[len(prefix) + edge : len(written) - edge]
        span = self.span(literal.start(), literal.end())
        if "f" in prefix:
            inner = _HOLE.sub(lambda hole: self._hole(hole, followed), inner)
        text = inner if "r" in prefix else _ESCAPE.sub(_unescaped, inner)
        return [Part(text, span, 0 < text.count("\n") == span.end_line - span.line)]

    def _hole(self, hole: re.Match[str], followed: int) -> str:
        if hole[0] in ("{{", "}}"):
            return hole[0][0]
        return self.named(hole[1], followed) if hole[1] else HOLE


def _unescaped(match: re.Match[str]) -> str:
    code, octal, other = match[1] or match[2] or match[3], match[4], match[5]
    if code is None and octal is None:
        return HOLE if other is None else _SHORT.get(other, f"\\{other}" if other.isalnum() else other)
    point = int(code, 16) if code is not None else int(octal, 8)
    return chr(point) if point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF else "\ufffd"
