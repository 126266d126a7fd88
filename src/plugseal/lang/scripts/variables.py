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
WHOLE: Final = {"hash": "%ENV", "constant": "ENV", "variable_name": "$_ENV"}
"""How the environment is written, by the kind of its node."""
_HOLDING: Final = frozenset(
    "argument_list argument assignment assignment_expression pair array hash_splat_argument splat_argument "
    "foreach_statement return_statement return array_element_initializer variadic_unpacking".split()
)
"""What hands an environment on; a member or an item of it is no part of these."""
_LISTS: Final = frozenset(("argument_list", "argument", "arguments"))
_ASKING: Final = frozenset("array_key_exists key_exists count in_array allow expect allow_any_instance_of".split())
"""Functions that ask for one variable alone, and tests that replace the environment."""
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
    """Say whether an expression is the environment as a whole: Perl's `%ENV`, Ruby's `ENV`, PHP's `$_ENV`."""
    length = node.end_byte - node.start_byte
    if length > len("$_ENV") or source.of(node) != WHOLE.get(node.type):
        return False
    parent = node.parent
    if node.type != "hash":
        if parent is None or parent.type not in _HOLDING or _is_set(node, parent):
            return False
        while parent is not None and parent.type in _LISTS:
            parent = parent.parent
        return parent is None or not parent.child_count or source.of(parent.children[0]) not in _ASKING
    if parent is not None and parent.type == "localization_expression":
        return False
    return parent is None or not _is_set(node, parent)


def _is_set(node: Node, parent: Node) -> bool:
    return parent.type.startswith("assignment") and parent.children[0].id == node.id
