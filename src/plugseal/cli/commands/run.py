"""`plugseal run`: what an MCP client calls in place of the server's own command."""

from __future__ import annotations

import signal
import sys
from functools import cache
from typing import TYPE_CHECKING, NoReturn

from plugseal.errors import PlugsealError, StateError, SupervisorError
from plugseal.verbs.run import adopt_orphans, run_component
from plugseal.verbs.state import open_running_store

if TYPE_CHECKING:  # a client waits for this: what only speaks is loaded when there is something to say
    import argparse
    from types import FrameType

    from plugseal.cli.output import Screen


def run(arguments: argparse.Namespace) -> int:
    """Serve the client; the exit code is the component's own, 126 if the gate refused, 125 if plugseal failed.

    Raises:
        PlugsealError: as `run_component`; the state's own errors count as ours here.
    """
    return serve(arguments.id, arguments.component, color=arguments.color, quiet=arguments.quiet)


def serve(plugin: str, component: str = "", *, color: str = "auto", quiet: bool = False) -> int:
    """Do what `run` does, for arguments that are known without being parsed.

    Args:
        plugin: its ID.
        component: empty where only one can be started.
        color: when to use it.
        quiet: whether to say nothing of what the gate does.

    Raises:
        PlugsealError: as `run`.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        # What a client ends is ended, proven and recorded like what ends by itself.
        signal.signal(number, _end)
    adopt_orphans()

    def tell(text: str) -> None:
        from plugseal.render.text import line
        from plugseal.shown import shown

        if not quiet:
            _screen(color).write([line(f"gate: {shown(text, limit=400)}")])

    try:
        return run_component(plugin, component or None, open_running_store(), on_event=tell)
    except StateError as error:
        raise SupervisorError(error.message, place=error.place, hint=error.hint, details=error.details) from error
    except PlugsealError as error:
        if error.exit_code not in (125, 126):
            raise SupervisorError(error.message, place=error.place, hint=error.hint) from error
        raise


@cache
def _screen(color: str) -> Screen:
    from plugseal.cli.output import Screen, wants_color

    return Screen(sys.stderr, color=wants_color(sys.stderr, color))


def _end(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    raise SystemExit(128 + number)
