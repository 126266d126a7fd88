"""Globs of a policy: anchored at both ends, and no text can make one slow.

`*` stands for any characters but `/`, `**` for any at all, `?` for one that is not `/`. All states are followed at
once, so the time is at most that of the text times the glob: nothing is ever tried again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

MAX_GLOB_CHARACTERS: Final = 400
MAX_TEXT_CHARACTERS: Final = 8_192
MAX_UNKNOWN_PARTS: Final = 16
"""What has more of them may be anything."""


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


def may_match(glob: str, text: str) -> bool:
    """Say whether a text fits a glob, or could: each `*` in it stands for anything that nobody knows."""
    if "*" not in text:
        return matches(glob, text)
    if len(text) > MAX_TEXT_CHARACTERS or text.count("*") > MAX_UNKNOWN_PARTS:
        return True
    steps, waiting = _compiled(glob), [(0, 0)]
    seen = {(0, 0)}
    while waiting:
        state, at = waiting.pop()
        if (state, at) == (len(steps), len(text)):
            return True
        for following in _both(steps, state, text, at):
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return False


def _both(steps: tuple[str, ...], state: int, text: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield where a glob and a text that is known in part may be after one more character, or none."""
    step = steps[state] if state < len(steps) else ""
    character = text[at : at + 1]
    if step in ("*", "**"):
        yield state + 1, at
        if character and character != "*" and (step == "**" or character != "/"):
            yield state, at + 1
    if character == "*":
        yield state, at + 1
        if step and step not in ("*", "**"):
            yield state + 1, at
    elif character and (step == character or (step == "\0?" and character != "/")):
        yield state + 1, at + 1


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
