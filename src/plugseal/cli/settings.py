"""What options and variables say together."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from plugseal.cli.parser import bad_value

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
