"""`plugseal diff`: how two plugins, or a plugin and its trusted copy, differ."""

from __future__ import annotations

import argparse

import plugseal
from plugseal.cli.commands.looking import look_at
from plugseal.cli.exits import NO, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.settings import format_of
from plugseal.model.change import WRAPPED
from plugseal.render.change import render_change
from plugseal.render.json import encode
from plugseal.render.review_json import change_json
from plugseal.shown import shown_path
from plugseal.verbs.diff import diff_looks, diff_trusted
from plugseal.verbs.look import look
from plugseal.verbs.select import select
from plugseal.verbs.state import open_store


def run(arguments: argparse.Namespace) -> int:
    """Print the difference; the exit code is 1 if there is any.

    Raises:
        PlugsealError: as `look`, `diff_looks` and `diff_trusted`.
    """
    form = format_of(arguments)
    first = look_at(arguments)
    if arguments.other:
        second = look(select(arguments.other), system=arguments.system or "")
        change, names = diff_looks(first, second), (first.path, second.path)
    else:
        change, names = diff_trusted(first, open_store()), ("the trusted copy", first.path)
    result = Result(arguments.output)
    with result as stream:
        if form == "json":
            document = {"format": "plugseal.diff/1", "plugseal": plugseal.__version__, "change": change_json(change)}
            stream.write(encode(document) + "\n")
        else:
            screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
            title = f"{shown_path(names[0])} -> {shown_path(names[1])}"
            lines = list(render_change(change, title=title))
            screen.hang(lines[:1] if arguments.quiet else lines)
    return YES if change.is_empty or change.comes_to == WRAPPED else NO
