"""Which of the calls that wait may start: execution modes as a pure function.

Rules
- `parallel` runs beside any other call, in the same process too.
- A tool that says nothing has its process for itself: a plugin that reads its next request after it answered the last
  one is right too, and sees no call wait in its pipe. Other plugins' calls go on beside it.
- `sequential` runs alone in the whole host.
- Nobody is overtaken for ever: behind a sequential call that waits nothing starts, and behind a call that waits for its
  plugin nothing of that plugin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plugseal.records import NamedTuple
from plugseal.runtime.coding.contract import ExecutionMode


class Wish(NamedTuple):
    """What matters of a call here."""

    plugin: str
    mode: ExecutionMode


def find_ready(waiting: Sequence[Wish], active: Iterable[Wish]) -> list[int]:
    """Return the indexes of the calls that may start now.

    Args:
        waiting: in their order.
        active: that run.
    """
    running = list(active)
    ready: list[int] = []
    held: set[str] = set()
    for index, wish in enumerate(waiting):
        if any(one.mode is ExecutionMode.SEQUENTIAL for one in running):
            break
        if wish.mode is ExecutionMode.SEQUENTIAL and running:
            break
        if wish.plugin in held or not _fits(wish, running):
            held.add(wish.plugin)
            continue
        ready.append(index)
        running.append(wish)
    return ready


def _fits(wish: Wish, running: Sequence[Wish]) -> bool:
    beside = [one for one in running if one.plugin == wish.plugin]
    if wish.mode is ExecutionMode.PARALLEL:
        return all(one.mode is ExecutionMode.PARALLEL for one in beside)
    return not beside
