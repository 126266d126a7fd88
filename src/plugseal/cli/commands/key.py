"""`plugseal key new`, `list` and `show`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Final

from plugseal.cli.exits import YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.settings import format_of
from plugseal.errors import UsageError
from plugseal.render.keys import render_key, render_keys, render_keys_json, render_made


def run_new(arguments: argparse.Namespace) -> int:
    """Make a key.

    Raises:
        PlugsealError: as `new_key`.
    """
    from plugseal.verbs.receipts.keys import new_key

    made = new_key(
        Path(arguments.name),
        kind=arguments.type,
        comment=arguments.comment or "",
        passphrase=passphrase_of(arguments),
    )
    with Result() as stream:
        Screen(stream, color=wants_color(stream, arguments.color)).write(render_made(made))
    return YES


def run_show(arguments: argparse.Namespace) -> int:
    """Print one public key.

    Raises:
        PlugsealError: as `show_key`.
    """
    from plugseal.verbs.receipts.keys import show_key

    form = format_of(arguments)
    key = show_key(Path(arguments.key))
    result = Result(arguments.output)
    with result as stream:
        if form == "json":
            stream.writelines(render_keys_json([key]))
        elif arguments.pem:
            stream.write(key.pem)
        else:
            lines = list(render_key(key))
            screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
            screen.hang(lines[-1:] if arguments.quiet else lines)
    return YES


def run_list(arguments: argparse.Namespace) -> int:
    """Print the keys of the agent and of the team.

    Raises:
        PlugsealError: as `list_keys`.
    """
    from plugseal.verbs.receipts.keys import list_keys
    from plugseal.verbs.receipts.team import find_optional_team

    form = format_of(arguments)
    keys = list_keys(find_optional_team(None if arguments.team is None else Path(arguments.team)))
    result = Result(arguments.output)
    with result as stream:
        if form == "json":
            stream.writelines(render_keys_json(keys))
        else:
            lines = list(render_keys(keys))
            screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
            screen.hang(lines[-1:] if arguments.quiet else lines)
    return YES


def passphrase_of(arguments: argparse.Namespace) -> bytes | None:
    """Return the passphrase that options point to, None where none does.

    Raises:
        PlugsealError: as `read_passphrase`.
    """
    from plugseal.verbs.receipts.keys import read_passphrase

    descriptor, file = arguments.passphrase_fd, arguments.passphrase_file
    if descriptor is not None and file is not None:
        raise UsageError("`--passphrase-fd` and `--passphrase-file` are two places: choose one")
    if descriptor is not None and not (descriptor.isascii() and descriptor.isdigit() and len(descriptor) < 5):
        raise UsageError("`--passphrase-fd` needs the number of an open descriptor")
    return read_passphrase(
        descriptor=None if descriptor is None else int(descriptor), path=None if file is None else Path(file)
    )


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "key new": run_new,
    "key show": run_show,
    "key list": run_list,
}
