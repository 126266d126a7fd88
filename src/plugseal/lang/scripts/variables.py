"""Variables of the environment that a script reads and sets: one item of `ENV`, `%ENV`, `$_ENV`, or all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE

if TYPE_CHECKING:
    from plugseal.lang.scripts.parse import Node
    from plugseal.lang.scripts.values import Values
    from plugseal.lang.shell.judging.report import Report
    from plugseal.lang.shell.parsing.source import Source

_ENVIRONMENTS: Final = frozenset(("ENV", "_ENV", "_SERVER"))
_ORDINARY: Final = frozenset("HOME PATH PWD USER LANG TERM TMPDIR SHELL argv argc PHP_SELF SCRIPT_NAME".split())
_BARE: Final = frozenset(("bareword", "autoquoted_bareword"))


def judge_item(node: Node, language: str, source: Source, values: Values, report: Report) -> None:
    """Report an item of the environment that is read or set."""
    name = source.of(node.named_children[0]).lstrip("$%")
    if name not in _ENVIRONMENTS or language == "Lua":
        return
    index = node.named_children[1]
    key = values.value(index)
    text = key.text if key.text is not None else source.of(index) if index.type in _BARE else None
    if name == "_SERVER":
        return
    inner, parent = node, node.parent
    if parent is not None and parent.type == "localization_expression":
        inner, parent = parent, parent.parent
    is_set = parent is not None and parent.type.startswith("assignment") and parent.children[0].id == inner.id
    if is_set:
        given = parent.named_children[-1] if parent is not None else None
        value = values.value(given).text if given is not None else None
        report.add_variable(source.span(node), text or HOLE, HOLE if value is None else value, "direct", "")
    elif text not in _ORDINARY:
        report.add(source.span(node), "env.read", text if text and HOLE not in text else None, "direct", "")


def is_whole(node: Node, source: Source) -> bool:
    """Say whether an expression is Perl's environment as a whole, and not what is set to something."""
    if node.end_byte - node.start_byte != len("%ENV") or source.of(node) != "%ENV":
        return False
    parent = node.parent
    if parent is not None and parent.type == "localization_expression":
        return False
    return parent is None or not (parent.type.startswith("assignment") and parent.children[0].id == node.id)
