"""Where lines go: standard output, standard error or a file, with or without colour.

The only door to rich, opened only when there is colour to write. rich turns a style into the codes of this terminal;
it never sees the text, so it can neither wrap, nor drop, nor read markup in it.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
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
    """Where results go: standard output, or a file that is replaced as a whole; use as a context manager.

    Whoever fails, or finds no room, leaves an older file as it was.
    """

    def __init__(self, path: str | None = None) -> None:
        self._path = None if path == "-" else path
        self._file: TextIO | None = None
        self._fresh: tuple[str, str] | None = None
        """The name of what is written beside an older file, and whose place it takes in the end."""

    def color(self, choice: str) -> str:
        """Return the choice of colour for this place: a file gets none unless it is asked for."""
        return "never" if self._path is not None and choice == "auto" else choice

    def __enter__(self) -> TextIO:
        if self._path is None:
            return sys.stdout
        try:
            descriptor = self._open_beside(self._path)
            # pathlib is slow to load; it is closed in `_finish`
            self._file = open(self._path if descriptor is None else descriptor, "w", encoding="utf-8", newline="\n")  # noqa: PTH123
        except OSError as error:
            raise self._failed(error) from error
        return self._file

    def _open_beside(self, path: str) -> int | None:
        """Open a new file that takes the named one's place, None where that can only be written in place."""
        if not hasattr(os, "fchmod") or os.path.abspath(path).startswith(("/dev/", "/proc/")):  # noqa: PTH100  # as above
            return None
        place = os.path.realpath(path)
        mode = None
        try:
            status = os.lstat(place)
        except FileNotFoundError:
            pass
        except OSError:
            return None
        else:
            mode = stat.S_IMODE(status.st_mode)
            # What has another name, or another owner, would lose it; who closed it to writing meant that.
            is_alone = stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_uid == os.geteuid()
            if not is_alone or not os.access(place, os.W_OK):
                return None
        fresh = f"{place}.{os.urandom(6).hex()}.new"
        try:
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except OSError:
            return None
        if mode is not None:
            os.fchmod(descriptor, mode)
        self._fresh = fresh, place
        return descriptor

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
                raise self._failed(error) from error
            try:
                self._finish(is_whole=error is None)
            except BrokenPipeError:
                raise
            except OSError as late:
                raise self._failed(late) from late
        finally:
            self._abandon()

    def _finish(self, *, is_whole: bool) -> None:
        if self._file is None:
            sys.stdout.flush()
            return
        self._file.close()
        if self._fresh is not None and is_whole:
            os.replace(*self._fresh)  # noqa: PTH105  # as above
            self._fresh = None

    def _abandon(self) -> None:
        """Remove what was begun beside an older file and not finished."""
        if self._fresh is None or self._file is None:
            return
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            os.unlink(self._fresh[0])  # noqa: PTH108  # as above
        self._fresh = None

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
