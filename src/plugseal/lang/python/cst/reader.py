"""The reader of last resort: Python that this interpreter's `ast` refuses and another version's accepts, or Python 2.

That may be the file itself or code inside its strings. It gives the facts that a newer Python would, so that a verdict
does not depend on the interpreter that runs us. Ask for it in a limited worker only.
"""

from __future__ import annotations

import ast
import sys
from typing import Final

from plugseal.lang.facts import Context, FileFacts, unread
from plugseal.lang.python.analysis import facts_of_module
from plugseal.lang.python.cst.parse import RefusedError, parse_newer
from plugseal.lang.python.older.parse import parse_older
from plugseal.lang.python.parsing.decode import decode_source
from plugseal.lang.python.parsing.guard import check_source
from plugseal.lang.python.parsing.parse import NOT_PYTHON, TOO_DEEP, may_be_another, parse_source
from plugseal.limits import MAX_SECOND_SOURCE_BYTES

_RECURSION_LIMIT: Final = 12_000
"""Enough for what the guard lets through; the worker's stack is fixed and large enough for it."""
_NO_CODE: Final = "no code of any Python"


class NewerPythonReader:
    """Read a file by `ast` where that is enough, else by libcst, else as Python 2."""

    language = "python"

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts, or `unread` where no Python that is known accepts the file."""
        text, reason = decode_source(data)
        reason = reason or check_source(text.encode("utf-8", "surrogatepass"))
        if reason:
            return unread(self.language, reason)
        if len(data) > MAX_SECOND_SOURCE_BYTES:
            return unread(self.language, f"{NOT_PYTHON}, or of a newer one and too large for the second parser")
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION_LIMIT))
        tree = parse_source(text)
        if isinstance(tree, str):
            tree = _parse_another(text)
        if isinstance(tree, str):
            return unread(self.language, tree)
        return facts_of_module(tree, text, context, parse=_parse_any)


def _parse_any(text: str) -> ast.Module | str:
    """Return the tree of code inside a string, by whichever parser accepts it; there is no third one to ask."""
    tree = parse_source(text)
    if isinstance(tree, str) and may_be_another(text):
        tree = _parse_another(text)
    return _NO_CODE if isinstance(tree, str) else tree


def _parse_another(text: str) -> ast.Module | str:
    try:
        return parse_newer(text)
    except RecursionError:
        return TOO_DEEP
    except RefusedError as error:
        return parse_older(text) or f"{NOT_PYTHON} (line {error.line})"
