"""`plugseal codewhale list`, `validate`, `show`, `trust`, `enable`, `disable`, `revoke` and `reload`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Final

from plugseal.cli.commands.codewhale_common import begin_in, in_workspace, print_lines
from plugseal.cli.exits import NO, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.progress import Progress
from plugseal.cli.settings import format_of
from plugseal.errors import PlugsealError, RefusedTransitionError
from plugseal.model.codewhale import ListedBundle
from plugseal.model.look import Look
from plugseal.model.trust import Done
from plugseal.render import codewhale as render
from plugseal.render.ceremony import render_done, render_refused
from plugseal.render.review import render_review
from plugseal.render.text import BLANK, Line
from plugseal.verbs import trust as verbs
from plugseal.verbs.codewhale import bundles
from plugseal.verbs.codewhale.start import Start
from plugseal.verbs.review import review

_GROUP: Final = "codewhale "


def run_list(arguments: argparse.Namespace) -> int:
    """Print the bundles of a workspace.

    Raises:
        PlugsealError: as `begin`.
    """
    listed = bundles.list_bundles(begin_in(arguments))
    if format_of(arguments) == "json":
        with Result(arguments.output) as stream:
            stream.writelines(render.render_bundles_json(listed))
        return YES
    return print_lines(arguments, lambda width: render.render_bundles(listed, width=width))


def run_validate(arguments: argparse.Namespace) -> int:
    """Print what is wrong with a bundle; 1 if it can't be enabled.

    Raises:
        PlugsealError: as `find_bundle`.
    """
    listed = bundles.listed_bundle(bundles.find_bundle(arguments.name, begin_in(arguments).registry))
    if format_of(arguments) == "json":
        with Result(arguments.output) as stream:
            stream.writelines(render.render_validated_json(listed))
    else:
        print_lines(arguments, lambda _: render.render_validated(listed))
    return YES if listed.bundle.is_valid and not listed.bundle.inactive else NO


def run_show(arguments: argparse.Namespace) -> int:
    """Print the review of a bundle.

    Raises:
        PlugsealError: as `find_bundle` and `look_at_bundle`.
    """
    start = begin_in(arguments)
    entry = bundles.find_bundle(arguments.name, start.registry)
    found = _look(arguments, entry.bundle.id, start)
    listed = bundles.listed_bundle(entry)
    return print_lines(arguments, lambda width: _review(arguments, listed, found, start, width))


def run_trust(arguments: argparse.Namespace) -> int:
    """Trust a bundle by its whole token.

    Raises:
        PlugsealError: as `trust_bundle`.
    """
    start = begin_in(arguments)
    entry = bundles.find_bundle(arguments.name, start.registry)
    found = _look(arguments, entry.bundle.id, start)
    try:
        done = bundles.trust_bundle(found, arguments.token, start.host.store)
    except PlugsealError as error:
        if error.code == "token":
            error.place, word = found.path, f"{entry.bundle.name}{in_workspace(arguments)}"
            error.hint = f"read it with `plugseal codewhale show {word}`, and copy its last line"
        raise
    return _print(arguments, done, entry.bundle.name)


def run_enable(arguments: argparse.Namespace) -> int:
    """Permit a trusted bundle; one that is not trusted is shown, and refused with 1.

    Raises:
        PlugsealError: as `enable_bundle`.
    """
    start = begin_in(arguments)
    entry = bundles.find_bundle(arguments.name, start.registry)
    found = _look(arguments, entry.bundle.id, start)
    try:
        done = bundles.enable_bundle(entry, found, start)
    except RefusedTransitionError as error:
        if not error.status:
            raise
        message, listed = error.message, bundles.listed_bundle(entry)
        with Result() as stream:
            screen = Screen(stream, color=wants_color(stream, arguments.color))
            lines = list(render_refused(found.report.plugin.name, message))
            if not arguments.quiet:
                screen.hang(_review(arguments, listed, found, start, screen.width))
            screen.hang(lines[-1:] if arguments.quiet else lines)
        return NO
    return _print(arguments, done, entry.bundle.name)


def run_disable(arguments: argparse.Namespace) -> int:
    """Stop a bundle from contributing.

    Raises:
        PlugsealError: as `record_of` and `disable`.
    """
    start = begin_in(arguments)
    return _print(arguments, verbs.disable(bundles.record_of(arguments.name, start), start.host.store), arguments.name)


def run_revoke(arguments: argparse.Namespace) -> int:
    """Take the trust in a bundle.

    Raises:
        PlugsealError: as `record_of` and `revoke`.
    """
    start = begin_in(arguments)
    record = bundles.record_of(arguments.name, start)
    return _print(arguments, verbs.revoke(record, start.host.store, note=arguments.reason or ""), arguments.name)


def run_reload(arguments: argparse.Namespace) -> int:
    """End what is permitted to bundles whose files changed, and print the list.

    Raises:
        PlugsealError: as `begin` and `reload_bundles`.
    """
    reloaded = bundles.reload_bundles(begin_in(arguments))
    listed = bundles.list_bundles(begin_in(arguments))
    if format_of(arguments) == "json":
        with Result(arguments.output) as stream:
            stream.writelines(render.render_bundles_json(listed, reloaded=reloaded))
        return YES
    return print_lines(arguments, lambda width: render.render_reloaded(listed, reloaded, width=width))


def _look(arguments: argparse.Namespace, bundle: str, start: Start) -> Look:
    entry = bundles.find_bundle(bundle, start.registry)
    with Progress(quiet=arguments.quiet, verbose=arguments.verbose) as progress:
        return bundles.look_at_bundle(entry.bundle, on_progress=progress.update)


def _review(
    arguments: argparse.Namespace, listed: ListedBundle, found: Look, start: Start, width: int
) -> Iterator[Line]:
    skills, servers = bundles.exposed_names(found)
    yield from render.render_ending(listed, skills, servers)
    yield BLANK
    name = listed.bundle.name
    command = f"plugseal codewhale trust {name}{in_workspace(arguments)}"
    yield from render_review(review(found, start.host.store), width=width, trust=command)


def _print(arguments: argparse.Namespace, done: Done, name: str) -> int:
    with Result() as stream:
        screen = Screen(stream, color=wants_color(stream, arguments.color))
        rows = list(render_done(done, word=f"{name}{in_workspace(arguments)}", group=_GROUP))
        screen.hang(rows[:1] if arguments.quiet else rows)
    return YES


BUNDLE_RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "codewhale list": run_list,
    "codewhale validate": run_validate,
    "codewhale show": run_show,
    "codewhale trust": run_trust,
    "codewhale enable": run_enable,
    "codewhale disable": run_disable,
    "codewhale revoke": run_revoke,
    "codewhale reload": run_reload,
}
