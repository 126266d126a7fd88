"""Append to the journal of a plugin's runs: one write in place and one sync; a grown journal is folded by rename.

Equal refusals in a row are one entry with a count, so that nobody can push the rest out by asking again and again; an
entry that a checkpoint elsewhere tells of is left as it is, and a new one begins.

What this process verified of a journal, or wrote, is remembered as bytes, and believed again only where the very same
bytes still stand on the disk. Every function is called under the plugin's lock.
"""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from plugseal.encode.merkle import CompactRange
from plugseal.errors import StateError
from plugseal.trust import fields
from plugseal.trust.event import Run, repeats
from plugseal.trust.files import Folder, OpenFile, sync_data, write_at
from plugseal.trust.head import Head
from plugseal.trust.journal import (
    FOLD_AT,
    Header,
    Journal,
    carried,
    last_seal,
    leaf_of,
    parse_header,
    parse_journal,
    render_entry,
    render_header,
    seal_of,
    unsealed,
    verify_complete,
)
from plugseal.trust.plain import Json
from plugseal.trust.trail import ANCHORS, KEPT, Anchor, Entry

_SECTOR: Final = 512
"""What a disk writes as a whole, or not at all."""


class Written(NamedTuple):
    """A journal that was verified, or written, byte for byte."""

    data: bytes
    """Its complete lines."""
    size: int
    """Entries there ever were."""
    whole: int
    """Entries that stand whole."""
    newest: Entry | None
    seal: str
    """Of the newest entry."""


def append_run(
    folder: Folder, name: str, run: Run, *, head: Head, secret: bytes, known: Written | None = None
) -> Written:
    """Append an event to a journal and wait until it is on the disk; call it under the plugin's lock.

    Args:
        folder: of the journal.
        name: of the journal's file.
        run: what happened.
        head: of the plugin.
        secret: of the installation.
        known: what an earlier call with this secret returned.

    Returns:
        The journal with the event; writing its size into the head is the caller's.

    Raises:
        StateError: nothing was recorded; whatever was to be recorded must not happen.
    """
    with folder.opened(name) as file:
        data = b"" if file is None else file.data
        is_known = known is not None and known.data == data and known.size >= head.runs
        written = known if known is not None and is_known else _verified(data, head, secret)
        newest = written.newest
        if newest is not None and written.size > head.anchored and repeats(newest, run):
            return _count_again(folder, name, file, written, newest, secret)
        entry = {**run.entry(), "n": written.size + 1}
        if file is None or not written.data or written.whole >= FOLD_AT:
            written = _folded(written, secret)
            grown = _grown(written, entry, secret)
            folder.write(name, grown.data)
            return grown
        place, end = folder.place(name), len(written.data)
        if len(data) > end:
            _drop_torn(place, file, end)
        grown = _grown(written, entry, secret)
        _put(place, file, end, grown.data[end:])
        return grown


def anchor_runs(folder: Folder, name: str, *, head: Head, secret: bytes) -> Journal:
    """Remember the state of a journal for a checkpoint that leaves the machine; call it under the plugin's lock.

    Returns:
        The journal as it is now; empty where there is none.

    Raises:
        StateError: it can't be believed or written.
    """
    journal = _parsed(folder.read(name) or b"", head, secret)
    header, size = journal.header, journal.trail.size
    if not size or any(anchor.then.end == size for anchor in header.anchors):
        return journal
    fresh = Anchor(journal.trail.range(), CompactRange(size, size, ()))
    header = header._replace(anchors=(*header.anchors, fresh)[-ANCHORS:])
    data = _render(header, journal.lines, secret)
    folder.write(name, data)
    return parse_journal(data, secret)


def _parsed(data: bytes, head: Head, secret: bytes) -> Journal:
    journal = parse_journal(data, secret, acknowledged=head.runs)
    verify_complete(journal, head)
    return journal


