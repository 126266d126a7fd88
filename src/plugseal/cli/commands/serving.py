"""What the commands that start plugins share: words about what the gate does, and an end that leaves nothing behind.

A client waits for these commands, so what only speaks is loaded when there is something to say.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    import argparse
    from types import FrameType

    from plugseal.cli.output import Screen

MAX_TOLD: Final = 400
"""Characters of one message; a plugin's own words may stand in it."""


def tell_by(arguments: argparse.Namespace, *, who: str = "gate", limit: int = MAX_TOLD) -> Callable[[str], None]:
    """Return `teller` for the options of a command."""
    return teller(arguments.color, quiet=arguments.quiet, who=who, limit=limit)


def teller(color: str, *, quiet: bool, who: str = "gate", limit: int = MAX_TOLD) -> Callable[[str], None]:
    """Return what tells the user on standard error what happens meanwhile: `gate: started 48213`.

    Args:
        color: when to use it, as `--color` says.
        quiet: whether to say nothing at all.
        who: whose words these are.
        limit: characters of one message that are shown.
    """

    @cache
    def screen() -> Screen:
        from plugseal.cli.output import Screen, wants_color

        return Screen(sys.stderr, color=wants_color(sys.stderr, color))

    def tell(text: str) -> None:
        if quiet:
            return
        from plugseal.render.text import line
        from plugseal.shown import shown

        screen().write([line(f"{who}: {shown(text, limit=limit)}")])

    return tell


def end_on_signals() -> None:
    """Make SIGTERM and SIGHUP end this process in order: what it started is ended, proven gone and recorded.

    It also becomes the parent of what a killed reaper leaves behind.
    """
    from plugseal.verbs.run import adopt_orphans

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    adopt_orphans()


def _end(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    raise SystemExit(128 + number)
