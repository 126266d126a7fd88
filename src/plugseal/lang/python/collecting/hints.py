"""What runs inside annotations: Python evaluates those of modules, classes and signatures where they stand.

Types that are merely named are no behaviour; calls are, and so is whatever else holds code of its own. Text in quotes
is never evaluated here, nor anything in a file that asks for that with `from __future__ import annotations`.
"""

from __future__ import annotations

import ast
from typing import Final

from plugseal.lang.python.collecting.noting import Noting

_PLAIN: Final = frozenset((ast.Name, ast.Constant))
_RUNNING: Final = frozenset(
    (ast.Call, ast.NamedExpr, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Await)
)


def note_annotation(annotation: ast.expr, at: Noting) -> None:
    """Put off the parts of an annotation that run, to be visited as any other expression."""
    if annotation.__class__ in _PLAIN:
        return
    waiting: list[ast.AST] = [annotation]
    while waiting:
        node = waiting.pop()
        kind = node.__class__
        if kind in _RUNNING:
            at.below.append(node)
        elif kind is ast.Subscript:
            waiting.append(node.value)  # type: ignore[attr-defined]  # the class was compared
            waiting.append(node.slice)  # type: ignore[attr-defined]  # as above
        elif kind not in _PLAIN:
            waiting.extend(ast.iter_child_nodes(node))


def note_annotations(node: ast.FunctionDef | ast.AsyncFunctionDef, at: Noting) -> None:
    """Do the same for every annotation of a function's head."""
    arguments = node.args
    for group in (arguments.posonlyargs, arguments.args, arguments.kwonlyargs):
        for argument in group:
            if argument.annotation is not None:
                note_annotation(argument.annotation, at)
    for rest in (arguments.vararg, arguments.kwarg):
        if rest is not None and rest.annotation is not None:
            note_annotation(rest.annotation, at)
    if node.returns is not None:
        note_annotation(node.returns, at)
