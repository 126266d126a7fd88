"""Help pages, rendered from the table of commands."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import plugseal
from plugseal.cli.commands.table import COMMANDS
from plugseal.cli.commands.topics import FAMILIES, TOPICS, commands_below
from plugseal.cli.exits import WRONG_COMMAND, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.parser import COMMON, Command, Option
from plugseal.render.text import BLANK, Line, Piece, backticked, line, pad, wrap_words

_COLUMNS = 22
"""Columns of the left side of lists."""
_WIDTH = 92


def show_overview(words: Sequence[str]) -> int:
    """Print what there is; with no words at all that is a wrong command (2), else the help that was asked for (0)."""
    if not words:
        Screen(sys.stderr, color=wants_color(sys.stderr, "auto")).write(render_overview())
        return WRONG_COMMAND
    with Result() as stream:
        Screen(stream, color=wants_color(stream, "auto")).write(render_overview())
    return YES


def show_family(begun: str, color: str) -> int:
    """Print the help of the commands that begin with the same words, e.g. `amber`."""
    with Result() as stream:
        Screen(stream, color=wants_color(stream, color)).write(render_family(begun))
    return YES


def show_command(command: Command, color: str) -> int:
    """Print the help of one command."""
    with Result() as stream:
        Screen(stream, color=wants_color(stream, color)).write(render_command(command))
    return YES


def render_overview() -> Iterator[Line]:
    """Yield the help of the whole program, a family of commands as one entry."""
    yield line(plugseal.__doc__.rstrip("."))
    yield BLANK
    yield line(Piece("Usage:", "title"), " ", Piece("plugseal COMMAND [ARGUMENTS]", "command"))
    for topic in TOPICS:
        yield BLANK
        yield line(Piece(topic.title, "title"))
        for word in topic.words:
            yield from _overview_entry(word)
    yield BLANK
    yield line(Piece("Options", "title"))
    yield from _entry("-h, --help", "show this help, or that of a command or a group of commands")
    yield from _entry("-V, --version", "print the version")
    yield BLANK
    yield line(Piece("Exit codes", "title"))
    for code, meaning in EXIT_CODES:
        yield from _entry(code, meaning)
    yield BLANK
    yield line(*backticked("A plugin's files are read, never run. More: `plugseal COMMAND --help`"))


def _overview_entry(word: str) -> Iterator[Line]:
    """Yield the entry of the one command that begins with a word, or that of the family."""
    if word in FAMILIES:
        yield from _entry(f"{word} ...", FAMILIES[word], "command")
        return
    command = next(command for command in COMMANDS if command.name.partition(" ")[0] == word)
    yield from _entry(command.name, command.summary, "command")


EXIT_CODES = (
    ("0", "yes: nothing at or above `--fail-on`, or the act is done"),
    ("1", "no: a finding at or above `--fail-on`"),
    ("2", "wrong command"),
    ("3", "nothing to judge: no plugin at the path"),
    ("4", "could not judge: something is unread, broken or refused"),
    ("70", "a bug of ours"),
)
"""What each exit code means, in a few words."""


def render_family(begun: str) -> Iterator[Line]:
    """Yield the help of the commands that begin with the same words."""
    if begun in FAMILIES:
        yield line(f"{FAMILIES[begun][0].upper()}{FAMILIES[begun][1:]}")
        yield BLANK
    yield line(Piece("Usage:", "title"), " ", Piece(f"plugseal {begun} COMMAND [ARGUMENTS]", "command"))
    yield BLANK
    yield from _below(begun)
    yield BLANK
    yield line(*backticked(f"More: `plugseal {begun} COMMAND --help`"))


def _below(begun: str) -> Iterator[Line]:
    yield line(Piece("Commands", "title"))
    for command in commands_below(begun):
        yield from _entry(command.name, command.summary, "command")


def render_command(command: Command) -> Iterator[Line]:
    """Yield the help of one command, and of the commands whose names go on from its own."""
    yield from (line(*backticked(row)) for row in wrap_words(command.about, _WIDTH))
    yield BLANK
    yield line(Piece("Usage:", "title"), " ", Piece(usage_of(command), "command"))
    if command.arguments:
        yield BLANK
        yield line(Piece("Arguments", "title"))
        for argument in command.arguments:
            also = f" [default: `{argument.default}`]" if argument.default else ""
            yield from _entry(argument.name, argument.help + also)
    yield BLANK
    yield line(Piece("Options", "title"))
    for option in (*command.options, *COMMON):
        yield from _entry(spelling_of(option), help_of(option))
    if command.examples:
        yield BLANK
        yield line(Piece("Examples", "title"))
        for typed, does in command.examples:
            yield line(f"  {does[0].upper()}{does[1:]}:")
            yield line("    ", Piece(typed, "command"))
    if commands_below(command.name):
        yield BLANK
        yield from _below(command.name)


def usage_of(command: Command) -> str:
    """Return one line of usage."""
    words = []
    for argument in command.arguments:
        name = argument.name + ("..." if argument.many else "")
        words.append(name if argument.default is None else f"[{name}]")
    return " ".join(["plugseal", command.name, "[OPTIONS]", *words])


def spelling_of(option: Option) -> str:
    """Return how an option is spelt: `-o, --output FILE`."""
    text = ", ".join(option.names)
    if len(option.names) == 1:
        text = f"    {text}"
    return f"{text} {option.metavar}" if option.metavar else text


def help_of(option: Option) -> str:
    """Return an option's help with its values and its default."""
    values = f" [{' | '.join(option.choices)}]" if option.choices else ""
    default = f" [default: `{option.default}`]" if option.default else ""
    return option.help + values + default


def _entry(left: str, right: str, style: str = "literal") -> Iterator[Line]:
    rows = wrap_words(right, _WIDTH - _COLUMNS - 4)
    start = "  " + pad(left, _COLUMNS) + "  "
    if len(left) > _COLUMNS:
        yield line("  ", Piece(left, style))
        start = " " * (_COLUMNS + 4)
        yield line(start, *backticked(rows.pop(0)))
    else:
        yield line("  ", Piece(left, style), " " * (len(start) - 2 - len(left)), *backticked(rows.pop(0)))
    for row in rows:
        yield line(" " * (_COLUMNS + 4), *backticked(row))
