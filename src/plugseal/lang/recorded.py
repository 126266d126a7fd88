"""The package's own tables, read from what was recorded of them: JSON takes a tenth of the time of TOML.

Beside the tables of a folder stands `recorded.jsonl`, one line for each: its name, the SHA-256 of its bytes, what it
says. A line counts for exactly these bytes; a table that was changed since is parsed as it stands. So nothing depends
on the record but the time, and a test says when to write it anew. Only for files of ours, see `parse_known_toml`.
"""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

RECORD: Final = "recorded.jsonl"


def read_table(folder: Path, name: str) -> dict[str, Any]:  # Any: TOML, turned into ours by the callers
    """Return what one table says.

    Args:
        folder: holds the table and the record.
        name: of its file, e.g. `os.toml`.
    """
    with open(f"{folder}/{name}", "rb", buffering=0) as stream:  # noqa: PTH123  # each path object costs
        data = stream.read()
    record, head = _read_record(folder), _head(name, data)
    start = record.find(b"\n" + head)
    if start < 0:
        from plugseal.encode.toml import parse_known_toml  # loads the TOML library

        return parse_known_toml(data)
    start += 1 + len(head)
    found: dict[str, Any] = json.loads(record[start : record.index(b"]\n", start)])
    return found


def render_record(folder: Path) -> bytes:
    """Return the record of a folder's tables, as it should be."""
    from plugseal.encode.toml import parse_toml

    lines = [b"[]\n"]
    for path in sorted(folder.glob("*.toml")):
        data = path.read_bytes()
        table = json.dumps(parse_toml(data, max_bytes=len(data)), separators=(",", ":"))
        lines.append(_head(path.name, data) + table.encode("ascii") + b"]\n")
    return b"".join(lines)


def _head(name: str, data: bytes) -> bytes:
    """Return how the line of a table begins."""
    return f'["{name}","{sha256(data).hexdigest()}",'.encode("ascii")


@lru_cache(maxsize=8)
def _read_record(folder: Path) -> bytes:
    try:
        with open(f"{folder}/{RECORD}", "rb", buffering=0) as stream:  # noqa: PTH123  # as above
            return stream.read()
    except OSError:
        return b""
