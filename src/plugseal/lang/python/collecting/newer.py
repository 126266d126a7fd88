"""Nodes of newer Pythons that this one's `ast` may not have: the same names and fields, so that one reader fits all."""

from __future__ import annotations

import ast
from typing import Any, Final


class _TemplateStr(ast.expr):
    """Stand in for `ast.TemplateStr` (3.14)."""

    _fields = ("values",)


class _Interpolation(ast.expr):
    """Stand in for `ast.Interpolation` (3.14)."""

    _fields = ("value", "str", "conversion", "format_spec")


class _TypeAlias(ast.stmt):
    """Stand in for `ast.TypeAlias` (3.12)."""

    _fields = ("name", "type_params", "value")


# Any: what the class takes depends on the interpreter.
TemplateStr: Final[Any] = getattr(ast, "TemplateStr", _TemplateStr)
Interpolation: Final[Any] = getattr(ast, "Interpolation", _Interpolation)
TypeAlias: Final[Any] = getattr(ast, "TypeAlias", _TypeAlias)
TryStar: Final[Any] = getattr(ast, "TryStar", ast.Try)
