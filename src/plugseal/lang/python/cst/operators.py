"""libcst's operators as those of `ast`, by the name of the class."""

from __future__ import annotations

import ast
from typing import Final

BINARY: Final[dict[str, type[ast.operator]]] = {
    "Add": ast.Add,
    "Subtract": ast.Sub,
    "Multiply": ast.Mult,
    "Divide": ast.Div,
    "FloorDivide": ast.FloorDiv,
    "Modulo": ast.Mod,
    "Power": ast.Pow,
    "MatrixMultiply": ast.MatMult,
    "LeftShift": ast.LShift,
    "RightShift": ast.RShift,
    "BitOr": ast.BitOr,
    "BitAnd": ast.BitAnd,
    "BitXor": ast.BitXor,
}
"""Augmented assignments have the same names with `Assign` behind."""
UNARY: Final[dict[str, type[ast.unaryop]]] = {
    "Minus": ast.USub,
    "Plus": ast.UAdd,
    "BitInvert": ast.Invert,
    "Not": ast.Not,
}
BOOLEAN: Final[dict[str, type[ast.boolop]]] = {"And": ast.And, "Or": ast.Or}
COMPARISON: Final[dict[str, type[ast.cmpop]]] = {
    "Equal": ast.Eq,
    "NotEqual": ast.NotEq,
    "LessThan": ast.Lt,
    "LessThanEqual": ast.LtE,
    "GreaterThan": ast.Gt,
    "GreaterThanEqual": ast.GtE,
    "Is": ast.Is,
    "IsNot": ast.IsNot,
    "In": ast.In,
    "NotIn": ast.NotIn,
}
