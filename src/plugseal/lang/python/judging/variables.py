"""Environment variables that are set many at once."""

from __future__ import annotations

import ast
from typing import Final

from plugseal.lang.facts import Ref
from plugseal.lang.python.judging.fact_values import argument_value
from plugseal.lang.python.judging.judge import Judge, Site
from plugseal.lang.python.resolving.values import Arguments

UPDATES: Final = {
    "os.environ.update": 0,
    "os.environb.update": 0,
    "unittest.mock.patch.dict": 1,
    "mock.patch.dict": 1,
}
"""By name, with the place of the dictionary."""


def report_variables(judge: Judge, site: Site) -> None:
    """Report each variable that `os.environ.update(...)` sets, by keyword or in a dictionary written out."""
    if site.arguments is None:
        return
    at = UPDATES[site.name]
    if at and not _patches_environment(judge, site.arguments):
        return
    given = [one for one in site.arguments.keywords if not at or one[0] not in ("in_dict", "values", "clear")]
    for node, scope in site.arguments.positional[at : at + 1]:
        if isinstance(node, ast.Dict):
            for key, held in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    given.append((key.value, held, scope))
    for name, node, scope in given:
        value = argument_value(judge.resolver, node, scope)
        judge.report.add_variable(site.span, name, value, site.resolution, site.trigger)


def _patches_environment(judge: Judge, arguments: Arguments) -> bool:
    """Say whether the dictionary that is patched is the environment, or is named so."""
    for node, scope in arguments.positional[:1]:
        value = argument_value(judge.resolver, node, scope)
        return (value.name if isinstance(value, Ref) else value) == "os.environ"
    return False
