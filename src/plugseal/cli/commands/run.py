"""`plugseal run`: what an MCP client calls in place of the server's own command."""

from __future__ import annotations

import argparse
import signal
import sys
from types import FrameType
from typing import NoReturn

from plugseal.cli.output import Screen, wants_color
from plugseal.errors import PlugsealError, StateError, SupervisorError
from plugseal.render.text import line
from plugseal.shown import shown
from plugseal.verbs.run import adopt_orphans, run_component
from plugseal.verbs.state import open_running_store


def run(arguments: argparse.Namespace) -> int:
    """Serve the client; the exit code is the component's own, 126 if the gate refused, 125 if plugseal failed.

    Raises:
        PlugsealError: as `run_component`; the state's own errors count as ours here.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        # What a client ends is ended, proven and recorded like what ends by itself.
        signal.signal(number, _end)
    adopt_orphans()
    screen = Screen(sys.stderr, color=wants_color(sys.stderr, arguments.color))

    def tell(text: str) -> None:
        if not arguments.quiet:
            screen.write([line(f"gate: {shown(text, limit=400)}")])

    try:
        return run_component(arguments.id, arguments.component or None, open_running_store(), on_event=tell)
    except StateError as error:
        raise SupervisorError(error.message, place=error.place, hint=error.hint, details=error.details) from error
    except PlugsealError as error:
        if error.exit_code not in (125, 126):
            raise SupervisorError(error.message, place=error.place, hint=error.hint) from error
        raise


def _end(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    raise SystemExit(128 + number)
