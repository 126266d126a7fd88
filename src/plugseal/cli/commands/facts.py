"""`plugseal facts`: what code can do, as lines of JSON."""

from __future__ import annotations

import argparse

from plugseal.cli.exits import YES
from plugseal.cli.output import Result
from plugseal.cli.progress import Progress
from plugseal.cli.settings import jobs_of
from plugseal.render.facts import render_facts
from plugseal.verbs.facts import list_facts
from plugseal.verbs.scan import Memory
from plugseal.verbs.select import select


def run(arguments: argparse.Namespace) -> int:
    """Print the facts of a path; the exit code is 0 once they are printed.

    Raises:
        PlugsealError: as `list_facts`.
    """
    with Progress(quiet=arguments.quiet, verbose=arguments.verbose) as progress:
        memory = None if arguments.no_cache else Memory()
        path = select(arguments.plugin).path
        facts = list_facts(path, on_progress=progress.update, memory=memory, jobs=jobs_of(arguments))
    with Result(arguments.output) as stream:
        stream.writelines(render_facts(facts))
    return YES
