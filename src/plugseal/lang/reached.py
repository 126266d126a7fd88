"""Which functions of a script run when it does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def reached_from_top(calls: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the functions that run when the script does; the empty name is its top.

    Args:
        calls: by function, the functions that it calls.
    """
    found, waiting = {""}, [""]
    while waiting:
        for name in calls.get(waiting.pop(), ()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found
