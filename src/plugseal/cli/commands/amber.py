"""`plugseal amber …`: amber's administration, one call by hand, and the host that offers its plugins over MCP."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from plugseal.cli.exits import NO, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.settings import format_of
from plugseal.errors import NothingToJudgeError, UsageError
from plugseal.render.amber import (
    render_amber_info,
    render_amber_info_json,
    render_amber_installed,
    render_amber_list,
    render_amber_list_json,
    render_amber_settings,
    render_amber_settings_json,
    render_amber_tools,
    render_amber_uninstalled,
)
from plugseal.render.ceremony import render_done
from plugseal.render.text import Line, line
from plugseal.shown import shown, shown_json
from plugseal.verbs import amber as verbs
from plugseal.verbs.amber_find import Found, find_amber
from plugseal.verbs.amber_install import install, uninstall
from plugseal.verbs.amber_serve import call_amber, serve_amber
from plugseal.verbs.run import adopt_orphans
from plugseal.verbs.state import open_store


def run_list(arguments: argparse.Namespace) -> int:
    """Print the plugins that amber finds, or the text that advertises the tools of those that are on.

    Raises:
        PlugsealError: as `list_amber`, or where there is none.
    """
    form = format_of(arguments)
    workspace = _workspace(arguments)
    if arguments.prompt:
        text = verbs.prompt_text(open_store(), workspace)
        with Result(arguments.output) as stream:
            stream.write(text)
        return YES
    listed = verbs.list_amber(open_store(), workspace)
    if not listed:
        raise NothingToJudgeError("amber finds no plugin", hint="install one: `plugseal amber install ARCHIVE`")
    if form == "json":
        return _write(arguments, render_amber_list_json(listed))
    result = Result(arguments.output)
    with result as stream:
        screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
        rows = list(render_amber_list(listed, width=screen.width))
        screen.hang(rows[-1:] if arguments.quiet else rows)
    return YES


def run_info(arguments: argparse.Namespace) -> int:
    """Print one plugin.

    Raises:
        PlugsealError: as `find_amber` and `inform`.
    """
    form = format_of(arguments)
    info = verbs.inform(_find(arguments), open_store(), workspace=_workspace(arguments))
    return (
        _write(arguments, render_amber_info_json(info))
        if form == "json"
        else _print(arguments, render_amber_info(info))
    )


def run_install(arguments: argparse.Namespace) -> int:
    """Install a plugin.

    Raises:
        PlugsealError: as `install`.
    """
    done = install(arguments.source, open_store(), workspace=Path.cwd(), replace=arguments.replace)
    return _print(arguments, render_amber_installed(done))


def run_uninstall(arguments: argparse.Namespace) -> int:
    """Remove a plugin.

    Raises:
        PlugsealError: as `find_amber` and `uninstall`.
    """
    return _print(arguments, render_amber_uninstalled(uninstall(_find(arguments), open_store(), workspace=Path.cwd())))


def run_on(arguments: argparse.Namespace) -> int:
    """Switch a plugin on.

    Raises:
        PlugsealError: as `find_amber` and `switch_on`.
    """
    switched = verbs.switch_on(_find(arguments), open_store(), workspace=_workspace(arguments))
    done = render_done(switched.done, word=switched.done.id)
    return _print(arguments, [*done, *render_amber_tools(switched.tools)])


def run_off(arguments: argparse.Namespace) -> int:
    """Switch a plugin off.

    Raises:
        PlugsealError: as `find_amber` and `switch_off`.
    """
    done = verbs.switch_off(_find(arguments), open_store())
    return _print(arguments, list(render_done(done, word=done.id))[:1])


def run_settings(arguments: argparse.Namespace) -> int:
    """Print the settings of a plugin, or change one.

    Raises:
        PlugsealError: as `find_amber`, `show_settings` and `change_setting`.
    """
    form = format_of(arguments)
    key, is_set, value = arguments.key.partition("=")
    found, store = _find(arguments), open_store()
    if arguments.default and (is_set or not key):
        raise UsageError("`--default` needs a KEY alone", hint="see `plugseal amber settings --help`")
    if is_set or arguments.default:
        settings = verbs.change_setting(found, store, key, value=value if is_set else None)
    else:
        settings = verbs.show_settings(found, store)
    wanted = [one for one in settings if key in ("", one.key)]
    if key and not wanted:
        raise UsageError(f"it declares no setting `{key}`", hint="see them with `plugseal amber settings ID`")
    if form == "json":
        return _write(arguments, render_amber_settings_json(wanted))
    return _print(arguments, render_amber_settings(wanted))


def run_call(arguments: argparse.Namespace) -> int:
    """Print the envelope of one call; 1 if it says that the call failed.

    Raises:
        PlugsealError: as `find_amber` and `call_amber`.
    """
    envelope = call_amber(
        _find(arguments),
        arguments.tool,
        arguments.json,
        open_store(),
        workspace=_workspace(arguments),
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
    serve_amber(open_store(), workspace=_workspace(arguments), on_event=_teller(arguments))
    return YES


def _end(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    raise SystemExit(128 + number)


def _find(arguments: argparse.Namespace) -> Found:
    return find_amber(arguments.id, open_store(), workspace=_workspace(arguments))


def _workspace(arguments: argparse.Namespace) -> Path:
    path = Path(getattr(arguments, "workspace", None) or ".")
    if not path.is_dir():
        raise UsageError(f"`{path}` is no folder", hint="name the workspace by `--workspace FOLDER`")
    return path


def _teller(arguments: argparse.Namespace) -> Callable[[str], None]:
    screen = Screen(sys.stderr, color=wants_color(sys.stderr, arguments.color))

    def tell(text: str) -> None:
        if not arguments.quiet:
            screen.write([line(f"gate: {shown(text, limit=400)}")])

    return tell


def _write(arguments: argparse.Namespace, document: str) -> int:
    with Result(arguments.output) as stream:
        stream.write(document)
    return YES


def _print(arguments: argparse.Namespace, lines: Iterable[Line]) -> int:
    result = Result(getattr(arguments, "output", None))
    with result as stream:
        screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
        rows = list(lines)
        screen.hang(rows[:1] if arguments.quiet else rows)
    return YES


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "amber list": run_list,
    "amber info": run_info,
    "amber install": run_install,
    "amber uninstall": run_uninstall,
    "amber on": run_on,
    "amber off": run_off,
    "amber settings": run_settings,
    "amber call": run_call,
    "amber serve": run_serve,
}
