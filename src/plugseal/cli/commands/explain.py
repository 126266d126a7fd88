"""`plugseal explain`: what an identifier means."""

from __future__ import annotations

import argparse
import sys

from plugseal.cli.exits import YES
from plugseal.cli.output import Screen, wants_color
from plugseal.render.explain import render_explanation
from plugseal.verbs.explain import explain


def run(arguments: argparse.Namespace) -> int:
    """Print an explanation.

    Raises:
        UsageError: if nothing has that identifier.
    """
    explanation = explain(arguments.id)
    screen = Screen(sys.stdout, color=wants_color(sys.stdout, arguments.color))
    screen.write(render_explanation(explanation))
    return YES
