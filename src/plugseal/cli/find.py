"""From the first words to a command, and from a command to its function."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from plugseal.cli.commands.table import COMMANDS
from plugseal.cli.parser import COMMON, Command, did_you_mean
from plugseal.errors import UsageError

Run = Callable[[argparse.Namespace], int]


def find_command(words: list[str]) -> tuple[Command | None, list[str]]:
    """Return the command that the words begin with, and the words after it.

    The command is None where help on everything is asked for (then the words say how, e.g. `--color`).

    Raises:
        UsageError: if there is no such command.
    """
    if not words or words[0] in ("-h", "--help"):
        return None, words
    if words[0] == "help":
        return find_command([*words[1:], "--help"])
    if words[0].startswith("-"):
        raise _option_first(words[0])
    by_name = {command.name: command for command in COMMANDS}
    pair = " ".join(words[:2])
    if pair in by_name:
        return by_name[pair], words[2:]
    if words[0] in by_name:
        return by_name[words[0]], words[1:]
    group = [name.partition(" ")[2] for name in by_name if name.startswith(words[0] + " ")]
    if group and words[1:2] in (["-h"], ["--help"]):
        return None, words[1:]
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


def _in_group(words: Sequence[str], group: Sequence[str]) -> UsageError:
    ways = ", ".join(f"`plugseal {words[0]} {name}`" for name in group)
    if len(words) == 1 or words[1].startswith("-"):
        return UsageError(f"`{words[0]}` needs a word after it", hint=f"one of {ways}")
    near = did_you_mean(words[1], group)
    return UsageError(f"unknown command `{words[0]} {words[1]}`", hint=near or f"one of {ways}")


def load_run(command: Command) -> Run:
    """Load the module of a command, and no other, and return its function."""
    match command.name:
        case "scan":
            from plugseal.cli.commands.scan import run as run_scan

            return run_scan
        case "facts":
            from plugseal.cli.commands.facts import run as run_facts

            return run_facts
        case "hash":
            from plugseal.cli.commands.hash import run as run_hash

            return run_hash
        case "validate":
            from plugseal.cli.commands.validate import run as run_validate

            return run_validate
        case "explain":
            from plugseal.cli.commands.explain import run as run_explain

            return run_explain
        case "review":
            from plugseal.cli.commands.review import run as run_review

            return run_review
        case "run":
            from plugseal.cli.commands.run import run as run_run

            return run_run
        case "diff":
            from plugseal.cli.commands.diff import run as run_diff

            return run_diff
        case "list" | "show":
            from plugseal.cli.commands.records import RUNS as RECORDS

            return RECORDS[command.name]
        case "log" | "log verify" | "log checkpoint" | "log export":
            from plugseal.cli.commands.log import RUNS as LOG

            return LOG[command.name]
        case "trust" | "enable" | "disable" | "revoke" | "reload" | "forget" | "recheck" | "stage gc":
            from plugseal.cli.commands.ceremony import RUNS as CEREMONY

            return CEREMONY[command.name]
        case _:
            from plugseal.cli.commands.rules import RUNS

            return RUNS[command.name]
