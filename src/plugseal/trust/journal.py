"""The journal of a plugin's runs as bytes and back: a header, then one line for each entry that stands whole.

The header says what was folded, the anchors of checkpoints that somebody took away, and the seal of the last folded
entry. Each further line is one entry with its seal, which covers the seal before it. A last line without its end is an
incomplete write (a power cut, a killed process): it is reported and written over, not taken for tampering.

All of it is canonical: what is sealed byte for byte needs no second look, and the leaf of an entry is the hash of its
line without the seal. No disk here; `appending` writes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from plugseal.encode.merkle import EMPTY, CompactRange, leaf_hash
from plugseal.errors import StateError, TrailError
from plugseal.records import NamedTuple
from plugseal.trust import fields
from plugseal.trust.event import EVENTS
from plugseal.trust.head import Head
from plugseal.trust.parts import anchors_json, parse_actor, parse_anchors, parse_range, range_json
from plugseal.trust.plain import Json, parse_plain, render_plain
from plugseal.trust.seals import seal, verify_seal
from plugseal.trust.trail import KEPT, Anchor, Entry, Trail, verify_numbers, verify_trail

FORMAT: Final = "plugseal.runs/1"
FOLD_AT: Final = 4 * KEPT
"""Entries at which a journal is folded to the latest `KEPT`."""
_DOMAIN: Final = b"plugseal-runs-v1\x00"
_NO_SEAL: Final = "0" * 64
_SEAL_BYTES: Final = len(',"seal":""}') + 64
"""At the end of a line: the seal is the last key of an entry."""
_KEYS: Final = frozenset(
    "n at event by component content capability generation level reason detail milliseconds count seal".split()
)
_HEADER_KEYS: Final = ("format", "folded", "anchors", "before", "seal")


class Header(NamedTuple):
    """What stands before the entries."""

    folded: CompactRange = EMPTY
    """The entries that don't stand whole any more."""
    anchors: tuple[Anchor, ...] = ()
    """Up to the last folded entry."""
    before: str = _NO_SEAL
    """The seal before the first entry that stands whole."""


class Journal(NamedTuple):
    """A plugin's runs as they are stored."""

    header: Header = Header()
    lines: tuple[bytes, ...] = ()
    """The entries that stand whole, as they are written, without the line's end."""
    trail: Trail = Trail()
    """The same entries parsed, with the anchors up to its end."""
    torn: int = 0
    """Bytes of an incomplete write at the end."""
    length: int = 0
    """Bytes of complete lines."""


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
    *lines, rest = data.split(b"\n")
    if not lines:
        return Journal(torn=len(rest))
    header = parse_header(lines.pop(0), secret)
    torn, first = len(rest), header.folded.end + 1
    if lines and _is_cut(lines[-1]):
        if header.folded.end + len(lines) <= acknowledged:
            raise TrailError("the newest entry is cut short", kind="torn")
        torn += len(lines.pop()) + 1
    is_sealed = last_seal(lines, header.before, secret) is not None
    tail = tuple(map(unsealed, lines)) if is_sealed else _verify_entries(lines, header.before, secret, first=first)
    anchors = tuple(carried(anchor, header.folded.end, lines) for anchor in header.anchors)
    trail = Trail(header.folded, tail, anchors)
    if anchors:
        verify_trail(trail, size=trail.size, root=trail.root())
    return Journal(header, tuple(lines), trail, torn, len(data) - torn)


def verify_complete(journal: Journal, head: Head) -> None:
    """Refuse a journal that holds fewer entries than were written.

    Raises:
        TrailError: the newest entries were cut, or the file was removed or put back.
    """
    if journal.trail.size >= head.runs:
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


