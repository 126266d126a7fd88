"""A trail as lines of JSON, to be read by other programs and verified again: a header, then one entry a line.

The header holds what was folded and how many entries there ever were, and is sealed by the installation; the root in it
is over all entries, so that none can be dropped, changed, moved or added. No disk here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from plugseal.errors import StateError, TrailError
from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.trust import fields
from plugseal.trust.parts import parse_range, range_json
from plugseal.trust.plain import Json, parse_plain, render_plain
from plugseal.trust.seals import seal, verify_seal
from plugseal.trust.trail import Trail, verify_trail

FORMAT: Final = "plugseal.export/1"
_DOMAIN: Final = b"plugseal-export-v1\x00"
_HEADER: Final = lazy(rb'\n(?=\{[^\n]*"format":"plugseal\.export/1")')
_KEYS: Final = ("format", "id", "trail", "folded", "size", "root")


class Exported(NamedTuple):
    """One trail out of an export."""

    id: str
    trail_name: str
    trail: Trail


def render_export(name: str, trail: Trail, secret: bytes, *, id: str) -> Iterator[str]:  # noqa: A002  # its name in the file
    """Yield the lines of one trail, each ended by a newline.

    Args:
        name: `reviews` or `runs`.
        trail: to be exported.
        secret: of the installation.
        id: of the plugin.
    """
    header: dict[str, Json] = {
        "format": FORMAT,
        "id": id,
        "trail": name,
        "folded": range_json(trail.folded),
        "size": trail.size,
        "root": trail.root().hex(),
    }
    sealed = {**header, "seal": seal(secret, _DOMAIN, render_plain(header))}
    yield render_plain(sealed).decode("utf-8") + "\n"
    for entry in trail.tail:
        yield render_plain(dict(entry)).decode("utf-8") + "\n"


def parse_exports(data: bytes, secret: bytes | None) -> tuple[Exported, ...]:
    """Return every trail of an export, each once, verified.

    Args:
        data: all lines.
        secret: as of `parse_export`.

    Raises:
        TrailError: a trail is broken, or stands twice.
        StateError: it is no export.
    """
    starts = [0, *(found.start() + 1 for found in _HEADER.finditer(data))]
    found = [parse_export(data[at:end], secret) for at, end in zip(starts, [*starts[1:], len(data)], strict=True)]
    if len({(one.id, one.trail_name) for one in found}) != len(found):
        raise TrailError("a trail stands twice: an older part was put back", kind="rolled-back")
    return tuple(found)


def parse_export(data: bytes, secret: bytes | None) -> Exported:
    """Return the trail that an export holds, verified.

    Args:
        data: the lines of one trail.
        secret: of the installation that exported it; None to verify without the seal, where it is not at hand.

    Raises:
        TrailError: entries were cut, moved, changed, doubled or added; the kind says which.
        StateError: it is no export.
    """
    if not data:
        raise TrailError("the file is empty: everything was removed", kind="missing")
    *lines, rest = data.split(b"\n")
    if not lines or b'"format"' not in lines[0]:
        raise TrailError("the header is missing: the file was cut at its beginning", kind="cut-oldest")
    header = fields.table(parse_plain(lines[0]), (*_KEYS, "seal"))
    if header["format"] != FORMAT:
        raise StateError(f"has the format `{str(header['format'])[:40]}`: this plugseal knows `{FORMAT}`")
    body = {key: header[key] for key in _KEYS}
    if secret is not None:
        verify_seal(secret, _DOMAIN, render_plain(body), fields.digest(header["seal"]))
    if rest:
        raise TrailError("the last line is cut short", kind="torn")
    entries = [_entry(line, is_last=line is lines[-1]) for line in lines[1:]]
    if any("seal" in entry for entry in entries):
        raise TrailError("the header stands twice: an older part was put back", kind="rolled-back")
    trail = Trail(parse_range(header["folded"]), tuple(entries))
    verify_trail(trail, size=fields.number(header["size"]), root=bytes.fromhex(fields.digest(header["root"])))
    return Exported(fields.text(header["id"]), fields.text(header["trail"]), trail)


def _entry(line: bytes, *, is_last: bool) -> dict[str, Json]:
    try:
        value = parse_plain(line)
    except StateError as error:
        if is_last and not _is_json(line):
            raise TrailError("the last line is cut short", kind="torn") from error
        if is_last:
            raise TrailError("the last line was not written by plugseal", kind="forged") from error
        raise TrailError("a line is not what plugseal writes: it was edited", kind="edited") from error
    if not isinstance(value, dict):
        raise TrailError("a line is no entry", kind="malformed")
    return value


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
