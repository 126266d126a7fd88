"""Where lines go: standard output, standard error or a file, with or without colour.

The only door to rich, opened only when there is colour to write. rich turns a style into the codes of this terminal;
it never sees the text, so it can neither wrap, nor drop, nor read markup in it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Final, TextIO

from plugseal.errors import OutputError
from plugseal.render.text import Line, plain

_LOOKS: Final = {
    "title": "bold",
    "high": "bold red",
    "medium": "bold yellow",
    "low": "bold cyan",
    "info": "bold",
    "path": "cyan",
    "literal": "cyan",
    "command": "green",
    "good": "green",
    "dim": "dim",
}
"""The look of each style of `render.text.STYLES`."""
_CHUNK_LINES: Final = 512


def wants_color(stream: TextIO, choice: str, environment: Mapping[str, str] | None = None) -> bool:
    """Decide about colour: the option, then `NO_COLOR`, then `FORCE_COLOR`, then whether it is a terminal.

    Args:
        stream: where it goes.
        choice: `auto`, `always` or `never`.
        environment: variables, those of the process by default.
    """
    environment = os.environ if environment is None else environment
    if choice != "auto":
        return choice == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and environment.get("TERM") not in (None, "", "dumb")


def is_terminal(stream: TextIO) -> bool:
    """Say whether a stream is a terminal; a closed or missing one is not."""
    try:
        return stream.isatty()
    except (ValueError, AttributeError):
        return False


class Screen:
    """A stream that takes lines."""

    def __init__(self, stream: TextIO, *, color: bool) -> None:
        self.stream = stream
        self._codes: dict[str, tuple[str, str]] | None = _load_codes() if color else None
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            # A terminal that can't show a character gets its escape, not our crash.
            reconfigure(errors="backslashreplace")

    @property
    def width(self) -> int:
        """Return the columns that tables may use: those of the terminal within reason, else 100."""
        if not is_terminal(self.stream):
            return 100
        from shutil import get_terminal_size

        return min(max(get_terminal_size((100, 24)).columns, 60), 160)

    def hang(self, lines: Iterable[Line]) -> None:
        """Write lines; on a terminal what is wider than it goes on further in, never in the first column."""
        if is_terminal(self.stream):
            from shutil import get_terminal_size

            from plugseal.render.hang import hang

            lines = hang(lines, max(get_terminal_size((100, 24)).columns, 20))
        self.write(lines)

    def write(self, lines: Iterable[Line]) -> None:
        """Write lines, each ended by a newline."""
        chunk: list[str] = []
        for line in lines:
            chunk.append(self._text(line))
            if len(chunk) >= _CHUNK_LINES:
                self.stream.write("".join(chunk))
                chunk.clear()
        self.stream.write("".join(chunk))
        self.stream.flush()

    def _text(self, line: Line) -> str:
        if self._codes is None:
            return plain(line) + "\n"
        return "".join(self._styled(text, style) for text, style in line) + "\n"

    def _styled(self, text: str, style: str) -> str:
        if not style or self._codes is None:
            return text
        before, after = self._codes[style]
        return f"{before}{text}{after}"


def _load_codes() -> dict[str, tuple[str, str]]:
    from rich.color import ColorSystem
    from rich.style import Style

    codes = {}
    for name, look in _LOOKS.items():
        before, _, after = Style.parse(look).render("|", color_system=ColorSystem.STANDARD).partition("|")
        codes[name] = (before, after)
    return codes


class Result:
    """Where results go: standard output, or a file that is replaced; use as a context manager.

    Enter it when the result is there, so that a failed command leaves an older file alone.
    """

    def __init__(self, path: str | None = None) -> None:
        self._path = None if path == "-" else path
        self._file: TextIO | None = None

    def color(self, choice: str) -> str:
        """Return the choice of colour for this place: a file gets none unless it is asked for."""
        return "never" if self._path is not None and choice == "auto" else choice

    def __enter__(self) -> TextIO:
        if self._path is None:
            return sys.stdout
        try:
            self._file = open(self._path, "w", encoding="utf-8", newline="\n")  # noqa: PTH123  # pathlib is slow to load; closed in `_finish`
        except OSError as error:
            raise self._failed(error) from error
        return self._file

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise self._failed(error) from error
        try:
            self._finish()
        except BrokenPipeError:
            raise
        except OSError as late:
            raise self._failed(late) from late

    def _finish(self) -> None:
        if self._file is not None:
            self._file.close()
        else:
            sys.stdout.flush()

    def _failed(self, error: OSError) -> OutputError:
        if self._path is None:
            silence(sys.stdout)
        why = (error.strerror or "error").lower()
        hint = None if self._path is None else "name another file with `-o`, or none for standard output"
        return OutputError(f"can't write the result: {why}", place=self._path, hint=hint)


def silence(stream: TextIO) -> None:
    """Point a stream at the null device, so that what is left in its buffer can be written at the interpreter's end."""
    try:
        number = stream.fileno()
    except (OSError, ValueError):
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, number)
    os.close(nothing)
