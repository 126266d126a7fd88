"""From a tree to the facts of the file: collect, resolve, judge.

Any parser's tree will do, if it is made of `ast` nodes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from plugseal.encode.text import LineIndex
from plugseal.lang.facts import Context, Event, FileFacts, unread
from plugseal.lang.judging.hidden_characters import hidden_characters
from plugseal.lang.judging.tables import top_of
from plugseal.lang.python.choosing.chosen import Chosen
from plugseal.lang.python.choosing.fetched import fetched_modules
from plugseal.lang.python.collecting.bound import Bound
from plugseal.lang.python.collecting.collect import collect
from plugseal.lang.python.collecting.noting import Collected
from plugseal.lang.python.collecting.scope import Scope
from plugseal.lang.python.judging.bind_addresses import add_bind_addresses
from plugseal.lang.python.judging.disguise import mixed_identifiers
from plugseal.lang.python.judging.examine import examine
from plugseal.lang.python.judging.judge import Judge
from plugseal.lang.python.judging.lines import placed
from plugseal.lang.python.judging.places import Places
from plugseal.lang.python.judging.report import PythonReport
from plugseal.lang.python.judging.strings import add_string_events
from plugseal.lang.python.judging.uses import Uses
from plugseal.lang.python.linking.calling import calls_of, functions_of
from plugseal.lang.python.linking.entries import entry_points, mark_entries
from plugseal.lang.python.linking.exports import exports_of
from plugseal.lang.python.parsing.guard import MAX_DEPTH, check_source
from plugseal.lang.python.parsing.parse import NOT_PYTHON, OTHER_INSIDE, TOO_DEEP, may_be_another, parse_source
from plugseal.lang.python.resolving.index import index_calls
from plugseal.lang.python.resolving.resolve import Evaluator
from plugseal.lang.python.resolving.resolver import Resolver
from plugseal.lang.python.tables import shared_tables
from plugseal.model.capability import fact_order

LANGUAGE: Final = "python"
_BASE_FUEL: Final = 20_000
_FUEL_PER_CHARACTER: Final = 0.25
_MAX_FUEL: Final = 120_000
"""However large a file is: two seconds' work, half of what the clock of a worker allows."""
_FUEL_PER_TEXT: Final = 25
"""What reading code inside a string costs besides its length."""
_ALWAYS: Final = frozenset(("os", "subprocess"))
"""Modules whose names are looked for even where the file does not import them."""
_MAX_NESTED: Final = 3
_TOO_MUCH: Final = "too much to resolve: the budget for this file ran out"
_TOO_NESTED: Final = "too deep to resolve: names lead through too many others"
_MAX_CODE: Final = 65_536


def facts_of_module(
    tree: ast.Module, text: str, context: Context, *, parse: Callable[[str], ast.Module | str] = parse_source
) -> FileFacts:
    """Return the facts of a parsed file; never raises on any tree that a parser makes.

    Args:
        tree: the module; positions inside f-strings in it are overwritten.
        text: the decoded source, for columns and string rules.
        context: what is known besides.
        parse: how code inside strings is parsed: a tree, or the reason why there is none.
    """
    collected = collect(tree)
    fuel = min(_MAX_FUEL, _BASE_FUEL + int(len(text) * _FUEL_PER_CHARACTER))
    resolver = Evaluator(collected, shared_tables(), fuel)
    resolver.local_modules = context.local_modules
    try:
        if collected.depth > MAX_DEPTH:
            return unread(LANGUAGE, TOO_DEEP)
        report = PythonReport(context.interest, parse)
        report.nested = set()
        return _facts(resolver, collected, text, context, report)
    finally:
        resolver.release()


def _facts(resolver: Resolver, collected: Collected, text: str, context: Context, report: PythonReport) -> FileFacts:
    modules = _analyse(resolver, collected, context, report, Places(text), 0)
    add_string_events(text, context, report, resolver)
    add_bind_addresses(text, resolver.root.node, Places(text), report)
    if not text.isascii():
        _add_hidden(text, collected.scopes, report)
    exports = exports_of(resolver, context)
    partial = resolver.fuel < 0 or resolver.is_cut
    reason = _TOO_MUCH if resolver.fuel < 0 else _TOO_NESTED if resolver.is_cut else ""
    return FileFacts(
        LANGUAGE,
        "partial" if partial else "read",
        OTHER_INSIDE if report.other_inside else reason,
        tuple(sorted(report.facts, key=fact_order)),
        tuple(sorted(set(report.events), key=_event_key)),
        tuple(sorted(set(report.pending), key=_event_key)),
        exports,
        modules,
        entry_points(resolver.scopes),
        placed(report.nested or (), text),
        functions_of(resolver.scopes),
        calls_of(resolver.scopes),
    )


