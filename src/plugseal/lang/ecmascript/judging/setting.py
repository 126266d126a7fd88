"""What setting a property means: a variable of the environment, an address of an element, markup that runs code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.collecting.scope import OPAQUE, Call, Scope, Store, node_of
from plugseal.lang.ecmascript.judging.fact_values import fact_values
from plugseal.lang.ecmascript.parsing.grammar import WRAPPERS
from plugseal.lang.ecmascript.resolving.names import ENVIRONMENT
from plugseal.lang.ecmascript.resolving.values import AnyValue, Made
from plugseal.lang.facts import Value
from plugseal.lang.folded import HOLE, Text
from plugseal.lang.judging.objects import cut_object
from plugseal.lang.judging.report import is_script_address
from plugseal.model.variables import loading
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.choosing.leads import Leads
    from plugseal.lang.ecmascript.judging.subject import Subject
    from plugseal.lang.ecmascript.parsing.parse import Node

_MARKUP: Final = frozenset((b"innerHTML", b"outerHTML", b"srcdoc"))
_RUNS_WRITTEN: Final = lazy(rb"<script|on[a-z]{3,60}\s*=|javascript:|\\[xu]", re.I)
_RUNS: Final = lazy(r"<script|\bon[a-z]{3,}\s*=|javascript:", re.I)
_HANDLER: Final = lazy(r"on[a-z]{3,40}")
_SCRIPT: Final = "javascript:"
_LEADING: Final = frozenset(("href", "src", "action", "formaction", "data", "xlink:href"))
_PAGE: Final = frozenset(("globals.location", "globals.document.location"))
_WINDOW: Final = frozenset(("window", "self", "top", "parent", "globalThis", "document", "opener", "frames"))
_ADDRESSED: Final = frozenset((b"src", b"href", b"data", b"srcset", b"poster"))
_FETCHING: Final = frozenset("script iframe frame img image embed video audio source track object link input".split())
"""Elements that fetch what their address names as soon as it is set."""
_LATER: Final = frozenset(
    ("NODE_OPTIONS", "NODE_PATH", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PYTHONSTARTUP")
)
"""Variables that make every later program run code."""
_MAX_SOURCES: Final = 16
_TLS: Final = "NODE_TLS_REJECT_UNAUTHORIZED"


def report_stores(subject: Subject, leads: Leads) -> None:
    """Report every property that is set and means something."""
    collected = subject.resolver.collected
    for name, stores in collected.stores.items():
        for store in stores:
            _report(subject, leads, name, store)
    for store in collected.item_stores:
        _report_item(subject, leads, store)


def _report(subject: Subject, leads: Leads, key: bytes, store: Store) -> None:
    resolver = subject.resolver
    base = store.target.child_by_field_id(resolver.grammar.object)
    if base is None:
        return
    if key in _MARKUP:
        _report_markup(subject, store)
        return
    if resolver.data.endswith(b".prototype", base.start_byte, base.end_byte):
        _report_patch(subject, base, store)
        return
    name = key.decode("utf-8", "replace")
    values = resolver.value(base, store.scope) if leads.holds(base, store.scope) else ()
    if ENVIRONMENT in values:
        _report_variable(subject, name, store)
        return
    _report_held(subject, name, store)
    if (key == b"href" and not _PAGE.isdisjoint(value for value in values if isinstance(value, str))) or (
        key in (b"href", b"location") and _is_page(subject, base, store, key)
    ):
        _report_page(subject, store)
    elif key in _ADDRESSED:
        _report_address(subject, store, values)
    elif key == b"prototype" or base.type == "this":
        return
    elif "globals.require.extensions" in values or "module._extensions" in values:
        _report_extension(subject, store)


def _report_patch(subject: Subject, base: Node, store: Store) -> None:
    """Report a known function that is hung on what every text or array has: nobody sees there where it comes from."""
    values = subject.resolver.value(base, store.scope)
    if not any(isinstance(value, str) and value.startswith("globals.") for value in values):
        return
    for value in subject.resolver.bound(store.value, store.scope):
        if isinstance(value, str) and "#" not in value and subject.judge.verdict(value).rules:
            span = subject.places.span(store.target)
            subject.judge.report.add(span, "code.obfuscated", None, "possible", store.scope.trigger)


def _report_item(subject: Subject, leads: Leads, store: Store) -> None:
    resolver = subject.resolver
    base = store.target.child_by_field_id(resolver.grammar.object)
    index = store.target.child_by_field_id(resolver.grammar.index)
    if base is None or index is None:
        return
    if leads.holds(base, store.scope) and ENVIRONMENT in resolver.value(base, store.scope):
        names = resolver.texts(index, store.scope)
        for name in names or (None,):
            _report_variable(subject, name, store)


def report_assigned(subject: Subject, node: Node, scope: Scope) -> bool:
    """Report the variables that `Object.assign(process.env, …)` sets; say whether that is all that is done here.

    What is done with what it gives back is done with the whole environment.
    """
    given = node.parent
    while given is not None and given.type in WRAPPERS:
        node, given = given, given.parent
    if given is None or given.type != "arguments" or given.named_children[0] != node or given.parent is None:
        return False
    function = given.parent.child_by_field_name("function")
    if function is None or subject.resolver.text_at(function) != "Object.assign":
        return False
    for part in given.named_children[1 : 1 + _MAX_SOURCES]:
        pairs = part.named_children if part.type == "object" else (part,)
        for pair in pairs:
            if pair.type != "comment":
                _report_pair(subject, pair, scope)
    return given.parent.parent is not None and given.parent.parent.type == "expression_statement"


def _report_pair(subject: Subject, pair: Node, scope: Scope) -> None:
    """Report one variable that is set by a part of an object; one whose name is not known for all else."""
    key = pair.child_by_field_name("key") if pair.type == "pair" else None
    value = pair.child_by_field_name("value")
    if pair.type == "shorthand_property_identifier":
        key = value = pair
    texts: list[str] = []
    if key is not None and key.type == "computed_property_name":
        texts = subject.resolver.texts(key.named_children[0], scope) if key.named_children else []
    elif key is not None:
        texts = [subject.resolver.text_at(key).strip("'\"")]
    for text in texts or (None,):
        _report_variable(subject, text, Store(pair, pair if value is None else value, scope))


def _given(subject: Subject, store: Store) -> tuple[Value, ...]:
    return fact_values(subject.resolver, subject.resolver.bound(store.value, store.scope))


def _report_variable(subject: Subject, name: str | None, store: Store) -> None:
    report, span, trigger = subject.judge.report, subject.places.span(store.target), store.scope.trigger
    if name is None:
        report.add(span, "env.write", None, "resolved", trigger)
        return
    if store.value is OPAQUE and store.target.parent is not None and store.target.parent.type == "unary_expression":
        report.add(span, "env.write", name, "direct", trigger)  # `delete process.env.NAME`
        return
    value = _given(subject, store)[0]
    report.add_variable(span, name, value, "direct", trigger)
    if name in _LATER:
        report.add(span, "persistence", name, "possible", trigger)


def _report_held(subject: Subject, name: str, store: Store) -> None:
    """Report a variable that surely loads code, put into an object: nothing but an environment has such a property."""
    loads = loading(name, HOLE)
    if loads is not None and loads.is_sure:
        span, trigger = subject.places.span(store.target), store.scope.trigger
        subject.judge.report.add_given_variable(span, name, _given(subject, store)[0], trigger)


def _report_markup(subject: Subject, store: Store) -> None:
    node = node_of(store.value)
    if node is None or not _RUNS_WRITTEN.search(subject.resolver.data, node.start_byte, node.end_byte):
        return
    for value in _given(subject, store):
        if isinstance(value, str) and _RUNS.search(value):
            span = subject.places.span(store.target)
            subject.judge.report.add(span, "code.dynamic", None, "possible", store.scope.trigger)


def _report_address(subject: Subject, store: Store, values: tuple[AnyValue, ...]) -> None:
    report, span, trigger = subject.judge.report, subject.places.span(store.target), store.scope.trigger
    if values and _report_script(subject, store):
        return
    for value in values:
        made = value.name if isinstance(value, Made) else value
        if made in ("globals.Image()", "globals.Audio()"):
            for one in _given(subject, store)[:2]:
                report.add(span, "net.outbound", cut_object("host", one), "resolved", trigger)
        elif made == "globals.document.createElement()" and isinstance(value, Made) and value.arguments is not None:
            given = value.arguments.positional[:1]
            tags = [one.value for each in given for one in subject.resolver.bound(*each) if isinstance(one, Text)]
            if not _FETCHING.isdisjoint(tags):
                for one in _given(subject, store)[:2]:
                    report.add(span, "net.outbound", cut_object("host", one), "resolved", trigger)
                if "script" in tags:
                    report.add(span, "code.dynamic", None, "resolved", trigger)


def _is_page(subject: Subject, base: Node, store: Store, key: bytes) -> bool:
    """Say whether a browser's page is what an address is given to: `window.location = x`, `top.location.href = x`."""
    resolver = subject.resolver
    if key == b"href":
        last = base.child_by_field_id(resolver.grammar.property) if base.type == "member_expression" else None
        if last is None or resolver.text_at(last) != "location":
            return False
        base = base.child_by_field_id(resolver.grammar.object) or base
    name = resolver.text_at(base) if base.type == "identifier" else ""
    return name in _WINDOW and owner_of(name.encode("ascii"), store.scope) is None


