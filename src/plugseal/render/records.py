"""Lists of plugins with their trust, and what is recorded about one, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import plugseal
from plugseal.model.trust import Listed, Recorded, ReviewEntry, RunEntry, TrailView
from plugseal.render.json import Json, encode
from plugseal.render.next import pasteable
from plugseal.render.pins import render_pins, render_pins_json
from plugseal.render.review_json import standing_json
from plugseal.render.text import BLANK, GAP, Line, Piece, count, line, render_table
from plugseal.shown import shown, shown_path

LIST_FORMAT: Final = "plugseal.list/1"
SHOW_FORMAT: Final = "plugseal.show/1"
LOG_FORMAT: Final = "plugseal.log/1"
_STYLES: Final = {"active": "good", "trusted": "good", "broken record": "high", "enabled, changed": "high"}
_NOT_REVIEWED: Final = "not reviewed"
_UNWRAPPED: Final = 1_000_000
"""Columns: a path is never broken, so that it can be copied."""
_KEPT: Final = 32
_DIGITS: Final = 8


def render_list(listed: Sequence[Listed]) -> Iterator[Line]:
    """Yield a row for each plugin, below it the ID of one that is recorded, then what to type next.

    An ID names what `run` and `call` may start, so a plugin that was never reviewed needs none.
    """
    table = render_table([_row(one) for one in listed], width=_UNWRAPPED)
    for one, row in zip(listed, table, strict=True):
        yield row
        if one.state != _NOT_REVIEWED:
            yield line(f"{GAP}{GAP}", shown(one.id))
    for one in listed:
        if any(state != one.components[0][2] for _, _, state in one.components):
            yield line(GAP, Piece(shown_path(one.path), "path"))
            for kind, name, state in one.components:
                style = _STYLES.get(state, "medium")
                yield line(f"{GAP}{GAP}", Piece(state, style), f"{GAP}{kind} ", Piece(shown(name), "literal"))
        if one.note:
            yield line(GAP, Piece(shown_path(one.path), "path"), f": {shown(one.note)}")
    yield BLANK
    states = Counter(one.state for one in listed)
    counted = ", ".join(f"{number:,} {state.replace(', ', ' but ')}" for state, number in states.items())
    yield line(count(len(listed), "plugin"), ": ", counted)
    command = _next(listed)
    if command:
        yield line("next: ", Piece(f"`{command}`", "command"))


def _row(one: Listed) -> tuple[Piece, ...]:
    return (
        Piece(shown(f"{one.name} {one.version}".strip(), limit=60) or "(no name)", "literal"),
        Piece(shown(one.system)),
        Piece(one.state, _STYLES.get(one.state, "medium")),
        Piece(shown_path(one.path), "path"),
    )


def render_list_json(listed: Sequence[Listed]) -> Iterator[str]:
    """Yield the document, ended by a newline."""
    document: dict[str, Json] = {
        "format": LIST_FORMAT,
        "plugseal": plugseal.__version__,
        "plugins": [
            {
                **one._asdict(),
                "next": one.next or None,
                "note": one.note or None,
                "components": [{"kind": kind, "name": name, "state": state} for kind, name, state in one.components],
            }
            for one in listed
        ],
    }
    yield "{\n" + ",\n".join(f'  "{key}": {encode(value)}' for key, value in document.items()) + "\n}\n"


def render_record(recorded: Recorded) -> Iterator[Line]:
    """Yield what is recorded about one plugin, then the newest entries of its trails."""
    standing, subject = recorded.standing, recorded.subject
    yield line(Piece(shown(subject.name), "title"), f"{GAP}{shown(subject.system)}")
    yield line(f"{GAP}id          ", shown(recorded.id))
    yield line(f"{GAP}root        ", Piece(shown_path(subject.root), "path"))
    trust = standing.trust
    if trust is None:
        yield line(f"{GAP}trust       ", "forgotten" if standing.forgotten else "none")
    else:
        parents = f", started by {' < '.join(map(shown, trust.by.parents))}" if trust.by.parents else ""
        terminal = f" at {shown_path(trust.by.terminal)}" if trust.by.terminal else " without a terminal"
        yield line(f"{GAP}trust       ", f"{trust.at} by {shown(trust.by.user)}{terminal}{parents}")
        yield line(f"{GAP}content     ", Piece(trust.content, "literal"))
        yield line(f"{GAP}capability  ", Piece(trust.capability, "literal"))
        if trust.only:
            yield line(f"{GAP}only        ", ", ".join(map(shown, trust.only)))
        for name, path, digest in trust.interpreters:
            found = Piece(shown_path(path), "path")
            yield line(f"{GAP}starts      ", f"{shown(name)} is ", found, f"{GAP}{digest[:_DIGITS]}")
        yield line(
            f"{GAP}rests on    ", f"{trust.unread:,} not read, {trust.unknown:,} with an object that is not known"
        )
    yield line(f"{GAP}enabled     ", "yes" if standing.enabled else "no")
    yield line(f"{GAP}generation  ", f"{standing.generation:,} of incarnation {standing.incarnation[:_DIGITS]}")
    if recorded.revoked is not None:
        yield line(f"{GAP}revoked     ", _review(recorded.revoked))
    yield from render_pins(recorded.pins, word=recorded.id)
    yield BLANK
    yield from render_log(recorded)


def render_log(recorded: Recorded) -> Iterator[Line]:
    """Yield both trails of one plugin, and on what they rest."""
    yield line(Piece("reviews", "title"))
    yield from (line(GAP, _review(entry)) for entry in recorded.reviews)
    yield line(Piece("runs", "title"))
    yield from (line(GAP, _run(entry)) for entry in recorded.runs)
    parts = [_kept("reviews", recorded.reviews_trail), _kept("runs", recorded.runs_trail)]
    sealed = f"checkpoint sealed by installation {shown(recorded.installation)}"
    yield line(f"{', '.join(parts)} (the latest {_KEPT} are kept whole); history unbroken, {sealed}")
    if recorded.runs_trail.torn:
        yield line(Piece("an incomplete write stands at the end of the runs", "medium"), ": the next entry replaces it")


def render_record_json(recorded: Recorded) -> Iterator[str]:
    """Yield the document, ended by a newline."""
    yield from _document({"format": SHOW_FORMAT, "plugseal": plugseal.__version__, **_recorded_json(recorded)})


def render_log_json(shown_ones: Sequence[Recorded]) -> Iterator[str]:
    """Yield the document of the trails of some plugins, ended by a newline."""
    plugins = [_recorded_json(recorded) for recorded in shown_ones]
    yield from _document({"format": LOG_FORMAT, "plugseal": plugseal.__version__, "plugins": plugins})


def _document(document: dict[str, Json]) -> Iterator[str]:
    yield "{\n" + ",\n".join(f'  "{key}": {encode(value)}' for key, value in document.items()) + "\n}\n"


def _recorded_json(recorded: Recorded) -> dict[str, Json]:
    return {
        "id": recorded.id,
        "subject": recorded.subject._asdict(),
        "recorded": standing_json(recorded.standing),
        "revoked": None if recorded.revoked is None else recorded.revoked._asdict(),
        "reviews": {**_trail(recorded.reviews_trail), "entries": [entry._asdict() for entry in recorded.reviews]},
        "runs": {**_trail(recorded.runs_trail), "entries": [entry._asdict() for entry in recorded.runs]},
        "installation": recorded.installation,
        "pins": render_pins_json(recorded.pins),
    }


def _trail(view: TrailView) -> dict[str, Json]:
    return {"size": view.size, "kept": view.kept, "root": view.root, "torn": view.torn}


def _review(entry: ReviewEntry) -> str:
    what = f"generation {entry.generation:,}"
    if entry.action == "trusted" and entry.content and entry.capability:
        what = f"content {entry.content[:_DIGITS]}, capability {entry.capability[:_DIGITS]}"
    note = f"  {shown(entry.note)}" if entry.note else ""
    return f"{entry.number:5,}  {entry.at}  {shown(entry.user)}  {entry.action}  {what}{note}"


def _run(entry: RunEntry) -> str:
    what = "  ".join(shown(part) for part in (entry.component, entry.reason, entry.detail) if part)
    again = f"  {entry.times:,} times" if entry.times > 1 else ""
    after = f"  after {entry.milliseconds / 1000:.1f} s" if entry.milliseconds else ""
    return f"{entry.number:5,}  {entry.at}  {shown(entry.user)}  {entry.event}  {what}{after}{again}"


def _kept(name: str, view: TrailView) -> str:
    if not view.size:
        return f"no {name}"
    first = view.size - view.kept + 1
    return f"{name} {first:,} to {view.size:,} whole"


def _next(listed: Sequence[Listed]) -> str | None:
    whole = next((one.next for one in listed if one.next not in ("", "review", "enable")), None)
    if whole is not None:
        return whole
    first = next((one for one in listed if one.next), None)
    return None if first is None else f"plugseal {first.next} {_word(first, listed)}"


def _word(one: Listed, listed: Sequence[Listed]) -> str:
    """Return how to name a plugin in a command: by its path, where no other one stands there."""
    there = [other.system for other in listed if other.path == one.path]
    path = pasteable(one.path)
    if path is None or there.count(one.system) > 1:
        return one.id
    return f"{path} --system {one.system}" if len(there) > 1 else path
