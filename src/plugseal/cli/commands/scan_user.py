"""`plugseal scan --user`: the folders in which hosts look for a user's own plugins, one after the other."""

from __future__ import annotations

import argparse
from pathlib import Path

from plugseal.cli.exits import COULD_NOT_JUDGE, NO, NOTHING_TO_JUDGE, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.progress import Progress
from plugseal.cli.verdict import exit_for_scan
from plugseal.errors import NothingToJudgeError
from plugseal.model.home import UserScan
from plugseal.render.user import render_user_json, render_user_scan, user_line
from plugseal.verbs.user import scan_user

_WORST_FIRST = (NO, COULD_NOT_JUDGE, YES, NOTHING_TO_JUDGE)


def run_user(arguments: argparse.Namespace, form: str) -> int:
    """Scan the user's own folders, print the result, return the exit code of the worst.

    Raises:
        PlugsealError: as `scan_user`, or where there is nothing to judge.
    """
    with Progress(quiet=arguments.quiet, verbose=arguments.verbose) as progress:
        scan = scan_user(Path(arguments.path), on_progress=progress.update)
    result = Result(arguments.output)
    with result as stream:
        if form == "json":
            stream.writelines(render_user_json(scan))
        else:
            screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
            if arguments.quiet:
                screen.write([user_line(scan)])
            else:
                screen.hang(render_user_scan(scan, everything=arguments.verbose, width=screen.width))
    return _exit(scan, arguments)


def _exit(scan: UserScan, arguments: argparse.Namespace) -> int:
    codes = {
        exit_for_scan(inventory, fail_on=arguments.fail_on, exit_zero=arguments.exit_zero)
        for _, inventory in scan.roots
    }
    code = next((code for code in _WORST_FIRST if code in codes), NOTHING_TO_JUDGE)
    if code == NOTHING_TO_JUDGE:
        raise NothingToJudgeError(
            "no plugin of yours where the clients on this account would look",
            hint="list the folders with `plugseal scan --user --verbose`",
        )
    return code
