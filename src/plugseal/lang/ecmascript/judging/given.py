"""Variables by which a started program loads other code: `spawn(name, words, { env: { LD_PRELOAD: path } })`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.judging.fact_values import fact_values
from plugseal.lang.ecmascript.resolving.values import Arguments, Mapping
from plugseal.lang.folded import HOLE
from plugseal.model.variables import loading

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Scope
    from plugseal.lang.ecmascript.judging.subject import Subject
    from plugseal.lang.ecmascript.parsing.parse import Node

_MAX_ARGUMENTS: Final = 4
_MAX_NAMES: Final = 256


def note_given(subject: Subject, node: Node, arguments: Arguments, scope: Scope) -> None:
    """Report what a program is given to load by its environment, where the options of the call have one."""
    for binding, where in arguments.positional[:_MAX_ARGUMENTS]:
        for options in subject.resolver.bound(binding, where):
            for given in (options.find("env") or ()) if isinstance(options, Mapping) else ():
                if isinstance(given, Mapping):
                    _report(subject, node, given, scope)


def _report(subject: Subject, node: Node, given: Mapping, scope: Scope) -> None:
    span = subject.places.span(node)
    for name in dict.fromkeys(given.all_names()[:_MAX_NAMES]):
        if loading(name, HOLE) is not None:
            for value in fact_values(subject.resolver, given.find(name) or ()):
                subject.judge.report.add_given_variable(span, name, value, scope.trigger)
