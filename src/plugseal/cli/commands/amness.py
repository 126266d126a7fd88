"""`plugseal amness …`: Amness's own words for its plugins, behind the gate."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from plugseal.cli.commands.serving import end_on_signals, tell_by
from plugseal.cli.exits import NO, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.settings import format_of
from plugseal.errors import UsageError
from plugseal.render.amness import (
    render_grades,
    render_listing,
    render_listing_json,
    render_replay,
    render_tried,
)
from plugseal.render.text import Line, line
from plugseal.shown import shown, shown_json
from plugseal.verbs.amness import load as verbs
from plugseal.verbs.amness.files import Added, add_plugin, new_plugin
from plugseal.verbs.state import open_host_store


def run_list(arguments: argparse.Namespace) -> int:
    """Print what loads and what does not.

    Raises:
        PlugsealError: as `list_amness`.
    """
    form = format_of(arguments)
    listing = verbs.list_amness(_request(arguments), on_event=tell_by(arguments, who="plugin"))
    if form == "json":
        with Result(arguments.output) as stream:
            stream.writelines(render_listing_json(listing.plain()))
        return YES
    return _print(arguments, render_listing(listing.plain(), listing.untold))


def run_add(arguments: argparse.Namespace) -> int:
    """Copy a plugin file into the project.

    Raises:
        PlugsealError: as `add_plugin`.
    """
    return _added(arguments, add_plugin(arguments.source, _workspace(arguments)))


def run_new(arguments: argparse.Namespace) -> int:
    """Write a new plugin.

    Raises:
        PlugsealError: as `new_plugin`.
    """
    return _added(arguments, new_plugin(arguments.name, _workspace(arguments)))


def run_policy(arguments: argparse.Namespace) -> int:
    """Print what policies say of calls that already happened.

    Raises:
        PlugsealError: as `replay_policy`.
    """
    replay, _ = verbs.replay_policy(_request(arguments), arguments.traces, on_event=tell_by(arguments, who="plugin"))
    return _print(arguments, render_replay(replay.traces, replay.counts, replay.shown, replay.warnings))


def run_grade(arguments: argparse.Namespace) -> int:
    """Print the scores of sessions that already happened.

    Raises:
        PlugsealError: as `grade_sessions`.
    """
    form = format_of(arguments)
    grades, _ = verbs.grade_sessions(_request(arguments), arguments.traces, on_event=tell_by(arguments, who="plugin"))
    if form == "json":
        found = [{"file": file, "scores": [one._asdict() for one in scores]} for file, scores in grades.sessions]
        with Result(arguments.output) as stream:
            stream.write(shown_json(json.dumps({"sessions": found, "warnings": grades.warnings}, indent=2)) + "\n")
        return YES
    return _print(arguments, render_grades(grades.sessions, grades.warnings))


def run_eval(arguments: argparse.Namespace) -> int:
    """Try the cases of evals without a model; 1 if one is not sound.

    Raises:
        UsageError: a model would be needed.
        PlugsealError: as `selftest`.
    """
    if not arguments.selftest:
        raise UsageError("an eval needs a model, which is not run here", hint="add `--selftest`")
    tried, _ = verbs.selftest(_request(arguments), on_event=tell_by(arguments, who="plugin"))
    _print(arguments, render_tried(tried))
    return NO if any(one.outcome == "unsound" for one in tried) else YES


def run_call(arguments: argparse.Namespace) -> int:
    """Print the answer to one request.

    Raises:
        PlugsealError: as `call_amness`.
    """
    answer = verbs.call_amness(
        _request(arguments), arguments.method, arguments.json, on_event=tell_by(arguments, who="plugin")
    )
    with Result() as stream:
        stream.write(shown_json(json.dumps(answer, indent=2)) + "\n")
    return YES


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve a harness until it closes its side.

    Raises:
        PlugsealError: as `serve`.
    """
    end_on_signals()
    verbs.serve(
        _request(arguments),
        reading=sys.stdin.fileno(),
        writing=sys.stdout.fileno(),
        on_event=tell_by(arguments, who="plugin"),
    )
    return YES


def _request(arguments: argparse.Namespace) -> verbs.Request:
    named = tuple(Path(word) for word in (arguments.plugin or "").split(",") if word)
    for path in named:
        if not path.is_file():
            raise UsageError(f"`{path}` is no file", hint="give plugin files, with commas between")
    return verbs.Request(_workspace(arguments), open_host_store(), named, arguments.trust_project)


def _workspace(arguments: argparse.Namespace) -> Path:
    workspace = Path(os.path.realpath(arguments.workspace or "."))
    if not workspace.is_dir():
        raise UsageError(f"`{arguments.workspace}` is no folder", hint="give the project's folder")
    return workspace


def _added(arguments: argparse.Namespace, added: Added) -> int:
    path = shown(str(added.path))
    rows = [line(f"wrote {path}"), line(shown(added.line, limit=400))]
    return _print(arguments, [*rows, line(f"next: plugseal review {path}")])


def _print(arguments: argparse.Namespace, lines: Iterable[Line]) -> int:
    result = Result(getattr(arguments, "output", None))
    with result as stream:
        screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
        rows = list(lines)
        screen.hang(rows[-1:] if arguments.quiet else rows)
    return YES


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "amness list": run_list,
    "amness add": run_add,
    "amness new": run_new,
    "amness policy": run_policy,
    "amness grade": run_grade,
    "amness eval": run_eval,
    "amness call": run_call,
    "amness serve": run_serve,
}
