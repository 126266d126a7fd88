"""One key for all spellings of one path, whichever system wrote it; two paths never share one.

Rules
- It reads text alone: no disk is asked and no link followed. Who has the disk resolves links first.
- Windows: the drive's letter in any case, either slash, with or without the prefix for long names, and as MSYS
  (`/c/…`) and WSL (`/mnt/c/…`) write it; both names of the share under which Windows shows a WSL system.
- Everything but drive letters and names of servers keeps its case, on Windows too: what may be one folder on one
  machine is two on another, and a key that is too narrow only asks again.
- Empty parts, `.` and a slash at the end say nothing; `..` goes up, and never above the root.

A POSIX system that really has a folder `/c` never asks for a key of its own paths: they are canonical already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from plugseal.patterns import lazy

_LONG: Final = lazy(r"\A[\\/]{2}[?.][\\/](?P<unc>UNC[\\/])?", re.IGNORECASE)
_DRIVE: Final = lazy(r"\A(?P<letter>[A-Za-z]):[\\/]")
_POSIX_DRIVE: Final = lazy(r"\A/(?:mnt/)?(?P<letter>[A-Za-z])(?:/|\Z)")
_SHARE: Final = lazy(r"\A[\\/]{2}(?P<server>[^\\/]+)[\\/]")
_SLASHES: Final = lazy(r"[\\/]")
_WSL: Final = {"wsl$": "wsl.localhost"}


def path_key(path: str) -> str:
    r"""Return the key of an absolute path: equal for all spellings of one path.

    Law: `path_key(path_key(path)) == path_key(path)`.

    Args:
        path: absolute, in the spelling of any system. One that is relative is a key of its own.
    """
    long = _LONG.match(path)
    if long is not None:
        rest = path[long.end() :]
        path = rf"\\{rest}" if long["unc"] else rest
    drive = _DRIVE.match(path)
    if drive is not None:
        return _joined(f"{drive['letter'].upper()}:", _SLASHES.split(path[drive.end() :]))
    share = _SHARE.match(path)
    if share is not None:
        server = share["server"].lower()
        return _joined(f"//{_WSL.get(server, server)}", _SLASHES.split(path[share.end() :]))
    if not path.startswith("/"):
        return path
    key = _joined("", path.split("/"))
    posix_drive = _POSIX_DRIVE.match(key)
    if posix_drive is None:
        return key
    return _joined(f"{posix_drive['letter'].upper()}:", _SLASHES.split(key[posix_drive.end() :]))


def _joined(root: str, parts: Iterable[str]) -> str:
    kept: list[str] = []
    for part in parts:
        if part == "..":
            del kept[-1:]
        elif part not in ("", "."):
            kept.append(part)
    return f"{root}/{'/'.join(kept)}"
