"""Codewhale's older system of tools: scripts below `[tools].plugin_dir`, listed apart. None is started or trusted.

A script counts that is a regular file, not hidden, and names itself in its first lines (`# name: …`).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import Final

from plugseal.encode.toml import parse_toml
from plugseal.errors import DataError
from plugseal.model.codewhale import LegacyTool, LegacyTools
from plugseal.verbs.codewhale.start import SYSTEM
from plugseal.verbs.user import home_of_user, known_roots

MAX_TOOLS: Final = 1000
_MAX_CONFIG_BYTES: Final = 1024 * 1024
_HEAD_BYTES: Final = 16_384
_HEAD_LINES: Final = 20
_MARKS: Final = ("#", "//", "--")


def legacy_tools() -> LegacyTools:
    """Return the scripts of the older system."""
    homes = [os.path.dirname(root.path) for root in known_roots() if root.system == SYSTEM]  # noqa: PTH120  # text
    if not homes:
        return LegacyTools("", (), "this account has no home")
    folder, why = _folder(homes[0])
    if why:
        return LegacyTools(folder, (), why)
    try:
        names = sorted(os.listdir(folder))[:MAX_TOOLS]  # noqa: PTH208  # names alone
    except FileNotFoundError:
        return LegacyTools(folder, ())
    except OSError as error:
        return LegacyTools(folder, (), (error.strerror or "it can't be read").lower())
    return LegacyTools(folder, tuple(_tools(folder, names)))


def _folder(home: str) -> tuple[str, str]:
    """Return the folder of the scripts, and why it can't be told."""
    config = f"{home}/config.toml"
    default = f"{home}/tools"
    data = _read(config, _MAX_CONFIG_BYTES)
    if data is None:
        return (default, "") if not os.path.lexists(config) else ("", f"{config}: can't be read")
    try:
        value = parse_toml(data)
    except DataError as error:
        return "", f"{config}: {error.message}"
    tools = value.get("tools") if isinstance(value, dict) else None
    said = tools.get("plugin_dir") if isinstance(tools, dict) else None
    if not isinstance(said, str) or not said:
        return default, ""
    if said.startswith("~/"):
        said = f"{home_of_user()}/{said[2:]}"
    return (said, "") if said.startswith("/") else ("", f"{config}: `tools.plugin_dir` is not absolute")


def _tools(folder: str, names: list[str]) -> Iterator[LegacyTool]:
    for name in names:
        if name.startswith(".") or name == "README.md":
            continue
        said = _head(f"{folder}/{name}")
        if said.get("name"):
            yield LegacyTool(said["name"], said.get("description", ""), name)


def _head(path: str) -> dict[str, str]:
    """Return what a script says of itself in comments of its first lines."""
    data = _read(path, _HEAD_BYTES, whole=False) or b""
    found: dict[str, str] = {}
    for line in data.decode("utf-8", "replace").splitlines()[:_HEAD_LINES]:
        mark = next((mark for mark in _MARKS if line.lstrip().startswith(mark)), None)
        key, colon, value = line.lstrip().removeprefix(mark or "").partition(":")
        if mark and colon:
            found.setdefault(key.strip(), value.strip())
    return found


def _read(path: str, max_bytes: int, *, whole: bool = True) -> bytes | None:
    """Return the bytes of a regular file that is no link, None where there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or (whole and status.st_size > max_bytes):
            return None
        return os.read(descriptor, max_bytes)
    except OSError:
        return None
    finally:
        os.close(descriptor)
