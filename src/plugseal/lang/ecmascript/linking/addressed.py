"""Descriptions of tools in JavaScript and TypeScript, by their form, in a file that declares tools.

They stand behind `description:`, or as the second argument of `server.tool("name", …)` and its like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.addressed import HOLE, MAX_ADDRESSED_BYTES, Addressed, Literals, Part, gathered
from plugseal.patterns import lazy

_MARK: Final = lazy(
    rb"inputSchema|input_schema|modelcontextprotocol|\.tool\(|tool\(\{(?<!\wtool\(\{)|"
    rb"(?:register(?<!\wregister)|add(?<!\wadd)|define(?<!\wdefine))(?:Tool|Prompt|Resource)\b",
    needs=(b"inputschema", b"input_schema", b"modelcontextprotocol", b"tool", b"prompt", b"resource"),
)
"""Without one of these a file declares no tool."""
_SAID: Final = lazy(
    r"(?<![\w$.])\[?[\"']?(?:description|instructions)[\"']?\]?[ \t]{0,20}:|\.description[ \t]{0,20}=(?!=)"
    r"|\.describe\("
    r"|\.[ \t]{0,20}(?:tool|registerTool|addTool|prompt|registerPrompt|resource|registerResource)"
    r"[ \t]{0,20}(?:\?\.)?(?:<[^()\n]{0,80}>)?[ \t]{0,20}\([ \t\r\n]{0,80}"
    r"(?:[A-Za-z_$][\w$.]{0,100}|\"([^\"\\\n]{1,200})\"|'([^'\\\n]{1,200})'|`([^`\\$\n]{1,200})`)"
    r"[ \t\r\n]{0,80},[ \t\r\n]{0,80}(?=[\"'`A-Za-z_$])"
)
_SHORTHAND: Final = lazy(r"[{,][ \t\r\n]{0,80}(description|instructions)[ \t\r\n]{0,80}(?=[,}])")
_CONSTANT: Final = lazy(
    r"(?:(?:^|[\n;{}])[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+|,[ \t\r\n]{0,80})([A-Za-z_$][\w$]*)"
    r"(?:[ \t]*:[ \t]*string)?[ \t]*=[ \t\r\n]*(?=[\"'`])"
)
_HOLE: Final = lazy(r"\$\{[ ]*([A-Za-z_$][\w$]*)[ ]*\}|\$\{[^{}]*\}")
_ESCAPE: Final = lazy(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(\r\n|[\s\S]))")
_SHORT: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}


def addressed_in_script(data: bytes) -> tuple[Addressed, ...]:
    """Return the texts of a script that a model reads."""
    if len(data) > MAX_ADDRESSED_BYTES or _MARK.search(data) is None:
        return ()
    text = data.decode("utf-8", "replace")
    literals = _ScriptLiterals(text, ((match[1], match.end()) for match in _CONSTANT.finditer(text)))
    return gathered(_texts(text, literals))


def _texts(text: str, literals: Literals) -> Iterator[Addressed]:
    for match in _SAID.finditer(text):
        yield Addressed(match[1] or match[2] or match[3] or "", literals.said(match.end()))
    for name in {match[1]: None for match in _SHORTHAND.finditer(text)}:
        yield Addressed("", literals.constant(name))


class _ScriptLiterals(Literals):
    literal = lazy(r"\"(?:[^\"\\\n]|\\[\s\S])*\"|'(?:[^'\\\n]|\\[\s\S])*'|`(?:[^`\\]|\\[\s\S])*`")
    blank = lazy(r"(?:[ \t\r\n]+|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*")
    name = lazy(r"[A-Za-z_$][\w$]*")
    joins = "+"
    is_joined_without = False

    def read(self, literal: re.Match[str], followed: int) -> list[Part]:
        inner = literal[0][1:-1]
        span = self.span(literal.start(), literal.end())
        is_raw = "\n" in inner and "\\" not in inner
        if literal[0][0] == "`":
            inner = _HOLE.sub(lambda hole: self.named(hole[1], followed) if hole[1] else HOLE, inner)
        return [Part(_ESCAPE.sub(_unescaped, inner), span, is_raw and inner.count("\n") == span.end_line - span.line)]


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code is None:
        return _SHORT.get(match[4], match[4])
    point = int(code, 16)
    return chr(point) if point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF else "\ufffd"
