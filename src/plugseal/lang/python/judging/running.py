"""Texts that a call runs as Python: what `exec` and its like are given, and what an interpreter is started with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import Value
from plugseal.lang.folded import Text
from plugseal.lang.judging.argument_lists import python_code
from plugseal.lang.python.judging.fact_values import alternatives

if TYPE_CHECKING:
    import ast

    from plugseal.lang.python.collecting.scope import Scope
    from plugseal.lang.python.judging.subject import Subject
    from plugseal.lang.python.resolving.values import Arguments

_CODE_KEYWORDS: Final = frozenset("source stmt setup code cmd statement object expression string".split())


def note_code(subject: Subject, arguments: Arguments) -> None:
    """Note the texts that a call runs as Python."""
    given = [*arguments.positional[:2], *((n, s) for k, n, s in arguments.keywords if k in _CODE_KEYWORDS)]
    for node, scope in given:
        for value in subject.resolver.value(node, scope):
            if isinstance(value, Text) and value.whole and isinstance(value.value, (str, bytes)):
                text = value.value if isinstance(value.value, str) else value.value.decode("utf-8", "replace")
                subject.code.append((text, node, scope))


def note_program(subject: Subject, arguments: Arguments) -> None:
    """Note the Python that a program is started with: `python -c`."""
    for node, scope in arguments.positional[:3]:
        for value in alternatives(subject.resolver, node, scope):
            _note_python(subject, value, node, scope)
    if len(arguments.positional) > 2:  # `execl(program, name, "-c", code)`
        given = arguments.positional[:8]
        words = tuple(alternatives(subject.resolver, *one)[0] for one in given)
        for at in range(len(words) - 2):
            if words[at + 1] == "-c":
                _note_python(subject, words[at:], *given[at + 2])


def _note_python(subject: Subject, words: Value, node: ast.expr, scope: Scope) -> None:
    if (code := python_code(words)) is not None and "\x00" not in code:
        subject.code.append((code, node, scope))
