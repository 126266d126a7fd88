"""From a command's arguments to the plugin that they name, looked at as it is on disk now."""

from __future__ import annotations

import argparse

from plugseal.cli.progress import Progress
from plugseal.model.look import Look
from plugseal.verbs.look import look
from plugseal.verbs.narrow import narrowed
from plugseal.verbs.select import select


def look_at(arguments: argparse.Namespace) -> Look:
    """Return the plugin that the arguments name, as it is on disk now.

    Raises:
        PlugsealError: as `select`, `look` and `narrowed`.
    """
    selection = select(arguments.plugin)
    with Progress(quiet=arguments.quiet, verbose=arguments.verbose) as progress:
        found = look(selection, system=arguments.system or "", on_progress=progress.update)
    only = getattr(arguments, "only", None)
    # Words that came out empty name nothing, least of all the whole plugin.
    return found if only is None else narrowed(found, only.split(","))
