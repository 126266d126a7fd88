"""From resolved calls and reads to facts and events, by the tables.

A call of a known name is a fact. A known name that is read but not called may be passed on to somebody who calls it:
the same fact, with resolution `possible`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.judging.certain import each_choice
from plugseal.lang.ecmascript.judging.fact_values import Given
from plugseal.lang.facts import UNKNOWN, Event, Ref, Unknown, Value
from plugseal.lang.judging.objects import EXECUTABLES
from plugseal.lang.judging.rules import Call, apply_rules, read_rules
from plugseal.lang.judging.verdict import SILENT, Verdict
from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.judging.report import ScriptReport
    from plugseal.lang.ecmascript.resolving.resolver import Resolver
    from plugseal.lang.ecmascript.resolving.values import Arguments, Made
    from plugseal.lang.facts import Interest
    from plugseal.lang.judging.table_rule import Rule
    from plugseal.model.location import Span


_CHARACTERS_PER_LOOK: Final = 32
_LOOKS_PER_CALL: Final = 32


class Site(NamedTuple):
    """One call or read of one name."""

    span: Span
    name: str
    receiver: Made | None
    arguments: Arguments | None
    resolution: str
    trigger: str


class Judge:
    """The tables' word on the names of one file."""

    def __init__(self, resolver: Resolver, interest: Interest, report: ScriptReport) -> None:
        self.resolver = resolver
        self.tables = resolver.tables
        self.interest = interest
        self.report = report
        self._verdicts: dict[str, Verdict] = {}

    def verdict(self, name: str) -> Verdict:
        """Return what is known of a qualified name."""
        known = self._verdicts.get(name)
        if known is None:
            known = self._verdicts[name] = self._inspect(name)
        return known

    def _inspect(self, name: str) -> Verdict:
        interest = self.interest
        wanted = name in interest.calls or name.startswith(interest.call_prefixes)
        read = name in interest.attributes
        if "#" in name:
            return Verdict((), wanted, read, True, False)
        if self.tables.is_plain(name) and not self.tables.has_exact(name):
            return SILENT
        rules = self.tables.rules(name)
        if rules or wanted or read:
            return Verdict(rules, wanted, read, False, read or any(rule.use == "reference" for rule in rules))
        return SILENT

    def call(self, site: Site, verdict: Verdict) -> None:
        """Report a call."""
        self.resolver.spend(_LOOKS_PER_CALL)
        if verdict.rules:
            self.apply(site, verdict.rules)
        # What a name of a bundle may be, among others, and what no table knows, is no evidence for anybody.
        if verdict.is_wanted and (verdict.rules or site.resolution != "possible"):
            self.report.events.extend(each_choice(self.resolver, site.arguments, self._event("call", site)))
        if verdict.is_local:
            positions, keywords = Given(self.resolver, site.arguments).plain_values()
            event = Event("call", site.name, site.span, positions, keywords, site.resolution, site.trigger)
            self.report.pending.append(event)

    def read(self, site: Site, verdict: Verdict, *, only_reads: bool = False) -> None:
        """Report a mention without a call."""
        if verdict.rules and self.tables.has_exact(site.name):
            rules = verdict.rules
            if only_reads:
                rules = tuple(rule for rule in rules if rule.use == "reference")
            read_rules(rules, site.span, site.resolution, site.trigger, self.report)
        if verdict.is_read:
            self.report.events.append(self._event("attribute", site))
        if verdict.is_local and not only_reads:
            self.report.pending.append(self._event("attribute", site))

    def apply(self, site: Site, rules: tuple[Rule, ...]) -> None:
        """Report what rules say of a call."""
        given = Given(self.resolver, site.arguments)
        receiver = Given(self.resolver, site.receiver.arguments if site.receiver is not None else None)
        programs = {rule.object.position for rule in rules if rule.kind == "program" and rule.object is not None}

        def values(position: int, keywords: tuple[str, ...], missing: Value) -> tuple[Value, ...]:
            found = given.values(position, keywords, missing)
            return _with_words(found, given, position) if position in programs and position >= 0 else found

        def of_receiver(position: int, keywords: tuple[str, ...]) -> tuple[Value, ...]:
            made = site.receiver
            if made is not None and made.text is not None:
                return (str(made.text.value),)
            return receiver.values(position, keywords, UNKNOWN)

        rest = site.arguments is not None and site.arguments.rest
        apply_rules(
            rules, Call(site.span, site.resolution, site.trigger, values, of_receiver, is_open=rest), self.report
        )

    def _event(self, kind: str, site: Site) -> Event:
        positions, keywords = Given(self.resolver, site.arguments).event_values()
        carried = sum(len(one) for one in (*positions, *(value for _, value in keywords)) if isinstance(one, str))
        self.resolver.spend(carried // _CHARACTERS_PER_LOOK)
        return Event(kind, site.name, site.span, positions, keywords, site.resolution, site.trigger)


def _with_words(programs: tuple[Value, ...], given: Given, position: int) -> tuple[Value, ...]:
    """Return programs with the words that they are started with, where these are given apart as an array."""
    programs = tuple(EXECUTABLES.get(one.name, one) if isinstance(one, Ref) else one for one in programs)
    if not all(isinstance(program, str) for program in programs):
        return programs
    following = given.values(position + 1, ("args",), None)
    lists = [one for one in following if isinstance(one, tuple) and not isinstance(one, (Ref, Unknown))]
    if len(lists) < len(following):
        return programs
    return tuple((program, *words) for program in programs for words in lists)
