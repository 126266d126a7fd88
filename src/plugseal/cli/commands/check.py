"""`plugseal check`: a repository by a team's policy."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from plugseal.cli.commands.scan_formats import append_summary, base_of
from plugseal.cli.exits import COULD_NOT_JUDGE, NO, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.progress import Progress
from plugseal.cli.settings import format_of
from plugseal.errors import UsageError
from plugseal.verbs.policies.check import check_path

if TYPE_CHECKING:
    from plugseal.model.checked import Checked

FORMATS = ("text", "json", "sarif", "html", "markdown", "github")
VARIABLE = "PLUGSEAL_POLICY"


def run(arguments: argparse.Namespace) -> int:
    """Judge a repository, print the verdicts, return the exit code.

    Raises:
        PlugsealError: as `check_path`.
    """
    form = format_of(arguments, FORMATS)
    policy = _policy_of(arguments)
    if arguments.write_baseline is not None:
        if arguments.baseline:
            raise UsageError(
                "`--write-baseline` accepts all findings of now and asks no other baseline",
                hint="leave `--baseline` out",
            )
        return _write_baseline(arguments)
    with Progress(quiet=arguments.quiet, verbose=arguments.verbose) as progress:
        checked = check_path(
            Path(arguments.path),
            policy=policy,
            base=arguments.base or "",
            baseline=arguments.baseline or "",
            on_progress=progress.update,
        )
    _write(checked, arguments, form)
    if checked.failed:
        return YES if arguments.exit_zero else NO
    return COULD_NOT_JUDGE if checked.is_open and not arguments.exit_zero else YES


def _policy_of(arguments: argparse.Namespace) -> str:
    """Return the policy that was named, empty where none was: by the command, else by the variable."""
    if arguments.policy or arguments.base:
        return arguments.policy or ""
    named = os.environ.get(VARIABLE)
    if named == "":
        # Of a variable that was not set where this one was: the tree would be judged by its own policy.
        raise UsageError(f"`{VARIABLE}` is empty", hint="unset it, or let it name a policy")
    return named or ""


def _write(checked: Checked, arguments: argparse.Namespace, form: str) -> None:
    result = Result(arguments.output)
    with result as stream:
        if form != "text":
            stream.writelines(_pieces(checked, arguments.path, form))
        else:
            from plugseal.render.check import count_of_check, render_check

            screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
            lines = (
                [count_of_check(checked)] if arguments.quiet else render_check(checked, everything=arguments.verbose)
            )
            screen.hang(lines)
    if form == "github":
        append_summary(_pieces(checked, arguments.path, "markdown"))


def _pieces(checked: Checked, path: str, form: str) -> Iterator[str]:
    from plugseal.render import check_formats as formats

    if form == "json":
        return formats.render_check_json(checked)
    if form == "html":
        from plugseal.render.html_check import render_check_html

        return render_check_html(checked)
    if form == "markdown":
        return formats.render_check_markdown(checked)
    if form == "github":
        return formats.render_check_github(checked, base=base_of(path))
    return formats.render_check_sarif(checked, base=base_of(path))


def _write_baseline(arguments: argparse.Namespace) -> int:
    from plugseal.verbs.policies.baseline import baseline_of

    text, number = baseline_of(Path(arguments.path))
    with Result(arguments.write_baseline) as stream:
        stream.write(text)
    if arguments.write_baseline != "-":
        from plugseal.render.text import count, line

        with Result() as stream:
            screen = Screen(stream, color=wants_color(stream, arguments.color))
            screen.write([line(f"accepted {count(number, 'finding')}: read each before you commit the file")])
    return YES
