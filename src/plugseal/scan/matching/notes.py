"""The few words at the end of a caret line, from a rule's template.

`{argument.0}` and `{keyword.shell}` stand for the source text of an argument. What can't be shown in a few words
(no source, too long, odd syntax) drops the whole note: half a sentence helps nobody.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from plugseal.lang.facts import Event
from plugseal.model.location import Span
from plugseal.patterns import lazy

_FIELD: Final = lazy(r"\{(name|argument|keyword)(?:\.([A-Za-z0-9_|]+))?\}")
_MAX_SOURCE: Final = 2_000
_MAX_BRACKETS: Final = 40
_MAX_PART: Final = 40
_ARITHMETIC: Final = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow, ast.LShift, ast.RShift)
"""Operators of numbers alone: `%` and `*` are also those of texts."""
_NUMBERS: Final = frozenset("int float len os.getpid os.getppid time.time".split())


def render_note(template: str, event: Event, source: Sequence[str]) -> str:
    """Fill a template, empty where a part of it is not known.

    Args:
        template: the rule's `note`.
        event: what fired.
        source: the event's first lines.
    """
    if "{" not in template:
        return template
    parts: list[str] = []
    call = _parse_call(event, source) if "{argument" in template or "{keyword" in template else None
    for kind, key in _FIELD.findall(template):
        text = event.name if kind == "name" else _argument_text(call, key)
        if not text or len(text) > _MAX_PART:
            return ""
        parts.append(text)
    filled = iter(parts)
    return _FIELD.sub(lambda _: next(filled), template)


def chooses_literals(event: Event, source: Sequence[str]) -> bool:
    """Say whether the first argument only chooses among literals: `"cls" if windows else "clear"`; any number is one.

    Readers give one value or none; a choice is none of the two, and no rule about unknown values should fire on it.
    """
    call = _parse_call(event, source)
    if call is None:
        return False
    given = call.args[:1] or [word.value for word in call.keywords if word.arg in ("args", "command", "cmd")]
    return len(given) == 1 and not isinstance(given[0], ast.Constant) and _is_choice(given[0])


def argument_function(event: Event, source: Sequence[str]) -> str:
    """Return the bare name of the function whose answer is the first argument: `run` of `exec(run(x))`, else empty."""
    call = _parse_call(event, source)
    if call is None or not call.args or not isinstance(call.args[0], ast.Call):
        return ""
    function = call.args[0].func
    return function.id if isinstance(function, ast.Name) else ""


def _is_choice(node: ast.expr) -> bool:
    if isinstance(node, ast.IfExp):
        return _is_choice(node.body) and _is_choice(node.orelse)
    if isinstance(node, ast.BoolOp):
        return all(_is_choice(value) for value in node.values)
    if isinstance(node, ast.JoinedStr):
        return all(_is_choice(value) for value in node.values)
    if isinstance(node, ast.FormattedValue):
        return _is_choice(node.value)
    if isinstance(node, ast.BinOp):
        is_sum = isinstance(node.op, ast.Add) and _is_choice(node.left) and _is_choice(node.right)
        return is_sum or isinstance(node.op, _ARITHMETIC)
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Call) and _makes_number(node))


def _makes_number(call: ast.Call) -> bool:
    """Say whether a call gives a number, whatever it is given: no shell takes one for words of its own."""
    if isinstance(call.func, ast.Call):
        return False
    if ast.unparse(call.func) in _NUMBERS:
        return True
    is_turned = isinstance(call.func, ast.Name) and call.func.id == "str" and len(call.args) == 1
    return is_turned and not isinstance(call.args[0], ast.Constant) and _is_choice(call.args[0])


def span_text(span: Span, source: Sequence[str]) -> str:
    """Return the source text of a place, empty where its lines are not all there."""
    count = span.end_line - span.line + 1
    if not 0 < count <= len(source):
        return ""
    lines = [*source[: count - 1], source[count - 1][: span.end_column - 1]]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


def callee_text(event: Event, source: Sequence[str]) -> str:
    """Return the source text of what a call calls, empty where it can't be told."""
    text = span_text(event.span, source)
    call = _parse_call(event, source)
    if call is None:
        return text.partition("(")[0]
    return ast.get_source_segment(f"({text}\n)", call.func) or ""


def _parse_call(event: Event, source: Sequence[str]) -> ast.Call | None:
    """Parse the few lines of one call again: events carry values, not their text."""
    text = span_text(event.span, source)
    if not text or len(text) > _MAX_SOURCE or sum(text.count(bracket) for bracket in "([{") > _MAX_BRACKETS:
        return None
    try:
        node = ast.parse(f"({text}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return node if isinstance(node, ast.Call) else None


def _argument_text(call: ast.Call | None, key: str) -> str:
    """Return the source of the argument `0`, `0|args|command` or of a keyword; a literal tells nothing new."""
    if call is None:
        return ""
    first, *rest = key.split("|")
    wanted = rest if first.isdigit() else [first]
    if first.isdigit() and int(first) < len(call.args):
        given: ast.expr | None = call.args[int(first)]
    else:
        given = next((word.value for word in call.keywords if word.arg in wanted), None)
    return "" if given is None or isinstance(given, ast.Constant) else ast.unparse(given)