def parse_header(line: bytes, secret: bytes) -> Header:
    """Return the header that `render_header` wrote.

    Raises:
        TrailError: another installation sealed it, or somebody without the secret wrote it.
        StateError: it is anything else.
    """
    header = fields.table(parse_plain(line), _HEADER_KEYS)
    if header["format"] != FORMAT:
        raise StateError(f"has the format `{str(header['format'])[:40]}`: this plugseal knows `{FORMAT}`")
    body = {key: header[key] for key in _HEADER_KEYS if key != "seal"}
    verify_seal(secret, _DOMAIN, render_plain(body), fields.digest(header["seal"]))
    return Header(parse_range(header["folded"]), parse_anchors(header["anchors"]), fields.digest(header["before"]))


def render_header(header: Header, secret: bytes) -> bytes:
    """Return a header as a line without its end, sealed."""
    body = render_plain(
        {
            "format": FORMAT,
            "folded": range_json(header.folded),
            "anchors": anchors_json(header.anchors),
            "before": header.before,
        }
    )
    return _with_seal(body, seal(secret, _DOMAIN, body))


def render_entry(entry: dict[str, Json], before: str, secret: bytes) -> tuple[bytes, str]:
    """Return an entry as a line without its end, and its seal.

    Args:
        entry: with its number, without a seal.
        before: the seal of the entry before.
        secret: of the installation.
    """
    body = render_plain(entry)
    own = _seal_after(before, body, secret)
    return _with_seal(body, own), own


def seal_of(line: bytes) -> str:
    """Return the seal of an entry that was verified."""
    return line[-len('"}') - 64 : -len('"}')].decode("ascii")


def last_seal(lines: Sequence[bytes], before: str, secret: bytes) -> str | None:
    """Return the seal of the last of these lines, None where they are not, byte for byte, what was written.

    Args:
        lines: of entries, from the oldest to the newest.
        before: the seal before them; the answer where there are none.
        secret: of the installation.
    """
    for line in lines:
        before = _seal_after(before, line[:-_SEAL_BYTES] + b"}", secret)
        if not line.endswith(b',"seal":"%b"}' % before.encode("ascii")):
            return None
    return before


def carried(anchor: Anchor, start: int, lines: Sequence[bytes]) -> Anchor:
    """Return an anchor after the entries from a number of leaves on; those that it covers already are passed over."""
    return Anchor(anchor.then, anchor.since.extend(map(leaf_of, lines[max(0, anchor.since.end - start) :])))


def leaf_of(line: bytes) -> bytes:
    """Return the leaf hash of an entry that was verified: 32 bytes."""
    return leaf_hash(line[:-_SEAL_BYTES] + b"}")


def unsealed(line: bytes) -> Entry:
    """Return the entry of a line that was verified."""
    entry: dict[str, Json] = json.loads(line)
    del entry["seal"]
    return entry


def _with_seal(body: bytes, own: str) -> bytes:
    return b'%b,"seal":"%b"}' % (body[:-1], own.encode("ascii"))


def _seal_after(before: str, body: bytes, secret: bytes) -> str:
    return seal(secret, _DOMAIN, before.encode("ascii") + body)


def _is_cut(line: bytes) -> bool:
    """Say whether a line is not even what some plugseal would write: a part of it never reached the disk."""
    try:
        parse_plain(line)
    except StateError:
        return True
    return False


def _verify_entries(lines: Sequence[bytes], before: str, secret: bytes, *, first: int) -> tuple[Entry, ...]:
    """Return the entries of lines that are not what was written, if there is a way to read them so.

    Raises:
        TrailError: there is none; the kind says what was done to them.
    """
    entries = [_parse_entry(line) for line in lines]
    verify_numbers([entry["n"] for entry in entries], first=first)
    for entry in entries:
        found = fields.digest(entry.pop("seal"))
        if _seal_after(before, render_plain(entry), secret) != found:
            last = entry is entries[-1]
            raise TrailError(
                f"entry {entry['n']} is not what was written" + (", or was never written by plugseal" if last else ""),
                kind="forged" if last else "edited",
            )
        before = found
    return tuple(entries)


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
