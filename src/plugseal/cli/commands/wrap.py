"""`plugseal wrap` and `unwrap`: clients' configurations through the gate, and back."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from plugseal.cli.exits import NO, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.errors import PlugsealError
from plugseal.render.wrap import render_wrapped
from plugseal.verbs.state import open_store
from plugseal.verbs.wrap import Wrapped, unwrap, wrap_all


def run_wrap(arguments: argparse.Namespace) -> int:
    """Wrap configurations; 1 if a server goes around the gate, or would without `--check`.

    Raises:
        PlugsealError: as `wrap`.
    """
    store = open_store()
    done: list[Wrapped] = []
    try:
        done.extend(wrap_all([Path(path) for path in arguments.files], store, check=arguments.check))
    finally:
        _print(arguments, done)  # what was written is said, whatever failed behind it
    is_open = any(one.around or (arguments.check and one.wrapped) for one in done)
    return NO if is_open else YES


def run_unwrap(arguments: argparse.Namespace) -> int:
    """Put configurations back.

    Raises:
        PlugsealError: as `unwrap`.
    """
    store = open_store()
    done: list[Wrapped] = []
    failed: list[PlugsealError] = []
    for path in arguments.files:
        try:
            done.append(unwrap(Path(path), store))
        except PlugsealError as error:
            failed.append(error)  # one that can't be put back keeps no other from it
    _print(arguments, done)
    if failed:
        first, *others = failed
        first.details = (*first.details, *(f"{one.place}: {one.message}" for one in others))
        raise first
    return YES


def _print(arguments: argparse.Namespace, done: Iterable[Wrapped]) -> None:
    with Result() as stream:
        screen = Screen(stream, color=wants_color(stream, arguments.color))
        for one in done:
            screen.hang(
                render_wrapped(
                    one.path,
                    wrapped=one.wrapped,
                    gated=one.gated,
                    around=one.around,
                    remote=one.remote,
                    homeless=one.homeless,
                    before=one.before,
                    after=one.after,
                )
            )


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {"wrap": run_wrap, "unwrap": run_unwrap}
