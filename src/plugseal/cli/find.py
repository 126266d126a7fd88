"""From the first words to a command, and from a command to its function."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from plugseal.cli.commands.table import COMMANDS
from plugseal.cli.parser import COMMON, Command, did_you_mean
from plugseal.errors import UsageError

Run = Callable[[argparse.Namespace], int]
Runs = Mapping[str, Run]


def find_command(words: list[str]) -> tuple[Command | str, list[str]]:
    """Return the command that the words begin with, and the words after it.

    Where help on several commands is asked for, it is the text that their names begin with instead: `amber`,
    `codewhale skills`, or nothing for all of them.

    Raises:
        UsageError: if there is no such command.
    """
    if not words or words[0] in ("-h", "--help"):
        return "", words
    if words[0] == "help":
        return find_command([*words[1:], "--help"])
    if words[0].startswith("-"):
        raise _option_first(words[0])
    by_name = {command.name: command for command in COMMANDS}
    for length in (3, 2, 1):
        name = " ".join(words[:length])
        if name in by_name:
            return by_name[name], words[length:]
    group = [name.partition(" ")[2] for name in by_name if name.startswith(words[0] + " ")]
    begun = _asked_about(words, group)
    if begun:
        return begun, words[1:]
    if group:
        raise _in_group(words, group)
    firsts = dict.fromkeys(name.partition(" ")[0] for name in by_name)
    raise UsageError(f"unknown command `{words[0]}`", hint=did_you_mean(words[0], firsts) or "see `plugseal --help`")


def _option_first(word: str) -> UsageError:
    name = word.partition("=")[0]
    known = [name for option in COMMON for name in option.names]
    if name in known:
        return UsageError(f"`{name}` needs a command before it", hint=f"for example `plugseal scan . {name}`")
    near = did_you_mean(name, [*known, "--version"])
    return UsageError(f"unknown option `{name}`", hint=near or "see `plugseal --help`")


def _asked_about(words: Sequence[str], group: Sequence[str]) -> str:
    """Return the beginning of several commands that stands before `--help`, else nothing."""
    for number, word in enumerate(words[:3]):
        if word in ("-h", "--help"):
            second = "".join(f"{before} " for before in words[1:number])
            return " ".join(words[:number]) if any(name.startswith(second) for name in group) else ""
    return ""


def _in_group(words: Sequence[str], group: Sequence[str]) -> UsageError:
    ways = ", ".join(f"`plugseal {words[0]} {name}`" for name in group)
    if len(words) == 1 or words[1].startswith("-"):
        return UsageError(f"`{words[0]}` needs a command", hint=f"one of {ways}")
    below = [name for name in group if name.startswith(f"{words[1]} ")]
    if below:
        # A group within the group: its own words are what is missing or wrong.
        ways = ", ".join(f"`plugseal {words[0]} {name}`" for name in below)
        near = did_you_mean(" ".join(words[1:3]), below) if len(words) > 2 else None
        told = f"`{words[0]} {words[1]}` needs a command"
        if len(words) > 2 and not words[2].startswith("-"):
            told = f"unknown command `{' '.join(words[:3])}`"
        return UsageError(told, hint=near or f"one of {ways}")
    near = did_you_mean(words[1], group)
    return UsageError(f"unknown command `{words[0]} {words[1]}`", hint=near or f"one of {ways}")


def load_run(command: Command) -> Run:
    """Load the module of a command, and no other, and return its function."""
    load = _LOADERS.get(command.name) or _LOADERS[command.name.partition(" ")[0]]
    return load()[command.name]


def _scan() -> Runs:
    from plugseal.cli.commands.scan import run

    return {"scan": run}


def _check() -> Runs:
    from plugseal.cli.commands.check import run

    return {"check": run}


def _guard() -> Runs:
    from plugseal.cli.commands.guard import RUNS

    return RUNS


def _facts() -> Runs:
    from plugseal.cli.commands.facts import run

    return {"facts": run}


def _hash() -> Runs:
    from plugseal.cli.commands.hash import run

    return {"hash": run}


def _validate() -> Runs:
    from plugseal.cli.commands.validate import run

    return {"validate": run}


def _explain() -> Runs:
    from plugseal.cli.commands.explain import run

    return {"explain": run}


def _review() -> Runs:
    from plugseal.cli.commands.review import run

    return {"review": run}


def _run() -> Runs:
    from plugseal.cli.commands.run import run

    return {"run": run}


def _diff() -> Runs:
    from plugseal.cli.commands.diff import run

    return {"diff": run}


def _call() -> Runs:
    from plugseal.cli.commands.call import run

    return {"call": run}


def _wrap() -> Runs:
    from plugseal.cli.commands.wrap import RUNS

    return RUNS


def _pins() -> Runs:
    from plugseal.cli.commands.pins import RUNS

    return RUNS


def _policy() -> Runs:
    from plugseal.cli.commands.policy import RUNS

    return RUNS


def _records() -> Runs:
    from plugseal.cli.commands.records import RUNS

    return RUNS


def _log() -> Runs:
    from plugseal.cli.commands.log import RUNS

    return RUNS


def _ceremony() -> Runs:
    from plugseal.cli.commands.ceremony import RUNS

    return RUNS


def _lingtai() -> Runs:
    from plugseal.cli.commands.lingtai import RUNS

    return RUNS


def _amber() -> Runs:
    from plugseal.cli.commands.amber import RUNS

    return RUNS


def _amber_host() -> Runs:
    from plugseal.cli.commands.amber_host import RUNS

    return RUNS


def _codewhale() -> Runs:
    from plugseal.cli.commands.codewhale import RUNS

    return RUNS


def _coding() -> Runs:
    from plugseal.cli.commands.coding import RUNS

    return RUNS


def _receipt() -> Runs:
    from plugseal.cli.commands.receipt import RUNS

    return RUNS


def _key() -> Runs:
    from plugseal.cli.commands.key import RUNS

    return RUNS


def _amness() -> Runs:
    from plugseal.cli.commands.amness import RUNS

    return RUNS


def _rules() -> Runs:
    from plugseal.cli.commands.rules import RUNS

    return RUNS


_LOADERS: Final[dict[str, Callable[[], Runs]]] = {
    "scan": _scan,
    "check": _check,
    **dict.fromkeys(("guard", "completion"), _guard),
    "facts": _facts,
    "hash": _hash,
    "validate": _validate,
    "explain": _explain,
    "review": _review,
    "run": _run,
    "diff": _diff,
    **dict.fromkeys(("list", "show"), _records),
    "call": _call,
    **dict.fromkeys(("wrap", "unwrap"), _wrap),
    "pins": _pins,
    "policy": _policy,
    "log": _log,
    **dict.fromkeys("trust enable disable revoke reload forget recheck stage".split(), _ceremony),
    "lingtai": _lingtai,
    "amber": _amber,
    **dict.fromkeys(("amber call", "amber serve"), _amber_host),
    "codewhale": _codewhale,
    "coding": _coding,
    "receipt": _receipt,
    "key": _key,
    "amness": _amness,
    "rules": _rules,
}
"""By the whole name of a command or by its first word: who knows its functions.

To add a command: one line here and one in the table.
"""
