"""What the words of a script stand for, as far as its own text tells: variables, quotes, substitutions, folded.

A word has up to a few alternatives. What is not known in one is a hole. Nothing is run and nothing is looked up:
a value comes from an assignment in the same script, or it is unknown. Every step costs fuel.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.shell.parsing.parse import kind_codes
from plugseal.lang.shell.parsing.scanning import GLUED, PLAIN, WORD, WORDS, Word, braces, has_braces
from plugseal.lang.shell.parsing.script import LOOP, Assigned, Command, Script
from plugseal.lang.shell.parsing.setting import POSITIONS
from plugseal.lang.shell.words.alternatives import (
    EXPANDED,
    MAX_TEXT,
    doubted,
    each_word,
    few,
    glued,
    joined,
    variations,
    with_holes,
)
from plugseal.lang.shell.words.escapes import unescape_ansi, unescape_bare, unescape_quoted
from plugseal.lang.shell.words.expansions import expand
from plugseal.lang.shell.words.given import given_value
from plugseal.lang.shell.words.marks import CUT, DISGUISED, OWN, RESOLVED, ROOT, SPLIT, UNSURE
from plugseal.lang.shell.words.parameters import Parameters
from plugseal.lang.shell.words.substitutions import Substitutions
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.shell.parsing.parse import Node

_ROOTS: Final = frozenset(("CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT", "EXTENSION_ROOT", "CURSOR_PLUGIN_ROOT"))
_WORKSPACES: Final = frozenset(("PWD", "CLAUDE_PROJECT_DIR"))
MAX_DEPTH: Final = 14
FUEL: Final = 20_000
_LONG_VALUE: Final = 2_048
"""So many characters of a value, each time that it is used, are looked at as long as one step takes."""
_WORDS_PER_STEP: Final = 16
_new: Final = tuple.__new__
_UNKNOWN: Final[list[tuple[str, int]]] = [(HOLE, 0)]
_OTHER, _PLAIN, _RAW, _STRING, _JOINED, _ANSI, _VARIABLE, _EXPANSION, _SUBSTITUTION, _ARRAY, _COMMAND = range(11)
_CODES: Final = (
    *((name, _PLAIN) for name in "word number variable_name regex extglob_pattern brace_expression".split()),
    ("raw_string", _RAW),
    ("string", _STRING),
    *((name, _JOINED) for name in ("concatenation", "command_name", "translated_string")),
    ("ansi_c_string", _ANSI),
    ("simple_expansion", _VARIABLE),
    ("expansion", _EXPANSION),
    ("command_substitution", _SUBSTITUTION),
    ("array", _ARRAY),
    ("command", _COMMAND),
)
"""What the nodes of words are."""


class Folder:
    """The values of one script's words."""

    def __init__(self, script: Script, own_name: str) -> None:
        self.script = script
        self.source = script.source
        self.fuel = FUEL + len(script.source.data) // 40
        self.own_name = own_name
        """The script's own file name."""
        self._values: dict[tuple[str, int, int], list[tuple[str, int]]] = {}
        self._busy: set[tuple[str, int, int]] = set()
        self._substitutions = Substitutions(self)
        self.parameters = Parameters(self)

    def fold(self, node: Node, block: int, depth: int = 0) -> list[tuple[str, int]]:
        """Return the alternatives of a word, each with its flags; never empty."""
        self.fuel -= 1
        if self.fuel < 0 or depth > MAX_DEPTH:
            return _UNKNOWN
        code = kind_codes(_CODES, _OTHER)[node.kind_id]
        if code == _STRING:
            return self._pieces(node, block, depth, is_quoted=True)
        if code == _PLAIN:
            return [(unescape_bare(self.source.of(node)), 0)]
        if code == _VARIABLE:
            return self.variable(self.source.text(node.start_byte + 1, node.end_byte), node.start_byte, block, depth)
        if code == _SUBSTITUTION:
            return self._substitutions.fold(node, block, depth)
        if code == _JOINED:
            return self._pieces(node, block, depth, is_quoted=False)
        if code == _EXPANSION:
            return expand(self, node, block, depth)
        if code == _RAW:
            return [(with_holes(self.source.text(node.start_byte + 1, node.end_byte - 1)), 0)]
        if code == _ANSI:
            text, is_hidden = unescape_ansi(self.source.text(node.start_byte + 2, node.end_byte - 1))
            return [(text, DISGUISED if is_hidden else 0)]
        if code == _ARRAY:
            return self._array(node, block, depth)
        if code == _COMMAND:
            return self._substitutions.printed(node, block, depth)
        return _UNKNOWN

    def plain(self, command: Command) -> tuple[str, ...] | None:
        """Return the words of a command that has none but plain ones, else None."""
        start, end = command.start, command.end
        if PLAIN.match(self.source.marks, start, end) is None:
            return None
        return tuple(self.source.marks[start:end].split())

    def lists(self, command: Command) -> list[list[Word]]:
        """Return the words of a command: few alternatives, each a list; the first is what runs."""
        parts = self._scanned(command)
        if parts is None:
            nodes = ([command.name] if command.name is not None else []) + command.arguments
            parts = [self._words(node, command.block) for node in nodes]
            if command.dash >= 0:
                at = sum(node.start_byte < command.dash for node in nodes)
                parts.insert(at, [[Word("-", 0, command.dash, command.dash + 1)]])
            if command.is_placed:
                end = command.node.end_byte
                parts = [doubted(part) if part[0] and part[0][0].start > end else part for part in parts]
        lists = [[word for part in parts for word in part[0]]]
        data, start, end = self.source.data, command.start, command.end
        if data.find(b"\\", start, end) >= 0 and GLUED.search(data, start, end):
            lists[0] = glued(lists[0], data)
        return [*lists, *variations(parts)]

    def _scanned(self, command: Command) -> list[list[list[Word]]] | None:
        """Return the alternatives of each word, where all are plain, quoted or names of variables; else None."""
        marks, at, end, block = self.source.marks, command.start, command.end, command.block
        if WORDS.match(marks, at, end) is None:
            return None
        parts: list[list[list[Word]]] = []
        for token in WORD.findall(marks, at, end):
            start = marks.find(token, at)
            at = start + len(token)
            if token[0] == "$":
                name = token[2:-1] if token[1] == "{" else token[1:]
                parts.append(self._fields(self.variable(name, start, block, 0), start, at, is_bare=True))
                continue
            text = token if token.isascii() else self.source.text(start, at)
            if text[-1] == '"' and (text[0] != '"' or "$" in text):
                before, _, text = text[:-1].partition('"')
                if "=" in before and not parts:
                    return None
                values = self.simple(text, start, block, 0)
                if before:
                    values = [(before + value, flags) for value, flags in values]
                parts.append(self._fields(values, start, at, is_bare=False))
                continue
            if text[-1] in "'\"":
                text = with_holes(text[1:-1])
            if "=" in text and not parts:
                return None
            parts.append([[_new(Word, (text, 0, start, at))]])
        return parts

    def _fields(self, values: list[tuple[str, int]], start: int, end: int, *, is_bare: bool) -> list[list[Word]]:
        """Return the words that a value becomes: alternatives, each a list of words."""
        found = []
        for text, flags in values:
            parts = self._parts(text, is_bare=is_bare)
            self.fuel -= len(text) // _LONG_VALUE + len(parts) // _WORDS_PER_STEP
            found.append(
                [Word(part, flags | more, start, end) for part, more in (parts if self.fuel >= 0 else _UNKNOWN)]
            )
        return found

    def _parts(self, text: str, *, is_bare: bool) -> list[tuple[str, int]]:
        if SPLIT in text:
            return [(part, 0) for part in text.split(SPLIT) if part]
        return (self._split(text) if is_bare and len(text) > 1 else []) or [(text, 0)]

    def _words(self, node: Node, block: int) -> list[list[Word]]:
        """Return the words that one word of a command becomes: alternatives, each a list of words."""
        kind, start, end = node.type, node.start_byte, node.end_byte
        if kind == "word":
            text = self.source.text(start, end)
            if "\\" not in text and "{" not in text:
                return [[Word(text, 0, start, end)]]
        elif kind == "raw_string":
            return [[Word(with_holes(self.source.text(start + 1, end - 1)), 0, start, end)]]
        elif kind == "string" and end - start == 2:
            return [[Word("", 0, start, end)]]
        is_bare = kind in ("simple_expansion", "expansion", "command_substitution") or (
            kind == "command_name" and node.named_child_count == 1 and node.named_children[0].type in EXPANDED
        )
        values = self.fold(node, block)
        if kind in ("word", "concatenation", "brace_expression") and has_braces(self.source.unquoted(node)):
            return [[Word(part, flags, start, end) for part in braces(text)] for text, flags in values]
        return self._fields(values, start, end, is_bare=is_bare)

    def _split(self, text: str) -> list[tuple[str, int]]:
        """Return the fields of an unquoted value, nothing where it is one; what splits them is the shell's `IFS`."""
        marks = " \t\n"
        if "IFS" in self.script.assigned:
            own = self.assigned("IFS", len(self.source.data), 0, 0) or []
            odd = "".join(mark for value, _ in own for mark in value if not mark.isspace() and mark != HOLE)
            if odd and any(mark in text for mark in odd):
                return [(part, DISGUISED) for part in re.split(f"[{re.escape(odd + marks)}]+", text) if part]
        return [(part, 0) for part in text.split()] if any(mark in text for mark in marks) else []

    def variable(self, name: str, at: int, block: int, depth: int) -> list[tuple[str, int]]:
        """Return what a variable may hold where it is used."""
        if name in self.script.assigned and not (name in POSITIONS and self.script.blocks[block].function):
            found = self.assigned(name, at, block, depth)
            if found is not None and (name not in POSITIONS or any(text != HOLE for text, _ in found)):
                return found
        if name in POSITIONS:
            return self.parameters.value(name, block, depth) or _UNKNOWN
        if name == "HOME":
            return [("~", 0)]
        if name == "IFS":
            return [(SPLIT, DISGUISED)]
        if name in _ROOTS or name in _WORKSPACES:
            return [(ROOT if name in _ROOTS else ".", 0)]
        if name in ("0", "BASH_SOURCE"):
            return [(f"{OWN}/{self.own_name}", 0)]
        return _UNKNOWN

    def assigned(self, name: str, at: int, block: int, depth: int) -> list[tuple[str, int]] | None:
        """Return what the script itself gives a variable, None where it gives nothing."""
        places = self.script.assigned.get(name)
        if not places:
            return None
        if len(places) == 1 and not places[0].is_local and places[0].at <= at:
            reaching = places
        else:
            reaching = self._reaching(places, at, block)
            if not reaching:
                return None
        key = (name, reaching[0].at, reaching[-1].at)
        known = self._values.get(key)
        if known is not None:
            return known
        if key in self._busy:
            return _UNKNOWN
        self._busy.add(key)
        found = self._gathered(reaching, depth)
        self._busy.discard(key)
        self._values[key] = found
        return found

    def evaluate(self, node: Node, block: int, given: str | None = None, depth: int = 0) -> tuple[str | None, int]:
        """Return what a statement prints, None where that is not known, and how well it was hidden."""
        return self._substitutions.evaluate(node, block, given, depth)

    def heredoc(self, node: Node, block: int, depth: int = 0) -> str | None:
        """Return the text of a here-document."""
        return self._substitutions.heredoc(node, block, depth)

    def _reaching(self, places: list[Assigned], at: int, block: int) -> list[Assigned]:
        """Return the assignments that a use may see, in the order of the text."""
        self.fuel -= len(places) // 8
        if self.fuel < 0:
            return []
        blocks = self.script.blocks
        around = set()
        number = block
        while number >= 0:
            around.add(number)
            number = blocks[number].parent
        function = blocks[block].function
        certain = -1
        for place in reversed(places):
            same = blocks[place.block].function == function
            if place.at <= at and same and place.block in around and not place.is_more:
                certain = place.at
                break
        found = []
        for place in places:
            where = blocks[place.block].function
            if place.is_local and where != function:
                continue
            if place.at < certain and where == function:
                continue
            if certain >= 0 and not where and function:
                continue
            if place.at > at and where == function and not self._loops(place, around, certain):
                continue
            found.append(place)
        return found

    def _loops(self, place: Assigned, around: set[int], certain: int) -> bool:
        """Say whether a later assignment reaches an earlier use by going round a loop."""
        blocks = self.script.blocks
        number = place.block
        while number >= 0:
            if blocks[number].kind == LOOP and number in around:
                return certain < 0 or certain < place.at
            number = blocks[number].parent
        return False

    def _gathered(self, reaching: list[Assigned], depth: int) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        if len(reaching) == 1 and not reaching[0].is_more:
            values, _ = self._given(reaching[0], depth)
            if len(values) == 1:
                return [(values[0][0], values[0][1] | RESOLVED)]
            reaching, found = [], values
        for place in reaching:
            values, glue = self._given(place, depth)
            if place.is_more and found:
                # How the first word of an array is written counts, as in `_array`.
                kept = UNSURE if glue == SPLIT else ~0
                values = [
                    (old + glue + new, a | (b & kept if old else b))
                    for old, a in found
                    for new, b in values
                    if len(old) + len(new) < MAX_TEXT
                ]
                found = []
            found.extend(values)
        if any(text for text, _ in found):
            found = [one for one in found if one[0]]  # Empty is how a variable begins, not what it is used for.
        unsure = UNSURE if len({text for text, _ in found}) > 1 else 0
        unique = {text: flags | RESOLVED | unsure for text, flags in reversed(found)}
        listed = [(text, flags) for text, flags in reversed(unique.items())]
        return few(listed) if listed else list(_UNKNOWN)

    def _given(self, place: Assigned, depth: int) -> tuple[list[tuple[str, int]], str]:
        """Return what one assignment gives, and what parts it from what was there before."""
        node = place.node
        if node is None or place.part is not None:
            return given_value(self, place, depth), SPLIT
        if node.type == "for_statement":
            values: list[tuple[str, int]] = []
            for value in node.children_by_field_name("value")[:_MAX_LOOPED]:
                folded = self.fold(value, place.block, depth + 1)
                if has_braces(self.source.unquoted(value)):
                    folded = [(part, flags) for text, flags in folded for part in braces(text)]
                values.extend(each_word(value, folded))
            return values or [(HOLE, 0)], ""
        given = node if node.type == "command" else node.child_by_field_name("value")
        if given is None:
            return [("", 0)], ""
        is_item = place.is_more and b"]=" in self.source.data[node.start_byte : given.start_byte]
        return self.fold(given, place.block, depth + 1), SPLIT if given.type == "array" or is_item else ""

    def _array(self, node: Node, block: int, depth: int) -> list[tuple[str, int]]:
        items = [self.fold(child, block, depth + 1)[0] for child in node.named_children[:64]]
        # How the first was written counts: it is what runs, where an array is a command.
        return [(SPLIT.join(_KEY.sub("", text, count=1) for text, _ in items), items[0][1] if items else 0)]

    def simple(self, text: str, offset: int, block: int, depth: int) -> list[tuple[str, int]]:
        """Return the alternatives of a quoted text of names and plain text: `"$a/b"`."""
        parts = _NAMES.split(text)
        if len(parts) == 3 and not parts[0] and not parts[2]:
            return self.variable(parts[1], offset, block, depth)
        found: list[tuple[str, int]] = [(parts[0], 0)]
        for at in range(1, len(parts), 2):
            found = joined(found, "", self.variable(parts[at], offset, block, depth))
            if parts[at + 1]:
                found = [(known + parts[at + 1], flags) for known, flags in found]
        return found

    def _pieces(self, node: Node, block: int, depth: int, *, is_quoted: bool) -> list[tuple[str, int]]:
        """Return the alternatives of a word of several pieces; what no piece covers stands for itself."""
        source = self.source
        at, end = (node.start_byte + 1, node.end_byte - 1) if is_quoted else (node.start_byte, node.end_byte)
        if is_quoted and source.data[node.end_byte - 1 : node.end_byte] != b'"':
            end = node.end_byte
        if is_quoted and source.data.find(b"$", at, end) < 0 and source.data.find(b"`", at, end) < 0:
            return [(unescape_quoted(source.text(at, end)), 0)]
        if is_quoted and not _HARD.search(source.data, at, end):
            return self.simple(source.text(at, end), at, block, depth)
        unescape = unescape_quoted if is_quoted else unescape_bare
        found: list[tuple[str, int]] = [("", 0)]
        pieces = 0
        for child in node.named_children:
            if is_quoted and child.type not in EXPANDED:
                continue
            gap = unescape(source.text(at, child.start_byte)) if child.start_byte > at else ""
            inner = self.fold(child, block, depth + 1)
            pieces += 1
            found = joined(found, gap, inner)
            at = child.end_byte
        if at < end:
            found = joined(found, unescape(source.text(at, end)), [("", 0)])
        if pieces > 1 and not is_quoted:
            found = [(text, flags | CUT) if flags & RESOLVED else (text, flags) for text, flags in found]
        return found


_MAX_LOOPED: Final = 512
"""Words of one loop that are looked at."""
_HARD: Final = lazy(rb"[`\\]|\$(?![A-Za-z_]|[0-9@*#?!$-](?!\})|\{[A-Za-z_]\w*\})|\$[A-Za-z_]\w*\}")
"""What a quoted text may hold besides names of variables."""
_KEY: Final = lazy(r"\A\[[^\]\s]{1,64}\]=")
"""The key of an item of an array: `([name]=value)`."""
_NAMES: Final = lazy(r"\$\{?([A-Za-z_]\w*|[0-9@*#?!$-])\}?")
