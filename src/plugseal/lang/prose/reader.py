"""Read Markdown twice over: as documentation, which tells nobody anything, or as instructions, which a model obeys.

Who is who is not decided here (`scan/instructed.py`). Of documentation only what nobody sees is reported (comments
that speak to a model); of instructions every sentence and command, with facts for what they say to run.
"""

from __future__ import annotations

import re
from typing import Final

from plugseal.lang.facts import Anchor, Context, Event, FileFacts, Nested, unread
from plugseal.lang.prose.blocks import CODE, COMMENT, FENCE, Block, parse_blocks
from plugseal.lang.prose.events import iterate_events
from plugseal.lang.prose.expansions import iterate_expansions, runs_expansions
from plugseal.lang.prose.fences import (
    SHELL,
    TYPED,
    command_pieces,
    commands_of_settings,
    is_typed_instead,
    iterate_lines,
    language_of,
    mask_placeholders,
    names_no_language,
    programs_of,
    typed_first,
)
from plugseal.lang.prose.instructed_commands import (
    SHELL_LINE,
    is_command,
    read_orders,
    starts_program,
    told_lines,
    told_text,
)
from plugseal.lang.prose.joined import Joined
from plugseal.lang.prose.lines import Piece, decode_prose
from plugseal.lang.prose.sentences import Passage, iterate_passages, iterate_sentences
from plugseal.lang.prose.unseen import iterate_asides, iterate_hidden_elements, speaks_aside
from plugseal.lang.searched import without_searched
from plugseal.lang.textkinds import READABLE
from plugseal.limits import MAX_PROSE_EVENTS, MAX_SOURCE_BYTES
from plugseal.model.capability import Fact, fact_order
from plugseal.model.location import Span
from plugseal.patterns import lazy

LANGUAGE: Final = "prose"
_MODULE_LINE: Final = re.compile(
    r"import\s.*\sfrom\s*['\"][^'\"]*['\"]\s*(?:;\s*)?\Z|"
    r"import\s*['\"][^'\"]*['\"]\s*(?:;\s*)?\Z|export\s.*;\s*\Z"
)
_FEEDS: Final = lazy(r"(?:echo|printf) [^|\n]{1,4000}\| {0,4}[a-z]")
"""A line that hands what it prints to a program."""


class MarkdownReader:
    """The reader of documentation."""

    language = LANGUAGE

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        del context
        text, reason = _decoded(data)
        if reason:
            return unread(LANGUAGE, reason)
        orders, nested = read_orders(text)
        has_asides = speaks_aside(text)
        if "<!--" not in text and "]:" not in text and not has_asides:
            return FileFacts(LANGUAGE, "read", facts=tuple(sorted(orders, key=fact_order)), nested=tuple(nested))
        blocks = parse_blocks(text)
        comments = [block for block in blocks if block.kind == COMMENT]
        if has_asides:
            comments += (*iterate_hidden_elements(blocks), *iterate_asides(blocks))
        events = _comments_of(comments)
        return FileFacts(
            LANGUAGE,
            "read",
            facts=tuple(sorted(orders, key=fact_order)),
            events=tuple(sorted(events, key=lambda event: event.span)),
            nested=tuple(nested),
        )


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
        blocks = parse_blocks(text)
        for passage in iterate_passages(blocks):
            found.take(passage)
        if speaks_aside(text):
            found.events.extend(_comments_of(list(iterate_hidden_elements(blocks))))
        if runs_expansions(context.path):
            for expansion in iterate_expansions(text):
                found.facts.extend(expansion.facts)
                found.nest(expansion.nested)
        return found.build()


def _comments_of(blocks: list[Block]) -> list[Event]:
    """Return what sentences say that no page shows."""
    return [
        event
        for passage in iterate_passages(blocks)
        for sentence in iterate_sentences(passage)
        for event in iterate_events(sentence)
        if event.kind == "comment"
    ]


