"""Programs outside the staged copy (interpreters above all): found by rules of ours, and known by their bytes.

A program is looked for in folders that the user's search path names and that others can't write to, never in the
current folder, a workspace or the plugin. What was found at trust is what is started later: its path and its bytes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from plugseal.errors import StateError
from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.trust.home import account_home

ALWAYS: Final = ("/usr/local/bin", "/usr/bin", "/bin")
HEAD_BYTES: Final = 256
"""Of a program, which the kernel looks at to know how it is started."""
_CHUNK: Final = 1 << 20
_SPLIT: Final = lazy(r"-v?S|--split-string[= ]")
"""How `env` is told to take its one argument apart."""
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_./+=:,@%")
"""What stands for itself in what `env` takes apart."""
_HARMLESS: Final = lazy(r"(?!PATH=|LD_|DYLD_|GLIBC_|GCONV_)[A-Za-z_][A-Za-z0-9_]*=")
"""A variable under which `env` starts what it would start without."""
_WRITABLE_BY_OTHERS: Final = 0o022


class Program(NamedTuple):
    """A program as it was found."""

    name: str
    """As the reviewed command names it."""
    path: str
    """Real path, absolute."""
    digest: str
    """SHA-256 of its bytes, in hex."""


def find_program(name: str, *, search: Iterable[str], outside: Iterable[str]) -> Program | None:
    """Return a program by its bare name or absolute path, None where there is none that may be used.

    Args:
        name: as the reviewed command names it.
        search: folders, in order.
        outside: folders in which nothing is looked for: the plugin, the workspace, the current folder.
    """
    # A folder that holds the system's own programs or the user's home is no workspace, whoever stands in it.
    forbidden = tuple(real for path in outside if not _holds_ours(real := os.path.realpath(path)))
    candidates = (
        [name] if name.startswith("/") else [f"{folder}/{name}" for folder in search] if "/" not in name else []
    )
    for candidate in candidates:
        real = os.path.realpath(candidate)
        if any(real == path or real.startswith(f"{path}/") for path in forbidden) or not _is_program(real):
            continue
        digest = digest_of(real)
        if digest is not None:
            return Program(name, real, digest)
    return None


def search_folders(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the folders of a search path that nobody else can write to, then those that every system has.

    Folders of shims are passed over: a shim is a script that chooses another program by the folder one stands in.
    """
    named = [folder for folder in environment.get("PATH", "").split(":") if folder.startswith("/")]
    named = [folder for folder in named if "shims" not in folder.split("/")]
    return tuple(folder for folder in dict.fromkeys((*named, *ALWAYS)) if _is_safe(folder))


def digest_of(path: str) -> str | None:
    """Return the SHA-256 of a file's bytes in hex, None where it can't be read."""
    digest = sha256()
    try:
        with Path(path).open("rb", buffering=0) as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        return None
    return digest.hexdigest()


def _holds_ours(folder: str) -> bool:
    try:
        homes = [os.path.realpath(account_home())]
    except StateError:
        homes = []
    # Interpreters that a user installed for themselves (pyenv, nvm) lie below the home.
    return any(f"{path}/".startswith(f"{folder.rstrip('/')}/") for path in (*ALWAYS, *homes))


def _is_program(path: str) -> bool:
    try:
        status = os.stat(path)  # noqa: PTH116  # a path as resolved
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and os.access(path, os.X_OK)


def _is_safe(folder: str) -> bool:
    try:
        status = os.stat(folder)  # noqa: PTH116  # a path as given
    except OSError:
        return False
    return (
        stat.S_ISDIR(status.st_mode)
        and status.st_uid in (0, os.geteuid())
        and not (status.st_mode & _WRITABLE_BY_OTHERS and not status.st_mode & stat.S_ISVTX)
    )


def read_head(path: str | Path) -> bytes:
    """Return the first bytes of a file, as many as the kernel looks at; none where it can't be read."""
    try:
        with Path(path).open("rb", buffering=0) as file:
            return file.read(HEAD_BYTES)
    except (OSError, ValueError):
        return b""


def shebang_names(head: bytes) -> tuple[str, ...]:
    """Return the programs that the first line of a script names: `env` and what it looks for are two.

    It is read as the kernel reads it: the interpreter ends at a blank or tab, and all that follows is one argument.
    Where it can't be told what `env` would start, what stands there is returned whole: no program is called so.

    Args:
        head: the first bytes of the file (`HEAD_BYTES`).
    """
    if not head.startswith(b"#!"):
        return ()
    # The kernel's buffer of a line without an end holds a byte less.
    line = head[2:HEAD_BYTES].partition(b"\n")[0] if b"\n" in head[:HEAD_BYTES] else head[2 : HEAD_BYTES - 1]
    interpreter, _, rest = line.partition(b"\0")[0].strip(b" \t").replace(b"\t", b" ").partition(b" ")
    if not interpreter:
        return ()
    name, argument = os.fsdecode(interpreter), os.fsdecode(rest.strip(b" "))
    if name.rpartition("/")[2] != "env" or not argument:
        return (name,)
    return name, _looked_for(argument)


def _looked_for(argument: str) -> str:
    """Return the program that `env` starts, the whole argument where that can't be told."""
    if not argument.startswith("-"):
        return argument
    split = _SPLIT.match(argument)
    if split is None or not _PLAIN.issuperset(argument):
        return argument
    # Other options, and a search path or libraries that it sets, make another program of the same word.
    words = [word for word in argument[split.end() :].split() if not _HARMLESS.match(word)]
    return words[0] if words and "=" not in words[0] and not words[0].startswith("-") else argument
