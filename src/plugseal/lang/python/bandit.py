"""Bandit's opinion of one Python file, for whoever asks for a second one: its own tests, its suppressions ignored.

It runs in a worker like any parser, over bytes that were read already. It sees no file, no configuration of the tree
and no `# nosec` of it. Each issue becomes an event of kind `opinion`; nothing here is a fact of ours.
"""

from __future__ import annotations

import io
import logging
from typing import Any, Final

from plugseal.errors import UsageError
from plugseal.lang.facts import Context, Event, FileFacts, Reader, unread
from plugseal.model.location import Span

OPINION: Final = "opinion"
"""The kind of event that holds an issue: its name is the test, its arguments severity, confidence and message."""
_LANGUAGE: Final = "python"


def bandit_version() -> str:
    """Return the version of the installed bandit.

    Raises:
        UsageError: it is not installed.
    """
    try:
        import bandit
    except ImportError as error:
        raise UsageError(
            "bandit is not installed beside plugseal", hint="install it with `pip install 'plugseal[bandit]'`"
        ) from error
    return str(bandit.__version__)


def bandit_named(name: str) -> Reader:
    """Return the reader, whatever the name; what a worker asks for."""
    del name
    return BanditReader()


class BanditReader:
    """Ask bandit about files, one after another."""

    language = _LANGUAGE

    def __init__(self) -> None:
        """Prepare without loading anything."""
        self._tests: Any = None  # Any: bandit has no types

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return what bandit says as events, `unread` where it can't read the file; never raise on any bytes."""
        from bandit.core import config, manager

        logging.disable(logging.CRITICAL)  # It tells the terminal what it thinks of each file.
        asked = manager.BanditManager(config.BanditConfig(), "file", ignore_nosec=True)
        asked.b_ts = self._tests = self._tests or asked.b_ts
        asked._parse_file(context.path, io.BytesIO(data), [context.path])
        if asked.skipped:
            return unread(_LANGUAGE, f"bandit: {asked.skipped[0][1]}")
        return FileFacts(_LANGUAGE, "read", events=tuple(sorted(map(_event, asked.results), key=_place)))


def _event(issue: Any) -> Event:  # Any: bandit has no types
    lines = [number for number in issue.linerange if number > 0] or [max(issue.lineno, 1)]
    end = getattr(issue, "end_col_offset", 0) or 0
    first, last = max(issue.lineno, 1), max(lines)
    column = max(getattr(issue, "col_offset", 0), 0) + 1
    span = Span(first, column, last, max(end, column if first == last else 1) + 1)
    words = (str(issue.severity).lower(), str(issue.confidence).lower(), str(issue.text))
    return Event(OPINION, f"{issue.test_id} {issue.test}", span, words, (), "direct", "unknown")


def _place(event: Event) -> tuple[Span, str]:
    return event.span, event.name
