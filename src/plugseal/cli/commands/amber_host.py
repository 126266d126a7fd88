"""`plugseal amber call` and `serve`: one call by hand, and the host that offers amber's plugins over MCP."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from plugseal.cli.exits import NO, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.errors import UsageError
from plugseal.render.text import line
from plugseal.shown import shown, shown_json
from plugseal.verbs.amber_serve import call_amber, serve_amber
from plugseal.verbs.run import adopt_orphans
from plugseal.verbs.state import open_host_store


def run_call(arguments: argparse.Namespace) -> int:
    """Print the envelope of one call; 1 if it says that the call failed.

    Raises:
        PlugsealError: as `find_amber` and `call_amber`.
    """
    # Who serves looks for no plugin, and loads no scanner for it.
    from plugseal.verbs.amber_find import find_amber

    store, workspace = open_host_store(), workspace_of(arguments)
    envelope = call_amber(
        find_amber(arguments.id, store, workspace=workspace),
        arguments.tool,
        arguments.json,
        store,
        workspace=workspace,
        on_event=_teller(arguments),
    )
    with Result() as stream:
        stream.write(shown_json(json.dumps(envelope.body, indent=2)) + "\n")
    return YES if envelope.ok else NO


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve a client until it goes away.

    Raises:
        PlugsealError: as `serve_amber`.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        # What a client ends is ended, proven and recorded like what ends by itself.
        signal.signal(number, _end)
    adopt_orphans()
    serve_amber(open_host_store(), workspace=workspace_of(arguments), on_event=_teller(arguments))
    return YES


def _end(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    raise SystemExit(128 + number)


def _teller(arguments: argparse.Namespace) -> Callable[[str], None]:
    screen = Screen(sys.stderr, color=wants_color(sys.stderr, arguments.color))

    def tell(text: str) -> None:
        if not arguments.quiet:
            screen.write([line(f"gate: {shown(text, limit=400)}")])

    return tell


def workspace_of(arguments: argparse.Namespace) -> Path:
    """Return the workspace that is meant.

    Raises:
        UsageError: it is no folder.
    """
    path = Path(getattr(arguments, "workspace", None) or ".")
    if not path.is_dir():
        raise UsageError(f"`{path}` is no folder", hint="name the workspace by `--workspace FOLDER`")
    return path


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {"amber call": run_call, "amber serve": run_serve}
