"""What the shell's own commands give a variable: a word of a text, its lines, all arguments, another variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.folded import HOLE
from plugseal.lang.judging.telling import MAX_RANKED
from plugseal.lang.shell.parsing.script import ALL, BEHIND, LINES, NAMED, ROUND, WHOLE, WORDS, Assigned
from plugseal.lang.shell.parsing.setting import ALL_PARTS
from plugseal.lang.shell.words.alternatives import few
from plugseal.lang.shell.words.marks import SPLIT

if TYPE_CHECKING:
    from plugseal.lang.shell.parsing.parse import Node
    from plugseal.lang.shell.words.folding import Folding

_MAX_WORDS = 64


def given_value(folder: Folding, place: Assigned, depth: int) -> list[tuple[str, int]]:
    """Return the alternatives of what one such command gives."""
    node = place.node
    if node is None:
        return [(HOLE, 0)]
    if place.part is not None and (place.part == ALL or place.part <= BEHIND):
        behind = 1 + (BEHIND - place.part if place.part <= BEHIND else 0)
        words = [child for child in node.named_children if child.type not in ("command_name", "comment")][behind:]
        items = [folder.fold(word, place.block, depth + 1)[0] for word in words[:_MAX_WORDS]]
        return [(SPLIT.join(text for text, _ in items), items[0][1] if items else 0)]
    if place.part == ROUND:
        return _each_line(folder, node, place, depth + 1)
    values = _read(folder, node, place, depth + 1)
    if place.part == NAMED:
        for at in (place.at, len(folder.source.data)):  # what it names may be given something later
            found = [one for name, _ in values for one in folder.variable(name, at, place.block, depth + 1)]
            if any(text != HOLE for text, _ in found):
                return found
        return [(HOLE, 0)]
    return [(_part(text, place.part or 0), flags) for text, flags in values]


def _read(folder: Folding, node: Node, place: Assigned, depth: int) -> list[tuple[str, int]]:
    """Return the texts that a command is given: a here-document, what another command prints, or a word."""
    if node.type == "heredoc_redirect":
        text, flags = folder.heredoc(node, place.block, depth), 0
    elif node.type in ("command", "pipeline"):
        text, flags = folder.evaluate(node, place.block, None, depth)
    else:
        return folder.fold(node, place.block, depth)
    text = (text or HOLE).rstrip("\n")
    return [(text if place.part in (LINES, ROUND) else text.partition("\n")[0], flags)]


def _each_line(folder: Folding, node: Node, place: Assigned, depth: int) -> list[tuple[str, int]]:
    """Return the lines that a loop reads, one after another; what is beyond the bound is not known."""
    text, flags = _read(folder, node, place, depth)[0]
    lines = [line.strip() for line in (text or HOLE).split("\n") if line.strip()]
    return few([(line, flags) for line in lines[:MAX_RANKED]]) or [(HOLE, 0)]


def _part(text: str, part: int) -> str:
    if part == WHOLE:
        return text.strip()
    if part == LINES:
        return SPLIT.join(text.split("\n")[:_MAX_WORDS])
    words = text.split()
    if part == WORDS:
        return SPLIT.join(words[:_MAX_WORDS])
    if part <= -ALL_PARTS:
        return " ".join(words[~(part + ALL_PARTS) :])
    if HOLE in text:
        return HOLE
    return words[part] if part < len(words) else ""
