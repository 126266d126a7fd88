"""From resolved calls and reads to facts and events, by the tables.

A call of a known name is a fact. A known name that is read but not called may be passed on to somebody who calls it:
the same fact, with resolution `possible`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import UNKNOWN, Event, Unknown, Value
from plugseal.lang.folded import whole
from plugseal.lang.judging.report import Report
from plugseal.lang.judging.rules import Call, apply_rules, read_rules
from plugseal.lang.judging.table_rule import Rule
from plugseal.lang.judging.tables import Tables, top_of
from plugseal.lang.judging.verdict import SILENT, Verdict
from plugseal.lang.python.collecting.names import KNOWN_FUNCTIONS, STANDARD_MODULES
from plugseal.lang.python.judging.dict_config import NAME as DICT_CONFIG
from plugseal.lang.python.judging.dict_config import configured
from plugseal.lang.python.judging.fact_values import alternatives, argument_value, partial_value
from plugseal.lang.python.judging.launched import NAMED, named_words, with_words
from plugseal.lang.python.judging.open_flags import opened_for
from plugseal.lang.python.judging.own_folder import is_inside
from plugseal.lang.python.resolving.certain import is_certain, is_default
from plugseal.lang.python.resolving.values import Arguments, Made
from plugseal.model.location import Span
from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from plugseal.lang.facts import Context
    from plugseal.lang.python.resolving.resolver import Resolver

_MAX_ARGUMENTS: Final = 16


class Site(NamedTuple):
    """One call or read of one name."""

    span: Span
    name: str
    receiver: Made | None
    arguments: Arguments | None
    """None where the name is only read."""
    resolution: str
    trigger: str


class Judge:
    """Decides for one file what each name that it uses means."""

    def __init__(self, resolver: Resolver, tables: Tables, context: Context, report: Report) -> None:
        self.resolver = resolver
        self.tables = tables
        self.interest = context.interest
        self.local_modules = context.local_modules
        self.report = report
        self.depth = context.path.count("/")
        """How many folders lie above the file within the tree."""
        self._verdicts: dict[str, Verdict] = {}

    def verdict(self, name: str) -> Verdict:
        """Return what is known of a canonical name; remembered for the file."""
        known = self._verdicts.get(name)
        if known is None:
            known = self._verdicts[name] = self._find_verdict(name)
        return known

    def _find_verdict(self, name: str) -> Verdict:
        interest = self.interest
        wanted = name in interest.calls or name.startswith(interest.call_prefixes)
        read = name in interest.attributes
        if name.startswith("."):
            return Verdict((), wanted, read, True, False)
        if self.tables.is_plain(name) and not self.tables.has_exact(name):
            return SILENT
        rules = self.tables.rules(name)
        local = False
        if not rules and self.local_modules:
            top = top_of(name)
            local = top in self.local_modules and top not in STANDARD_MODULES
        if rules or wanted or read or local:
            return Verdict(rules, wanted, read, local, read or any(rule.use == "reference" for rule in rules))
        return SILENT

    def call(self, site: Site, verdict: Verdict) -> None:
        """Report a call."""
        if site.name.startswith("sys.path.") and self._adds_own_folder(site):
            return
        if site.name == DICT_CONFIG and self._configures(site):
            return
        if verdict.rules:
            self._apply(_by_flags(site, verdict.rules), site)
        if verdict.is_wanted:
            self.report.events.extend(self._each_choice(site))
        if verdict.is_local:
            self.report.pending.append(self._pending(site))

    def _configures(self, site: Site) -> bool:
        """Report what a logging configuration makes; say whether it could be read, and makes nothing else."""
        calls = configured(self.resolver, site.arguments) if site.arguments is not None else None
        for name, arguments in calls or ():
            rules = self.verdict(name).rules
            if rules:
                self._apply(rules, Site(site.span, name, None, arguments, "resolved", site.trigger))
        return calls is not None and all(name.startswith("logging.") for name, _ in calls)

    def _adds_own_folder(self, site: Site) -> bool:
        """Say whether a folder of the tree itself is added to where modules are looked for."""
        given = site.arguments.positional[-1:] if site.arguments is not None else ()
        return all(is_inside(self.resolver, node, scope, self.depth) for node, scope in given) and bool(given)

    def call_method(self, site: Site) -> None:
        """Report a call of a telling method of an unknown object."""
        self._apply(self.tables.methods[site.name], site)

    def read(self, site: Site, verdict: Verdict) -> None:
        """Report a mention without a call."""
        if verdict.rules and self.tables.has_exact(site.name):
            read_rules(verdict.rules, site.span, site.resolution, site.trigger, self.report)
        if verdict.is_read:
            self.report.events.append(self._event("attribute", site))
        if verdict.is_local:
            self.report.pending.append(self._event("attribute", site))

    def _apply(self, rules: tuple[Rule, ...], site: Site) -> None:
        def values(position: int, keywords: tuple[str, ...], missing: Value) -> tuple[Value, ...]:
            if keywords == NAMED:
                return (named_words(self.resolver, site.name, site.arguments),)
            found = self._values(site.arguments, position, keywords, missing)
            return with_words(self.resolver, site.name, site.arguments, position, found)

        def of_receiver(position: int, keywords: tuple[str, ...]) -> tuple[Value, ...]:
            receiver = site.receiver
            if receiver is None:
                return (UNKNOWN,)
            if receiver.text is not None and isinstance(receiver.text.value, str):
                return (receiver.text.value,)
            return self._values(receiver.arguments, position, keywords, UNKNOWN)

        def certain(position: int, keywords: tuple[str, ...]) -> bool:
            return self._is_certain(site.arguments, position, keywords)

        call = Call(
            site.span,
            site.resolution,
            site.trigger,
            values,
            of_receiver,
            certain,
            site.arguments is not None and site.arguments.rest,
        )
        apply_rules(rules, call, self.report)

    def _values(
        self, arguments: Arguments | None, position: int, keywords: tuple[str, ...], missing: Value
    ) -> tuple[Value, ...]:
        if arguments is None:
            return (UNKNOWN,)
        if 0 <= position < len(arguments.positional):
            return alternatives(self.resolver, *arguments.positional[position])
        for keyword in keywords:
            given = arguments.keyword(keyword)
            if given is not None:
                return alternatives(self.resolver, *given)
        return (missing,)

    def _is_certain(self, arguments: Arguments | None, position: int, keywords: tuple[str, ...]) -> bool:
        if arguments is None:
            return True
        if 0 <= position < len(arguments.positional):
            return is_certain(self.resolver, *arguments.positional[position])
        given = next((found for keyword in keywords if (found := arguments.keyword(keyword)) is not None), None)
        return given is None or is_certain(self.resolver, *given)

    def _pending(self, site: Site) -> Event:
        """Return a call for the linker, with the arguments that can be known without following other calls."""
        arguments: list[Value] = []
        keywords: list[tuple[str, Value]] = []
        if site.arguments is not None:
            for node, scope in site.arguments.positional[:_MAX_ARGUMENTS]:
                is_call = node.__class__ is ast.Call
                arguments.append(UNKNOWN if is_call else partial_value(self.resolver, node, scope))
            for key, node, scope in site.arguments.keywords[:_MAX_ARGUMENTS]:
                is_call = node.__class__ is ast.Call
                keywords.append((key, UNKNOWN if is_call else partial_value(self.resolver, node, scope)))
        return Event("call", site.name, site.span, tuple(arguments), tuple(keywords), site.resolution, site.trigger)

    def _each_choice(self, site: Site) -> list[Event]:
        """Return a call once for each thing that its first argument may be, as far as rules tell these apart.

        What chooses among literals, and surely among nothing else, is each of them; what is known for one caller only
        is that, and unknown.
        """
        event = self._event("call", site)
        if site.arguments is None or not event.arguments or not isinstance(event.arguments[0], (str, Unknown)):
            return [event]
        given = site.arguments.positional[0]
        found = [whole(value) for value in alternatives(self.resolver, *given)]
        rest = event.arguments[1:]
        if event.arguments[0] is not UNKNOWN and UNKNOWN not in found and is_default(self.resolver, *given):
            return [event, event._replace(arguments=(UNKNOWN, *rest))]
        if len(found) < 2:
            return [event]
        if event.arguments[0] is not UNKNOWN:
            return [event, event._replace(arguments=(UNKNOWN, *rest))] if UNKNOWN in found else [event]
        if all(one.__class__ is tuple for one in found):
            return [event, *(event._replace(arguments=(words, *rest)) for words in found)]
        if not all(isinstance(one, str) for one in found) or not is_certain(self.resolver, *given):
            return [event]
        return [event._replace(arguments=(text, *rest)) for text in found]

    def _event(self, kind: str, site: Site) -> Event:
        arguments: tuple[Value, ...] = ()
        keywords: tuple[tuple[str, Value], ...] = ()
        if site.arguments is not None:
            resolver = self.resolver
            arguments = tuple(argument_value(resolver, *given) for given in site.arguments.positional[:_MAX_ARGUMENTS])
            keywords = tuple(
                (key, argument_value(resolver, node, scope))
                for key, node, scope in site.arguments.keywords[:_MAX_ARGUMENTS]
            )
        return Event(kind, site.name, site.span, arguments, keywords, site.resolution, site.trigger)


def _by_flags(site: Site, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Return the rules that hold for a call of `os.open` by its flags; all rules of other calls."""
    if site.name != "os.open" or site.arguments is None:
        return rules
    capabilities = opened_for(site.arguments)
    if capabilities is None:
        return rules
    return tuple(rule._replace(capability=one, mode=None) for rule in rules for one in sorted(capabilities))


def is_direct(node: ast.expr, name: str, imported: dict[str, str]) -> bool:
    """Say whether a chain is written just as the name was imported, under its own name.

    Args:
        node: the expression.
        name: what it was resolved to.
        imported: for the names that mean one import each in this file, what they mean.
    """
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return False
    root = imported.get(node.id)
    if root is None:
        return not parts and name == f"builtins.{node.id}"
    if root.rpartition(".")[2] != node.id:
        return False
    return ".".join([root, *reversed(parts)]) == name


def is_unbound(node: ast.expr, name: str, imported: dict[str, str]) -> bool:
    """Say whether a chain begins with a module that the file never imports."""
    while isinstance(node, ast.Attribute):
        node = node.value
    if not isinstance(node, ast.Name) or node.id in imported:
        return False
    return node.id == top_of(name) or KNOWN_FUNCTIONS.get(node.id) == name


def is_given(node: ast.expr, imported: dict[str, str]) -> bool:
    """Say whether a chain begins with a parameter that a table says is an object: its methods are bound."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and imported.get(node.id, "").endswith("()")
