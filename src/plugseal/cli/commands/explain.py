"""`plugseal explain`: what an identifier means."""

from __future__ import annotations

import argparse

from plugseal.cli.exits import YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.render.explain import render_explanation
from plugseal.verbs.explain import explain


def run(arguments: argparse.Namespace) -> int:
    """Print an explanation.

    Raises:
        UsageError: if nothing has that identifier.
    """
    explanation = explain(arguments.id)
    with Result() as stream:
        Screen(stream, color=wants_color(stream, arguments.color)).write(render_explanation(explanation))
    return YES
