"""The ID of a plugin: its system and name, and a digest that binds its scope and canonical root. Pure."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.model.trust import Subject

STAGE = "stage"
"""Folder of the staged copies, below the state folder."""
_PLAIN_NAME = lazy(r"[A-Za-z0-9._+-]*")


def subject_id(subject: Subject) -> str:
    """Return the ID of a plugin that binds its scope and canonical root."""
    return id_of(subject.system, subject.name, subject.root, scope=subject.scope)


def id_of(system: str, name: str, root: str, *, scope: str = "workspace") -> str:
    """Return the ID of a plugin of this name at a root."""
    text = name if _PLAIN_NAME.fullmatch(name) else _escaped(name)
    bound = f"{scope}\0{root}".encode("utf-8", "surrogatepass")
    return f"{system}:{text}@{sha256(bound).hexdigest()[:12]}"


def _escaped(name: str) -> str:
    from urllib.parse import quote

    return quote(name, safe="._-+", errors="surrogatepass")
