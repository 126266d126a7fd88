"""The interfaces of detectors. Pure: a detector sees what was read and says where it fires."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from plugseal.lang.facts import FileFacts, Interest
from plugseal.scan.hit import Hit


class CodeDetector(NamedTuple):
    """A detector over the facts and events of one source file."""

    look: Callable[[FileFacts], Iterable[Hit]]
    interest: Interest = Interest()
    """The events that it needs."""
