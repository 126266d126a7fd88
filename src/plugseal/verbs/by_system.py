"""What the operating system refused where no part of plugseal expected it: an error of its own, and no bug of ours."""

from __future__ import annotations

import os

from plugseal.disk import disk_hint
from plugseal.errors import IntakeError


def refused_by_system(error: OSError) -> IntakeError | None:
    """Return what to tell of a system call that failed, None where it was none.

    A path that is too long or leads in a circle, a folder that is closed, a disk that is full, no descriptor or memory
    left: there are more of these than places that could ask, and all mean the same, that there is no answer.
    """
    if error.errno is None:
        return None
    place = None if error.filename is None or isinstance(error.filename, int) else os.fsdecode(error.filename)
    why = (error.strerror or os.strerror(error.errno)).lower()
    return IntakeError(f"the system refused: {why}", place=place, hint=disk_hint(place or ".", error) or _hint(place))


def _hint(place: str | None) -> str:
    return "see the limits of this shell with `ulimit -a`" if place is None else "see what is there with `ls -ld`"
