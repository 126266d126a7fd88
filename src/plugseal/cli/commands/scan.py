"""`plugseal scan`: findings, what plugins can do, what was not read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from plugseal.cli.commands.scan_formats import FORMATS, write_scan
from plugseal.cli.exits import NOTHING_TO_JUDGE
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.parser import did_you_mean
from plugseal.cli.progress import Progress
from plugseal.cli.settings import format_of, jobs_of
from plugseal.cli.verdict import exit_for_scan
from plugseal.errors import NothingToJudgeError, UsageError
from plugseal.model.inventory import Inventory
from plugseal.render.next import pasteable
from plugseal.verbs.scan import Memory, scan_path

if TYPE_CHECKING:
    from plugseal.model.explanation import Explanation


def run(arguments: argparse.Namespace) -> int:
    """Scan a path, print the result, return the exit code.

    Raises:
        PlugsealError: as `scan_path`, or where there is nothing to judge.
    """
    form = format_of(arguments, FORMATS)
    _check_client(arguments.client)
    opinion = _check_opinion(getattr(arguments, "with"), form, is_user=arguments.user)
    if arguments.user and arguments.client:
        raise UsageError("`--client` can't go with `--user`", hint="`--user` shows the folders of each host apart")
    if arguments.user and form not in ("text", "json"):
        raise UsageError(f"`--format {form}` can't go with `--user`", hint="use `--format json`")
    if arguments.user:
        from plugseal.cli.commands.scan_user import run_user

        return run_user(arguments, form)
    with Progress(quiet=arguments.quiet, verbose=arguments.verbose) as progress:
        memory = None if arguments.no_cache else Memory()
        inventory = scan_path(
            Path(arguments.path),
            on_progress=progress.update,
            asks_hosts=form == "json",
            memory=memory,
            jobs=jobs_of(arguments),
        )
        if opinion:
            from plugseal.verbs.opinion import with_opinions

            inventory = with_opinions(inventory, Path(arguments.path))
    if arguments.client:
        from plugseal.verbs.client import for_client

        inventory = for_client(inventory, arguments.client)
    _write(inventory, arguments, form)
    code = exit_for_scan(inventory, fail_on=arguments.fail_on, exit_zero=arguments.exit_zero)
    if code == NOTHING_TO_JUDGE:
        raise NothingToJudgeError(
            f"nothing of {arguments.client} there"
            if arguments.client
            else "no plugin there, and nothing that a client would run",
            place=arguments.path,
            hint=f"see what its code can do with `plugseal facts {pasteable(arguments.path) or 'PATH'}`",
        )
    return code


def _check_opinion(scanner: str | None, form: str, *, is_user: bool) -> str | None:
    """Return whose opinion is asked for.

    Raises:
        UsageError: where it can't be shown.
    """
    if scanner is not None and (is_user or form not in ("text", "json")):
        other = "`--user`" if is_user else f"`--format {form}`"
        raise UsageError(f"`--with {scanner}` can't go with {other}", hint="use `--format json`, without `--user`")
    return scanner


def _check_client(client: str | None) -> None:
    """Refuse a client that nobody knows.

    Raises:
        UsageError: there is no such client.
    """
    if client is None:
        return
    from plugseal.verbs.client import client_names

    names = client_names()
    if client not in names:
        raise UsageError(
            f"unknown client `{client}`",
            details=(f"--client: {' | '.join(names)}",),
            hint=did_you_mean(client, names) or "see the systems with `plugseal scan . --format json`",
        )


def _write(inventory: Inventory, arguments: argparse.Namespace, form: str) -> None:
    result = Result(arguments.output)
    if form not in ("text", "json"):
        write_scan(inventory, arguments.path, form, result)
        return
    with result as stream:
        if form == "json":
            from plugseal.render.json import render_scan_json

            stream.writelines(render_scan_json(inventory))
            return
        from plugseal.render.terminal import count_line, render_scan

        screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
        if arguments.quiet:
            screen.write([count_line(inventory)])
        else:
            rules = _pages(inventory) if arguments.explain else ()
            screen.hang(
                render_scan(
                    inventory,
                    rules,
                    is_directory=Path(arguments.path).is_dir(),
                    everything=arguments.verbose,
                    width=screen.width,
                )
            )


def _pages(inventory: Inventory) -> tuple[Explanation, ...]:
    from plugseal.verbs.explain import explain_rules

    return explain_rules(finding.rule for finding in inventory.findings)
