"""Start a component from a process with threads: by a gate in a process of its own, `python -I -m plugseal run ID`.

A gate forks, and a fork copies one thread and every lock; so a harness that has threads talks with a gate that has
none. It is the same gate with the same promises, and ends within two seconds of the end of its input.
"""

from __future__ import annotations

import os
import re
import subprocess  # nosec B404  # plugseal itself alone, by the absolute path of this interpreter
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, Final

from plugseal.errors import RefusedError, SupervisorError
from plugseal.model.decision import Reason
from plugseal.patterns import lazy
from plugseal.trust.home import VARIABLE
from plugseal.trust.store import Store

REFUSED: Final = 126
FAILED: Final = 125
_END_SECONDS: Final = 10.0
"""A gate takes two at most, and one more where the machine is busy."""
_MAX_SAID_BYTES: Final = 16 * 1024 * 1024
_REASON: Final = lazy(r"^error: (.*: ([a-z-]+): .*|.*)$", re.MULTILINE)
_HINT: Final = lazy(r"^hint: (.*)$", re.MULTILINE)


class Apart:
    """A component behind a gate in a process of its own."""

    def __init__(self, process: subprocess.Popen[bytes], said: IO[bytes]) -> None:
        if process.stdin is None or process.stdout is None:
            raise AssertionError("pipes were asked for")
        self.stdin: IO[bytes] = process.stdin
        self.stdout: IO[bytes] = process.stdout
        self.code: int | None = None
        """Exit code of the component once the block has ended; 0 where it was ended."""
        self._process = process
        self._said = said
        self._text = ""

    @property
    def pid(self) -> int:
        """Return the number of the gate."""
        return self._process.pid

    @property
    def said(self) -> str:
        """Return what gate and component said on standard error so far; safe to show."""
        if self._said.closed:
            return self._text
        self._said.seek(0)
        return self._said.read(_MAX_SAID_BYTES).decode("utf-8", "replace")

    def end(self) -> int:
        """End the component and everything below it, and return its exit code.

        Raises:
            RefusedError: the gate refused, or took the permission.
            SupervisorError: the gate failed, or had to be ended.
        """
        if self.code is None:
            self.code = self._wait()
            self._text = self.said
        if self.code in (REFUSED, FAILED):
            found, hint = _REASON.search(self.said), _HINT.search(self.said)
            message = found[1] if found else "the gate ended without a word"
            told = hint[1] if hint else None
            reason = found[2] if found and found[2] in set(Reason) else None
            if self.code == REFUSED and reason is not None:
                raise RefusedError(reason, message, hint=told)
            raise SupervisorError(message, hint=told)
        return self.code

    def _wait(self) -> int:
        with suppress(OSError, ValueError):
            self.stdin.close()
        try:
            code = self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()  # its reaper ends what is below it
            self._process.wait()
            raise SupervisorError("the gate did not end and was killed") from None
        finally:
            with suppress(OSError):
                self.stdout.close()
        return code


@contextmanager
def spawn_apart(
    plugin: str,
    component: str | None = None,
    *,
    store: Store | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Apart]:
    """Start a component, and end it and everything below it at the end of the block.

    Args:
        plugin: its ID.
        component: `kind:name`, or None where only one can be started.
        store: what was trusted, the account's own by default; another one must be registered.
        environment: from which reviewed mappings take; this process's own by default.

    Raises:
        RefusedError: the gate refused, at the start or later; at the end of the block.
        SupervisorError: the gate failed.
    """
    around = dict(os.environ if environment is None else environment)
    if store is not None:
        around[VARIABLE] = str(store.home)
    # A folder in which no state lies: where the harness stands is no business of the gate's.
    folder = os.path.dirname(sys.executable)  # noqa: PTH120  # text
    words = [sys.executable, "-I", "-m", "plugseal", "run", plugin, *([component] if component else [])]
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(  # noqa: S603  # nosec B603  # our own program; the words are two of an ID's form
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, env=around, cwd=folder
            )
        except OSError as error:
            raise SupervisorError(f"the gate can't be started: {(error.strerror or '').lower()}") from error
        apart = Apart(process, said)
        try:
            yield apart
        except BaseException:
            with suppress(RefusedError, SupervisorError):
                apart.end()
            raise
        apart.end()
