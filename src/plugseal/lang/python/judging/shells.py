"""Calls of unknown functions that are told to use a shell: `runner(line, shell=True)`."""

from __future__ import annotations

import ast

from plugseal.lang.facts import UNKNOWN
from plugseal.lang.judging.objects import cut_object
from plugseal.lang.python.collecting.scope import Scope
from plugseal.lang.python.judging.fact_values import alternatives
from plugseal.lang.python.judging.judge import Judge
from plugseal.lang.python.judging.places import Places
from plugseal.lang.python.resolving.values import Made


def report_shell_switches(judge: Judge, places: Places, scope: Scope) -> None:
    """Report the calls of a scope that a table knows nothing about and that have a true `shell`."""
    for call in scope.calls:
        for keyword in call.keywords:
            if keyword.arg == "shell" and is_true(keyword.value) and not _is_known(judge, call, scope):
                line = alternatives(judge.resolver, call.args[0], scope)[0] if call.args else UNKNOWN
                found = cut_object("program", line)
                judge.report.add(places.span(call), "process.shell", found, "possible", scope.trigger)


def _is_known(judge: Judge, call: ast.Call, scope: Scope) -> bool:
    if isinstance(call.func, ast.Name) and call.func.id == "dict":
        return True
    values = judge.resolver.value(call.func, scope)
    if values and all(isinstance(value, Scope) and _has_switch(value.node) for value in values):
        return True  # What a class of the file does with it is told where it does it.
    names = [value.name if isinstance(value, Made) else value for value in values]
    return any(isinstance(name, str) and judge.verdict(name).rules for name in names)


def _has_switch(node: ast.AST) -> bool:
    """Say whether a node is a class with a field of this name, or a parameter of its making.

    A function of the file may hand its own on in ways that nobody follows, so its calls are told.
    """
    if not isinstance(node, ast.ClassDef):
        return False
    return any(
        any(given.arg == "shell" for given in (*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs))
        if isinstance(one, ast.FunctionDef) and one.name == "__init__"
        else isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.target.id == "shell"
        for one in node.body
    )


def is_true(node: ast.expr) -> bool:
    """Say whether an expression is true for certain, by the way it is written."""
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if isinstance(node, ast.JoinedStr):
        return bool(node.values)
    return isinstance(node, (ast.Lambda, ast.GeneratorExp))
