"""From a tree to the facts of the file: collect, resolve, judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.encode.text import LineIndex
from plugseal.lang.ecmascript.choosing.chosen import Chosen, modules_of
from plugseal.lang.ecmascript.collecting.collect import collect
from plugseal.lang.ecmascript.collecting.sites import index_sites, mark_inner
from plugseal.lang.ecmascript.exporting.exported import exports_of
from plugseal.lang.ecmascript.judging.disguise import invisible_places, may_hide, packed_places
from plugseal.lang.ecmascript.judging.examine import examine
from plugseal.lang.ecmascript.judging.judge import Judge
from plugseal.lang.ecmascript.judging.places import Places
from plugseal.lang.ecmascript.judging.report import ScriptReport
from plugseal.lang.ecmascript.judging.uses import Uses
from plugseal.lang.ecmascript.linking.calling import calling_of
from plugseal.lang.ecmascript.linking.entries import entry_points, mark_entries
from plugseal.lang.ecmascript.resolving.resolve import Evaluator
from plugseal.lang.ecmascript.tables import shared_script_tables
from plugseal.lang.facts import Context, Event, FileFacts
from plugseal.lang.judging.hidden_characters import hidden_characters
from plugseal.model.capability import fact_order

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.parsing.allowance import Allowance
    from plugseal.lang.ecmascript.parsing.grammar import Grammar
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.model.location import Span

_MAX_HIDDEN: Final = 20_000
"""Places of either kind that are hidden from who reads; with more the file is `partial`."""
TOO_MUCH: Final = "too much to resolve: the budget for this file ran out"
TOO_NESTED: Final = "too deep to resolve: names lead through too many others"


def facts_of_script(
    data: bytes, root: Node, grammar: Grammar, context: Context, *, language: str, allowance: Allowance, reason: str
) -> FileFacts:
    """Return the facts of a parsed file.

    Args:
        data: the source, UTF-8.
        root: its syntax tree.
        grammar: the one it was parsed with.
        context: what is known besides.
        language: the reader's name.
        allowance: how much work there is left for the file; what is done is taken from it.
        reason: why some of the file was not understood, empty where all of it was.
    """
    collected = collect(data, root, grammar, with_strings=context.interest.strings is not None)
    resolver = Evaluator(collected, shared_script_tables(), allowance.fuel)
    report = ScriptReport(context.interest, context.path.count("/"))
    places = Places(data)
    try:
        index_sites(collected)
        judge = Judge(resolver, context.interest, report)
        modules = modules_of(resolver)
        mark_entries(resolver, modules)
        mark_inner(collected)
        uses = Uses(resolver, judge, places)
        examine(resolver, judge, uses, Chosen(resolver, context.interest, modules))
        _add_strings(uses, context)
        _add_hidden(data, places, uses)
        exports = exports_of(resolver)
        entries = entry_points(collected)
        imports = tuple(sorted({one.module for one in collected.imports}))
        functions, calls = calling_of(collected)
    finally:
        resolver.release()
        allowance.take_fuel(resolver.fuel, is_spent=resolver.is_spent)
    reason = reason or _cut(resolver, report)
    return FileFacts(
        language,
        "partial" if reason else "read",
        reason,
        tuple(sorted(report.facts, key=fact_order)),
        _in_order(set(report.events)),
        _in_order(set(report.pending)),
        exports,
        imports,
        entries,
        tuple(sorted(report.texts, key=lambda one: (*one[:3], one.trigger, one.how))),
        functions,
        calls,
    )


def _cut(resolver: Evaluator, report: ScriptReport) -> str:
    """Return why not all of a file was looked at; empty where all of it was."""
    if report.texts.is_full or resolver.is_spent or resolver.fuel < 0 or resolver.collected.is_cut:
        return TOO_MUCH
    return TOO_NESTED if resolver.is_cut else ""


def _add_strings(uses: Uses, context: Context) -> None:
    """Add an event for each string literal that the rules' pattern matches."""
    pattern = context.interest.strings
    resolver, report = uses.resolver, uses.judge.report
    if pattern is None or not pattern.search(resolver.data.decode("utf-8", "replace")):
        return
    for node, scope in resolver.collected.strings:
        text = resolver.text_at(node)[1:-1]
        if pattern.search(text):
            span = uses.places.span(node)
            report.events.append(Event("string", text[:4_096], span, (), (), "direct", scope.trigger))


def _add_hidden(data: bytes, places: Places, uses: Uses) -> None:
    """Add what a person who reads the file does not see, or cannot read."""
    report, resolver = uses.judge.report, uses.resolver
    for start, end in packed_places(data):
        report.add(places.between(start, end), "code.obfuscated", None, "possible", "import")
    escaped = resolver.collected.escaped_names
    resolver.is_spent = resolver.is_spent or len(escaped) > _MAX_HIDDEN
    for node, scope in escaped[:_MAX_HIDDEN]:
        report.add(places.span(node), "code.obfuscated", None, "resolved", scope.trigger)
    if data.isascii() or not may_hide(data):
        return
    text = data.decode("utf-8", "replace")
    found = [*hidden_characters(text), *invisible_places(text)]
    index = LineIndex(text) if found else None
    resolver.is_spent = resolver.is_spent or len(found) > _MAX_HIDDEN
    for start, end in found[:_MAX_HIDDEN]:
        if index is not None:
            report.add(index.span(start, end), "code.obfuscated", None, "possible", "unknown")


def _in_order(events: set[Event]) -> tuple[Event, ...]:
    """Return events in the order of the source; only where that does not tell two apart are they written out."""
    if len({one[:3] for one in events}) == len(events):
        return tuple(sorted(events, key=_place))
    return tuple(sorted(events, key=lambda one: (*_place(one), repr(one))))


def _place(event: Event) -> tuple[Span, str, str]:
    return event.span, event.kind, event.name
