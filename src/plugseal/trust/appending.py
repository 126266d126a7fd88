"""Append to the journal of a plugin's runs: one write in place and one sync; a grown journal is folded by rename.

Equal refusals in a row are one entry with a count, so that nobody can push the rest out by asking again and again; an
entry that a checkpoint elsewhere tells of is left as it is, and a new one begins.

What this process verified of a journal, or wrote, is remembered as bytes, and believed again only where the very same
bytes still stand on the disk. Every function is called under the plugin's lock.
"""

from __future__ import annotations

import os
from typing import Final

from plugseal.encode.merkle import CompactRange
from plugseal.errors import StateError
from plugseal.records import NamedTuple
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
from plugseal.trust.private import what_to_do
from plugseal.trust.trail import ANCHORS, KEPT, Anchor, Entry

_SECTOR: Final = 512
"""What a disk writes as a whole, or not at all."""


class Written(NamedTuple):
    """A journal that was verified, or written, byte for byte."""

    before: bytes
    """Its complete lines but the newest entry's."""
    line: bytes
    """That of the newest entry, with its end; empty where there is none."""
    size: int
    """Entries there ever were."""
    whole: int
    """Entries that stand whole."""
    newest: Entry | None
    seal: str
    """Of the newest entry."""

    @property
    def data(self) -> bytes:
        """Return its complete lines."""
        return self.before + self.line

    def is_all_of(self, data: bytes) -> bool:
        """Say whether these are its very bytes; nothing is copied for it."""
        return (
            len(data) == len(self.before) + len(self.line) and data.startswith(self.before) and data.endswith(self.line)
        )


def append_run(
    folder: Folder,
    name: str,
    run: Run,
    *,
    file: OpenFile | None,
    head: Head,
    secret: bytes,
    known: Written | None = None,
) -> Written:
    """Append an event to a journal and wait until it is on the disk; call it under the plugin's lock.

    Args:
        folder: of the journal.
        name: of the journal's file.
        run: what happened.
        file: the journal as it stands; None where there is none.
        head: of the plugin.
        secret: of the installation.
        known: what an earlier call with this secret returned.

    Returns:
        The journal with the event; writing its size into the head is the caller's.

    Raises:
        StateError: nothing was recorded; whatever was to be recorded must not happen.
    """
    data = b"" if file is None else file.data
    is_known = known is not None and known.size >= head.runs and known.is_all_of(data)
    written = known if known is not None and is_known else _verified(data, head, secret, place=folder.place(name))
    newest = written.newest
    if newest is not None and written.size > head.anchored and repeats(newest, run):
        return _count_again(folder, name, file, written, newest, secret)
    entry = run.entry()
    entry["n"] = written.size + 1
    if file is None or not written.before or written.whole >= FOLD_AT:
        written, header = _folded(written, secret)
        grown = _grown(written, entry, secret, before=header)
        folder.write(name, grown.data)
        return grown
    end = len(written.before) + len(written.line)
    if len(data) > end:
        _drop_torn(folder, name, file, end)
        data = data[:end]
    grown = _grown(written, entry, secret, before=data)
    _put(folder, name, file, end, grown.line)
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


def _verified(data: bytes, head: Head, secret: bytes, *, place: str) -> Written:
    written = _read_end(data, secret)
    if written is not None and written.size >= head.runs:
        return written
    try:
        journal = _parsed(data, head, secret)
    except StateError as error:
        error.place = error.place or place
        raise
    tail, lines = journal.trail.tail, journal.lines
    seal = seal_of(lines[-1]) if lines else journal.header.before
    cut = journal.length - (len(lines[-1]) + 1 if lines else 0)
    newest = tail[-1] if tail else None
    return Written(data[:cut], data[cut : journal.length], journal.trail.size, len(lines), newest, seal)


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
    cut = len(data) - len(lines[-1]) - 1
    return Written(data[:cut], data[cut:], fields.number(newest["n"]), len(lines), newest, seal)


def _grown(written: Written, entry: dict[str, Json], secret: bytes, *, before: bytes) -> Written:
    line, seal = render_entry(entry, written.seal, secret)
    return Written(before, line + b"\n", written.size + 1, written.whole + 1, entry, seal)


def _folded(written: Written, secret: bytes) -> tuple[Written, bytes]:
    """Return what stays whole of a journal, with room for one more entry, and the bytes before that one."""
    if not written.before:
        return written, _render(Header(), (), secret)
    data = written.data
    head, *lines = data.split(b"\n")[:-1]
    drop = max(0, len(lines) - KEPT + 1)
    if not drop:
        return written, data
    header = parse_header(head, secret)
    header = Header(
        header.folded.extend(map(leaf_of, lines[:drop])),
        tuple(carried(anchor, header.folded.end, lines[:drop]) for anchor in header.anchors),
        seal_of(lines[drop - 1]),
    )
    return written._replace(whole=len(lines) - drop), _render(header, lines[drop:], secret)


def _render(header: Header, lines: list[bytes] | tuple[bytes, ...], secret: bytes) -> bytes:
    return b"\n".join((render_header(header, secret), *lines, b""))


def _count_again(
    folder: Folder, name: str, file: OpenFile | None, written: Written, newest: Entry, secret: bytes
) -> Written:
    """Write the newest entry again with one more in its count; its time stays that of the first."""
    before = written.before
    last = before[before.rfind(b"\n", 0, -1) + 1 : -1]
    seal = seal_of(last) if written.whole > 1 else parse_header(last, secret).before
    entry = {**newest, "count": fields.number(newest["count"]) + 1}
    line, own = render_entry(entry, seal, secret)
    counted = written._replace(line=line + b"\n", newest=entry, seal=own)
    start, end = len(before), len(before) + len(counted.line)
    if file is not None and end == len(file.data) and start // _SECTOR == (end - 1) // _SECTOR:
        _put(folder, name, file, start, counted.line)
    else:
        # In place a power cut could leave half of what was acknowledged already.
        folder.write(name, counted.data)
    return counted


def _put(folder: Folder, name: str, file: OpenFile, offset: int, data: bytes) -> None:
    """Write at a place in a journal and wait for the disk."""
    try:
        write_at(file.descriptor, data, offset)
        sync_data(file.descriptor)
    except OSError as error:
        raise _not_recorded(folder.place(name), error) from error


def _drop_torn(folder: Folder, name: str, file: OpenFile, offset: int) -> None:
    """Cut an incomplete write off, and wait for the disk: what is written then never mixes with it."""
    try:
        os.ftruncate(file.descriptor, offset)
        sync_data(file.descriptor)
    except OSError as error:
        raise _not_recorded(folder.place(name), error) from error


def _not_recorded(place: str, error: OSError) -> StateError:
    what = (error.strerror or "").lower()
    return StateError(f"the run can't be recorded: {what}", place=place, hint=what_to_do(place, error))
