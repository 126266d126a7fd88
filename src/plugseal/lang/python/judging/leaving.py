"""Modules that leave as values: into a queue, out of a generator, as a whole namespace.

What becomes of them there nobody can follow, so it is said that they went. Functions that only look at a module are
left out, and so are functions of the file itself, whose parameters are followed.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.python.collecting.bound import Bound
from plugseal.lang.python.collecting.scope import Scope
from plugseal.lang.python.resolving.values import Space

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolve import Resolver

_MODULES: Final = frozenset("os subprocess builtins ctypes importlib pty runpy shutil socket pickle marshal".split())
_LOOKING: Final = frozenset(
    """
    getattr hasattr setattr delattr isinstance issubclass vars dir id type print repr str bool callable len sorted iter
    patch object multiple reload getsource getsourcefile getfile getmodule getdoc signature help find_spec
    Mock MagicMock create_autospec partial __getattribute__ getattr_static attrgetter methodcaller debug info warning
    error cast
    """.split()
)
"""Functions that look at a module, or change it, and give nothing of it away."""
_TELLING: Final = frozenset((ast.Name, ast.Attribute, ast.Call))
"""Every argument of a file is looked at: most are none of these."""


def may_leave(resolver: Resolver, bound: Bound, names: set[str]) -> set[str]:
    """Return those names that may stand for such a module; all of them where more than imports may bind them.

    Args:
        resolver: of the file.
        bound: what its names are bound to.
        names: names that imports and aliases bind.
    """
    if resolver.star_modules or resolver.outside is not None:
        return names
    return {
        name
        for name in names
        if name in _MODULES
        or name in bound.others
        or not _MODULES.isdisjoint(
            one for meaning in bound.imports[name] for one in resolver.bound(meaning, resolver.root)
        )
    }


def leaving_modules(resolver: Resolver, scope: Scope, names: set[str]) -> list[tuple[ast.expr, str]]:
    """Return the expressions of a scope that give a whole module to somebody nobody can follow, with the module.

    Args:
        resolver: of the file.
        scope: whose calls and yields are looked at.
        names: names that may stand for a module.
    """
    found: list[tuple[ast.expr, str]] = []
    for call in scope.calls:
        given = [node for node in call.args if node.__class__ in _TELLING and _may_be(node, names)]
        if call.keywords:
            given += [keyword.value for keyword in call.keywords if _may_be(keyword.value, names)]
        if not given or _is_followed(resolver, call, scope):
            continue
        found.extend(pair for node in given for pair in _modules(resolver, node, scope))
    for node in scope.yields:
        if _may_be(node, names):
            found.extend(_modules(resolver, node, scope))
    return found


def _may_be(node: ast.expr, names: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.Attribute):
        return node.attr == "__dict__"
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars"


def _is_followed(resolver: Resolver, call: ast.Call, scope: Scope) -> bool:
    """Say whether a call only looks at what it is given, or calls a function whose parameters are followed."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr in _LOOKING
    if not isinstance(function, ast.Name):
        return False
    return function.id in _LOOKING or any(isinstance(one, Scope) for one in resolver.name(function.id, scope))


def _modules(resolver: Resolver, node: ast.expr, scope: Scope) -> list[tuple[ast.expr, str]]:
    values = resolver.value(node, scope)
    names = [value.of if isinstance(value, Space) else value for value in values]
    return [(node, name) for name in names if isinstance(name, str) and name in _MODULES]
