"""Fields of format texts that lead to the interpreter's inside: `"{0.__globals__}".format(f)`.

Such a field takes attributes and items by names that stand in a text, so that no expression shows them.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import Text
from plugseal.lang.python.collecting.scope import Scope
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.python.judging.judge import Judge
    from plugseal.lang.python.judging.places import Places
    from plugseal.lang.python.resolving.resolver import Resolver

FIELD: Final = lazy(r"\.(?:__globals__|__subclasses__|__builtins__|f_builtins|f_globals|gi_frame|tb_frame)\b")
_FORMATS: Final = frozenset(("format", "format_map", "vformat"))


def report_fields(resolver: Resolver, judge: Judge, places: Places, scope: Scope) -> None:
    """Report the calls of a scope that format by such a field."""
    for call in scope.calls:
        function = call.func
        if not isinstance(function, ast.Attribute) or function.attr not in _FORMATS:
            continue
        texts = [
            one.value
            for node in (function.value, *call.args[:1])
            for one in resolver.value(node, scope)
            if isinstance(one, Text) and isinstance(one.value, str)
        ]
        if any("{" in text and FIELD.search(text) is not None for text in texts):
            judge.report.add(places.span(call), "code.reflective", None, "resolved", scope.trigger)
