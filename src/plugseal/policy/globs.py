"""Globs of a policy: anchored at both ends, and no text can make one slow.

`*` stands for any characters but `/`, `**` for any at all, `?` for one that is not `/`. All states are followed at
once, so the time is at most that of the text times the glob: nothing is ever tried again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

MAX_GLOB_CHARACTERS: Final = 400
MAX_TEXT_CHARACTERS: Final = 8_192


def matches(glob: str, text: str) -> bool:
    """Say whether a whole text fits a glob; a text over the limit fits none."""
    if len(text) > MAX_TEXT_CHARACTERS:
        return False
    steps = _compiled(glob)
    states = _open({0}, steps)
    for character in text:
        following = set()
        for state in states:
            if state == len(steps):
                continue
            step = steps[state]
            if step == "**" or (step == "*" and character != "/"):
                following.add(state)
            elif step == character or (step == "\0?" and character != "/"):
                following.add(state + 1)
        states = _open(following, steps)
        if not states:
            return False
    return len(steps) in states


def _open(states: set[int], steps: tuple[str, ...]) -> set[int]:
    """Return states with those that a star may skip to."""
    found = set(states)
    for state in states:
        following = state
        while following < len(steps) and steps[following] in ("*", "**"):
            following += 1
            found.add(following)
    return found


@lru_cache(maxsize=1024)
def _compiled(glob: str) -> tuple[str, ...]:
    """Return the steps of a glob; a star written as such is told from none by being a step of its own."""
    steps: list[str] = []
    rest = glob
    while rest:
        if rest.startswith("*"):
            stars = len(rest) - len(rest.lstrip("*"))
            steps.append("**" if stars > 1 else "*")
            rest = rest[stars:]
        else:
            steps.append("\0?" if rest[0] == "?" else rest[0])
            rest = rest[1:]
    return tuple(steps)
