"""What a text with `://` opens: a machine, a file behind a wrapper, a command, or only streams of the script itself."""

from __future__ import annotations

import re
from typing import Final

from plugseal.patterns import lazy

_OWN: Final = lazy(r"(?i:php://(?!filter)|data:)")
"""Memory, input and output of the script itself, and what stands in the text."""
_FILTER: Final = lazy(r"(?i:php://filter)/(?:.*/)?resource=(.*)\Z", re.DOTALL)
_WRAPPED: Final = lazy(r"(?i:file|phar|zip|rar|glob|compress\.(?:zlib|bzip2)|zlib|bzip2)://(.*)\Z")
_COMMAND: Final = lazy(r"(?i:expect)://(.*)\Z")


def behind_wrapper(text: str) -> tuple[str, str]:
    """Return what is opened: its kind (`host`, `path`, `line`, empty for nothing outside the script) and its text."""
    for _ in range(2):  # A filter may stand around another wrapper.
        if (found := _FILTER.match(text)) is not None:
            text = found[1]
    if _OWN.match(text):
        return "", ""
    if (found := _COMMAND.match(text)) is not None:
        return "line", found[1]
    if (found := _WRAPPED.match(text)) is not None:
        return "path", found[1].partition("#")[0]
    return ("host" if "://" in text else "path"), text
