"""Where the collector notes: the file's scopes, and the place in the walk that a node is met at."""

from __future__ import annotations

import ast
from typing import Any, Final

from plugseal.lang.python.collecting.newer import Interpolation, TemplateStr, TypeAlias
from plugseal.lang.python.collecting.scope import Binding, Scope

_LEAVES: Final = frozenset(
    "ctx op ops kind lineno col_offset end_lineno end_col_offset type_comment type_ignores id attr arg name names "
    "asname module level conversion rest simple annotation returns is_async type_params".split()
)
_NO_FIELDS: Final = (ast.Constant, ast.Name, ast.Pass, ast.Break, ast.Continue, ast.Import, ast.ImportFrom)


_HINTS: Final = frozenset(("annotation", "returns", "type_params"))


def _fields(leaves: frozenset[str] = _LEAVES) -> dict[type, tuple[str, ...]]:
    """Return the fields with children for each class of node that this interpreter knows."""
    kinds = [kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST)]
    fields: dict[type, tuple[str, ...]] = {
        kind: tuple(name for name in kind._fields if name not in leaves) for kind in kinds
    }
    fields.update(dict.fromkeys(_NO_FIELDS, ()))
    fields[type(None)] = ()  # In `{**more}` a key is missing.
    fields[TypeAlias] = ()
    fields[TemplateStr] = ("values",)
    fields[Interpolation] = ("value", "format_spec")
    return fields


FIELDS: Final = _fields()
_FIELDS_WITH_HINTS: Final = _fields(_LEAVES - _HINTS)


def nodes_of(top: ast.AST, kinds: frozenset[type]) -> list[Any]:
    """Return the nodes of some classes below a node, hints of types included; three times as fast as `ast.walk`."""
    found, waiting, fields = [], [top], _FIELDS_WITH_HINTS
    while waiting:
        node = waiting.pop()
        if node.__class__ in kinds:
            found.append(node)
        for field in fields.get(node.__class__, ()):
            value = getattr(node, field, None)
            if value.__class__ is list:
                waiting.extend(value)
            elif value is not None:
                waiting.append(value)
    return found


class Collected:
    """What one file notes: its scopes, outermost first, and how deep its tree is."""

    __slots__ = ("depth", "lambdas", "lazy", "root", "scopes")

    def __init__(self, root: Scope) -> None:
        self.root = root
        self.scopes = [root]
        self.lambdas: dict[ast.Lambda, Scope] = {}
        self.depth = 0
        self.lazy = False
        """Whether annotations are kept as text: `from __future__ import annotations`."""


class Noting:
    """The place in the walk: the scope, the file's notes, and the nodes to visit next."""

    __slots__ = ("below", "found", "scope")

    def __init__(self, scope: Scope, found: Collected) -> None:
        self.scope = scope
        self.found = found
        self.below: list[Any] = []  # Any: nodes of every class, told apart by identity of the class


def scope_inside(kind: str, name: str, node: ast.AST, parent: Scope) -> Scope:
    """Return a new scope inside another."""
    scope = Scope(kind, name, node, parent)
    scope.depth = parent.depth + 1
    return scope


def bind(scope: Scope, name: str, binding: Binding) -> None:
    """Note one more binding of a name."""
    bound = scope.bindings.get(name)
    if bound is None:
        scope.bindings[name] = [binding]
    else:
        bound.append(binding)
