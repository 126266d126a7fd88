"""Modules that leave as values: into a queue, out of a generator, into a container, as a whole namespace.

What becomes of them there nobody can follow, so it is said that they went. Functions that only look at a module are
left out, and so are functions of the file itself, whose parameters are followed.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.python.collecting.bound import Bound
from plugseal.lang.python.collecting.owners import owner_of
from plugseal.lang.python.collecting.scope import CLASS, Item, Parameter, Scope
from plugseal.lang.python.judging.keeping import kept
from plugseal.lang.python.resolving.values import Space

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

_MODULES: Final = frozenset(
    "os posix subprocess builtins ctypes importlib pty runpy shutil socket pickle marshal".split()
)
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


def kept_modules(resolver: Resolver, names: set[str]) -> list[tuple[ast.expr, str, Scope]]:
    """Return the expressions that keep a whole module where nobody can follow it, with the module and the scope.

    Args:
        resolver: of the file.
        names: names that may stand for a module.
    """
    if not any(
        node.__class__ is ast.Name and node.id in names and _modules(resolver, node, scope)
        for scope in resolver.scopes
        for node in (*scope.loads, *scope.aliases)
    ):
        return []
    keeping = kept(resolver.root.node)
    return [
        (one, module, scope)
        for scope in resolver.scopes
        for node in (*scope.loads, *scope.aliases)
        if id(node) in keeping and node.__class__ is ast.Name and (node.id in names or _is_given(node, scope))
        for one, module in _modules(resolver, node, scope)
    ]


def passed_modules(resolver: Resolver, names: set[str]) -> list[tuple[ast.expr, str, Scope]]:
    """Return what functions of the file that are handed a module hand on themselves, with the module and the scope."""
    receiving = {
        id(one)
        for scope in resolver.scopes
        for call in scope.calls
        if isinstance(call.func, ast.Name)
        and any(_may_be(node, names) and _modules(resolver, node, scope) for node in _arguments(call))
        for one in resolver.name(call.func.id, scope)
        if isinstance(one, Scope)
    }
    if not receiving:
        return []
    return [
        (node, module, scope)
        for scope in resolver.scopes
        if _is_inside(scope, receiving)
        for call in scope.calls
        if any(_is_given(one, scope) for one in call.args) and not _is_followed(resolver, call, scope)
        for one in call.args
        if _is_given(one, scope)
        for node, module in _modules(resolver, one, scope)
    ]


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *[keyword.value for keyword in call.keywords]]


def _is_inside(scope: Scope, receiving: set[int]) -> bool:
    """Say whether a scope is one of some functions, or stands in one."""
    inner: Scope | None = scope
    while inner is not None and id(inner) not in receiving:
        inner = inner.parent
    return inner is not None


def _is_given(node: ast.expr, scope: Scope) -> bool:
    """Say whether an expression is a name that a call or a loop gives something to."""
    if not isinstance(node, ast.Name):
        return False
    owner = owner_of(node.id, scope)
    return owner is not None and any(isinstance(one, (Parameter, Item)) for one in owner.bindings[node.id])


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
        return function.attr in _LOOKING or function.attr.startswith("is")
    if not isinstance(function, ast.Name):
        return False
    if function.id in _LOOKING:
        return True
    return any(isinstance(one, Scope) and _shows_parameters(one) for one in resolver.name(function.id, scope))


def _shows_parameters(of: Scope) -> bool:
    """Say whether what becomes of the arguments of a function, or of a class, stands in the file."""
    return of.kind != CLASS or "__init__" in of.bindings


def _modules(resolver: Resolver, node: ast.expr, scope: Scope) -> list[tuple[ast.expr, str]]:
    values = resolver.value(node, scope)
    names = [value.of if isinstance(value, Space) else value for value in values]
    return [(node, name) for name in names if isinstance(name, str) and name in _MODULES]
