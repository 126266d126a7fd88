"""Whether everything that an expression may be is known: the other side of `Resolver.value`.

Values are what an expression may be as far as the source says; beside them something unknown may stand. Where that
matters — the name that `getattr` is given, the module that is imported, the mode a file is opened with — it is asked
for here, and the answer is no wherever it is not surely yes.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import Text
from plugseal.lang.python.collecting.owners import owner_of
from plugseal.lang.python.collecting.scope import Added, Binding, Default, Item, Scope
from plugseal.lang.python.resolving.flow import is_cut
from plugseal.lang.python.resolving.values import MAX_ALTERNATIVES, Made, Mapping

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

_MAX_STEPS: Final = 200
_MAX_DEPTH: Final = 40
_MAX_FOLLOWED: Final = 12
_WITH_DEFAULT: Final = {"getattr": 3, "get": 2, "getenv": 2, "pop": 2, "setdefault": 2}
"""Functions that are given what to fall back to, with how many arguments they have then."""


def is_certain(resolver: Resolver, node: ast.expr, scope: Scope) -> bool:
    """Say whether an expression can be nothing else than what it is resolved to."""
    if node.__class__ is ast.Constant:
        return True
    return _Certainty(resolver).expression(node, scope, 0)


class _Certainty:
    """One question, with what it has looked at."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.steps = 0
        self.seen: set[tuple[str, Scope]] = set()

    def expression(self, node: ast.AST, scope: Scope, depth: int) -> bool:
        self.steps += 1
        if depth > _MAX_DEPTH or self.steps > _MAX_STEPS:
            return False
        if isinstance(node, (ast.Constant, ast.Lambda)):
            return True
        if isinstance(node, ast.Name):
            return self._name(node.id, scope, depth)
        if not self._is_whole(node, scope):
            return False
        if isinstance(node, ast.Attribute) and scope.receiver is not None:
            of = scope.receiver[1]
            if isinstance(node.value, ast.Name) and node.value.id == scope.receiver[0]:
                held = [(of, binding) for binding in of.bindings.get(node.attr, ())]
                held.extend(of.attributes.get(node.attr, ()))
                return all(self._binding(binding, owner, depth + 1) for owner, binding in held)
        return all(self.expression(part, scope, depth + 1) for part in _parts(node))

    def _is_whole(self, node: ast.AST, scope: Scope) -> bool:
        values = self.resolver.value(node, scope)
        texts = [value for value in values if isinstance(value, Text)]
        if not values or len(texts) >= MAX_ALTERNATIVES or not all(text.whole for text in texts):
            return False
        return not any(isinstance(value, Made) and value.text is None for value in values)

    def _name(self, name: str, scope: Scope, depth: int) -> bool:
        owner = owner_of(name, scope)
        if owner is None or not owner.bindings[name]:
            return bool(self.resolver.name(name, scope))
        if (name, owner) in self.seen:
            return True
        self.seen.add((name, owner))
        bindings = owner.bindings[name]
        if is_cut(bindings) or len(self.resolver.name(name, owner)) >= MAX_ALTERNATIVES:
            return False
        return all(self._binding(binding, owner, depth + 1) for binding in bindings)

    def _binding(self, binding: Binding, owner: Scope, depth: int) -> bool:
        if isinstance(binding, (str, Scope)):
            return True
        if isinstance(binding, Default):
            return self.expression(binding.value, owner.parent or owner, depth)
        if isinstance(binding, Added):
            return not self._is_looped(binding.statement, owner) and self.expression(
                binding.statement.value, owner, depth
            )
        if isinstance(binding, Item):
            return (
                not grows(self.resolver, binding.source, owner)
                and self._binding(binding.source, owner, depth)
                and bool(self.resolver.bound(binding, owner))
            )
        # Who else calls a function, and with what, nobody knows: a parameter may be anything.
        return isinstance(binding, ast.expr) and self._assigned(binding, owner, depth)

    def _assigned(self, node: ast.expr, owner: Scope, depth: int) -> bool:
        if not self.expression(node, owner, depth):
            return False
        if node.__class__ in (ast.Constant, ast.Name) or not self._is_looped(node, owner):
            return True
        return not _reads(node, {name for name, of in self.seen if of is owner})

    def _is_looped(self, node: ast.AST, owner: Scope) -> bool:
        return self.resolver.flow(owner).is_looped(node)


def _parts(node: ast.AST) -> list[ast.expr]:
    """Return the parts that decide what an expression is."""
    if isinstance(node, ast.Call):
        inner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [*inner, *node.args, *(keyword.value for keyword in node.keywords)]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.JoinedStr):
        return [piece.value for piece in node.values if isinstance(piece, ast.FormattedValue)]
    if isinstance(node, ast.Subscript):
        return [node.value]
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        return [generator.iter for generator in node.generators]
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]


def is_default(resolver: Resolver, node: ast.AST, scope: Scope, *, depth: int = 0) -> bool:
    """Say whether what is known of an expression is only what it falls back to: `os.getenv("X", "ls")`, `x or "ls"`.

    Whoever sets the variable, or gives the object, decides what it is.
    """
    if depth > _MAX_FOLLOWED:
        return False
    if isinstance(node, ast.Name):
        owner = owner_of(node.id, scope)
        bindings = owner.bindings[node.id] if owner is not None else ()
        found = [one for one in bindings[:_MAX_FOLLOWED] if isinstance(one, ast.expr)]
        return owner is not None and any(is_default(resolver, one, owner, depth=depth + 1) for one in found)
    if isinstance(node, ast.BoolOp):
        parts = node.values[:_MAX_FOLLOWED]
        if not all(resolver.value(one, scope) for one in parts):
            return True
        return any(is_default(resolver, one, scope, depth=depth + 1) for one in parts)
    if isinstance(node, ast.Call):
        function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if len(node.args) + len(node.keywords) == _WITH_DEFAULT.get(function) and not _is_held(resolver, node, scope):
            return True
        return isinstance(node.func, ast.Attribute) and is_default(resolver, node.func.value, scope, depth=depth + 1)
    if not isinstance(node, (ast.BinOp, ast.IfExp, ast.JoinedStr, ast.NamedExpr)):
        return False
    return any(is_default(resolver, part, scope, depth=depth + 1) for part in _parts(node)[:_MAX_FOLLOWED])


def _is_held(resolver: Resolver, call: ast.Call, scope: Scope) -> bool:
    """Say whether a default is asked of something whose items are all known."""
    of = call.func.value if isinstance(call.func, ast.Attribute) else None
    return of is not None and any(isinstance(value, Mapping) for value in resolver.value(of, scope))


def grows(resolver: Resolver, source: Binding, scope: Scope) -> bool:
    """Say whether what a name holds is added to: then an item may be more than what it was made with."""
    if not isinstance(source, ast.Name):
        return False
    owner: Scope | None = scope
    while owner is not None:
        if source.id in resolver.grown(owner):
            return True
        owner = owner.parent
    return False


def _reads(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id in names for inner in ast.walk(node))
