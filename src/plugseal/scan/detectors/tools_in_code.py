"""The texts of tools that code declares, by language."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from plugseal.lang.addressed import Addressed

ADDRESSED_IN: Final = frozenset({"python", "javascript", "typescript", "tsx"})
"""Languages in which declarations of tools are known."""


@lru_cache(maxsize=1)
def addressed_in(data: bytes, language: str) -> tuple[Addressed, ...]:
    """Return the texts of a file that a model reads; kept for the next question, since several rules ask for a file.

    Args:
        data: the whole file.
        language: as it was classified; another one has none.
    """
    if language not in ADDRESSED_IN:
        return ()
    if language == "python":  # Most files are of one language, and most trees hold no tool.
        from plugseal.lang.python.linking.addressed import addressed_in_python

        return addressed_in_python(data)
    from plugseal.lang.ecmascript.linking.addressed import addressed_in_script

    return addressed_in_script(data)
