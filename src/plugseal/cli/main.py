"""The entry point: find the command, run it, turn every end into an exit code.

`--version` is answered before anything is loaded. No error of ours shows a traceback; a bug of ours ends with 70, one
line, and a traceback only with `-v`.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

import plugseal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plugseal.cli.parser import Command
    from plugseal.errors import PlugsealError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; never raise.

    Args:
        argv: the words after the program's name; those of the process by default.
    """
    # All of it is inside the `try`, also what answers an error: an interrupt can fall anywhere, an import as well.
    try:
        return _begin(argv)
    except KeyboardInterrupt:
        from plugseal.cli.exits import INTERRUPTED

        return INTERRUPTED


def _begin(argv: Sequence[str] | None) -> int:
    _open_missing_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    if words in (["--version"], ["-V"]):
        sys.stdout.write(f"plugseal {plugseal.__version__}\n")
        return 0
    from plugseal.environment import harden_process

    harden_process()
    if argv is not None:
        return _guarded(words)
    # A short command is mostly imports, and what they make lives to the end: collecting in between, and once more at
    # the exit, takes an eighth of its time. Verbs that read trees turn the collector on for that.
    gc.disable()
    try:
        return _guarded(words)
    finally:
        gc.freeze()


def _open_missing_streams() -> None:
    """Stand in for streams that were closed before we started: Python has None there, and what is opened next is it."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115  # as below; the first, so that it is 0
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115  # pathlib is slow here


def _guarded(words: list[str]) -> int:
    try:
        return _dispatch(words)
    except BrokenPipeError:
        from plugseal.cli.exits import READER_GONE
        from plugseal.cli.output import silence

        silence(sys.stdout)
        return READER_GONE
    except Exception as error:
        return _failed(error, words)


def _failed(error: Exception, words: Sequence[str]) -> int:
    from plugseal.cli.exits import OUR_BUG
    from plugseal.errors import IntakeError, PlugsealError

    if isinstance(error, FileNotFoundError) and _is_astray():
        error = IntakeError("the current folder is gone", hint="change to one that is there: `cd`")
    if isinstance(error, OSError):
        from plugseal.verbs.by_system import refused_by_system

        told = refused_by_system(error)
        if told is not None:
            if "-v" in words or "--verbose" in words:
                _report_trace(error)
            error = told
    if isinstance(error, PlugsealError):
        _report(error, words)
        return error.exit_code
    _report_bug(error, words)
    return OUR_BUG


def _is_astray() -> bool:
    """Say whether somebody removed the current folder: no relative path leads anywhere then."""
    try:
        os.getcwd()  # noqa: PTH109  # no path is wanted
    except OSError:
        return True
    return False


def _dispatch(words: list[str]) -> int:
    if words[:1] == ["run"] and len(words) in (2, 3) and not any(not word or word[0] == "-" for word in words):
        # What a client's configuration holds, and a client waits for: there is nothing to parse.
        from plugseal.cli.commands.run import serve

        return serve(*words[1:])
    from plugseal.cli.find import find_command, load_run
    from plugseal.cli.parser import parse_arguments

    command, rest = find_command(words)
    options = rest[: rest.index("--")] if "--" in rest else rest
    if isinstance(command, str) or "-h" in options or "--help" in options:
        # Before parsing: whoever asks for help need not have got the rest right.
        return _show_help(command, rest)
    arguments = parse_arguments(command, rest)
    return load_run(command)(arguments)


def _show_help(command: Command | str, words: Sequence[str]) -> int:
    from plugseal.cli.help import show_command, show_family, show_overview

    if not command:
        return show_overview(words)
    if isinstance(command, str):
        return show_family(command, _color_of(words))
    return show_command(command, _color_of(words))


def _report(error: PlugsealError, words: Sequence[str]) -> None:
    from plugseal.cli.output import Screen, wants_color
    from plugseal.render.error import render_error

    error.hint = error.hint or _last_hint(error, words)
    Screen(sys.stderr, color=wants_color(sys.stderr, _color_of(words))).hang(render_error(error))


def _last_hint(error: PlugsealError, words: Sequence[str]) -> str:
    """Say what to type where whoever refused knew nothing better."""
    from plugseal.cli.find import find_command
    from plugseal.errors import ReasonedError, UsageError

    if not isinstance(error, UsageError):
        topic = error.reason if isinstance(error, ReasonedError) else error.code
        return f"see what it means with `plugseal explain {topic}`"
    command, _ = find_command(list(words))
    name = command if isinstance(command, str) else command.name
    return f"see `plugseal {name} --help`"


def _report_bug(error: Exception, words: Sequence[str]) -> None:
    from plugseal.cli.output import Screen
    from plugseal.render.text import line
    from plugseal.shown import shown

    if "-v" in words or "--verbose" in words:
        _report_trace(error)
    what = shown(f"{type(error).__name__}: {error}")
    Screen(sys.stderr, color=False).write(
        [line(f"error: this is a bug in plugseal {plugseal.__version__}, please report it: {what}")]
    )


def _report_trace(error: Exception) -> None:
    import traceback

    from plugseal.cli.output import Screen
    from plugseal.render.text import line
    from plugseal.shown import shown

    text = "".join(traceback.format_exception(error)).splitlines()
    Screen(sys.stderr, color=False).write(line(shown(row, limit=1000)) for row in text)


def _color_of(words: Sequence[str]) -> str:
    """Return the choice of colour for errors, where parsing may have failed."""
    for number, word in enumerate(words):
        value = word.partition("=")[2] if word.startswith("--color=") else ""
        if word == "--color" and number + 1 < len(words):
            value = words[number + 1]
        if value in ("always", "never"):
            return value
    return "auto"
