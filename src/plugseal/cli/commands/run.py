"""`plugseal run`: what an MCP client calls in place of the server's own command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.cli.commands.serving import end_on_signals, teller
from plugseal.errors import PlugsealError, StateError, SupervisorError
from plugseal.verbs.run import run_component
from plugseal.verbs.state import open_running_store

if TYPE_CHECKING:  # a client waits for this command
    import argparse


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
    end_on_signals()
    try:
        return run_component(plugin, component or None, open_running_store(), on_event=teller(color, quiet=quiet))
    except StateError as error:
        raise SupervisorError(error.message, place=error.place, hint=error.hint, details=error.details) from error
    except PlugsealError as error:
        if error.exit_code not in (125, 126):
            raise SupervisorError(error.message, place=error.place, hint=error.hint) from error
        raise
