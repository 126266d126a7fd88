"""Read YAML that is nothing but lines of `key: some words`, as most front matter is, without loading a YAML library.

Only what leaves nothing to decide: few lines, ASCII, no quotes around anything, no comment, no nesting, each value text
by the core schema, no key twice. Everything else is left to the library.

Law: what `compose_lines` returns, value and places, is what `yaml_compose.Composer` makes of the same text.
"""

from __future__ import annotations

from typing import Final

from plugseal.encode.places import Node
from plugseal.encode.values import Json
from plugseal.patterns import lazy

_LINE: Final = lazy(
    r"(?P<key>[A-Za-z][A-Za-z0-9_-]{0,63}): "
    r"(?P<value>[A-Za-z](?:[A-Za-z0-9 .,;()'\"/+=<>&%!?$@|*~_-]|:(?=[A-Za-z0-9/]))*)\n"
)
_START: Final = "---\n"
_MAX_LINES: Final = 100
_NO_TEXT: Final = frozenset({"true", "false", "null"})
"""What is another value than text, in one case or another."""


def compose_lines(text: str) -> tuple[Json, Node] | None:
    """Return the table of such lines and its places; None where there are none, or anything else stands among them.

    Args:
        text: a document; a line `---` may lead.
    """
    values: dict[str, Json] = {}
    at = len(_START) if text.startswith(_START) else 0
    root = Node(at)
    root.children = {}
    while at < len(text):
        line = _LINE.match(text, at)
        if line is None or line["value"].lower() in _NO_TEXT or line["value"][-1] == " ":
            return None
        if line["key"] in values or len(values) == _MAX_LINES:
            return None
        values[line["key"]] = line["value"]
        root.children[line["key"]] = Node(*line.span("value"), *line.span("key"))
        root.end = line.end("value")
        at = line.end()
    return (values, root) if values else None
