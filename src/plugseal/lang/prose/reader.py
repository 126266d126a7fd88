"""Read Markdown twice over: as documentation, which tells nobody anything, or as instructions, which a model obeys.

Who is who is not decided here (`scan/instructed.py`). Of documentation only what nobody sees is reported (comments
that speak to a model); of instructions every sentence and command, with facts for what they say to run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.facts import Anchor, Context, Event, FileFacts, Nested, unread
from plugseal.lang.prose.blocks import CODE, COMMENT, FENCE, Block, parse_blocks
from plugseal.lang.prose.events import iterate_events
from plugseal.lang.prose.expansions import iterate_expansions, runs_expansions
from plugseal.lang.prose.fences import (
    SHELL,
    command_pieces,
    iterate_lines,
    language_of,
    names_no_language,
    programs_of,
    without_placeholders,
)
from plugseal.lang.prose.lines import Piece, decode_prose
from plugseal.lang.prose.sentences import Passage, Sentence, iterate_passages, iterate_sentences
from plugseal.lang.prose.wording import plain_words
from plugseal.lang.registry import READABLE
from plugseal.limits import MAX_PROSE_EVENTS, MAX_SOURCE_BYTES
from plugseal.model.capability import Fact, fact_order
from plugseal.model.location import Span

LANGUAGE: Final = "prose"
_SPAN: Final = re.compile(r"(?<!`)(`{1,3})(?!`)([^`\n]{3,2000}?)\1(?!`)")
_TELLS_TO_RUN: Final = re.compile(
    r"\b(?:run|execute|type|paste|enter|invoke|call|start|launch|install|use|do|then|with|via|by|command|commands|"
    r"first|"
    r"ejecuta|ex\u00e9cute[rz]?|f\u00fchre|\u8fd0\u884c|\u6267\u884c|\u5b9f\u884c|"
    r"\u0437\u0430\u043f\u0443\u0441\u0442\u0438\w*|\u0432\u044b\u043f\u043e\u043b\u043d\u0438\w*)\b"
)
_MODULE_LINE: Final = re.compile(
    r"import\s.*\sfrom\s*['\"][^'\"]*['\"]\s*;?\s*\Z|"
    r"import\s*['\"][^'\"]*['\"]\s*;?\s*\Z|export\s.*;\s*\Z"
)
_ARGUMENTS: Final = re.compile(r"(?:^|[ ])-{1,2}[A-Za-z]|[/$\"'|]|\w\.\w")
_BARE: Final = re.compile(
    r"\b(?:curl|wget|iwr|irm)[ ][^|`]{1,300}\|[ ]?(?:sudo[ ])?(?:ba|z|da)?(?:sh|iex|python3?)\b.{0,80}"
)
_COMMAND_SPAN: Final = re.compile(r"(?:[A-Z_]+=\S+[ ])*[a-z0-9_./~$-]+(?:\.exe)?(?:[ ].+)?\Z")


class MarkdownReader:
    """The reader of documentation."""

    language = LANGUAGE

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        del context
        text, reason = _decoded(data)
        if reason:
            return unread(LANGUAGE, reason)
        if "<!--" not in text and "]:" not in text:
            return FileFacts(LANGUAGE, "read")
        events = [
            event
            for passage in iterate_passages([block for block in parse_blocks(text) if block.kind == COMMENT])
            for sentence in iterate_sentences(passage)
            for event in iterate_events(sentence)
            if event.kind == "comment"
        ]
        return FileFacts(LANGUAGE, "read", events=tuple(sorted(events, key=lambda event: event.span)))


class MdxReader(MarkdownReader):
    """The reader of MDX: documentation with imports and exports that a build runs."""

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        facts = super().read(data, context)
        if facts.status != "read":
            return facts
        text, _ = _decoded(data)
        pieces = [Piece(number, 1, line) for number, line in enumerate(text.split("\n"), 1) if _MODULE_LINE.match(line)]
        if not pieces:
            return facts
        if "javascript" not in READABLE:
            return facts._replace(status="partial", reason="holds JavaScript inside, for which there is no reader yet")
        return facts._replace(nested=(_nested("javascript", pieces)._replace(trigger="start", how="module line"),))


class InstructionsReader:
    """The reader of what a model obeys."""

    language = LANGUAGE

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        text, reason = _decoded(data)
        if reason:
            return unread(LANGUAGE, reason)
        found = _Found()
        for passage in iterate_passages(parse_blocks(text)):
            found.take(passage)
        if runs_expansions(context.path):
            for expansion in iterate_expansions(text):
                found.facts.extend(expansion.facts)
                found.nest(expansion.nested)
        return found.build()


def _decoded(data: bytes) -> tuple[str, str]:
    if len(data) > MAX_SOURCE_BYTES:
        return "", f"larger than {MAX_SOURCE_BYTES:,} bytes"
    return decode_prose(data)


class _Found:
    """What one text says, gathered."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self._events: list[Event] = []
        self._nested: list[Nested] = []

    def take(self, passage: Passage) -> None:
        """Take one passage."""
        block = passage.block
        if block.kind in (FENCE, CODE):
            if not passage.is_silent:
                self._take_code(block)
            return
        for sentence in iterate_sentences(passage):
            self._events.extend(iterate_events(sentence))
            for line in _told_lines(sentence):
                self._take_line(line, sentence.span, is_sure=_is_command(line))

    def nest(self, nested: Nested) -> None:
        """Take a text of another language, if anybody can read it yet."""
        if nested.language in READABLE:
            self._nested.append(nested)

    def build(self) -> FileFacts:
        """Return everything, sorted; what is said beyond a bound was not judged, so the file is partly read."""
        is_cut = len(self._events) > MAX_PROSE_EVENTS
        status = ("partial", "says more than is judged") if is_cut else ("read", "")
        self._events = self._events[:MAX_PROSE_EVENTS]
        return FileFacts(
            LANGUAGE,
            *status,
            facts=tuple(sorted(set(self.facts), key=fact_order)),
            events=tuple(sorted(self._events, key=lambda event: event.span)),
            nested=tuple(self._nested),
        )

    def _take_code(self, block: Block) -> None:
        language = SHELL if block.kind == CODE and _looks_like_shell(block) else language_of(block.info)
        if not language and block.kind == FENCE and names_no_language(block.info) and _looks_like_shell(block):
            language = SHELL
        if not language:
            return
        pieces = list(block.stretch.pieces)
        if language == SHELL:
            pieces = command_pieces(block)
            for line in iterate_lines(pieces):
                self._take_line(line.text, Span(line.line, line.column, line.end_line, line.end_column))
        self.nest(_nested(language, pieces))

    def _take_line(self, line: str, span: Span, *, is_sure: bool = True) -> None:
        """Take a line that may be a command: rules look at it either way, a fact is only one that surely is."""
        self._events.append(Event("line", line, span, (), (), "direct", "prose"))
        for name in programs_of(line) if is_sure else ():
            self.facts.append(Fact(span, "instr.exec", name, "direct", "prose", "prose"))


