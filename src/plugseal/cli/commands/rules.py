"""`plugseal rules list`, `rules test` and `rules new`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Final

from plugseal.cli.exits import NO, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.settings import format_of
from plugseal.render.next import pasteable
from plugseal.render.rules import render_examples, render_rules, render_rules_json
from plugseal.render.text import Piece, line
from plugseal.shown import shown_path
from plugseal.verbs import rules as verbs
from plugseal.verbs.explain import explain_rule


def run_list(arguments: argparse.Namespace) -> int:
    """Print all rules.

    Raises:
        RuleError: if they are not sound.
    """
    form = format_of(arguments)
    found = verbs.list_rules()
    pages = [explain_rule(rule) for rule in found.rules]
    result = Result(arguments.output)
    with result as stream:
        if form == "json":
            stream.writelines(render_rules_json(pages, found.digest))
            return YES
        lines = list(render_rules(pages))
        color = wants_color(stream, result.color(arguments.color))
        Screen(stream, color=color).write(lines[-1:] if arguments.quiet else lines)
    return YES


def run_test(arguments: argparse.Namespace) -> int:
    """Run the examples of rules; the exit code is 1 if one does not hold.

    Raises:
        RuleError: with every fault, if the rules are not sound.
    """
    tested = verbs.test_rules([Path(file) for file in arguments.file])
    lines = list(render_examples(tested.results, rules=tested.rules, everything=arguments.verbose))
    with Result() as stream:
        color = wants_color(stream, arguments.color)
        Screen(stream, color=color).write(lines[-1:] if arguments.quiet else lines)
    return NO if tested.failed else YES


def run_new(arguments: argparse.Namespace) -> int:
    """Write a first draft of a rule file.

    Raises:
        UsageError: if the name is no rule id or the file exists.
    """
    path = str(verbs.new_rule(Path(arguments.file)))
    lines = [line("wrote ", Piece(shown_path(path), "path"))]
    command = pasteable(path)
    if command:
        lines.append(line("next: ", Piece(f"`plugseal rules test {command}`", "command"), " once it is filled in"))
    with Result() as stream:
        Screen(stream, color=wants_color(stream, arguments.color)).write(lines)
    return YES


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "rules list": run_list,
    "rules test": run_test,
    "rules new": run_new,
}
"""By the command's name."""