def _verified(data: bytes, head: Head, secret: bytes) -> Written:
    written = _read_end(data, secret)
    if written is not None and written.size >= head.runs:
        return written
    journal = _parsed(data, head, secret)
    tail, lines = journal.trail.tail, journal.lines
    seal = seal_of(lines[-1]) if lines else journal.header.before
    return Written(data[: journal.length], journal.trail.size, len(lines), tail[-1] if tail else None, seal)


def _read_end(data: bytes, secret: bytes) -> Written | None:
    """Return the end of a journal that is, byte for byte, what was written; None for any other.

    Every seal is looked at; of the entries, which the seals vouch for, only the newest is parsed.
    """
    head, *lines = data.split(b"\n")
    if len(lines) < 2 or lines.pop():
        return None
    header = parse_header(head, secret)
    seal = last_seal(lines, header.before, secret)
    if header.anchors or seal is None:
        return None
    newest = unsealed(lines[-1])
    return Written(data, fields.number(newest["n"]), len(lines), newest, seal)


def _grown(written: Written, entry: dict[str, Json], secret: bytes) -> Written:
    line, seal = render_entry(entry, written.seal, secret)
    return Written(written.data + line + b"\n", written.size + 1, written.whole + 1, entry, seal)


def _folded(written: Written, secret: bytes) -> Written:
    """Return a journal of which only the latest entries stand whole, with room for one more among them."""
    if not written.data:
        return written._replace(data=_render(Header(), (), secret))
    head, *lines = written.data.split(b"\n")[:-1]
    drop = max(0, len(lines) - KEPT + 1)
    if not drop:
        return written
    header = parse_header(head, secret)
    header = Header(
        header.folded.extend(map(leaf_of, lines[:drop])),
        tuple(carried(anchor, header.folded.end, lines[:drop]) for anchor in header.anchors),
        seal_of(lines[drop - 1]),
    )
    return written._replace(data=_render(header, lines[drop:], secret), whole=len(lines) - drop)


def _render(header: Header, lines: list[bytes] | tuple[bytes, ...], secret: bytes) -> bytes:
    return b"\n".join((render_header(header, secret), *lines, b""))


def _count_again(
    folder: Folder, name: str, file: OpenFile | None, written: Written, newest: Entry, secret: bytes
) -> Written:
    """Write the newest entry again with one more in its count; its time stays that of the first."""
    head, *lines = written.data.split(b"\n")[:-1]
    before = seal_of(lines[-2]) if len(lines) > 1 else parse_header(head, secret).before
    entry = {**newest, "count": fields.number(newest["count"]) + 1}
    line, seal = render_entry(entry, before, secret)
    start = len(written.data) - len(lines[-1]) - 1
    data = written.data[:start] + line + b"\n"
    counted = written._replace(data=data, newest=entry, seal=seal)
    if file is not None and len(data) == len(file.data) and start // _SECTOR == (len(data) - 1) // _SECTOR:
        _put(folder.place(name), file, start, data[start:])
    else:
        # In place a power cut could leave half of what was acknowledged already.
        folder.write(name, data)
    return counted


def _put(place: str, file: OpenFile, offset: int, data: bytes) -> None:
    """Write at a place in a journal and wait for the disk."""
    try:
        write_at(file.descriptor, data, offset)
        sync_data(file.descriptor)
    except OSError as error:
        raise _not_recorded(place, error) from error


def _drop_torn(place: str, file: OpenFile, offset: int) -> None:
    """Cut an incomplete write off, and wait for the disk: what is written then never mixes with it."""
    try:
        os.ftruncate(file.descriptor, offset)
        sync_data(file.descriptor)
    except OSError as error:
        raise _not_recorded(place, error) from error


def _not_recorded(place: str, error: OSError) -> StateError:
    what = (error.strerror or "").lower()
    return StateError(
        f"the run can't be recorded: {what}", place=place, hint="free space on the disk of the state folder"
    )
