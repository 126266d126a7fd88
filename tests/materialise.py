"""Builds a fixture's tree as it is in the wild out of its inert form in this repository.

Two forms exist. A folder holds files under names that no client acts on: `dot-mcp.json` becomes `.mcp.json`,
`conftest.py.inert` becomes `conftest.py`, and `LAYOUT.toml` adds what git can't hold. A case is one JSON file whose
`tree` lists every entry with its text. Nothing that is built is run.
"""

from __future__ import annotations

import base64
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

_NOT_BUILT = frozenset({"EXPECT.toml", "LAYOUT.toml"})


def materialise(fixture: Path, target: Path) -> Path:
    """Build a fixture below a folder.

    Args:
        fixture: a folder with inert names, or a case's JSON file.
        target: an empty or missing folder.

    Returns:
        `target`.
    """
    target.mkdir(parents=True, exist_ok=True)
    for entry in _case(fixture) if fixture.is_file() else _folder(fixture):
        _build(target, entry)
    return target


def _case(fixture: Path) -> Iterator[dict[str, Any]]:
    yield from json.loads(fixture.read_text("ascii"))["tree"]


def _folder(fixture: Path) -> Iterator[dict[str, Any]]:
    """Yield the files of a folder under their live names, then what its layout adds."""
    for path in sorted(fixture.rglob("*")):
        name = path.relative_to(fixture).as_posix()
        if path.is_file() and name not in _NOT_BUILT:
            mode = "755" if os.access(path, os.X_OK) else "644"
            yield {"path": _live(name), "data": path.read_bytes(), "mode": mode}
    layout = fixture / "LAYOUT.toml"
    if layout.exists():
        yield from tomllib.loads(layout.read_text("utf-8")).get("entry", [])


def _live(name: str) -> str:
    parts = ["." + part.removeprefix("dot-") if part.startswith("dot-") else part for part in name.split("/")]
    return "/".join(parts).removesuffix(".inert")


def _build(target: Path, entry: dict[str, Any]) -> None:
    """Make one entry of text, repeated parts or base64; or a folder, link, pipe, socket, hard link, or mode alone."""
    path = target / entry["path"]
    path.parent.mkdir(parents=True, exist_ok=True)
    if "link" in entry:
        path.symlink_to(entry["link"])
        return
    if "hardlink" in entry:
        os.link(target / entry["hardlink"], path)
        return
    if entry.get("fifo"):
        os.mkfifo(path)
        return
    if entry.get("socket"):
        _socket(path)
        return
    if entry.get("folder"):
        path.mkdir(exist_ok=True)
    elif entry.get("crlf"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    else:
        data = _data(entry)
        if data is not None:
            path.write_bytes(data)
    path.chmod(int(entry.get("mode", "755" if entry.get("folder") else "644"), 8))


def _socket(path: Path) -> None:
    """Leave a socket's name behind; the address is short since a socket's path may not be long."""
    here = os.open(path.parent, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(f"/proc/self/fd/{here}/{path.name}")
    finally:
        os.close(here)


def _data(entry: dict[str, Any]) -> bytes | None:
    if "data" in entry:
        return bytes(entry["data"])
    if "text" in entry:
        return str(entry["text"]).encode("utf-8")
    if "parts" in entry:
        return "".join(text * count for text, count in entry["parts"]).encode("utf-8")
    return base64.b64decode(entry["base64"]) if "base64" in entry else None
