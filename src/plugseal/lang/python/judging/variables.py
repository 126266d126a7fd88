"""Environment variables that are set many at once, or given to one program that is started."""

from __future__ import annotations

import ast
from typing import Final

from plugseal.lang.facts import UNKNOWN, Ref
from plugseal.lang.folded import Text
from plugseal.lang.python.collecting.owners import owner_of
from plugseal.lang.python.collecting.scope import Added, Scope
from plugseal.lang.python.judging.fact_values import argument_value
from plugseal.lang.python.judging.judge import Judge, Site
from plugseal.lang.python.resolving.spread import Keyword, spread_keywords
from plugseal.lang.python.resolving.values import Arguments, Mapping
from plugseal.model.location import Span
from plugseal.model.variables import NAMES

UPDATES: Final = {
    "os.environ.update": 0,
    "os.environb.update": 0,
    "unittest.mock.patch.dict": 1,
    "mock.patch.dict": 1,
}
"""By name, with the place of the dictionary."""
_ENVIRONMENT_FROM: Final = 2
"""From where on `execve(path, words, environment)` and its kin have it; no other start has a dictionary there."""
_MAX_ARGUMENTS: Final = 64
_MAX_PAIRS: Final = 64
_PUTTING: Final = frozenset(("update", "setdefault", "__setitem__"))


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


def report_given(judge: Judge, span: Span, arguments: Arguments, scope: Scope) -> None:
    """Report the variables that load code into a program that is started: `run(words, env={"LD_PRELOAD": path})`."""
    named = arguments.keyword("env")
    for given in (named,) if named is not None else arguments.positional[_ENVIRONMENT_FROM:_MAX_ARGUMENTS]:
        for name, node, at in _held(*given):
            judge.report.add_given_variable(span, name, argument_value(judge.resolver, node, at), scope.trigger)
        for value in judge.resolver.value(*given):
            for keys, held in value.pairs[:_MAX_PAIRS] if isinstance(value, Mapping) else ():
                for key in keys:
                    if isinstance(key, Text) and isinstance(key.value, str) and key.value in NAMES:
                        texts = (one.value for one in held if isinstance(one, Text))
                        text = next((one for one in texts if isinstance(one, str)), UNKNOWN)
                        judge.report.add_given_variable(span, key.value, text, scope.trigger)


def _held(node: ast.expr, scope: Scope) -> list[Keyword]:
    """Return what is known to stand in a dictionary, what was put into it by its methods included."""
    found = spread_keywords(node, scope)
    if isinstance(node, ast.Name) and (owner := owner_of(node.id, scope)) is not None:
        for binding in owner.bindings[node.id]:
            if isinstance(binding, Added):
                found += spread_keywords(binding.statement.value, owner)
        for last, call in zip(owner.called, owner.calls, strict=True):
            if last in _PUTTING and isinstance(call.func, ast.Attribute) and _is_named(call.func.value, node.id):
                found += _put(last, call, owner)
    return found


def _put(method: str, call: ast.Call, scope: Scope) -> list[Keyword]:
    """Return what a call puts into a dictionary."""
    if method == "update":
        named = [(one.arg, one.value, scope) for one in call.keywords if one.arg is not None]
        return named + [held for one in call.args[:1] for held in spread_keywords(one, scope)]
    if len(call.args) == 2 and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str):
        return [(call.args[0].value, call.args[1], scope)]
    return []


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _patches_environment(judge: Judge, arguments: Arguments) -> bool:
    """Say whether the dictionary that is patched is the environment, or is named so."""
    for node, scope in arguments.positional[:1]:
        value = argument_value(judge.resolver, node, scope)
        return (value.name if isinstance(value, Ref) else value) == "os.environ"
    return False