def _decoded(data: bytes) -> tuple[str, str]:
    if len(data) > MAX_SOURCE_BYTES:
        return "", f"larger than {MAX_SOURCE_BYTES:,} bytes"
    return decode_prose(data)


class _Found:
    """What one text says, gathered."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.events: list[Event] = []
        self._nested: list[Nested] = []
        self._joined = Joined()

    def take(self, passage: Passage) -> None:
        """Take one passage."""
        block = passage.block
        if block.kind in (FENCE, CODE):
            if not passage.is_silent:
                self._take_code(block)
            return
        for sentence in iterate_sentences(passage):
            self.events.extend(iterate_events(sentence))
            joined = self._joined.take(sentence)
            self.events.extend([joined] if joined is not None else ())
            for line in told_lines(sentence):
                is_sure = is_command(line)
                self._take_line(line, sentence.span, is_sure=is_sure)
                if is_sure:
                    self.nest(told_text(line, sentence))

    def nest(self, nested: Nested) -> None:
        """Take a text of another language, if anybody can read it yet."""
        if nested.language in READABLE:
            self._nested.append(nested)

    def build(self) -> FileFacts:
        """Return everything, sorted; what is said beyond a bound was not judged, so the file is partly read."""
        is_cut = len(self.events) > MAX_PROSE_EVENTS
        status = ("partial", "says more than is judged") if is_cut else ("read", "")
        self.events = self.events[:MAX_PROSE_EVENTS]
        return FileFacts(
            LANGUAGE,
            *status,
            facts=tuple(sorted(set(self.facts), key=fact_order)),
            events=tuple(sorted(self.events, key=lambda event: event.span)),
            nested=tuple(self._nested),
        )

    def _take_code(self, block: Block) -> None:
        language = SHELL if block.kind == CODE and _looks_like_shell(block) else language_of(block.info)
        if not language and block.kind == FENCE and names_no_language(block.info) and _looks_like_shell(block):
            language = SHELL
        if is_typed_instead(language, block):
            language = SHELL
        if not language:
            self._take_settings(block)
            return
        if language in TYPED:
            self._take_commands(language, command_pieces(block))
            return
        pieces = list(block.stretch.pieces)
        typed = typed_first(language, block)
        if typed:
            self._take_commands(SHELL, typed)
            lines = {piece.line for piece in typed}
            pieces = [piece._replace(text="") if piece.line in lines else piece for piece in pieces]
        if language == "PHP code" and any("<?" in piece.text for piece in pieces):
            language = "PHP"
        self.nest(_nested(language, pieces))

    def _take_settings(self, block: Block) -> None:
        """Take the commands of settings that are shown, such as hooks: rules look at what would be run."""
        for piece in block.stretch.pieces:
            for line, start, end in commands_of_settings(piece.text):
                at = Span(piece.line, piece.column + start, piece.line, piece.column + end)
                self._take_line(line, at, is_sure=False)

    def _take_commands(self, language: str, pieces: list[Piece]) -> None:
        for line in iterate_lines(pieces):
            is_sure = language == SHELL or starts_program(line.text)
            self._take_line(line.text, Span(line.line, line.column, line.end_line, line.end_column), is_sure=is_sure)
        if language == SHELL:
            pieces = [piece._replace(text=mask_placeholders(piece.text)) for piece in pieces]
        self.nest(_nested(language, pieces))

    def _take_line(self, line: str, span: Span, *, is_sure: bool = True) -> None:
        """Take a line that may be a command: rules look at it either way, a fact is only one that surely is."""
        self.events.append(Event("line", without_searched(line), span, (), (), "direct", "prose"))
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


def _looks_like_shell(block: Block) -> bool:
    """Say whether code without a named language is a command line: all lines begin with a program."""
    lines = [piece.text.strip() for piece in block.stretch.pieces if piece.text.strip()]
    return bool(lines) and len(lines) <= 12 and all(SHELL_LINE.match(line) or _FEEDS.match(line) for line in lines)
