"""Text to tree: `ast.parse` with every way in which it can fail turned into a reason. No warning reaches anybody."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Final

from plugseal.patterns import lazy

NOT_PYTHON: Final = "not valid Python 3"
"""How the reason begins where another parser may still understand the file."""
OTHER_INSIDE: Final = "holds code that may be of another Python"
"""How the reason begins where it is code inside a string that another parser may still understand."""
TOO_DEEP: Final = "nests too deeply"
_DEEP_MESSAGES: Final = (
    "too many nested parentheses",
    "too many levels of indentation",
    "too complex",
    "too many nested",
)
_ANOTHER: Final = lazy(
    r"""
    \b(?:type|lazy)\s+\w | except\s*\* | except\s[^:\n]{0,400}, | \b(?:def|class)\s+\w+\s*\[ | [\[,]\s*\*
  | \b(?:[fFtT][rR]?|[rR][fFtT])['"] | \*\s*\w+\s*:\s*\* | \{\s*\*\* | \\N\{
  | \b(?:print|exec)\s+['"`\w] | \bprint\s*(?:['"`]|>>) | \bexec\s*['"`] | \braise\s+[\w.]+\s*,
    """,
    re.VERBOSE,
)
"""What syntax since 3.11, and that of Python 2, can be told by; it may stand in other code too."""


def may_be_another(text: str) -> bool:
    """Say whether a source that this interpreter refused may be one of a newer Python, or of Python 2."""
    return _ANOTHER.search(text) is not None


def parse_source(text: str) -> ast.Module | str:
    """Return the tree, or the reason why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        message = str(error.msg)
        if any(deep in message for deep in _DEEP_MESSAGES):
            return TOO_DEEP
        return f"{NOT_PYTHON} (line {error.lineno or 1})"
    except (RecursionError, MemoryError):
        return TOO_DEEP
    except ValueError:
        return f"{NOT_PYTHON} (line 1)"
