"""`plugseal review`: everything that a person must see before they trust a plugin."""

from __future__ import annotations

import argparse

from plugseal.cli.commands.looking import look_at
from plugseal.cli.exits import YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.settings import format_of
from plugseal.render.review import render_review
from plugseal.render.review_json import render_review_json
from plugseal.render.text import line
from plugseal.verbs.review import review
from plugseal.verbs.state import open_store


def run(arguments: argparse.Namespace) -> int:
    """Print the review; the exit code is 0, since it shows and does not judge.

    Raises:
        PlugsealError: as `look` and `review`.
    """
    form = format_of(arguments, ("text", "json", "html"))
    found = review(look_at(arguments), open_store())
    result = Result(arguments.output)
    with result as stream:
        if form == "json":
            stream.writelines(render_review_json(found))
            return YES
        if form == "html":
            from plugseal.render.html_review import render_review_html

            stream.writelines(render_review_html(found))
            return YES
        screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
        if arguments.quiet:
            screen.write([line(found.look.report.token or "no token")])
        else:
            screen.hang(render_review(found, width=screen.width))
    return YES
