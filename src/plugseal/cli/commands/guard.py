"""`plugseal guard` and `plugseal completion`: texts for a client's settings and for a shell."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final

from plugseal.cli.exits import YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.parser import bad_value
from plugseal.model.guard import Guard, build_guards


def run_guard(arguments: argparse.Namespace) -> int:
    """Print the rules by which clients deny an agent to trust by itself.

    Raises:
        UsageError: there is no such client.
    """
    guards = build_guards()
    names = [guard.client for guard in guards]
    if arguments.client is not None and arguments.client not in names:
        raise bad_value("--client", arguments.client, tuple(names))
    with Result(arguments.output) as stream:
        if arguments.client is not None:
            stream.write(next(guard.text for guard in guards if guard.client == arguments.client))
        else:
            _write_all(guards, Screen(stream, color=wants_color(stream, arguments.color)))
    return YES


def _write_all(guards: tuple[Guard, ...], screen: Screen) -> None:
    from plugseal.render.text import BLANK, Piece, line

    for guard in guards:
        screen.write([line(Piece(guard.client, "title"), "  ", Piece(guard.file, "path"))])
        screen.write(line(row) for row in guard.text.splitlines())
        screen.write([line("note: ", guard.note)] if guard.note else [])
        screen.write([BLANK])
    screen.write(
        [line("deny rules make an agent ask; they are no wall: only signatures by a touched key say who trusted")]
    )


def run_completion(arguments: argparse.Namespace) -> int:
    """Print the completion of a shell."""
    from plugseal.cli.completion import render_completion

    with Result(arguments.output) as stream:
        stream.write(render_completion(arguments.shell))
    return YES


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {"guard": run_guard, "completion": run_completion}