def _report_page(subject: Subject, store: Store) -> None:
    """Report the page that a browser is sent to, if it is one of another host."""
    if _report_script(subject, store):
        return
    for one in _given(subject, store)[:2]:
        host = cut_object("host", one) if isinstance(one, str) and "//" in one else None
        if host is not None:
            span = subject.places.span(store.target)
            subject.judge.report.add(span, "net.outbound", host, "resolved", store.scope.trigger)


def _report_script(subject: Subject, store: Store) -> bool:
    """Report an address that is code, where an element or the page is given one; say whether it is."""
    codes = [one for one in _given(subject, store)[:2] if isinstance(one, str) and is_script_address(one)]
    node = node_of(store.value)
    for code in codes:
        trigger = store.scope.trigger
        subject.judge.report.add(subject.places.span(store.target), "code.dynamic", None, "resolved", trigger)
        if node is not None and HOLE not in code:
            text = code.strip()[len(_SCRIPT) :]
            subject.judge.report.add_nested("javascript", text, subject.places, node, trigger, "javascript:")
    return bool(codes)


def report_attribute(subject: Subject, call: Call, scope: Scope) -> None:
    """Report an attribute that runs code, set by its name: `element.setAttribute("onclick", code)`."""
    given = [child for child in _arguments(call) if child.type != "comment"][:2]
    if len(given) < 2:
        return
    names = [name.lower() for name in subject.resolver.texts(given[0], scope)]
    is_handler = any(_HANDLER.fullmatch(name) for name in names)
    for text in subject.resolver.texts(given[1], scope):
        code = text if is_handler else text.strip()[len(_SCRIPT) :] if text.strip()[:11].lower() == _SCRIPT else ""
        if code and (is_handler or any(name in _LEADING for name in names)):
            span = subject.places.span(call.node)
            subject.judge.report.add(span, "code.dynamic", None, "possible", scope.trigger)
            subject.judge.report.add_nested("javascript", code, subject.places, given[1], scope.trigger, "setAttribute")


def _arguments(call: Call) -> list[Node]:
    given = call.node.child_by_field_name("arguments")
    return given.named_children if given is not None and given.type == "arguments" else []


def _report_extension(subject: Subject, store: Store) -> None:
    report, span, trigger = subject.judge.report, subject.places.span(store.target), store.scope.trigger
    report.add(span, "code.import", None, "resolved", trigger)
    report.add(span, "code.dynamic", None, "possible", trigger)
