"""Source text to a tree of `ast`, by libcst: the one door to that library.

Only call it in a limited worker, on text that has passed the depth and token limits: libcst's parser overflows the
native stack on deep nesting, which ends the process.
"""

from __future__ import annotations

import ast
import warnings
from typing import Final

from plugseal.lang.python.cst.convert import Convert, Maker
from plugseal.lang.python.cst.expressions import EXPRESSIONS
from plugseal.lang.python.cst.patterns import PATTERNS
from plugseal.lang.python.cst.places import Places
from plugseal.lang.python.cst.statements import STATEMENTS

_MAKERS: Final[dict[str, Maker]] = {**EXPRESSIONS, **PATTERNS, **STATEMENTS}


class RefusedError(Exception):
    """No Python that libcst knows accepts the source."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line
        """1-based, where the parser stopped; 1 where it did not say."""


def parse_newer(text: str) -> ast.Module:
    """Return the tree that the `ast` of a newer Python would give.

    Places inside f-strings are those of the whole string; type parameters are left out.

    Raises:
        RefusedError: it is no Python of any version.
        RecursionError: it nests too deep for this process.
    """
    import libcst
    from libcst.metadata import MetadataWrapper, PositionProvider

    try:
        module = libcst.parse_module(text)
        ranges = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
        convert = Convert(Places(text, ranges), _MAKERS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.Module(body=convert.body(module), type_ignores=[])
    except (RecursionError, MemoryError):
        raise
    except Exception as error:
        # Whatever libcst raises: it has several kinds of errors, and not all of them are its documented ones.
        raise RefusedError(max(1, int(getattr(error, "raw_line", 1)))) from error
