"""Plain text, lists, settings without code, and environment files: read in full, and silent but for what they set.

A text becomes no program by its name: `classify` has looked at the content before it comes here. Of an environment
file each variable is a fact, since whoever loads the file sets it.
"""

from __future__ import annotations

import json
from typing import Final

from plugseal.lang.facts import Anchor, Context, FileFacts, Nested, unread
from plugseal.lang.prose.fences import programs_of
from plugseal.lang.prose.lines import decode_prose
from plugseal.limits import MAX_SOURCE_BYTES
from plugseal.model.capability import Fact, fact_order
from plugseal.model.location import Span
from plugseal.patterns import lazy

_VARIABLE: Final = lazy(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]{0,200})[ \t]*=")
_TEX_RUNS: Final = lazy(
    r"\\(?:immediate\s*)?write18\b|\\input\s*(?:\{\s*)?\||\\(?:directlua|luaexec|ShellEscape|"
    r"pyc|py)\b"
)


_TEX_LINE: Final = lazy(
    r"\\(?:(?:immediate\s*)?write18|ShellEscape|input)\s*\{\s*(?!\s)(?:\|\s*(?!\s))?\"?\|?([^{}\"]{1,2000})\"?\}"
)
"""A line for a shell that stands there in so many words."""


class PlainReader:
    """The reader of texts that nothing runs."""

    def __init__(self, language: str) -> None:
        self.language = language

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        del context
        if len(data) > MAX_SOURCE_BYTES:
            return unread(self.language, f"larger than {MAX_SOURCE_BYTES:,} bytes")
        text, reason = decode_prose(data)
        if reason:
            return unread(self.language, f"{self.language}: {reason}")
        return self._facts(text)

    def _facts(self, text: str) -> FileFacts:
        from plugseal.lang.prose.instructed_commands import read_orders

        facts, nested = read_orders(text)
        return FileFacts(self.language, "read", facts=tuple(sorted(facts, key=fact_order)), nested=tuple(nested))


class EnvironmentReader(PlainReader):
    """The reader of `.env` files."""

    def _facts(self, text: str) -> FileFacts:
        facts = []
        for number, line in enumerate(text.split("\n"), 1):
            match = _VARIABLE.match(line)
            if match is not None:
                span = Span(number, match.start(1) + 1, number, match.end(1) + 1)
                facts.append(Fact(span, "env.write", match[1], "direct", "manifest", "unknown"))
        return FileFacts(self.language, "read", facts=tuple(facts))


class TexReader(PlainReader):
    """The reader of TeX: a text, but for the commands that start programs."""

    def _facts(self, text: str) -> FileFacts:
        facts: list[Fact] = []
        nested: list[Nested] = []
        for number, line in enumerate(text.split("\n"), 1):
            for match in _TEX_RUNS.finditer(line.partition("%")[0]):
                span = Span(number, match.start() + 1, number, match.end() + 1)
                run = _TEX_LINE.match(line, match.start())
                if run is None or "\\" in run[1] or "#" in run[1]:  # a macro, or what it is given
                    facts.append(Fact(span, "process.shell", None, "possible", "code", "open"))
                    continue
                place = Span(number, run.start(1) + 1, number, run.end(1) + 1)
                names = programs_of(run[1]) or [None]
                facts.extend(Fact(span, "process.shell", name, "possible", "code", "open") for name in names)
                anchors = (Anchor(0, number, run.start(1) + 1),)
                nested.append(Nested("shell", run[1], place, anchors, "open", "TeX"))
        return FileFacts(self.language, "read", facts=tuple(facts), nested=tuple(nested))


class JsonLinesReader(PlainReader):
    """The reader of files with one JSON document a line."""

    def _facts(self, text: str) -> FileFacts:
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            try:
                json.loads(line)
            except (ValueError, RecursionError):
                return unread(self.language, f"not valid JSON (line {number})")
        return FileFacts(self.language, "read")
