"""Where the lines and the code that a file gives to others stand in it, word for word."""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.lang.facts import Anchor, Nested


def placed(nested: Iterable[Nested], text: str) -> tuple[Nested, ...]:
    """Return nested texts in order, with anchors where one stands once and as it is within its place.

    Args:
        nested: each with the place of the call that runs it.
        text: of the file.
    """
    found = sorted(nested, key=lambda one: (one.span, one.language, one.text, one.trigger, one.how))
    if not found:
        return ()
    lines = text.split("\n")
    return tuple(one._replace(anchors=_anchors(one, lines)) for one in found)


def _anchors(nested: Nested, lines: list[str]) -> tuple[Anchor, ...]:
    span = nested.span
    if not 0 < span.line <= span.end_line <= len(lines):
        return ()
    within = lines[span.line - 1 : span.end_line]
    within[-1] = within[-1][: span.end_column - 1]
    stretch = "\n".join(within)
    at = stretch.find(nested.text, span.column - 1)
    if at < 0 or stretch.find(nested.text, at + 1) >= 0:
        return ()
    line = span.line + stretch.count("\n", 0, at)
    found = [Anchor(0, line, at - (stretch.rfind("\n", 0, at) + 1) + 1)]
    end = nested.text.find("\n")
    while end >= 0:
        line += 1
        found.append(Anchor(end + 1, line, 1))
        end = nested.text.find("\n", end + 1)
    return tuple(found)
