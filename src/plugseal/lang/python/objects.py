"""The object of a fact, cut from a folded argument: host, path, program, variable, package or text.

Works on the values of `lang/facts.py` plus text with holes, so that the linker can use it on events as well.
"""

from __future__ import annotations

import re
from typing import Final

from plugseal.lang.facts import Ref, Unknown, Value
from plugseal.lang.python.values import HOLE

MAX_OBJECT: Final = 256
_URL: Final = re.compile(r"^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//(?:[^/@?#\x00]*@)?([^/?#]*)")
_ASSIGNMENT: Final = re.compile(r"^\w+=\S*$")
_EXECUTABLE: Final = "sys.executable"


def cut_object(kind: str, value: Value) -> str | None:
    """Return the object that a value names, or None where it names none."""
    if kind == "program":
        found = _program(value)
    elif kind == "host":
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
        return "python" if value.name == _EXECUTABLE else None
    if isinstance(value, tuple) and not isinstance(value, Unknown):
        return _program_word(value[0]) if value else None
    if not isinstance(value, str):
        return None
    for word in value.split():
        if _ASSIGNMENT.match(word):
            continue
        return None if HOLE in word else word
    return None


def _program_word(value: Value) -> str | None:
    if isinstance(value, Ref):
        return "python" if value.name == _EXECUTABLE else None
    return value if isinstance(value, str) and HOLE not in value else None


def _host(value: Value) -> str | None:
    if isinstance(value, tuple) and not isinstance(value, (Ref, Unknown)):
        host = value[0] if value else None
        port = value[1] if len(value) > 1 else None
        if not isinstance(host, str) or HOLE in host or not host:
            return None
        return f"{host}:{port}" if isinstance(port, int) and not isinstance(port, bool) else host
    if not isinstance(value, str):
        return None
    found = _URL.match(value)
    if found is None:
        return None if HOLE in value else value
    host = found[1]
    return None if HOLE in host or not host else host.lower()


def _path(value: Value) -> str | None:
    if not isinstance(value, str):
        return None
    shown = value.replace(HOLE, "*")
    return None if not shown.strip("*") else shown
