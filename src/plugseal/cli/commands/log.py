"""`plugseal log`, `log verify`, `log checkpoint` and `log export`: the trails of what was decided and what ran."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Final

from plugseal.cli.exits import COULD_NOT_JUDGE, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.settings import format_of
from plugseal.errors import NothingToJudgeError, UsageError
from plugseal.render.log import render_verified, render_verified_json
from plugseal.render.records import render_log, render_log_json
from plugseal.render.text import BLANK, Piece, line
from plugseal.shown import shown
from plugseal.verbs import log as verbs
from plugseal.verbs.known import records_meant
from plugseal.verbs.listing import show_record
from plugseal.verbs.state import open_store


def run_log(arguments: argparse.Namespace) -> int:
    """Print the trails of one plugin, or of all.

    Raises:
        PlugsealError: as `find_record` and `show_record`, or where nothing is recorded.
    """
    form = format_of(arguments)
    store = open_store()
    shown_ones = [show_record(record, store) for record in records_meant(arguments.plugin, store)]
    result = Result(arguments.output)
    with result as stream:
        if form == "json":
            stream.writelines(render_log_json(shown_ones))
            return YES
        screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
        for number, recorded in enumerate(shown_ones):
            title, lines = line(Piece(shown(recorded.id), "title")), list(render_log(recorded))
            if arguments.quiet:
                screen.hang([*([title] if len(shown_ones) > 1 else []), lines[-1]])
            else:
                screen.hang([*([BLANK] if number else []), title, *lines])
    return YES


def run_verify(arguments: argparse.Namespace) -> int:
    """Print the judgement on trails; 4 if one is broken: what can't be believed can't be judged by.

    Raises:
        PlugsealError: as `verify_log`.
    """
    form = format_of(arguments)
    store = open_store()
    since = Path(arguments.since) if arguments.since else None
    word = arguments.plugin
    if arguments.key is not None:
        _verify_signed(since, Path(arguments.key))
    if word and Path(word).is_file() and not since:
        rows = verbs.verify_export(store, Path(word))
    else:
        rows = verbs.verify_log(store, word, since=since)
    if not rows:
        raise NothingToJudgeError("nothing is recorded, so there is no trail")
    result = Result(arguments.output)
    with result as stream:
        if form == "json":
            stream.writelines(render_verified_json(rows))
        else:
            lines = list(render_verified(rows, since=since is not None))
            screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
            screen.hang(lines[-1:] if arguments.quiet else lines)
    return YES if all(row.is_unbroken for row in rows) else COULD_NOT_JUDGE


def run_checkpoint(arguments: argparse.Namespace) -> int:
    """Print checkpoints to be kept elsewhere.

    Raises:
        PlugsealError: as `take_checkpoints`, or the key can't sign them.
    """
    store = open_store()
    key = None
    if arguments.key is not None or arguments.agent is not None:
        from plugseal.cli.commands.receipt import signing_key

        key = signing_key(arguments)
    text = verbs.take_checkpoints(store, records_meant(arguments.plugin, store))
    if key is not None:
        from plugseal.verbs.signed_log import sign_checkpoints

        text = sign_checkpoints(text, key)
    with Result(arguments.output) as stream:
        stream.write(text)
    return YES


def run_export(arguments: argparse.Namespace) -> int:
    """Print trails as lines of JSON.

    Raises:
        PlugsealError: as `export_log`.
    """
    store = open_store()
    lines = list(verbs.export_log(store, records_meant(arguments.plugin, store)))
    with Result(arguments.output) as stream:
        stream.writelines(lines)
    return YES


def _verify_signed(since: Path | None, key: Path) -> None:
    """Refuse checkpoints that the key has not signed.

    Raises:
        PlugsealError: as `verify_checkpoints`, or there are none.
    """
    from plugseal.verbs.signed_log import verify_checkpoints

    if since is None:
        raise UsageError("`--key` is about the checkpoints of `--since`", hint="name their file with `--since FILE`")
    verify_checkpoints(since, key)


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "log": run_log,
    "log verify": run_verify,
    "log checkpoint": run_checkpoint,
    "log export": run_export,
}
