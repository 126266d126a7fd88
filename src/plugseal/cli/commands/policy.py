"""`plugseal policy pin`: from then on the gate asks for what a policy says."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Final

from plugseal.cli.exits import YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.render.policy import render_policy
from plugseal.verbs.policy import pin
from plugseal.verbs.state import open_store


def run_pin(arguments: argparse.Namespace) -> int:
    """Pin a policy.

    Raises:
        PlugsealError: as `pin`.
    """
    policy, place = pin(Path(arguments.file), open_store(), system=arguments.system)
    with Result() as stream:
        Screen(stream, color=wants_color(stream, arguments.color)).write(render_policy(policy, place=place))
    return YES


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {"policy pin": run_pin}