def _nested(language: str, pieces: list[Piece]) -> Nested:
    """Return the text of a fence, with the place of each of its lines."""
    offset, anchors = 0, []
    for piece in pieces:
        anchors.append(Anchor(offset, piece.line, piece.column))
        offset += len(piece.text) + 1
    text = "\n".join(piece.text for piece in pieces) + "\n"
    span = (
        Span(pieces[0].line, pieces[0].column, pieces[-1].line, pieces[-1].column + len(pieces[-1].text))
        if pieces
        else Span(1, 1, 1, 1)
    )
    return Nested(language, text, span, tuple(anchors), "prose", "fence")


def _told_lines(sentence: Sentence) -> Iterator[str]:
    """Yield the commands that a sentence tells to run: those in code spans, and downloads that stand in it bare."""
    if not sentence.told or not _TELLS_TO_RUN.search(sentence.told):
        return
    if "`" not in sentence.raw:
        bare = _BARE.search(sentence.told)
        if bare is not None:
            yield bare[0]
        return
    for match in _SPAN.finditer(sentence.raw):
        line = without_placeholders(match[2].strip())
        if " " in line and _COMMAND_SPAN.match(line) and plain_words(match[2].strip()[:60]) in sentence.told:
            yield line


def _is_command(line: str) -> bool:
    """Say whether a code span is a command line: a known program, or a word with options, paths or values behind it."""
    rest = line.partition(" ")[2]
    return _SHELL_LINE.match(line) is not None or (_ARGUMENTS.search(rest) is not None and rest[0] not in "=:<>+*?&|")


def _looks_like_shell(block: Block) -> bool:
    """Say whether code without a named language is a command line: all lines begin with a program."""
    lines = [piece.text.strip() for piece in block.stretch.pieces if piece.text.strip()]
    return bool(lines) and len(lines) <= 12 and all(_SHELL_LINE.match(line) for line in lines)


_SHELL_LINE: Final = re.compile(
    r"\#|(?:\$ )?(?:sudo |env )?(?:curl|wget|bash|sh|zsh|python3?|node|npx|npm|pnpm|yarn|bun|bunx|uvx?|pipx?|pip3|"
    r"git|docker|go|cargo|brew|"
    r"apt(?:-get)?|chmod|chown|rm|cp|mv|mkdir|cat|tar|unzip|ssh|scp|nc|eval|source|make|gh|kubectl|terraform|aws|"
    r"gcloud|powershell|pwsh|iwr|irm)(?: |\Z)"
)
