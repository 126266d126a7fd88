"""Expansion of the two placeholders of Agent Plugins in `args`, the values of `env`, and `cwd` (9.2).

Exactly `${PLUGIN_ROOT}` and `${PLUGIN_DATA}` are replaced, everywhere in the text, once: what a replacement brings in
is not looked at again. Everything else that looks like a placeholder stays as it is. Never used for a command, a URL,
a header, or the name of a variable.
"""

from __future__ import annotations

import re
from typing import Final

from plugseal.patterns import lazy

PLACEHOLDERS: Final = ("${PLUGIN_ROOT}", "${PLUGIN_DATA}")
_EXACT = lazy("|".join(re.escape(placeholder) for placeholder in PLACEHOLDERS))


def expand(text: str, *, root: str, data: str) -> str:
    """Return a value as the server gets it.

    Args:
        text: as written in `mcp.json`.
        root: the plugin's resolved root, an absolute path.
        data: the plugin's data folder, an absolute path.
    """
    values = dict(zip(PLACEHOLDERS, (root, data), strict=True))
    return _EXACT.sub(lambda match: values[match[0]], text)
