"""Which programs a component starts, with their arguments: behind wrappers and inside shell lines too."""

from __future__ import annotations

from plugseal.model.plugin import Component
from plugseal.records import NamedTuple
from plugseal.systems.launching.launch import base_name, inline_shell, shell_commands, unwrapped


class Launch(NamedTuple):
    """One program that a component starts."""

    program: str
    """Its name without folder and suffix, lower-case."""
    arguments: tuple[str, ...]


def launches(component: Component) -> tuple[Launch, ...]:
    """Return every program of a component, the outermost first, each once."""
    if not component.command:
        return ()
    found: list[Launch] = []
    if component.shell:
        _add_line(found, component.command[0])
    else:
        _add(found, component.command)
    return tuple(dict.fromkeys(found))


def shell_line(component: Component) -> str | None:
    """Return the line that a component gives to a shell, None where it gives none."""
    if not component.command:
        return None
    return component.command[0] if component.shell else inline_shell(component.command)


def _add(found: list[Launch], words: tuple[str, ...]) -> None:
    _add_words(found, words)
    line = inline_shell(words)
    if line is not None:
        _add_line(found, line)


def _add_line(found: list[Launch], line: str) -> None:
    for words in shell_commands(line):
        _add_words(found, tuple(words))


def _add_words(found: list[Launch], words: tuple[str, ...]) -> None:
    """Add the program that words begin with, and the one behind its wrappers (`env`, `timeout`, …)."""
    found.append(Launch(base_name(words[0]), words[1:]))
    inner = unwrapped(words)
    if inner and inner != words:
        found.append(Launch(base_name(inner[0]), inner[1:]))
