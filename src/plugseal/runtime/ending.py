"""When a session is over whose client has said all that it had to say: what is owed to it is answered first.

A client that goes away closes its side, waits for two seconds, and then uses force: for it the end must come sooner.
Whoever gave all requests at once, in a file or through a pipe, has not gone away: it reads until it has the answers.
Which of the two it is, nobody says. A file is one that gave all; so is who sent more behind `initialize` before there
was an answer, which the protocol forbids to clients, and who closed its side before the server had said a word.
"""

from __future__ import annotations

import os
import select
import stat
import time
from typing import Final

from plugseal.records import NamedTuple

_IDLE_SECONDS: Final = 0.5
"""How long a server may take to end by itself once nothing is owed any more."""
_LEAVING_SECONDS: Final = 1.25
"""How long what is owed to a client that went away may take."""
_ALL_SECONDS: Final = 1.85
"""From its going away until what was started is ended by force: clients wait for two."""
_LEAST_GRACE: Final = 0.3
_AT_ONCE_SECONDS: Final = 1.0
"""Who closes its side later, without an answer, gave up: that is no client that gave everything at once."""


class Patience(NamedTuple):
    """How long answers are waited for."""

    quiet: float
    """Seconds in which nothing moves."""
    answer: float
    """Seconds in which no answer comes, whatever else a server says."""


FILE: Final = Patience(60.0, 600.0)
PIPE: Final = Patience(60.0, 60.0)
"""A tool at work says nothing meanwhile. Who gives up waiting closes the other side too, sends a signal, or both."""


class Ending:
    """The end of one session, as its client's input foretells it."""

    def __init__(self, source: int, reader: int, *, leaving: float = _LEAVING_SECONDS) -> None:
        """Begin a session.

        Args:
            source: descriptor of the client's input.
            reader: descriptor of its output.
            leaving: how long what is owed to a client that went away may take.
        """
        self._leaving = leaving
        self.at: float | None = None
        """When the session is over; None as long as the client may say more."""
        self.is_settled = False
        """Whether the server has spoken: what comes from now on tells nothing about who the client is."""
        self._reader = reader
        self._is_file = _is_file(source)
        self._is_all_given = False
        self._heard = 0
        self._is_greeting = False
        self._began = time.monotonic()
        self._ended = self._moved = self._answered = self._began
        self._owed = 0

    def heard(self, lines: list[bytes]) -> None:
        """Take lines of the client; those that came before the server's first word tell who it is."""
        if self.is_settled:
            return
        told = [line for line in lines if line.strip()]
        if told and not self._heard:
            self._is_greeting = b'"initialize"' in told[0]
        self._heard += len(told)
        self._is_all_given = self._is_all_given or (self._is_greeting and self._heard > 1)

    def begin(self) -> None:
        """Take the end of the client's input."""
        now = time.monotonic()
        self._ended = self._moved = self._answered = now
        if not self.is_settled and now < self._began + _AT_ONCE_SECONDS:
            self._is_all_given = True
        self.at = now + _IDLE_SECONDS

    def look(self, *, owed: int, moved: bool) -> None:
        """Put off the end for what is owed, once the client's input has ended.

        Args:
            owed: requests without an answer, and what waits to be written.
            moved: whether anything happened since the last look.
        """
        now = time.monotonic()
        if moved:
            self._moved = now
        if owed < self._owed:
            self._answered = now
        self._owed = owed
        if not owed:
            return
        if not (self._is_file or self._is_all_given):
            self.at = min(now + _IDLE_SECONDS, self._ended + self._leaving)
        elif not has_reader(self._reader):
            self.at = now
        else:
            patience = FILE if self._is_file else PIPE
            if now < min(self._moved + patience.quiet, self._answered + patience.answer):
                self.at = now + _IDLE_SECONDS

    @property
    def is_over(self) -> bool:
        """Say whether nothing is waited for any more."""
        return self.at is not None and time.monotonic() >= self.at

    def grace(self, most: float) -> float:
        """Return how many seconds what was started has between the polite signal and the other one.

        Args:
            most: where nobody is in a hurry.
        """
        if self.at is None or self._is_file or self._is_all_given:
            return most
        return max(_LEAST_GRACE, min(most, self._ended + _ALL_SECONDS - time.monotonic()))


def has_reader(descriptor: int) -> bool:
    """Say whether somebody may still read what is written to a descriptor."""
    poll = select.poll()
    poll.register(descriptor, 0)
    return not any(event & (select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))


def _is_file(descriptor: int) -> bool:
    try:
        return stat.S_ISREG(os.fstat(descriptor).st_mode)
    except OSError:
        return False
