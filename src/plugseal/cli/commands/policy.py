"""`plugseal policy pin`, `new`, `explain`, `test` and `sign`: a policy binds the gate, is drafted, tried, changed."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Final

from plugseal.cli.exits import NO, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.render.policy import render_policy
from plugseal.verbs.policies.pin import PinWish, pin
from plugseal.verbs.state import open_store


def run_pin(arguments: argparse.Namespace) -> int:
    """Pin a policy.

    Raises:
        PlugsealError: as `pin`.
    """
    team, reviews = (None if folder is None else Path(folder) for folder in (arguments.team, arguments.reviews))
    done = pin(Path(arguments.file), open_store(), PinWish(arguments.system, team, reviews, arguments.anew))
    with Result() as stream:
        lines = render_policy(done.policy, place=done.place, team=done.team, gone=done.gone)
        Screen(stream, color=wants_color(stream, arguments.color)).write(lines)
    return YES


def run_new(arguments: argparse.Namespace) -> int:
    """Print a policy out of what is there.

    Raises:
        PlugsealError: as `draft_policy`.
    """
    from plugseal.verbs.policies.team import draft_policy

    text = draft_policy(Path(arguments.path))
    with Result(arguments.output) as stream:
        stream.write(text)
    return YES


def run_explain(arguments: argparse.Namespace) -> int:
    """Print why plugins pass or fail; it shows and does not judge.

    Raises:
        PlugsealError: as `explain_policy`.
    """
    from plugseal.cli.settings import format_of
    from plugseal.render.check import render_check
    from plugseal.render.check_formats import render_check_json
    from plugseal.verbs.policies.team import explain_policy

    form = format_of(arguments)
    checked = explain_policy(Path(arguments.path), arguments.policy or "")
    with Result() as stream:
        if form == "json":
            stream.writelines(render_check_json(checked))
        else:
            screen = Screen(stream, color=wants_color(stream, arguments.color))
            screen.hang(render_check(checked, everything=True))
    return YES


def run_test(arguments: argparse.Namespace) -> int:
    """Run the examples of a policy.

    Raises:
        PlugsealError: as `try_examples`.
    """
    from plugseal.render.check import render_examples
    from plugseal.verbs.policies.team import try_examples

    tried = [(one.line, one.said, one.expected, one.found) for one in try_examples(Path(arguments.file))]
    with Result() as stream:
        Screen(stream, color=wants_color(stream, arguments.color)).hang(render_examples(tried))
    return YES if all(expected == found for _, _, expected, found in tried) else NO


def run_sign(arguments: argparse.Namespace) -> int:
    """Sign a change of policy and keys.

    Raises:
        PlugsealError: as `sign_turn`.
    """
    from plugseal.cli.commands.receipt import signing_key
    from plugseal.render.policy import render_rotation
    from plugseal.verbs.receipts.rotation import sign_turn

    key = signing_key(arguments)
    done = sign_turn(
        Path(arguments.path), arguments.base or "", key, name=arguments.policy or "plugseal.toml", as_ssh=key.from_agent
    )
    with Result() as stream:
        lines = render_rotation(str(done.path), done.keyid, done.rotation.before, done.rotation.after)
        Screen(stream, color=wants_color(stream, arguments.color)).write(lines)
    return YES


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "policy pin": run_pin,
    "policy new": run_new,
    "policy explain": run_explain,
    "policy test": run_test,
    "policy sign": run_sign,
}
