"""`plugseal pins approve`: approve what a server says of itself now."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final

from plugseal.cli.exits import YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.model.identity import subject_id
from plugseal.render.pins import render_pins
from plugseal.verbs.known import find_record
from plugseal.verbs.pins import approve_pins
from plugseal.verbs.state import open_store


def run_approve(arguments: argparse.Namespace) -> int:
    """Approve a snapshot that was seen.

    Raises:
        PlugsealError: as `find_record` and `approve_pins`.
    """
    store = open_store()
    record = find_record(arguments.plugin, store)
    pinned = approve_pins(record, arguments.snapshot, store)
    with Result() as stream:
        screen = Screen(stream, color=wants_color(stream, arguments.color))
        screen.hang(render_pins([pinned], word=subject_id(record.subject)))
    return YES


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {"pins approve": run_approve}
