"""Variables that the shell's own commands set: `read v <<< word`, `set -- word`, `mapfile`, `printf -v`, `getopts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.shell.parsing.script import ALL, LINES, ROUND, WHOLE, WORDS, Assigned, Command, Script
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.shell.parsing.parse import Node

SETTERS: Final = frozenset((b"read", b"mapfile", b"readarray", b"getopts", b"let", b"printf", b"set"))
POSITIONS: Final = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "@", "*")
_LISTS: Final = frozenset((b"mapfile", b"readarray"))
_VALUED: Final = frozenset("adnNptu")
"""Letters of options of `read` that a word follows; of `a` it is the name of an array."""
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
    given = _herestring(command) if name == b"read" or name in _LISTS else None
    if given is None and name == b"read" and (around := _loop_input(command.node)) is not None:
        names, _ = _names(words)
        if len(names) <= 1 and not any(_CUTTING.fullmatch(word) for word in words):
            script.assign((names or ["REPLY"])[0], Assigned(command.end, command.block, around, part=ROUND))
            return
    if given is None or any(_CUTTING.fullmatch(word) for word in words):
        for word in words:
            if word.isidentifier():
                script.assign(word, Assigned(command.end, command.block, None))
        return
    names, is_array = _names(words)
    for at, one in enumerate(names or ["REPLY"]):
        part = LINES if name in _LISTS else WORDS if is_array else at if at + 1 < len(names) else ~at - ALL_PARTS
        part = WHOLE if len(names) <= 1 and part not in (LINES, WORDS) else part
        script.assign(one, Assigned(command.end, command.block, given, part=part))


def note_shift(script: Script, at: int, block: int) -> None:
    """Note that the script's own arguments move up, so that none of them is known any more."""
    for name in POSITIONS:
        script.assign(name, Assigned(at, block, None))


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


def _herestring(command: Command) -> Node | None:
    """Return what `<<<` gives a command."""
    for redirect in command.redirects:
        if redirect.type == "herestring_redirect" and redirect.named_children:
            return redirect.named_children[-1]
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
        for redirect in around.named_children[1:]:
            if redirect.type == "heredoc_redirect":
                return redirect
            if redirect.type == "herestring_redirect" and redirect.named_children:
                return redirect.named_children[-1]
            inner = redirect.child_by_field_name("destination") if redirect.type == "file_redirect" else None
            if inner is not None and inner.type == "process_substitution" and inner.named_child_count == 1:
                return inner.named_children[0]
        return None
    if around is not None and around.type == "pipeline" and len(around.named_children) == 2:
        return around.named_children[0] if around.named_children[1] == loop else None
    return None


def _names(words: list[str]) -> tuple[list[str], bool]:
    """Return the names that `read` or `mapfile` sets, and whether the one is an array."""
    names: list[str] = []
    is_array, skips = False, False
    for word in words:
        if skips:
            skips = False
        elif word.startswith("-") and len(word) > 1:
            is_array = is_array or word.endswith("a")
            skips = word[-1] in _VALUED and word[-1] != "a"
        elif word.isidentifier():
            names.append(word)
    return names, is_array
