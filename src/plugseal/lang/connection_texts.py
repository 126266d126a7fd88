"""The machine in a text of settings that a database's client is given: `host=a.example dbname=x`, `mysql:host=…`."""

from __future__ import annotations

import re
from typing import Final

from plugseal.patterns import lazy

_HOST: Final = lazy(
    r"(?:\A|[\s;:,?&])(?:host|hostaddr|server|data source|address|addr|network address)"
    r" ?= ?(?:tcp:)?'?([\w.\-]+)",
    re.IGNORECASE,
)
_ORACLE: Final = lazy(r"(?://|\(host ?= ?)([\w.\-]+)", re.IGNORECASE)
_MAX_TEXT: Final = 2_000


def host_of_connection(text: str) -> str | None:
    """Return the machine that a text of settings names, None where it is no such text."""
    if "=" not in text or len(text) > _MAX_TEXT:
        return None
    found = _HOST.search(text) or _ORACLE.search(text)
    return found[1].lower() if found else None
