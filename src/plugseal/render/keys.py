"""Keys as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import plugseal
from plugseal.model.keys import MadeKey, ShownKey
from plugseal.render.json import Json, encode
from plugseal.render.text import GAP, Line, Piece, count, line, pad
from plugseal.shown import shown, shown_path

KEYS_FORMAT: Final = "plugseal.keys/1"


def render_made(made: MadeKey) -> Iterator[Line]:
    """Yield what was written, and whether it is encrypted."""
    private, public = (Piece(shown_path(path), "path") for path in (made.path, made.public_path))
    yield line("wrote ", private, " (readable by you alone; do not commit) and ", public)
    yield line(f"{GAP}key {made.key.keyid[:8]}")
    if not made.encrypted:
        yield line(
            f"{GAP}not encrypted: whoever reads the file can sign; a key in ssh-agent or on a security key is safer"
        )


def render_key(key: ShownKey) -> Iterator[Line]:
    """Yield one key, whole, with the line that lets it sign."""
    yield line(Piece(f"{key.kind} {key.keyid}", "title"))
    for name, value in (("comment", shown(key.comment)), ("fingerprint", key.fingerprint)):
        yield line(f"{GAP}{pad(name, 11)}{GAP}{value}")
    yield line("for `allowed_signers`:")
    yield line(Piece(shown(key.signer_line, limit=4000), "literal"))


def render_keys(keys: Sequence[ShownKey]) -> Iterator[Line]:
    """Yield a row for each key, then the count."""
    for key in keys:
        note = f"{GAP}{key.note}" if key.note else ""
        about = f"{pad(key.kind, 10)}{GAP}{shown(key.where)}{GAP}"
        yield line(GAP, Piece(key.keyid[:16], "literal"), f"{GAP}{about}", shown(key.comment), note)
    yield line(count(len(keys), "key"))


def render_keys_json(keys: Sequence[ShownKey]) -> Iterator[str]:
    """Yield the document, ended by a newline."""
    document: dict[str, Json] = {
        "format": KEYS_FORMAT,
        "plugseal": plugseal.__version__,
        "keys": [{**key._asdict(), "note": key.note or None} for key in keys],
    }
    yield "{\n" + ",\n".join(f'  "{key}": {encode(value)}' for key, value in document.items()) + "\n}\n"
