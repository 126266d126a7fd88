"""`plugseal run`: what an MCP client calls in place of the server's own command."""

from __future__ import annotations

from plugseal.verbs.run import run_component

TYPE_CHECKING = False
if TYPE_CHECKING:  # a client waits for this command: what is not needed to begin is loaded while it has begun
    import argparse
    from collections.abc import Callable


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
    known: list[Callable[[str], None]] = []

    def tell(text: str) -> None:
        from plugseal.cli.commands.serving import teller

        if not known:
            known.append(teller(color, quiet=quiet))
        known[0](text)

    try:
        return run_component(plugin, component or None, on_event=tell, prepare=_prepare)
    except Exception as error:
        from plugseal.errors import PlugsealError, StateError, SupervisorError
        from plugseal.verbs.by_system import refused_by_system

        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            told = refused_by_system(error)
            if told is not None:
                raise SupervisorError(told.message, place=told.place, hint=told.hint) from error
        if isinstance(error, StateError):
            raise SupervisorError(error.message, place=error.place, hint=error.hint, details=error.details) from error
        if isinstance(error, PlugsealError) and error.exit_code not in (125, 126):
            raise SupervisorError(error.message, place=error.place, hint=error.hint) from error
        raise


def _prepare() -> None:
    from plugseal.cli.commands.serving import end_on_signals

    end_on_signals()
