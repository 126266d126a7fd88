"""`plugseal list` and `plugseal show`: plugins with their trust, and what is recorded about one."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Final

from plugseal.cli.exits import COULD_NOT_JUDGE, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.settings import format_of
from plugseal.errors import NothingToJudgeError
from plugseal.render.records import render_list, render_list_json, render_record, render_record_json
from plugseal.verbs.known import find_record
from plugseal.verbs.listing import list_plugins, show_record
from plugseal.verbs.state import open_store


def run_list(arguments: argparse.Namespace) -> int:
    """Print the plugins below a path and the recorded ones; 4 if a record can't be believed.

    Raises:
        PlugsealError: as `list_plugins`, or where there is nothing to list.
    """
    form = format_of(arguments)
    listed = list_plugins(Path(arguments.path), open_store())
    if not listed:
        raise NothingToJudgeError("no plugin there, and nothing is recorded", place=arguments.path)
    result = Result(arguments.output)
    with result as stream:
        if form == "json":
            stream.writelines(render_list_json(listed))
        else:
            screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
            lines = list(render_list(listed))
            screen.hang([row for row in lines if row][-2:] if arguments.quiet else lines)
    return COULD_NOT_JUDGE if any(one.state == "broken record" for one in listed) else YES


def run_show(arguments: argparse.Namespace) -> int:
    """Print what is recorded about one plugin.

    Raises:
        PlugsealError: as `find_record` and `show_record`.
    """
    form = format_of(arguments)
    store = open_store()
    recorded = show_record(find_record(arguments.plugin, store), store)
    result = Result(arguments.output)
    with result as stream:
        if form == "json":
            stream.writelines(render_record_json(recorded))
        else:
            screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
            screen.hang(render_record(recorded))
    return YES


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {"list": run_list, "show": run_show}
