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
from plugseal.lang.ecmascript.resolving.values import Arguments, Mapping, Sequence
from plugseal.lang.facts import Value
from plugseal.lang.folded import HOLE, Text
from plugseal.lang.judging.argument_lists import python_code

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Binding, Scope
    from plugseal.lang.ecmascript.judging.uses import Uses
    from plugseal.lang.ecmascript.parsing.parse import Node

_FUNCTIONS: Final = frozenset(
    ("globals.Function", "globals.GeneratorFunction", "globals.AsyncFunction", "globals.AsyncGeneratorFunction")
)
_NO_SCRIPT: Final = frozenset(
    ("vm.Script().runInContext", "vm.Script().runInNewContext", "vm.Script().runInThisContext")
)
_STARTING: Final = frozenset(("process.exec", "process.shell"))
_MAX_CODE: Final = 1 << 18


def note_code(uses: Uses, name: str, capabilities: set[str], node: Node, arguments: Arguments, scope: Scope) -> None:
    """Hand on the texts that a call runs.

    Args:
        uses: of the file.
        name: what is called.
        capabilities: what tables say it can do.
        node: the call.
        arguments: its arguments.
        scope: where it stands.
    """
    report_worker(uses, name, node, arguments, scope)
    if ("code.dynamic" in capabilities or name in uses.judge.tables.texts) and name not in _NO_SCRIPT:
        given = arguments.positional[-1:] if name in _FUNCTIONS else arguments.positional[:1]
        if name.endswith("Worker") and not _evaluates(uses, arguments):
            return
        for binding, where in given:
            _note_text(uses, binding, where, scope, name)
        _note_origins(uses, arguments, scope)
    if capabilities & _STARTING:
        _note_program(uses, node, arguments, scope, name)
        note_given(uses, node, arguments, scope)
        uses.judge.report.place_texts(uses.places.span(node), uses.places, _literals(uses, arguments))


def _note_origins(uses: Uses, arguments: Arguments, scope: Scope) -> None:
    """Report where the code, and the objects that it can reach, are written, if that is not in the call itself."""
    codes = uses.grammar.codes
    for binding, where in arguments.positional[:3]:
        node = node_of(binding)
        if node is None or codes[node.kind_id] != g.IDENTIFIER:
            continue
        for written in _bound(uses, node, where):
            if codes[written.kind_id] in (g.OBJECT, g.STRING) or written.type == "template_string":
                uses.judge.report.add(uses.places.span(written), "code.dynamic", None, "possible", scope.trigger)


def _bound(uses: Uses, name: Node, scope: Scope) -> list[Node]:
    """Return the first expressions that a name is bound to."""
    text = uses.resolver.data[name.start_byte : name.end_byte]
    owner: Scope | None = scope
    while owner is not None and text not in owner.bindings:
        owner = owner.parent
    found = []
    for binding in owner.bindings[text][:4] if owner is not None else ():
        node = node_of(binding.binding if isinstance(binding, Within) else binding)
        if node is not None:
            found.append(node)
    return found


def _literals(uses: Uses, arguments: Arguments) -> list[tuple[Node, str]]:
    """Return the literals among the arguments, and among the items of an array that is one, with their texts."""
    found: list[tuple[Node, str]] = []
    for binding, where in arguments.positional[:2]:
        node = node_of(binding)
        if node is None:
            continue
        inner = node.named_children[:64] if uses.grammar.is_kind(node, "array") else [node]
        for one in inner:
            if one.type in ("string", "template_string"):
                found.extend((one, text) for text in uses.resolver.texts(one, where))
    return found


def _evaluates(uses: Uses, arguments: Arguments) -> bool:
    options = uses.given_values(arguments, 1)
    found = [value.find("eval") for value in options if isinstance(value, Mapping)]
    return any(isinstance(one, Text) and one.value is True for values in found for one in values or ())


def _note_text(uses: Uses, binding: Binding, where: Scope, scope: Scope, how: str) -> None:
    node = node_of(binding)
    if node is not None:
        node = meant(uses.resolver, node, where)
    for value in uses.resolver.bound(binding, where):
        text = value.value if isinstance(value, Text) and value.whole else None
        if isinstance(text, bytes):
            text = text.decode("utf-8", "replace")
        if isinstance(text, str) and node is not None and HOLE not in text and 0 < len(text) <= _MAX_CODE:
            shown = how.removeprefix("globals.")
            uses.judge.report.add_nested("javascript", text, uses.places, node, scope.trigger, shown)


def _note_program(uses: Uses, node: Node, arguments: Arguments, scope: Scope, how: str) -> None:
    """Hand on the code that Python is started with; what other programs run the report hands on itself."""
    words = _words(uses, arguments)
    note_fed(uses, node, words, arguments, scope)
    code = python_code(words)
    if code is not None and HOLE not in code:
        uses.judge.report.add_nested("python", code, uses.places, _place(uses, arguments, node), scope.trigger, how)


def _words(uses: Uses, arguments: Arguments) -> tuple[Value, ...]:
    words: list[Value] = []
    for binding, where in arguments.positional[:2]:
        values = uses.resolver.bound(binding, where)
        found = fact_values(uses.resolver, values[:1])[0]
        if values and isinstance(values[0], Sequence) and isinstance(found, tuple):
            words.extend(found)
            break
        words.append(found)
    return tuple(words)


def _place(uses: Uses, arguments: Arguments, node: Node) -> Node:
    """Return the text itself where the words are written out and its place is sure, else the whole call."""
    for binding, _ in arguments.positional[:2]:
        given = node_of(binding)
        if given is not None and uses.grammar.is_kind(given, "array"):
            last = [child for child in given.named_children if child.type in ("string", "template_string")]
            longest = max(last, key=lambda child: child.end_byte - child.start_byte, default=None)
            return longest if longest is not None else node
    return node
