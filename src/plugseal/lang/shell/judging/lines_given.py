"""Which arguments a function runs as lines: `run() { eval "$1"; }`, told by the commands that stand in it.

What a function's own arguments are given to directly, or by a variable of its own that holds nothing else; what two
functions hand to each other is not followed.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.interpreters import SHELLS
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugseal.lang.shell.judging.subject import Subject
    from plugseal.lang.shell.parsing.script import Command, Script

ALL: Final = 0
"""Stands for every argument, joined to one line."""
EACH: Final = -1
"""Stands for every argument, each a line."""
_GIVES: Final = lazy(rb"\$(?:[1-9@*]|\{[1-9@*])")
_OF_VALUES: Final = (b"$", b'"', b"/")
"""How a command begins that may be any: one that the grammar made up where a text ends begins with nothing."""
_RUNNERS: Final = frozenset(
    {"eval", "su", "ssh", "sudo", "env", "timeout", "nohup", "time", "command", "exec"} | SHELLS
)
_LINE: Final = lazy(
    r"(?:(?:sudo|env|timeout|nohup|time|command|exec)\s(?:[^\n\"'$;|&]{0,80}\s)?)?"
    r"(?:eval|su\s[^\n\"'$;|&]{0,80}-c|ssh\s[^\n\"'$;|&]{0,80}|(?:[\w/.-]{0,40}/)?(?:ba|z|da|k|a|fi)?sh\s[^\n\"'$;|&]{0,40}-\w{0,8}c)"
    r"\s+\"?\$\{?([1-9@*]|[A-Za-z_]\w{0,40})\}?\"?(?=\s|\Z)"
)
_BARE: Final = lazy(r"\"?\$\{?([1-9]|[A-Za-z_]\w{0,40})\}?\"?(\s+\S)?")
_HOLDS: Final = lazy(r"[^=]{0,60}=\"?\$\{?([1-9@*])(?:[-:][^}\n]{0,40})?\}?\"?\Z")
_MAX_COMMAND: Final = 512
_MAX_LINES: Final = 16


def lines_given(subject: Subject) -> dict[str, set[int]]:
    """Return by function which of its arguments it runs as lines."""
    script = subject.script
    found: dict[str, set[int]] = {}
    if not script.functions or _GIVES.search(script.source.data) is None:
        return found
    for command in script.commands:
        if command.end - command.start > _MAX_COMMAND or not _may_run(command, script):
            continue
        function = subject.function(command.block)
        if not function:
            continue
        text = script.source.text(command.start, command.end)
        match = _LINE.match(text) if command.first or "/" in text else _BARE.match(text)
        if match is None:
            continue
        argument = _argument(match[1], command, script, subject)
        if argument is not None:
            is_program = match.re.groups > 1
            found.setdefault(function, set()).add(ALL if is_program and argument == 1 and match[2] else argument)
    return found


def line_of(argument: int, words: Sequence[str]) -> list[str]:
    """Return the lines that a call gives a function.

    Args:
        argument: the one that is run, or `ALL` or `EACH`.
        words: what the function is given.
    """
    if argument == ALL:
        known = [word if len(words) == 1 or HOLE in word else shlex.quote(word) for word in words]
        return [" ".join(known)] if known else []
    chosen = words[:_MAX_LINES] if argument == EACH else words[argument - 1 : argument]
    return [word for word in chosen if word.strip(HOLE + " ")]


def _may_run(command: Command, script: Script) -> bool:
    """Say whether a command is one that could run an argument: by its name, or because a variable is its name."""
    if command.first:
        return command.first in _RUNNERS
    return script.source.data.startswith(_OF_VALUES, command.start)


def _argument(name: str, command: Command, script: Script, subject: Subject) -> int | None:
    """Return the argument that a variable holds in a function."""
    if name.isdigit():
        is_shifted = b"shift" in script.source.data[_begin(command, subject) : command.end + _MAX_COMMAND]
        return EACH if is_shifted else int(name)
    if name in ("@", "*"):
        return ALL
    places = [place for place in script.assigned.get(name, ()) if place.node is not None]
    for place in places:
        if subject.function(place.block) != subject.function(command.block) or place.node is None:
            continue
        text = script.source.of(place.node)[:_MAX_COMMAND]
        if place.node.type == "for_statement":
            values = place.node.children_by_field_name("value")
            return EACH if any(script.source.of(value).strip('"') in ("$@", "$*", "${@}") for value in values) else None
        held = _HOLDS.match(text)
        if held is not None:
            return int(held[1]) if held[1].isdigit() else ALL
    return None


def _begin(command: Command, subject: Subject) -> int:
    """Return where the function around a command begins."""
    return subject.script.functions[subject.function(command.block)].start_byte
