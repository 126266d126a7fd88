"""Put a plugin file into a project's folder of plugins: a copy of one, or a new one from a template.

Nothing is run, nothing is trusted, and no file that exists is ever written over. A folder on the way that is a link is
not followed.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from plugseal.errors import IntakeError, OutputError, UsageError
from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.signing.files import read_regular, why_unread
from plugseal.verbs.amness.find import FOLDER, scan_line_of

MAX_ADDED_BYTES: Final = 300_000
"""The documented 300 KB."""
_MARK: Final = b"export default"
_NAME: Final = lazy(r"\A[A-Za-z0-9._-]{1,40}\Z", re.ASCII)
_SUFFIXES: Final = (".ts", ".js")
_TEMPLATE: Final = """\
// A plugin of Amness. Say in `description` what it is for, and keep what you need of the rest.
export default {
  name: "@NAME@",
  description: "what this plugin is for",
  hooks: {
    PreToolUse: ({ tool, args }: { tool: string; args: any }) =>
      (tool === "write_file" || tool === "edit_file") && /package-lock\\.json$/.test(String(args.path))
        ? { block: "lockfiles are generated: run the package manager instead" }
        : undefined,
  },
  commands: [{
    name: "@NAME@",
    help: "say hello from @NAME@",
    run: (ctx: any) => ctx.say("hello from @NAME@"),
  }],
};
"""


class Added(NamedTuple):
    """A file that was put there."""

    path: Path
    line: str
    """What it seems to touch; hostile text."""


def add_plugin(source: str, workspace: Path) -> Added:
    """Copy a plugin file into the project's folder.

    Args:
        source: a path, or an `https` address.
        workspace: the project's folder.

    Raises:
        UsageError: its name or its place is none that Amness takes.
        IntakeError: it can't be read or fetched, is too large, or has no default export.
        OutputError: it can't be written, or a file of this name is there.
    """
    name = _name_of(source)
    data = _fetched(source) if "://" in source else _read(Path(source))
    if len(data) > MAX_ADDED_BYTES:
        raise IntakeError(
            f"it is larger than {MAX_ADDED_BYTES:,} bytes", place=source, hint="Amness adds no larger file"
        )
    if _MARK not in data:
        raise IntakeError(f"it holds no `{_MARK.decode()}`", place=source, hint="it is no plugin of Amness")
    path = _put(workspace, name, data)
    return Added(path, scan_line_of(path))


def new_plugin(name: str, workspace: Path) -> Added:
    """Write a new plugin from a template.

    Raises:
        UsageError: the name is none that Amness takes.
        OutputError: it can't be written, or a file of this name is there.
    """
    if not _NAME.match(name):
        raise UsageError(f"`{name[:60]}` is no name of a plugin", hint="letters, digits, `.`, `_` and `-`, up to 40")
    path = _put(workspace, f"{name}.ts", _TEMPLATE.replace("@NAME@", name).encode("ascii"))
    return Added(path, scan_line_of(path))


def _name_of(source: str) -> str:
    from urllib.parse import unquote, urlsplit

    path = unquote(urlsplit(source).path) if "://" in source else source
    name = path.rstrip("/").rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    if not stem or dot + suffix not in _SUFFIXES or not _NAME.match(stem):
        raise UsageError(
            f"`{name[:80]}` is no name of a plugin file",
            hint="a `.ts` or `.js` file, whose name has letters, digits, `.`, `_` and `-` alone, up to 40",
        )
    return name


def _read(path: Path) -> bytes:
    try:
        return read_regular(os.path.realpath(path), max_bytes=MAX_ADDED_BYTES)
    except (OSError, ValueError) as error:
        raise IntakeError(f"the plugin can't be read: {why_unread(error)}", place=str(path)) from error


def _fetched(url: str) -> bytes:
    from plugseal.runtime.fetch_archive import fetch_archive

    return fetch_archive(url, max_bytes=MAX_ADDED_BYTES)


def _put(workspace: Path, name: str, data: bytes) -> Path:
    """Write a new file below the project's folder, by descriptors, so that no link on the way is followed."""
    path = workspace / FOLDER / name
    descriptors = [_opened(workspace)]
    try:
        for part in FOLDER.split("/"):
            descriptors.append(_below(descriptors[-1], part, path))
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            file = os.open(name, flags, 0o644, dir_fd=descriptors[-1])
        except FileExistsError as error:
            raise OutputError(
                "a plugin of this name is there", place=str(path), hint="it is never written over"
            ) from error
        except OSError as error:
            raise _unwritten(path, error) from error
        with os.fdopen(file, "wb") as opened:
            opened.write(data)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    return path


def _opened(folder: Path) -> int:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _unwritten(folder, error) from error


def _below(parent: int, name: str, path: Path) -> int:
    try:
        with suppress(FileExistsError):  # It may be a link: then it is not opened.
            os.mkdir(name, 0o755, dir_fd=parent)
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    except OSError as error:
        raise _unwritten(path, error) from error


def _unwritten(path: Path, error: OSError) -> OutputError:
    return OutputError(f"the plugin can't be written: {(error.strerror or 'error').lower()}", place=str(path))
