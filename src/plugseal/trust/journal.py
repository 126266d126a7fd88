"""The trail of a plugin's runs: a journal that is appended to and synced, and folded by rename when it has grown.

The first line is the header: what was folded, the anchors of checkpoints that somebody took away, and the seal of the
last folded entry. Each further line is one entry with its seal, which covers the seal before it. A last line without
its end is an incomplete write (a power cut, a killed process): it is reported and written over, not taken for
tampering.

Equal refusals in a row are one entry with a count, so that nobody can push the rest out by asking again and again; an
entry that a checkpoint elsewhere tells of is left as it is, and a new one begins.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from plugseal.encode.merkle import CompactRange
from plugseal.errors import StateError, TrailError
from plugseal.trust import fields
from plugseal.trust.event import EVENTS, Run, repeats
from plugseal.trust.files import Folder, write_all
from plugseal.trust.head import Head
from plugseal.trust.plain import Json, parse_plain, render_plain
from plugseal.trust.record import (
    anchors_json,
    parse_actor,
    parse_anchors,
    parse_range,
    range_json,
    seal,
    verify_seal,
)
from plugseal.trust.trail import ANCHORS, KEPT, Anchor, Entry, Trail, entry_hash, verify_numbers, verify_trail

FORMAT: Final = "plugseal.runs/1"
FOLD_AT: Final = 2 * KEPT
"""Entries at which a journal is folded to the latest `KEPT`."""
_DOMAIN: Final = b"plugseal-runs-v1\x00"
_NO_SEAL: Final = "0" * 64
_SEAL_BYTES: Final = len(',"seal":""}') + 64
"""At the end of a line: the seal is the last key of an entry."""
_KEYS: Final = frozenset(
    "n at event by component content capability generation level reason detail milliseconds count seal".split()
)
_HEADER_KEYS: Final = ("format", "folded", "anchors", "before", "seal")


@dataclass(frozen=True, slots=True)
class Journal:
    """A plugin's runs as they are stored."""

    trail: Trail = field(default_factory=Trail)
    before: str = _NO_SEAL
    """The seal before the first entry that stands whole."""
    seals: tuple[str, ...] = ()
    """Of the entries that stand whole."""
    torn: int = 0
    """Bytes of an incomplete write at the end."""
    length: int = 0
    """Bytes of complete lines."""
    anchors: tuple[Anchor, ...] = ()
    """As they stand in the header: up to what was folded. The trail has them up to its end."""

    @property
    def last_seal(self) -> str:
        """Return the seal that the next entry's covers."""
        return self.seals[-1] if self.seals else self.before


def parse_journal(data: bytes, secret: bytes, *, acknowledged: int = 0) -> Journal:
    """Return the journal that these bytes hold.

    Args:
        data: all bytes of the file.
        secret: of the installation.
        acknowledged: how many entries are known to have been written whole: what is damaged beyond is an incomplete
            write.

    Raises:
        TrailError: entries were cut, moved, changed or added; the kind says which.
        StateError: it is no journal.
    """
    if not data:
        return Journal()
    *lines, rest = data.split(b"\n")
    if not lines:
        return Journal(torn=len(rest))
    header = fields.table(parse_plain(lines[0]), _HEADER_KEYS)
    if header["format"] != FORMAT:
        raise StateError(f"has the format `{str(header['format'])[:40]}`: this plugseal knows `{FORMAT}`")
    body = {key: header[key] for key in _HEADER_KEYS if key != "seal"}
    verify_seal(secret, _DOMAIN, render_plain(body), fields.digest(header["seal"]))
    folded, before = parse_range(header["folded"]), fields.digest(header["before"])
    torn = len(rest)
    if len(lines) > 1 and _is_cut(lines[-1]):
        if folded.end + len(lines) - 1 <= acknowledged:
            raise TrailError("the newest entry is cut short", kind="torn")
        torn += len(lines.pop()) + 1
    seals = _seals_of(lines[1:], before, secret)
    entries = _parse_entries(lines[1:], seals, first=folded.end + 1)
    if seals is None:
        seals = _verify_seals(entries, before, secret)
    tail = tuple({key: value for key, value in entry.items() if key != "seal"} for entry in entries)
    anchors = parse_anchors(header["anchors"])
    trail = Trail(folded, tail, tuple(_carried(anchor, folded.end, tail) for anchor in anchors))
    if anchors:
        verify_trail(trail, size=trail.size, root=trail.root())
    return Journal(trail, before, seals, torn, len(data) - torn, anchors)


def anchor_runs(folder: Folder, name: str, *, head: Head | None, secret: bytes) -> Journal:
    """Remember the state of a journal for a checkpoint that leaves the machine; call it under the plugin's lock.

    Returns:
        The journal as it is now; empty where there is none.

    Raises:
        StateError: it can't be believed or written.
    """
    journal = parse_journal(folder.read(name) or b"", secret, acknowledged=0 if head is None else head.runs)
    verify_complete(journal, head)
    size = journal.trail.size
    if not size or any(anchor.then.end == size for anchor in journal.anchors):
        return journal
    fresh = Anchor(journal.trail.range(), CompactRange(size, size, ()))
    journal = replace(journal, anchors=(*journal.anchors, fresh)[-ANCHORS:])
    folder.write(name, _render(journal, secret))
    return journal