def _analyse(
    resolver: Resolver, collected: Collected, context: Context, report: PythonReport, places: Places, depth: int
) -> tuple[str, ...]:
    """Judge one module, and the code inside its strings; return the modules that it imports."""
    tables = resolver.tables
    modules = _imported_modules(collected.scopes)
    tops = {top_of(tables.canonical(module)) for module in modules if not module.startswith(".")} | _ALWAYS
    fetched, fetches_anything = fetched_modules(collected.scopes, places.text)
    tops.update(top_of(tables.canonical(module)) for module in fetched)
    last = tables.last_names(tops)
    last.names.update(name.rpartition(".")[2] for name in context.interest.attributes)
    resolver.local_stars = [m for m in resolver.star_modules if m.startswith(".") or top_of(m) in context.local_modules]
    bound = Bound(collected.scopes)
    index_calls(resolver, bound)
    mark_entries(resolver, bound, tops)
    judge = Judge(resolver, tables, context, report)
    uses = Uses(resolver, judge, places, last.all, bound.meanings())
    chosen = Chosen(resolver, bound, last, context.interest, fetches_anything=fetches_anything)
    examine(resolver, judge, places, bound, chosen, uses)
    if depth < _MAX_NESTED:
        for code, node, scope in uses.code:
            _analyse_code(code, node, scope, resolver, context, report, places, depth)
    return tuple(sorted(modules))


def _analyse_code(
    code: str,
    node: ast.expr,
    scope: Scope,
    outer: Resolver,
    context: Context,
    report: PythonReport,
    places: Places,
    depth: int,
) -> None:
    """Read code inside a string by the same rules; its facts stand where the string stands."""
    if len(code) > _MAX_CODE or outer.fuel < 0:
        return
    outer.fuel -= _FUEL_PER_TEXT + len(code) // 4
    tree = check_source(code.encode("utf-8", "surrogatepass")) or report.parse(code.strip())
    if isinstance(tree, str):
        report.other_inside = report.other_inside or (tree.startswith(NOT_PYTHON) and may_be_another(code))
        return
    collected = collect(tree)
    if collected.depth > MAX_DEPTH:
        return
    for inner_scope in collected.scopes:
        if inner_scope.trigger == "import":
            inner_scope.trigger = scope.trigger
    resolver = Evaluator(collected, outer.tables, outer.fuel)
    resolver.local_modules = context.local_modules
    resolver.outside = (outer, scope)
    inner_places = Places(code)
    inner_places.within = places.span(node)
    channel, report.channel = report.channel, "nested"
    _analyse(resolver, collected, context, report, inner_places, depth + 1)
    report.channel = channel
    outer.fuel = resolver.fuel
    resolver.release()


def _add_hidden(text: str, scopes: list[Scope], report: PythonReport) -> None:
    """Add what a person who reads the file does not see."""
    found = hidden_characters(text)
    bound = {name for scope in scopes for name in (*scope.bindings, *scope.attributes)}
    for name in mixed_identifiers(bound):
        at = text.find(name)
        if at >= 0:
            found.append((at, at + len(name)))
    if not found:
        return
    index = LineIndex(text)
    for start, end in found:
        report.add(index.span(start, end), "code.obfuscated", None, "possible", "unknown")


def _imported_modules(scopes: list[Scope]) -> set[str]:
    modules: set[str] = set()
    for scope in scopes:
        for statement in scope.imports:
            if isinstance(statement, ast.ImportFrom):
                modules.add("." * statement.level + (statement.module or ""))
            else:
                modules.update(alias.name for alias in statement.names)
    return modules


def _event_key(event: Event) -> tuple[object, ...]:
    return event.span, event.kind, event.name, repr(event)
