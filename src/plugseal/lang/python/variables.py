"""Environment variables that are set many at once."""

from __future__ import annotations

import ast
from typing import Final

from plugseal.lang.python.facing import argument_value
from plugseal.lang.python.judge import Judge, Site

UPDATES: Final = frozenset(("os.environ.update", "os.environb.update"))


def report_variables(judge: Judge, site: Site) -> None:
    """Report each variable that `os.environ.update(...)` sets, by keyword or in a dictionary written out."""
    if site.arguments is None:
        return
    given = list(site.arguments.keywords)
    for node, scope in site.arguments.positional[:1]:
        if isinstance(node, ast.Dict):
            for key, held in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    given.append((key.value, held, scope))
    for name, node, scope in given:
        value = argument_value(judge.resolver, node, scope)
        judge.report.add_variable(site.span, name, value, site.resolution, site.trigger)