def verify_complete(journal: Journal, head: Head | None) -> None:
    """Refuse a journal that holds fewer entries than were written.

    Raises:
        TrailError: the newest entries were cut, or the file was removed or put back.
    """
    if head is None or journal.trail.size >= head.runs:
        return
    missing = head.runs - journal.trail.size
    if missing == 1 and journal.torn:
        raise TrailError("the newest entry is cut short", kind="torn")
    if not journal.length:
        raise TrailError(f"the journal was removed: it held {head.runs:,} entries", kind="missing")
    raise TrailError(
        f"the newest {missing:,} of {head.runs:,} entries are missing: cut off, or an older journal was put back",
        kind="cut-newest",
    )


def append_run(folder: Folder, name: str, run: Run, *, head: Head | None, secret: bytes) -> int:
    """Append an event to a journal and wait until it is on the disk; call it under the plugin's lock.

    Args:
        folder: of the journal.
        name: of the journal's file.
        run: what happened.
        head: of the plugin, None where it has none yet.
        secret: of the installation.

    Returns:
        How many entries there ever were, with this one; writing that into the head is the caller's.

    Raises:
        StateError: nothing was recorded; whatever was to be recorded must not happen.
    """
    data = folder.read(name) or b""
    acknowledged, anchored = (0, 0) if head is None else (head.runs, head.anchored)
    end = _end_of(data, secret)
    if end is not None and end.size >= acknowledged and not repeats(end.newest, run):
        _, line = _sealed({**run.entry(), "n": end.size + 1}, end.seal, secret)
        _write_at(folder, name, len(data), line)
        return end.size + 1
    journal = parse_journal(data, secret, acknowledged=acknowledged)
    verify_complete(journal, head)
    if not journal.length or len(journal.trail.tail) >= FOLD_AT:
        journal = _folded(journal)
        grown, line = _grown(journal, run, secret)
        whole = _render(journal, secret) + line
        folder.write(name, whole)
        return grown.trail.size
    if _repeats(journal, run, anchored):
        return _count_again(folder, name, journal, secret).trail.size
    grown, line = _grown(journal, run, secret)
    _write_at(folder, name, journal.length, line)
    return grown.trail.size


class _End(NamedTuple):
    """Where a journal ends."""

    size: int
    newest: Entry
    seal: str


def _end_of(data: bytes, secret: bytes) -> _End | None:
    """Return the end of a journal that is, byte for byte, what was written, and need not be folded; None for any other.

    Every seal is looked at; of the entries, which the seals vouch for, only the newest is parsed.
    """
    head, *lines = data.split(b"\n")
    if not 2 <= len(lines) <= FOLD_AT or lines.pop():
        return None
    header = fields.table(parse_plain(head), _HEADER_KEYS)
    body = {key: header[key] for key in _HEADER_KEYS if key != "seal"}
    verify_seal(secret, _DOMAIN, render_plain(body), fields.digest(header["seal"]))
    seals = _seals_of(lines, fields.digest(header["before"]), secret)
    if header["format"] != FORMAT or header["anchors"] or seals is None:
        return None
    newest = json.loads(lines[-1].decode("utf-8"))
    return _End(fields.number(newest["n"]), newest, seals[-1])


def _is_cut(line: bytes) -> bool:
    """Say whether a line is not even what some plugseal would write: a part of it never reached the disk."""
    try:
        parse_plain(line)
    except StateError:
        return True
    return False


def _seals_of(lines: Sequence[bytes], before: str, secret: bytes) -> tuple[str, ...] | None:
    """Return the seals of lines that are, byte for byte and in this order, what was written; None for any others."""
    seals = []
    for line in lines:
        body, found = line[:-_SEAL_BYTES] + b"}", line[-_SEAL_BYTES:]
        before = seal(secret, _DOMAIN + before.encode("ascii"), body)
        if found != b',"seal":"%b"}' % before.encode("ascii"):
            return None
        seals.append(before)
    return tuple(seals)


def _parse_entries(lines: Sequence[bytes], seals: tuple[str, ...] | None, *, first: int) -> list[dict[str, Json]]:
    """Return the entries of lines; what is sealed byte for byte needs no second look."""
    if seals is not None:
        return [json.loads(line.decode("utf-8")) for line in lines]
    entries = [_parse_entry(line) for line in lines]
    verify_numbers([entry["n"] for entry in entries], first=first)
    return entries


