"""All that a function is ever given: where nobody but the calls that stand in the file can call it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.sites import MAX_SITES

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Binding, Scope
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_MAX_NAME: Final = 80
_NO_WORD_OF_A_TEXT: Final = rb"(?![\w$'\"`])(?![ \t]{1,8}(?!(?:as|in|of|instanceof|satisfies)\b)[A-Za-z-])"
"""Behind a name that code mentions: no other word stands there, as in `"npm run lint"`."""


def given_to(resolver: Resolver, function: Scope, position: int) -> list[tuple[Binding | None, Scope]]:
    """Return what each call gives a function at a place, None where it gives nothing.

    Returns:
        Nothing at all where others may call it: a framework, another file, whoever is handed the function.
    """
    if function.is_entered or not 0 < len(function.sites) < MAX_SITES or not _is_only_called(resolver, function):
        return []
    return [(given[position] if position < len(given) else None, scope) for given, scope in function.sites]


def _is_only_called(resolver: Resolver, function: Scope) -> bool:
    """Say whether a function is mentioned where it is made and where it is called, and nowhere else."""
    node = function.node
    parent = node.parent if node is not None else None
    if node is None or parent is None or parent.type == "export_statement":
        return False
    if parent.type == "arguments":
        return True  # A callback in its place, which has no name.
    made = parent if parent.type == "variable_declarator" else node
    if made.parent is None or (made is parent and _is_exported(made.parent)):
        return False
    name = made.child_by_field_name("name")
    if name is None or name.type != "identifier" or name.end_byte - name.start_byte > _MAX_NAME:
        return False
    word = re.escape(resolver.data[name.start_byte : name.end_byte])
    mentions = sum(1 for _ in re.finditer(rb"(?<![\w$])" + word + _NO_WORD_OF_A_TEXT, resolver.data))
    return mentions == len(function.sites) + 1


def _is_exported(declaration: Node) -> bool:
    return declaration.parent is not None and declaration.parent.type == "export_statement"
