"""`plugseal validate`: whether plugins keep the rules of their systems."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from plugseal.cli.exits import COULD_NOT_JUDGE, NO, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.settings import format_of
from plugseal.errors import NothingToJudgeError
from plugseal.model.validation import Validation
from plugseal.render.validate import render_validation, render_validation_json, validation_line
from plugseal.verbs.select import select
from plugseal.verbs.validate import validate_selection, validate_user


def run(arguments: argparse.Namespace) -> int:
    """Print the judgement on every plugin at a path, return the exit code.

    Raises:
        PlugsealError: as `select` and `validate_selection`, or where there is nothing to judge.
    """
    form = format_of(arguments)
    validations = validate_user() if arguments.user else (validate_selection(select(arguments.plugin)),)
    result = Result(arguments.output)
    with result as stream:
        if form == "json":
            stream.writelines(render_validation_json(validations))
        elif any(validation.plugins for validation in validations):
            screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
            if arguments.quiet:
                screen.write([validation_line(validations)])
            else:
                screen.hang(render_validation(validations, everything=arguments.verbose))
    return _exit(validations, "your own folders" if arguments.user else arguments.plugin)


def _exit(validations: Sequence[Validation], place: str) -> int:
    plugins = [one for validation in validations for one in validation.plugins]
    if not plugins:
        raise NothingToJudgeError(
            "no plugin there", place=place, hint="see which files make a plugin in `docs/reference/systems.md`"
        )
    if any(not one.conforms and not one.not_judged for one in plugins):
        return NO
    return COULD_NOT_JUDGE if any(one.not_judged for one in plugins) else YES
