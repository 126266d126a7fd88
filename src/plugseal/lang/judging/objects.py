"""The object of a fact, cut from a folded argument: host, path, program, variable, package or text.

Works on the values of `lang/facts.py` plus text with holes, so that the linker can use it on events as well.
"""

from __future__ import annotations

import re
from typing import Final

from plugseal.lang.command_words import first_word
from plugseal.lang.facts import Ref, Unknown, Value
from plugseal.lang.folded import HOLE
from plugseal.patterns import lazy

MAX_OBJECT: Final = 256
_URL: Final = lazy(r"^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//(?:[^/?#\x00]*@)?([^/?#]*)", needs=("//",))
EXECUTABLES: Final = {
    "sys.executable": "python",
    "process.execPath": "node",
    "process.argv0": "node",
    "deno.execPath()": "deno",
}
"""What interpreters call themselves, with the program that it is."""
_REMOTE: Final = lazy(
    r"^(?:https?|ftps?|sftp|scp|ssh|s3[an]?|gs|gcs|az|abfss?|adl|wasbs?|hdfs|webhdfs|webdavs?|hf|oss)://[^\x00]", re.I
)
"""Addresses that readers of files fetch by themselves; `..` would make them paths again."""
_SHARE: Final = lazy(r"\\\\(?![?.]\\|localhost[@\\]|127\.0\.0\.1[@\\]|wsl[$.])([A-Za-z0-9][\w.-]*)(?:@\w+)*\\", re.I)
_IN_MEMORY: Final = frozenset(("io.BytesIO()", "io.StringIO()", "_io.BytesIO()", "_io.StringIO()"))


def is_remote(path: str) -> bool:
    """Say whether what is given for a path is an address."""
    return _REMOTE.match(path) is not None and ".." not in path


def share_of(path: str, at: int = 0) -> str | None:
    r"""Return the machine that shares a folder, `host` of `\\host\folder`; None for every other path."""
    found = _SHARE.match(path, at)
    return found[1] if found is not None else None


def is_in_memory(value: Value) -> bool:
    """Say whether what is given for a path is a file that lives in memory only."""
    return isinstance(value, Ref) and value.name in _IN_MEMORY


def cut_object(kind: str, value: Value) -> str | None:
    """Return the object that a value names, or None where it names none."""
    if kind == "program":
        found = _program(value)
    elif kind in ("host", "address"):
        found = _host(value)
    elif kind == "path":
        found = _path(value)
    else:
        found = value if isinstance(value, str) and HOLE not in value else None
    return _bounded(found)


def _bounded(text: str | None) -> str | None:
    if not text:
        return None
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= MAX_OBJECT else text[: MAX_OBJECT - 1] + "…"


def _program(value: Value) -> str | None:
    if isinstance(value, Ref):
        return EXECUTABLES.get(value.name)
    if isinstance(value, tuple) and not isinstance(value, Unknown):
        return _program_word(value[0]) if value else None
    if not isinstance(value, str):
        return None
    word = first_word(value)
    return word if word and HOLE not in word else None


def _program_word(value: Value) -> str | None:
    if isinstance(value, Ref):
        return EXECUTABLES.get(value.name)
    return value if isinstance(value, str) and HOLE not in value else None


def _host(value: Value) -> str | None:
    if isinstance(value, tuple) and not isinstance(value, (Ref, Unknown)):
        host = value[0] if value else None
        port = value[1] if len(value) > 1 else None
        if not isinstance(host, str) or HOLE in host or not host:
            return None
        return f"{host}:{port}" if isinstance(port, int) and not isinstance(port, bool) else host
    if not isinstance(value, str) or is_socket_file(value):
        return None
    found = _URL.match(value)
    if found is None:
        return None if HOLE in value else value
    if "\\" in found[0]:
        return None  # to some clients it ends the host, to others what stands before it is the login
    host = found[1]
    name, colon, port = host.rpartition(":")
    if colon and HOLE in port and HOLE not in name:
        # The host is known where only its port is not.
        host = name
    return None if HOLE in host or not host else host.lower()


def is_socket_file(value: Value) -> bool:
    """Say whether an address is a path of this machine: a socket in the file system or a name in the kernel's own."""
    return isinstance(value, str) and value[:1] in ("/", HOLE) and value[1:2] != "/" and len(value) > 1


def _path(value: Value) -> str | None:
    if not isinstance(value, str):
        return None
    shown = value.replace(HOLE, "*")
    return None if not shown.strip("*") else shown
