"""Variables that the shell's own commands set: `read v <<< word`, `set -- word`, `mapfile`, `printf -v`, `getopts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.shell.parsing.script import ALL, BEHIND, LINES, ROUND, WHOLE, WORDS, Assigned, Command, Script
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.shell.parsing.parse import Node

SETTERS: Final = frozenset((b"read", b"mapfile", b"readarray", b"getopts", b"let", b"printf", b"set"))
POSITIONS: Final = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "@", "*")
_LISTS: Final = frozenset((b"mapfile", b"readarray"))
_VALUED: Final = frozenset("adnNptu")
"""Letters of options of `read` that a word follows; of `a` it is the name of an array."""
_OF_LISTS: Final = frozenset("dnOsuCc")
"""The same for `mapfile`, whose `-t` stands alone."""
ALL_PARTS: Final = 1_000
"""Parts below the negative of it are all words from one on."""
_CUTTING: Final = lazy(r"-[a-zA-Z]*[nNd]\d*")
"""Options that end what is read somewhere in a line."""
_SPLITTING: Final = frozenset(("simple_expansion", "expansion", "command_substitution", "concatenation"))


def setter_of(node: Node, data: bytes) -> bytes:
    """Return the name of a command that variables stand before, if it may set some: `IFS= read -r line`."""
    named = node.child_by_field_name("name") if data.find(b"read", node.start_byte, node.end_byte) >= 0 else None
    return data[named.start_byte : named.end_byte] if named is not None else b""


def note_set(script: Script, name: bytes, command: Command) -> None:
    """Note the variables that a command of the shell itself sets."""
    if name == b"set":
        _note_positions(script, command)
        return
    words = [script.source.of(word) for word in command.arguments]
    if name == b"printf":
        if len(words) > 2 and words[0] == "-v":
            script.assign(words[1], Assigned(command.end, command.block, command.node))
        return
    given = _fed(command.redirects) if name == b"read" or name in _LISTS else None
    if given is None and name == b"read" and (around := _loop_input(command.node)) is not None:
        names, _ = _names(words, _VALUED)
        if len(names) <= 1 and not any(_CUTTING.fullmatch(word) for word in words):
            script.assign((names or ["REPLY"])[0], Assigned(command.end, command.block, around, part=ROUND))
            return
    if given is None or any(_CUTTING.fullmatch(word) for word in words):
        for word in words:
            if word.isidentifier():
                script.assign(word, Assigned(command.end, command.block, None))
        return
    names, is_array = _names(words, _OF_LISTS if name in _LISTS else _VALUED)
    for at, one in enumerate(names or ["REPLY"]):
        part = LINES if name in _LISTS else WORDS if is_array else at if at + 1 < len(names) else ~at - ALL_PARTS
        part = WHOLE if len(names) <= 1 and part not in (LINES, WORDS) else part
        script.assign(one, Assigned(command.end, command.block, given, part=part))


def note_shift(script: Script, at: int, block: int, count: int | None) -> None:
    """Note that the script's own arguments move up; they are known where `set` gave them right before it."""
    last = [script.assigned.get(name, [None])[-1] for name in POSITIONS]
    given = last[-1]
    skipped = -1 if given is None or given.node is None or given.block != block else _skipped(given.part)
    if count is None or count > len(POSITIONS):
        skipped, count = -1, 1
    for place, name in enumerate(POSITIONS):
        moved = last[place + count] if skipped >= 0 and place + count < len(POSITIONS) - 2 else None
        node, part = (None, None) if moved is None or moved.block != block else (moved.node, moved.part)
        if skipped >= 0 and given is not None and name in "@*":
            node, part = given.node, BEHIND - skipped - count
        script.assign(name, Assigned(at, block, node, part=part))


def _skipped(part: int | None) -> int:
    """Return how many of the words of `set` were shifted away, -1 where the value is nothing that it gave."""
    return 0 if part == ALL else BEHIND - part if part is not None and part <= BEHIND else -1


def _note_positions(script: Script, command: Command) -> None:
    words = command.arguments
    if not words or script.source.of(words[0]) not in ("--", "-") or script.blocks[command.block].function:
        return
    given = words[1:]
    for name in POSITIONS:
        if name not in script.assigned:
            script.assign(name, Assigned(0, 0, None))  # what the script was called with
    is_known = True
    for at, name in enumerate(POSITIONS[:9]):
        is_known = is_known and at < len(given) and given[at].type not in _SPLITTING
        node = given[at] if is_known else None
        script.assign(name, Assigned(command.end, command.block, node, part=WHOLE))
    for name in POSITIONS[9:]:
        script.assign(name, Assigned(command.end, command.block, command.node, part=ALL))


def _fed(redirects: list[Node]) -> Node | None:
    """Return what `<<<`, a here-document or `< <(command)` gives a command or a loop."""
    for redirect in redirects:
        if redirect.type == "heredoc_redirect":
            return redirect
        if redirect.type == "herestring_redirect" and redirect.named_children:
            return redirect.named_children[-1]
        inner = redirect.child_by_field_name("destination") if redirect.type == "file_redirect" else None
        if inner is not None and inner.type == "process_substitution" and inner.named_child_count == 1:
            return inner.named_children[0]
    return None


def _loop_input(node: Node) -> Node | None:
    """Return what a loop that begins with `read` is fed: its here-document or -string, or what a command prints."""
    loop = node.parent
    while loop is not None and loop.type in ("list", "negated_command") and loop.named_children[0] == node:
        node, loop = loop, loop.parent  # `while read -r line || [ -n "$line" ]`, `until ! read -r line`
    if loop is None or loop.type != "while_statement" or loop.child_by_field_name("condition") != node:
        return None
    around = loop.parent
    if around is not None and around.type == "redirected_statement":
        return _fed(around.named_children[1:])
    if around is not None and around.type == "pipeline" and len(around.named_children) == 2:
        return around.named_children[0] if around.named_children[1] == loop else None
    return None


def _names(words: list[str], valued: frozenset[str]) -> tuple[list[str], bool]:
    """Return the names that `read` or `mapfile` sets, and whether the one is an array.

    Args:
        words: of the command.
        valued: letters of options that a word follows.
    """
    names: list[str] = []
    is_array, skips = False, False
    for word in words:
        if skips:
            skips = False
        elif word.startswith("-") and len(word) > 1:
            is_array = is_array or word.endswith("a")
            skips = word[-1] in valued and word[-1] != "a"
        elif word.isidentifier():
            names.append(word)
    return names, is_array
