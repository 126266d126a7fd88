"""What a transition of trust says when it was made, or refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from plugseal.model.change import Change
from plugseal.model.trust import Done
from plugseal.render.change import render_change
from plugseal.render.text import GAP, Line, Piece, count, line
from plugseal.shown import shown, shown_path

MAX_ONLY: Final = 8
"""Names of components that are told one by one."""


def shown_only(only: Sequence[str]) -> str:
    """Return which components alone are meant: `only server:docs`; empty where all are.

    Args:
        only: their names; hostile text.
    """
    names = [shown(name, limit=60) for name in only[:MAX_ONLY]]
    more = f" and {len(only) - MAX_ONLY:,} more" if len(only) > MAX_ONLY else ""
    return f"only {', '.join(names)}{more}" if names else ""


def render_done(done: Done, *, word: str, group: str = "") -> Iterator[Line]:
    """Yield what was done, and what to type next.

    Args:
        done: the transition.
        word: how to name the plugin in a command.
        group: the first word of the commands of one host, with a space behind it.
    """
    standing = done.standing
    generation = f", generation {standing.generation:,}"
    tail = "" if done.action == "trusted" else generation
    yield line(Piece(f"{done.action} {shown(done.title)}", "good"), tail)
    if done.action == "trusted":
        yield line(f"{GAP}staged    {count(done.files, 'file')}, owned by plugseal")
        by = f"by {shown(done.user)}, {done.at}, reviews entry {done.entry:,}"
        yield line(f"{GAP}recorded  generation {standing.generation:,}, {by}")
        if standing.trust is not None and standing.trust.only:
            yield line(f"{GAP}{shown_only(standing.trust.only)}: no other component of it is trusted")
        yield line(f"{GAP}not enabled: nothing runs yet")
    elif done.action == "enabled" and standing.trust is not None:
        yield line(f"{GAP}content and capabilities are those trusted on {standing.trust.at[:10]}")
    elif done.action == "revoked":
        yield line(f"{GAP}nothing of it starts any more, and what runs is stopped")
    elif done.action == "forgotten":
        yield line(f"{GAP}only its generation is kept, so that no older permission fits again")
    if done.made_secret:
        yield line(f"{GAP}made the secret of this installation: ", Piece(shown_path(done.made_secret), "path"))
        yield line(f"{GAP}back it up: without it nothing that was trusted can be believed")
    command = _next(done, word, group)
    if command:
        yield line("next: ", Piece(f"`{command}`", "command"))


def render_rechecked(done: Done, change: Change, *, word: str) -> Iterator[Line]:
    """Yield what a new reading of a trusted plugin said.

    Args:
        done: the entry that was made.
        change: what the trusted document does not hold.
        word: how to name the plugin in a command.
    """
    if not change.is_about_what_runs:
        yield line(Piece(f"holds {shown(done.title)}", "good"), ": still within what was trusted")
        return
    yield line(Piece("review-outdated", "high"), f": {shown(done.title)} can do more than was seen when it was trusted")
    yield from render_change(change, title="Since it was trusted")
    yield line("next: ", Piece(f"`plugseal review {word}`", "command"))


def render_refused(name: str, message: str) -> Iterator[Line]:
    """Yield why a transition was refused.

    Args:
        name: of the plugin; hostile text.
        message: ours, about it.
    """
    about = message[len("it") :] if message.startswith("it ") else f": {message}"
    yield line()
    yield line(Piece("refused", "high"), f": {shown(name)}{about}")


def _next(done: Done, word: str, group: str) -> str:
    if done.action == "trusted":
        return f"plugseal {group}enable {word}"
    if done.action == "disabled" and done.standing.trust is not None:
        return f"plugseal {group}enable {word}"
    return ""
