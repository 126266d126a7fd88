"""Settings that come from an option, from an environment variable, or from both."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from plugseal.cli.parser import bad_value
from plugseal.errors import UsageError

FORMATS = ("text", "json")
VARIABLE = "PLUGSEAL_FORMAT"


def format_of(arguments: argparse.Namespace, formats: Sequence[str] = FORMATS) -> str:
    """Return the format to print: the option, else `PLUGSEAL_FORMAT`, else text.

    Args:
        arguments: of the command.
        formats: those that the command knows.

    Raises:
        UsageError: if the variable holds an unknown format.
    """
    if arguments.format is not None:
        return str(arguments.format)
    value = os.environ.get(VARIABLE) or "text"
    if value not in formats:
        raise bad_value(VARIABLE, value, formats)
    return value


MAX_JOBS = 64


def jobs_of(arguments: argparse.Namespace) -> int:
    """Return the number that `--jobs` asks for, 0 where it was left out.

    Raises:
        UsageError: if it is no number from 1 to 64.
    """
    if arguments.jobs is None:
        return 0
    if not arguments.jobs.isascii() or not arguments.jobs.isdigit() or not 1 <= int(arguments.jobs[:9]) <= MAX_JOBS:
        raise UsageError(f"`--jobs` must be a number from 1 to {MAX_JOBS}", hint="leave it out for as many as help")
    return int(arguments.jobs)
