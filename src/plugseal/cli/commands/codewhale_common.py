"""What the commands for Codewhale share: the start in a workspace, lines on a screen, and what is told meanwhile."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from shlex import quote

from plugseal.cli.exits import YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.render.text import Line
from plugseal.shown import shown_path
from plugseal.verbs.codewhale.start import Start, begin
from plugseal.verbs.state import open_host_store, open_store


def begin_in(arguments: argparse.Namespace) -> Start:
    """Return the start in the workspace that the arguments name.

    Raises:
        PlugsealError: as `begin`.
    """
    return begin(Path(arguments.workspace or os.curdir), open_store())


def begin_to_use(arguments: argparse.Namespace) -> Start:
    """Return the start for what hands out or starts something: a state folder that a variable names is registered.

    Raises:
        PlugsealError: as `begin` and `open_host_store`.
    """
    return begin(Path(arguments.workspace or os.curdir), open_host_store())


def in_workspace(arguments: argparse.Namespace) -> str:
    """Return the option that names the workspace, for a command that can be pasted; empty for the current folder."""
    return f" --workspace {quote(shown_path(arguments.workspace))}" if arguments.workspace else ""


def print_lines(arguments: argparse.Namespace, render: Callable[[int], Iterable[Line]]) -> int:
    """Print lines, the last one alone if that was asked for; return that it was done."""
    result = Result(getattr(arguments, "output", None))
    with result as stream:
        screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
        lines = list(render(screen.width))
        screen.hang(lines[-1:] if arguments.quiet else lines)
    return YES
