"""Code that a program is fed by `input=`: an interpreter that is started without a script runs what it reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import Nested, Ref, Value
from plugseal.lang.judging.argument_lists import word_list
from plugseal.lang.judging.objects import EXECUTABLES, cut_object
from plugseal.lang.python.judging.fact_values import alternatives
from plugseal.lang.python.resolving.arguments import Given

if TYPE_CHECKING:
    import ast

    from plugseal.lang.python.collecting.scope import Scope
    from plugseal.lang.python.judging.subject import Subject
    from plugseal.lang.python.resolving.values import Arguments

_MAX_CODE: Final = 1 << 18


def note_fed(subject: Subject, node: ast.expr, arguments: Arguments, scope: Scope) -> None:
    """Report the code that a call feeds to an interpreter, and hand it to its reader."""
    fed = arguments.keyword("input")
    if fed is None:
        return
    language = _language(subject, arguments)
    if not language:
        return
    span, report = subject.places.span(node), subject.judge.report
    for text in _texts(subject, arguments):
        if language == "shell":
            report.add(span, "process.shell", cut_object("program", text), "resolved", scope.trigger)
        if language == "python":
            subject.code.append((text, *fed))
        elif report.nested is not None:
            report.nested.add(Nested(language, text, subject.places.span(fed[0]), (), scope.trigger, "input"))


def _language(subject: Subject, arguments: Arguments) -> str:
    """Return the language of the interpreter that a call starts without a script, empty where it starts none."""
    from plugseal.lang.interpreters import language_fed  # few calls feed a program

    given = arguments.positional[:1] or [one for one in (arguments.keyword("args"),) if one is not None]
    for value in alternatives(subject.resolver, *given[0]) if given else ():
        found = language_fed(tuple(_words(value)))
        if found is not None:
            return found
    return ""


def _words(value: Value) -> Iterator[str]:
    """Yield the words of a command; what is no text is none that lets an interpreter read on."""
    for word in value.split() if isinstance(value, str) else word_list(value) or (value,):
        plain = EXECUTABLES.get(word.name, "") if isinstance(word, Ref) else word
        yield plain if isinstance(plain, str) else ""


def _texts(subject: Subject, arguments: Arguments) -> Iterator[str]:
    for value in Given(subject.resolver, arguments, None).values(-1, "input"):
        given = getattr(value, "value", None)
        text = given.decode("utf-8", "replace") if isinstance(given, bytes) else given
        if isinstance(text, str) and getattr(value, "whole", False) and 0 < len(text) <= _MAX_CODE:
            yield text
