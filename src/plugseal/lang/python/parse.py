"""Text to tree: `ast.parse` with every way in which it can fail turned into a reason. No warning reaches anybody."""

from __future__ import annotations

import ast
import warnings
from typing import Final

NOT_PYTHON: Final = "not valid Python 3"
"""How the reason begins where another parser may still understand the file."""
TOO_DEEP: Final = "nests too deeply"
_DEEP_MESSAGES: Final = (
    "too many nested parentheses",
    "too many levels of indentation",
    "too complex",
    "too many nested",
)


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
