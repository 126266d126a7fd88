"""Tell a document of settings that is written so that people and simple tools don't see what it says.

No writer of JSON, TOML or YAML escapes letters and digits of ASCII, and none writes settings in wide characters.
"""

from __future__ import annotations

from typing import Final

from plugseal.lang.encodings import as_utf8
from plugseal.model.location import WHOLE_FILE, Span
from plugseal.patterns import lazy

_ESCAPED: Final = lazy(r"(?<!\\)(?:\\\\)*(\\(?:u00|x)(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]))")


def disguise_of(data: bytes) -> Span | None:
    """Return where a document hides what it says, None where it doesn't.

    Args:
        data: all bytes of a document of settings.
    """
    plain = as_utf8(data)
    if plain is not data:
        return WHOLE_FILE
    if b"\\u00" not in data and b"\\x" not in data:
        return None
    text = data.decode("utf-8", "replace")
    for number, line in enumerate(text.split("\n"), 1):
        if "\\u00" in line or "\\x" in line:
            match = _ESCAPED.search(line)
            if match is not None and '"' in line[: match.start()]:
                return Span(number, match.start(1) + 1, number, match.end() + 1)
    return None
