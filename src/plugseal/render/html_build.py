"""HTML as nodes: text is always escaped, names are always ours, so nothing hostile becomes markup.

A node is a finished piece of HTML; only `element` and `raw_style` make one. Attributes that could load, run or style
something don't exist here: no `href`, no `src`, no `style`, no handlers. Everything beyond ASCII is a reference, so the
page is the same in any encoding.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final, NewType, TypeAlias

from plugseal.render.text import count, cut_at_backticks

Node = NewType("Node", str)
Part: TypeAlias = "Node | Text | None"

VOID: Final = frozenset({"meta", "path", "rect", "circle", "line", "col"})
ATTRIBUTES: Final = frozenset(
    "aria-hidden aria-label aria-labelledby class colspan content charset d fill height http-equiv id lang name"
    " preserveAspectRatio r role rx scope tabindex text-anchor title viewBox width x x1 x2 y y1 y2 cx cy open".split()
)
"""Every attribute that a page may have."""


class Text(str):
    """Text to be shown; it was through `shown()` where it is hostile, and it is escaped here."""

    __slots__ = ()


def element(name: str, attributes: dict[str, str | int] | None = None, *parts: Part) -> Node:
    """Return an element.

    Args:
        name: of ours.
        attributes: names among `ATTRIBUTES`; values may be hostile.
        parts: nodes as they are, texts escaped, nothing for None.
    """
    pieces = [f"<{name}"]
    for key, value in (attributes or {}).items():
        if key not in ATTRIBUTES:
            raise LookupError(f"no attribute of ours: {key}")
        pieces.append(f' {key}="{_ascii(escape(str(value)))}"')
    pieces.append(">")
    if name in VOID:
        return Node("".join([*pieces[:-1], "/>" if name not in ("meta", "col") else ">"]))
    pieces += [_part(part) for part in parts]
    pieces.append(f"</{name}>")
    return Node("".join(pieces))


def join(nodes: Iterable[Node]) -> Node:
    """Return nodes one after the other."""
    return Node("".join(nodes))


def worded(text: str) -> list[Part]:
    """Return a sentence with what stands between backticks as code."""
    return [
        element("code", None, Text(part)) if is_literal else Text(part)
        for part, is_literal in cut_at_backticks(text)
        if part
    ]


def scroll(node: Node, label: str) -> Node:
    """Return a node in a box that scrolls by keyboard too."""
    return element("div", {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": label}, node)


def more(number: int, what: str) -> Node:
    """Return the line that counts what was cut, nothing where nothing was."""
    text = f"and {count(number, what)} more: see `plugseal scan --format json`"
    return element("p", {"class": "soft"}, *worded(text)) if number > 0 else Node("")


def raw_style(css: str) -> Node:
    """Return the style sheet of the page, which is ours."""
    return Node(f"<style>{css}</style>")


def _part(part: Part) -> str:
    if part is None:
        return ""
    return _ascii(escape(part)) if isinstance(part, Text) else part


def _ascii(text: str) -> str:
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")
