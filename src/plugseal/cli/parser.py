"""The grammar of the command line as data, and how words become arguments.

One table feeds parsing, help and `docs/reference/cli.md`. Parsing is argparse's; its words are ours: every fault is a
`UsageError` with a suggestion. A command's own module is loaded only when it is called.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final, NoReturn

from plugseal.errors import UsageError
from plugseal.records import NamedTuple


class Option(NamedTuple):
    """One option of a command."""

    names: tuple[str, ...]
    """Short name first, if there is one."""
    help: str
    metavar: str = ""
    """Empty for a switch."""
    choices: tuple[str, ...] = ()
    default: str | None = None
    repeats: bool = False

    @property
    def key(self) -> str:
        """Name the option's attribute among the parsed arguments."""
        return self.names[-1].lstrip("-").replace("-", "_")


class Argument(NamedTuple):
    """One positional word of a command."""

    name: str
    help: str
    default: str | None = None
    """What is meant when it is left out; None where it must be given."""
    many: bool = False


class Command(NamedTuple):
    """One command: what it takes and what its help says."""

    name: str
    """One word, or two for a command of a group (`rules list`)."""
    summary: str
    about: str
    """A paragraph for its own help."""
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()
    """Commands as typed, with what they do."""


COLORS: Final = ("auto", "always", "never")
COMMON: Final = (
    Option(("--color",), "when to use colour", "WHEN", COLORS, "auto"),
    Option(("-q", "--quiet"), "print the last result line only, and no progress"),
    Option(("-v", "--verbose"), "leave nothing out, and say on standard error what is done"),
    Option(("-h", "--help"), "show this help"),
)
"""Options of every command."""


def parse_arguments(command: Command, words: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of one command, defaults filled in.

    Raises:
        UsageError: for an unknown option, a bad value, a missing or superfluous word.
    """
    # argparse's own words are taken as they are: to look for their translation would load the locales at every start.
    argparse.__dict__.update(_=str, ngettext=_plural)
    parser = _Parser(
        prog=f"plugseal {command.name}", add_help=False, allow_abbrev=False, formatter_class=_fixed_formatter
    )
    options = (*command.options, *COMMON)
    for option in options:
        _add_option(parser, option)
    for argument in command.arguments:
        parser.add_argument(
            argument.name.lower(), metavar=argument.name, nargs=_how_many(argument), default=argument.default
        )
    namespace, left = parser.parse_known_args(list(words))
    if left:
        raise _unexpected(command, left[0], options)
    _verify_not_empty(command, namespace)
    return namespace


def _how_many(argument: Argument) -> str | None:
    """Return how many words an argument takes, as argparse spells it; None for exactly one."""
    if argument.default is None:
        return "+" if argument.many else None
    return "*" if argument.many else "?"


def _verify_not_empty(command: Command, namespace: argparse.Namespace) -> None:
    """Refuse a word that is empty: an unset variable in a script, which would mean less than was meant.

    As an argument it would be the current directory; `--base ""` would judge a change by its own policy.
    """
    words = [(argument.name, argument.name.lower(), argument.default) for argument in command.arguments]
    words += [(option.names[-1], option.key, option.default) for option in command.options if option.metavar]
    for name, key, default in words:
        given = getattr(namespace, key)
        if given != default and "" in (given if isinstance(given, list) else [given]):
            raise UsageError(f"`{name}` is empty", hint=f"see `plugseal {command.name} --help`")


def _plural(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


def _fixed_formatter(prog: str) -> argparse.HelpFormatter:
    """Return a formatter that need not ask for the terminal's width, which would load every compression library."""
    return argparse.HelpFormatter(prog, width=80)


class _Parser(argparse.ArgumentParser):
    """Report as an exception of ours what argparse would print and exit on."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(_our_words(message), hint=f"see `{self.prog} --help`")


def _our_words(message: str) -> str:
    required = "the following arguments are required: "
    if message.startswith(required):
        names = message[len(required) :].split(", ")
        missing = " and ".join(f"`{name}`" for name in names)
        return f"{missing} {_plural('is', 'are', len(names))} missing"
    if message.startswith("argument ") and ": " in message:
        spellings, _, rest = message[len("argument ") :].partition(": ")
        name = spellings.rpartition("/")[2]
        if rest.startswith("ignored explicit argument"):
            return f"`{name}` takes no value"
        return f"`{name}` needs a value" if rest.startswith("expected") else f"`{name}`: {rest}"
    return message


def _add_option(parser: argparse.ArgumentParser, option: Option) -> None:
    if not option.metavar:
        parser.add_argument(*option.names, action="store_true", dest=option.key)
        return
    parser.add_argument(
        *option.names,
        dest=option.key,
        metavar=option.metavar,
        default=option.default,
        type=partial(_choose, option) if option.choices else str,
    )


def _choose(option: Option, value: str) -> str:
    if value not in option.choices:
        raise bad_value(option.names[-1], value, option.choices)
    return value


def bad_value(name: str, value: str, choices: Sequence[str]) -> UsageError:
    """Return the error for a value that an option (or a variable) does not know."""
    what = "format" if name in ("--format", "PLUGSEAL_FORMAT") else f"value for `{name}`:"
    near = did_you_mean(value, choices)
    there = ", ".join(f"`{choice}`" for choice in choices)
    return UsageError(
        f"unknown {what} `{value}`",
        details=(f"{name}: {' | '.join(choices)}",),
        hint=near or f"use one of {there}",
    )


def _unexpected(command: Command, word: str, options: Iterable[Option]) -> UsageError:
    see = f"see `plugseal {command.name} --help`"
    if word.startswith("-") and word != "-":
        name = word.partition("=")[0]
        known = [known for option in options for known in option.names if known.startswith("--")]
        return UsageError(f"unknown option `{name}`", hint=did_you_mean(name, known) or see)
    return UsageError(f"unexpected argument `{word}`", hint=see)


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """Return `did you mean ⟨the nearest⟩?` if something known is near enough."""
    from difflib import get_close_matches

    word, known = word[:100].lower(), list(known)
    longer = [name for name in known if len(word) > 2 and name.startswith(word)]
    near = longer or get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else None
