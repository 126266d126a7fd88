"""`plugseal lingtai …`: an agent's Agent Plugins, from their declaration to their tools."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from plugseal.cli.commands.serving import end_on_signals, tell_by
from plugseal.cli.exits import NO, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.settings import format_of
from plugseal.errors import NothingToJudgeError, PlugsealError, SupervisorError, UsageError
from plugseal.shown import shown_json
from plugseal.verbs.lingtai.agent import ask_plugin, list_agent, read_section, refresh
from plugseal.verbs.state import open_host_store, open_store

_RAN: Final = (125, 126)
"""Exit codes that a started program's own never means."""


def run_list(arguments: argparse.Namespace) -> int:
    """Print the plugins of an agent and its registered servers.

    Raises:
        PlugsealError: as `list_agent`, or where there is no plugin.
    """
    from plugseal.render.lingtai import render_listed, render_listed_json

    form = format_of(arguments)
    listed = list_agent(Path(arguments.agent), open_store())
    if not listed.plugins:
        hint = "declare plugins in its `init.json`, then `plugseal lingtai refresh`"
        raise NothingToJudgeError("no plugin is registered or discovered", place=arguments.agent, hint=hint)
    result = Result(arguments.output)
    with result as stream:
        if form == "json":
            stream.writelines(render_listed_json(listed))
        else:
            screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
            lines = list(render_listed(listed, agent=arguments.agent, width=screen.width))
            screen.hang([row for row in lines if row][-2:] if arguments.quiet else lines)
    return YES


def run_refresh(arguments: argparse.Namespace) -> int:
    """Register and prune; with --check 1 if the registry would be another one.

    Raises:
        PlugsealError: as `refresh`.
    """
    return _refresh(arguments, is_prune=False)


def run_prune(arguments: argparse.Namespace) -> int:
    """Prune; with --check 1 if the registry would be another one.

    Raises:
        PlugsealError: as `refresh`.
    """
    return _refresh(arguments, is_prune=True)


def _refresh(arguments: argparse.Namespace, *, is_prune: bool) -> int:
    from plugseal.render.lingtai import render_refreshed, render_refreshed_json

    form = format_of(arguments)
    done = refresh(Path(arguments.agent), open_store(), is_check=arguments.check, is_prune=is_prune)
    result = Result(arguments.output)
    with result as stream:
        if form == "json":
            stream.writelines(render_refreshed_json(done))
        else:
            screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
            lines = list(render_refreshed(done))
            screen.hang(lines[-1:] if arguments.quiet else lines)
    return NO if arguments.check and done.is_changed else YES


def run_render(arguments: argparse.Namespace) -> int:
    """Print the section of the prompt; the words of plugins in it are safe already.

    Raises:
        PlugsealError: as `read_section`.
    """
    text = read_section(Path(arguments.agent), open_store())
    with Result(arguments.output) as stream:
        stream.write(text)
    return YES


def run_tool(arguments: argparse.Namespace, action: str) -> int:
    """Print what the tool `plugin` answers to an action; 1 if it refuses the call.

    Raises:
        PlugsealError: as `ask_plugin`.
    """
    try:
        given = json.loads(arguments.input)
    except (ValueError, RecursionError) as error:
        raise UsageError("`--input` is no JSON", hint="leave it out: it must be the empty object") from error
    envelope = {"action": action, "input": given, "reasoning": arguments.reasoning}
    envelope |= {"summarize": True} if getattr(arguments, "summarize", False) else {}
    answer = ask_plugin(Path(arguments.agent), open_store(), envelope)
    with Result(arguments.output) as stream:
        if action == "manual" and answer["status"] == "ok":
            stream.write(answer["plugin_manual"])
        else:
            stream.write(shown_json(json.dumps(answer, indent=2)) + "\n")
    return YES if answer["status"] == "ok" else NO


def run_call(arguments: argparse.Namespace) -> int:
    """Print the answer to one call; 1 if it is an error or the tool says that it failed.

    Raises:
        PlugsealError: as `call_tool`.
    """
    from plugseal.verbs.lingtai.run import call_tool

    answer = call_tool(
        Path(arguments.agent),
        arguments.tool,
        arguments.json,
        open_host_store(),
        plugins=_names(arguments.plugins),
        on_event=tell_by(arguments),
    )
    result = answer.get("result")
    with Result() as stream:
        stream.write(shown_json(json.dumps(answer.get("error") if "error" in answer else result, indent=2)) + "\n")
    return NO if "error" in answer or (isinstance(result, dict) and result.get("isError") is True) else YES


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve a client until it goes away.

    Raises:
        PlugsealError: as `serve_tools`.
    """
    from plugseal.verbs.lingtai.run import serve_tools

    end_on_signals()
    try:
        names = _names(arguments.plugins)
        serve_tools(Path(arguments.agent), open_host_store(), plugins=names, on_event=tell_by(arguments))
    except PlugsealError as error:
        if error.exit_code not in _RAN:
            raise SupervisorError(error.message, place=error.place, hint=error.hint, details=error.details) from error
        raise
    return YES


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def _tool(action: str) -> Callable[[argparse.Namespace], int]:
    return lambda arguments: run_tool(arguments, action)


RUNS: Final[dict[str, Any]] = {
    "lingtai list": run_list,
    "lingtai refresh": run_refresh,
    "lingtai prune": run_prune,
    "lingtai render": run_render,
    **{f"lingtai {action}": _tool(action) for action in ("info", "settings", "manual")},
    "lingtai call": run_call,
    "lingtai serve": run_serve,
}
