"""Code that a program is fed by the option `input`: an interpreter that is started without a script runs it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.scope import node_of
from plugseal.lang.ecmascript.resolving.values import Arguments, Mapping
from plugseal.lang.facts import Ref, Value
from plugseal.lang.folded import HOLE, Text
from plugseal.lang.judging.objects import EXECUTABLES, cut_object

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Scope
    from plugseal.lang.ecmascript.judging.subject import Subject
    from plugseal.lang.ecmascript.parsing.parse import Node

_MAX_CODE: Final = 1 << 18


def note_fed(subject: Subject, node: Node, words: tuple[Value, ...], arguments: Arguments, scope: Scope) -> None:
    """Report the code that a call feeds to an interpreter, and hand it to its reader.

    Args:
        subject: of the file.
        node: the call.
        words: the program and its words.
        arguments: of the call.
        scope: where it stands.
    """
    fed = list(_fed(subject, arguments))
    if not fed:
        return
    from plugseal.lang.interpreters import language_fed  # few calls feed a program

    plain = [EXECUTABLES.get(word.name, "") if isinstance(word, Ref) else word for word in words]
    texts = [word for word in plain if isinstance(word, str)]
    language = language_fed(texts[0].split() if len(texts) == 1 else texts)
    if not language:
        return
    span = subject.places.span(node)
    for text, place in fed:
        if language == "shell":
            subject.judge.report.add(span, "process.shell", cut_object("program", text), "resolved", scope.trigger)
        subject.judge.report.add_nested(language, text, subject.places, place or node, scope.trigger, "input")


def _fed(subject: Subject, arguments: Arguments) -> Iterator[tuple[str, Node | None]]:
    for binding, where in arguments.positional[1:3]:
        for value in subject.resolver.bound(binding, where):
            given = value.find("input") if isinstance(value, Mapping) else None
            for one in given or ():
                text = one.value if isinstance(one, Text) and one.whole else None
                text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
                if isinstance(text, str) and HOLE not in text and 0 < len(text) <= _MAX_CODE:
                    yield text, node_of(binding)