def _parse_entry(line: bytes) -> dict[str, Json]:
    try:
        entry = fields.table(parse_plain(line), _KEYS)
    except StateError as error:
        raise TrailError(f"an entry {error.message}", kind="malformed") from error
    for key in ("n", "generation", "level", "milliseconds", "count"):
        fields.number(entry[key])
    for key in ("component", "reason", "detail"):
        fields.text(entry[key])
    for key in ("content", "capability"):
        if entry[key] is not None:
            fields.digest(entry[key])
    fields.moment(entry["at"])
    parse_actor(entry["by"])
    if fields.text(entry["event"]) not in EVENTS:
        raise TrailError("an entry of an unknown event", kind="malformed")
    return entry


def _verify_seals(entries: Sequence[dict[str, Json]], before: str, secret: bytes) -> tuple[str, ...]:
    seals = []
    for entry in entries:
        found = fields.digest(entry["seal"])
        body = render_plain({key: value for key, value in entry.items() if key != "seal"})
        if seal(secret, _DOMAIN + before.encode("ascii"), body) != found:
            last = entry is entries[-1]
            raise TrailError(
                f"entry {entry['n']} is not what was written" + (", or was never written by plugseal" if last else ""),
                kind="forged" if last else "edited",
            )
        seals.append(found)
        before = found
    return tuple(seals)


def _folded(journal: Journal) -> Journal:
    """Return a journal of which only the latest entries stand whole."""
    tail, seals = journal.trail.tail, journal.seals
    drop = max(0, len(tail) - KEPT + 1)
    if not drop:
        return journal
    start = journal.trail.folded.end
    folded = journal.trail.folded.extend(entry_hash(entry) for entry in tail[:drop])
    anchors = tuple(_carried(anchor, start, tail[:drop]) for anchor in journal.anchors)
    return replace(
        journal, trail=Trail(folded, tail[drop:]), before=seals[drop - 1], seals=seals[drop:], anchors=anchors
    )


def _carried(anchor: Anchor, start: int, entries: Sequence[Entry]) -> Anchor:
    """Return an anchor after the entries from a number of leaves on; those that it covers already are passed over."""
    for at, entry in enumerate(entries, start):
        if at == anchor.since.end:
            anchor = anchor.append(entry_hash(entry))
    return anchor


def _grown(journal: Journal, run: Run, secret: bytes) -> tuple[Journal, bytes]:
    entry = {**run.entry(), "n": journal.trail.size + 1}
    own, line = _sealed(entry, journal.last_seal, secret)
    trail = Trail(journal.trail.folded, (*journal.trail.tail, entry))
    return replace(journal, trail=trail, seals=(*journal.seals, own), torn=0, length=journal.length + len(line)), line


def _sealed(entry: dict[str, Json], before: str, secret: bytes) -> tuple[str, bytes]:
    own = seal(secret, _DOMAIN + before.encode("ascii"), render_plain(entry))
    return own, render_plain({**entry, "seal": own}) + b"\n"


def _render(journal: Journal, secret: bytes) -> bytes:
    body: dict[str, Json] = {
        "format": FORMAT,
        "folded": range_json(journal.trail.folded),
        "anchors": anchors_json(journal.anchors),
        "before": journal.before,
    }
    lines = [render_plain({**body, "seal": seal(secret, _DOMAIN, render_plain(body))})]
    lines += [
        render_plain({**entry, "seal": own}) for entry, own in zip(journal.trail.tail, journal.seals, strict=True)
    ]
    return b"\n".join(lines) + b"\n"


def _repeats(journal: Journal, run: Run, anchored: int) -> bool:
    newest: Entry | None = journal.trail.tail[-1] if journal.trail.tail else None
    return newest is not None and journal.trail.size > anchored and repeats(newest, run)


def _count_again(folder: Folder, name: str, journal: Journal, secret: bytes) -> Journal:
    """Write the newest entry again with one more in its count; its time stays that of the first."""
    *others, newest = journal.trail.tail
    entry = {**newest, "count": fields.number(newest["count"]) + 1}
    before = journal.seals[-2] if len(journal.seals) > 1 else journal.before
    old = len(_sealed(dict(newest), before, secret)[1])
    own, line = _sealed(entry, before, secret)
    start = journal.length - old
    _write_at(folder, name, start, line)
    trail = Trail(journal.trail.folded, (*others, entry))
    return replace(journal, trail=trail, seals=(*journal.seals[:-1], own), torn=0, length=start + len(line))


def _write_at(folder: Folder, name: str, offset: int, data: bytes) -> None:
    descriptor = folder.open_private(name, os.O_WRONLY)
    try:
        os.lseek(descriptor, offset, os.SEEK_SET)
        write_all(descriptor, data)
        if os.fstat(descriptor).st_size > offset + len(data):
            # What an incomplete write left behind.
            os.ftruncate(descriptor, offset + len(data))
        os.fdatasync(descriptor)
    except OSError as error:
        raise StateError(
            f"the run can't be recorded: {(error.strerror or '').lower()}",
            place=folder.place(name),
            hint="free space on the disk of the state folder",
        ) from error
    finally:
        os.close(descriptor)
