"""`plugseal coding …`: list Coding's plugins, load one, call one tool, offer all of them over MCP."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable
from typing import Final

from plugseal.cli.commands.serving import end_on_signals, tell_by
from plugseal.cli.exits import NO, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.settings import format_of
from plugseal.errors import NothingToJudgeError, UsageError
from plugseal.render.coding import (
    render_coding_list,
    render_coding_list_json,
    render_coding_loaded,
    render_coding_loaded_json,
)
from plugseal.render.text import Line
from plugseal.shown import shown_json
from plugseal.verbs.coding.calls import call_coding, list_coding, load_coding
from plugseal.verbs.coding.serve import serve_coding
from plugseal.verbs.state import open_host_store, open_store

_MAX_SHOWN: Final = 2000
_MAX_SECONDS: Final = 86_400
_CANCEL: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_list(arguments: argparse.Namespace) -> int:
    """Print the recorded plugins of Coding's with their tools.

    Raises:
        PlugsealError: as `list_coding`, or where there is none.
    """
    plugins = list_coding(open_store())
    if not plugins:
        raise NothingToJudgeError(
            "no plugin of Coding's is recorded", hint="trust one first: `plugseal review PLUGIN --system coding`"
        )
    if format_of(arguments) == "json":
        return _write(arguments, render_coding_list_json(plugins))
    rows = list(render_coding_list(plugins))
    return _print(arguments, rows[-1:] if arguments.quiet else rows)


def run_load(arguments: argparse.Namespace) -> int:
    """Print what a plugin tells when it is loaded.

    Raises:
        PlugsealError: as `load_coding`.
    """
    form = format_of(arguments)
    loaded = load_coding(arguments.plugin, open_host_store(), on_event=tell_by(arguments, limit=_MAX_SHOWN))
    if form == "json":
        return _write(arguments, render_coding_loaded_json(loaded))
    rows = list(render_coding_loaded(loaded))
    return _print(arguments, rows[-1:] if arguments.quiet else rows)


def run_call(arguments: argparse.Namespace) -> int:
    """Print the result of one call; 1 if it did not succeed, 128 and the signal's number where a signal cancelled it.

    Raises:
        PlugsealError: as `call_coding`.
    """
    signals: list[int] = []
    # What its caller does not want any more is cancelled, and made to end.
    before = {number: signal.signal(number, lambda number, _: signals.append(number)) for number in _CANCEL}
    try:
        is_success, text = call_coding(
            arguments.plugin,
            arguments.tool,
            arguments.json,
            open_host_store(),
            authorized=_authorized(arguments),
            on_event=tell_by(arguments, limit=_MAX_SHOWN),
            is_unwanted=lambda: bool(signals),
            patience=_patience(arguments),
        )
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    with Result() as stream:
        stream.write(shown_json(text) + "\n")
    if signals:
        return 128 + signals[0]
    return YES if is_success else NO


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve an MCP client on standard input and output until it goes away.

    Raises:
        PlugsealError: as `serve_coding`.
    """
    end_on_signals()
    serve_coding(
        arguments.ids or (),
        open_host_store(),
        authorized=_authorized(arguments),
        on_event=tell_by(arguments, limit=_MAX_SHOWN),
        patience=_patience(arguments),
    )
    return YES


def _authorized(arguments: argparse.Namespace) -> frozenset[str]:
    return frozenset(name for name in (arguments.authorize or "").split(",") if name)


def _patience(arguments: argparse.Namespace) -> dict[str, float]:
    if arguments.timeout is None:
        return {}
    try:
        seconds = float(arguments.timeout)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _MAX_SECONDS:
        raise UsageError(f"`--timeout` must be seconds, at most {_MAX_SECONDS:,}", hint="for example `--timeout 300`")
    return {"silence": seconds}


def _print(arguments: argparse.Namespace, rows: list[Line]) -> int:
    result = Result(arguments.output)
    with result as stream:
        Screen(stream, color=wants_color(stream, result.color(arguments.color))).hang(rows)
    return YES


def _write(arguments: argparse.Namespace, text: str) -> int:
    with Result(arguments.output) as stream:
        stream.write(text + "\n")
    return YES


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "coding list": run_list,
    "coding load": run_load,
    "coding call": run_call,
    "coding serve": run_serve,
}
