"""Texts that a call runs as code: handed to the reader of their language, at the place where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.scope import Within, node_of
from plugseal.lang.ecmascript.judging.disguise import meant
from plugseal.lang.ecmascript.judging.fact_values import fact_values
from plugseal.lang.ecmascript.judging.fed import note_fed
from plugseal.lang.ecmascript.judging.given import note_given
from plugseal.lang.ecmascript.judging.loading import report_worker
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.resolving.arguments import argument_values
from plugseal.lang.ecmascript.resolving.values import Arguments, Mapping, Sequence
from plugseal.lang.facts import Value
from plugseal.lang.folded import HOLE, Text
from plugseal.lang.judging.argument_lists import python_code

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Binding, Scope
    from plugseal.lang.ecmascript.judging.subject import Subject
    from plugseal.lang.ecmascript.parsing.parse import Node

_FUNCTIONS: Final = frozenset(
    ("globals.Function", "globals.GeneratorFunction", "globals.AsyncFunction", "globals.AsyncGeneratorFunction")
)
_NO_SCRIPT: Final = frozenset(
    ("vm.Script().runInContext", "vm.Script().runInNewContext", "vm.Script().runInThisContext")
)
_STARTING: Final = frozenset(("process.exec", "process.shell"))
_MAX_CODE: Final = 1 << 18


def note_code(
    subject: Subject, name: str, capabilities: set[str], node: Node, arguments: Arguments, scope: Scope
) -> None:
    """Hand on the texts that a call runs.

    Args:
        subject: of the file.
        name: what is called.
        capabilities: what tables say it can do.
        node: the call.
        arguments: its arguments.
        scope: where it stands.
    """
    report_worker(subject, name, node, arguments, scope)
    if ("code.dynamic" in capabilities or name in subject.judge.tables.texts) and name not in _NO_SCRIPT:
        given = arguments.positional[-1:] if name in _FUNCTIONS else arguments.positional[:1]
        if name.endswith("Worker") and not _evaluates(subject, arguments):
            return
        for binding, where in given:
            _note_text(subject, binding, where, scope, name)
        _note_origins(subject, arguments, scope)
    if capabilities & _STARTING:
        _note_program(subject, node, arguments, scope, name)
        note_given(subject, node, arguments, scope)
        subject.judge.report.place_texts(subject.places.span(node), subject.places, _literals(subject, arguments))


def _note_origins(subject: Subject, arguments: Arguments, scope: Scope) -> None:
    """Report where the code, and the objects that it can reach, are written, if that is not in the call itself."""
    codes = subject.grammar.codes
    for binding, where in arguments.positional[:3]:
        node = node_of(binding)
        if node is None or codes[node.kind_id] != g.IDENTIFIER:
            continue
        for written in _bound(subject, node, where):
            if codes[written.kind_id] in (g.OBJECT, g.STRING) or written.type == "template_string":
                subject.judge.report.add(subject.places.span(written), "code.dynamic", None, "possible", scope.trigger)


def _bound(subject: Subject, name: Node, scope: Scope) -> list[Node]:
    """Return the first expressions that a name is bound to."""
    text = subject.resolver.data[name.start_byte : name.end_byte]
    owner: Scope | None = scope
    while owner is not None and text not in owner.bindings:
        owner = owner.parent
    found = []
    for binding in owner.bindings[text][:4] if owner is not None else ():
        node = node_of(binding.binding if isinstance(binding, Within) else binding)
        if node is not None:
            found.append(node)
    return found


def _literals(subject: Subject, arguments: Arguments) -> list[tuple[Node, str]]:
    """Return the literals among the arguments, and among the items of an array that is one, with their texts."""
    found: list[tuple[Node, str]] = []
    for binding, where in arguments.positional[:2]:
        node = node_of(binding)
        if node is None:
            continue
        inner = node.named_children[:64] if subject.grammar.is_kind(node, "array") else [node]
        for one in inner:
            if one.type in ("string", "template_string"):
                found.extend((one, text) for text in subject.resolver.texts(one, where))
    return found


def _evaluates(subject: Subject, arguments: Arguments) -> bool:
    options = argument_values(subject.resolver, arguments, 1)
    found = [value.find("eval") for value in options if isinstance(value, Mapping)]
    return any(isinstance(one, Text) and one.value is True for values in found for one in values or ())


def _note_text(subject: Subject, binding: Binding, where: Scope, scope: Scope, how: str) -> None:
    node = node_of(binding)
    if node is not None:
        node = meant(subject.resolver, node, where)
    for value in subject.resolver.bound(binding, where):
        text = value.value if isinstance(value, Text) and value.whole else None
        if isinstance(text, bytes):
            text = text.decode("utf-8", "replace")
        if isinstance(text, str) and node is not None and HOLE not in text and 0 < len(text) <= _MAX_CODE:
            shown = how.removeprefix("globals.")
            subject.judge.report.add_nested("javascript", text, subject.places, node, scope.trigger, shown)


def _note_program(subject: Subject, node: Node, arguments: Arguments, scope: Scope, how: str) -> None:
    """Hand on the code that Python is started with; what other programs run the report hands on itself."""
    words = _words(subject, arguments)
    note_fed(subject, node, words, arguments, scope)
    code = python_code(words)
    if code is not None and HOLE not in code:
        place = _place(subject, arguments, node)
        subject.judge.report.add_nested("python", code, subject.places, place, scope.trigger, how)


def _words(subject: Subject, arguments: Arguments) -> tuple[Value, ...]:
    words: list[Value] = []
    for binding, where in arguments.positional[:2]:
        values = subject.resolver.bound(binding, where)
        found = fact_values(subject.resolver, values[:1])[0]
        if values and isinstance(values[0], Sequence) and isinstance(found, tuple):
            words.extend(found)
            break
        words.append(found)
    return tuple(words)


def _place(subject: Subject, arguments: Arguments, node: Node) -> Node:
    """Return the text itself where the words are written out and its place is sure, else the whole call."""
    for binding, _ in arguments.positional[:2]:
        given = node_of(binding)
        if given is not None and subject.grammar.is_kind(given, "array"):
            last = [child for child in given.named_children if child.type in ("string", "template_string")]
            longest = max(last, key=lambda child: child.end_byte - child.start_byte, default=None)
            return longest if longest is not None else node
    return node
