"""Run a command line in this process, and keep what it printed and how it ended."""

from __future__ import annotations

import contextlib
import io
from typing import NamedTuple

from plugseal.cli.main import main


class Ran(NamedTuple):
    """How a command line ended and what it printed."""

    code: int
    out: str
    errors: str


def run_command(*words: str) -> Ran:
    """Run a command line in this process."""
    out, errors = _Terminal(), _Terminal()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = main(list(words))
    return Ran(code, out.text(), errors.text())


class _Terminal(io.TextIOWrapper):
    """Standard output with bytes behind it."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def text(self) -> str:
        """Return everything that was written."""
        return bytes(self.buffer.getvalue()).decode("utf-8")  # type: ignore[attr-defined]  # a BytesIO
