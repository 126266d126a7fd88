"""`plugseal trust`, `enable`, `disable`, `revoke`, `reload` and `forget`: what changes the trust in a plugin."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Final

from plugseal.cli.commands.looking import look_at
from plugseal.cli.exits import NO, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.errors import PlugsealError, RefusedTransitionError, UsageError
from plugseal.model.look import Look
from plugseal.model.trust import Done
from plugseal.render.ceremony import render_done, render_rechecked, render_refused
from plugseal.render.next import look_word
from plugseal.render.review import render_review
from plugseal.render.text import count, line
from plugseal.verbs import trust as verbs
from plugseal.verbs.known import find_record
from plugseal.verbs.recheck import recheck
from plugseal.verbs.review import review
from plugseal.verbs.stages import collect_stages
from plugseal.verbs.state import open_store

_DIGITS: Final = frozenset("0123456789abcdef.")


def run_trust(arguments: argparse.Namespace) -> int:
    """Trust a plugin by its whole token.

    Raises:
        PlugsealError: as `look` and `trust`.
    """
    if _is_token(arguments.plugin):
        # Looked for as a name, it would have everything below here read first.
        raise UsageError("the token stands in the place of the plugin", hint="`plugseal trust PLUGIN TOKEN`")
    found = look_at(arguments)
    word = look_word(found)
    try:
        done = verbs.trust(found, arguments.token, open_store())
    except PlugsealError as error:
        if error.code == "token":
            error.place = found.path
            error.hint = f"read it with `plugseal review {word}`, and copy its last line"
        raise
    return _print(arguments, done, word)


def _is_token(word: str) -> bool:
    parts = word.split(".")
    return [len(part) for part in parts] == [64, 64] and set(word) <= _DIGITS and not os.path.lexists(word)


def run_enable(arguments: argparse.Namespace) -> int:
    """Permit a trusted plugin to run; one that is not trusted is shown, and refused with 1.

    Raises:
        PlugsealError: as `look` and `enable`.
    """
    found = look_at(arguments)
    store = open_store()
    word = look_word(found)
    try:
        done = verbs.enable(found, store)
    except RefusedTransitionError as error:
        if not error.status:
            raise
        return _refuse(arguments, found, error)
    return _print(arguments, done, word)


def run_disable(arguments: argparse.Namespace) -> int:
    """Take the permission to run.

    Raises:
        PlugsealError: as `find_record` and `disable`.
    """
    store = open_store()
    return _print(arguments, verbs.disable(find_record(arguments.plugin, store), store))


def run_revoke(arguments: argparse.Namespace) -> int:
    """Take the trust.

    Raises:
        PlugsealError: as `find_record` and `revoke`.
    """
    store = open_store()
    done = verbs.revoke(find_record(arguments.plugin, store), store, note=arguments.reason or "")
    return _print(arguments, done)


def run_reload(arguments: argparse.Namespace) -> int:
    """Make older permissions ask again.

    Raises:
        PlugsealError: as `find_record` and `reload`.
    """
    store = open_store()
    return _print(arguments, verbs.reload(find_record(arguments.plugin, store), store))


def run_forget(arguments: argparse.Namespace) -> int:
    """Forget a plugin.

    Raises:
        PlugsealError: as `find_record` and `forget`.
    """
    store = open_store()
    return _print(arguments, verbs.forget(find_record(arguments.plugin, store), store))


def run_recheck(arguments: argparse.Namespace) -> int:
    """Read a trusted plugin again; the exit code is 1 if it can do more than was trusted.

    Raises:
        PlugsealError: as `look` and `recheck`.
    """
    found = look_at(arguments)
    done, change = recheck(found, open_store())
    with Result() as stream:
        screen = Screen(stream, color=wants_color(stream, arguments.color))
        screen.hang(render_rechecked(done, change, word=look_word(found)))
    return NO if change.is_about_what_runs else YES


def run_gc(arguments: argparse.Namespace) -> int:
    """Remove staged copies that no trust needs.

    Raises:
        StateError: a record can't be believed: then nothing is removed.
    """
    removed = collect_stages(open_store())
    with Result() as stream:
        text = line(count(removed, "staged copy", "staged copies"), " removed")
        Screen(stream, color=wants_color(stream, arguments.color)).write([text])
    return YES


def _refuse(arguments: argparse.Namespace, found: Look, error: RefusedTransitionError) -> int:
    shown = review(found, open_store())
    with Result() as stream:
        screen = Screen(stream, color=wants_color(stream, arguments.color))
        lines = list(render_refused(found.report.plugin.name, error.message))
        if not arguments.quiet:
            screen.hang(render_review(shown, width=screen.width))
        screen.hang(lines[-1:] if arguments.quiet else lines)
    return NO


def _print(arguments: argparse.Namespace, done: Done, word: str = "") -> int:
    with Result() as stream:
        screen = Screen(stream, color=wants_color(stream, arguments.color))
        lines = list(render_done(done, word=word or done.id))
        screen.hang(lines[:1] if arguments.quiet else lines)
    return YES


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "trust": run_trust,
    "enable": run_enable,
    "disable": run_disable,
    "revoke": run_revoke,
    "reload": run_reload,
    "forget": run_forget,
    "recheck": run_recheck,
    "stage gc": run_gc,
}
