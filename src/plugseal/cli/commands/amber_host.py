"""`plugseal amber call` and `serve`: one call by hand, and the host that offers amber's plugins over MCP."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from plugseal.cli.commands.serving import end_on_signals, tell_by
from plugseal.cli.exits import NO, YES
from plugseal.cli.output import Result
from plugseal.errors import UsageError
from plugseal.shown import shown_json
from plugseal.verbs.amber.serve import call_amber, serve_amber
from plugseal.verbs.state import open_host_store


def run_call(arguments: argparse.Namespace) -> int:
    """Print the envelope of one call; 1 if it says that the call failed.

    Raises:
        PlugsealError: as `find_amber` and `call_amber`.
    """
    # Who serves looks for no plugin, and loads no scanner for it.
    from plugseal.verbs.amber.find import find_amber

    store, workspace = open_host_store(), workspace_of(arguments)
    envelope = call_amber(
        find_amber(arguments.id, store, workspace=workspace),
        arguments.tool,
        arguments.json,
        store,
        workspace=workspace,
        on_event=tell_by(arguments),
    )
    with Result() as stream:
        stream.write(shown_json(json.dumps(envelope.body, indent=2)) + "\n")
    return YES if envelope.ok else NO


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve a client until it goes away.

    Raises:
        PlugsealError: as `serve_amber`.
    """
    end_on_signals()
    serve_amber(open_host_store(), workspace=workspace_of(arguments), on_event=tell_by(arguments))
    return YES


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
