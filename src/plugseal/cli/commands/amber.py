"""`plugseal amber list`, `info`, `install`, `uninstall`, `on`, `off` and `settings`: amber's administration."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from plugseal.cli.commands.amber_host import workspace_of
from plugseal.cli.exits import YES
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
from plugseal.render.text import Line
from plugseal.verbs.amber import plugins as verbs
from plugseal.verbs.amber.find import Found, find_amber
from plugseal.verbs.amber.install import install, uninstall
from plugseal.verbs.state import open_host_store, open_store


def run_list(arguments: argparse.Namespace) -> int:
    """Print the plugins that amber finds, or the text that advertises the tools of those that are on.

    Raises:
        PlugsealError: as `list_amber`, or where there is none.
    """
    form = format_of(arguments)
    workspace = workspace_of(arguments)
    if arguments.prompt:
        text = verbs.prompt_text(open_host_store(), workspace)
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
    info = verbs.inform(_find(arguments), open_store(), workspace=workspace_of(arguments))
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
    switched = verbs.switch_on(_find(arguments), open_store(), workspace=workspace_of(arguments))
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


def _find(arguments: argparse.Namespace) -> Found:
    return find_amber(arguments.id, open_store(), workspace=workspace_of(arguments))


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
}
