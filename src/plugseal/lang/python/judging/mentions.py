"""Mentions that use nothing: a class in a type test, the environment of which one variable is set.

A name that is mentioned without being called may be passed on to somebody who calls it, unless what stands around it
says that it is only compared, or that one item of it is meant. Decided by the way things are written; what is compared
for is found once for a file, when it is first asked for.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.python.collecting.noting import nodes_of
from plugseal.lang.python.collecting.scope import Parameter, Scope
from plugseal.lang.python.judging.reflection import leads_inside
from plugseal.lang.python.resolving.handed import Handed, HandedFunctions
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

_COMPARING: Final = lazy(r"\b(?:is|in|except)\b|[=!]=|^\s*[\w.]+,?(?:\s*(?:\):?|:))?\s*$")
_TESTS: Final = frozenset(("isinstance", "issubclass"))
_PATCHES: Final = frozenset(("unittest.mock.patch.dict", "mock.patch.dict", "mock.mock.patch.dict"))
"""They set items, and put them back."""
_KINDS: Final = frozenset((ast.Compare, ast.ExceptHandler))
_COMPARED: Final = (ast.Is, ast.IsNot, ast.Eq, ast.NotEq, ast.In, ast.NotIn)


class _Around:
    """What the calls and items of one scope are about, by the identity of the node that is mentioned."""

    __slots__ = ("items", "patches", "settings", "tests")

    def __init__(self, scope: Scope) -> None:
        self.items = {id(item.value): item.slice for item in scope.subscripts if isinstance(item, ast.Subscript)}
        """The keys of items, by what these are taken from."""
        self.patches: dict[int, ast.expr] = {}
        """The function of a call `something.dict(node, …)`."""
        self.tests: dict[int, bool] = {}
        """Whether a test of types has its two arguments."""
        self.settings: list[ast.Call] = []
        """Calls of `monkeypatch.setitem` and its opposite."""
        for call in scope.calls:
            function = call.func
            if isinstance(function, ast.Name):
                if function.id in _TESTS:
                    self.tests.update((id(node), len(call.args) == 2) for node in _parts(call.args[-1:]))
            elif isinstance(function, ast.Attribute) and call.args:
                if function.attr == "dict":
                    self.patches.setdefault(id(call.args[0]), function)
                elif function.attr in ("setitem", "delitem"):
                    self.settings.append(call)


class Mentions:
    """What surrounds the mentions of one file."""

    def __init__(self, resolver: Resolver, text: str) -> None:
        self._resolver = resolver
        self._text = text
        self._lines: list[str] | None = None
        self._compares: dict[int, bool] = {}
        """Whether a line may hold a comparison: asked once, since a line may hold very many nodes."""
        self._tested: set[int] | None = None
        self._scopes: dict[Scope, _Around] = {}
        self._handed: dict[Scope, HandedFunctions] = {}

    def handed(self, node: ast.expr, scope: Scope) -> list[Handed]:
        """Return the calls that somebody who is handed a function will make of it, as far as they are known."""
        known = self._handed.get(scope)
        if known is None:
            known = self._handed[scope] = HandedFunctions(scope)
        return known.of(node)

    def is_item(self, node: ast.expr, scope: Scope) -> bool:
        """Say whether only an item of a mapping is meant: `name[key] = value`, `patch.dict(name, …)`."""
        around = self._around(scope)
        if id(node) in around.items:
            return True
        patch = around.patches.get(id(node))
        values = self._resolver.value(patch, scope) if patch is not None else ()
        return bool(values) and all(value in _PATCHES for value in values if isinstance(value, str))

    def is_plain_item(self, node: ast.expr, scope: Scope) -> bool:
        """Say whether one item of a namespace is meant that is no module: `f.__globals__["LIMIT"] = 3`."""
        key = self._around(scope).items.get(id(node))
        return key is not None and not leads_inside(self._resolver, key, scope)

    def _around(self, scope: Scope) -> _Around:
        """Return what the calls and items of a scope are about: looked at once, since a file may mention very much."""
        known = self._scopes.get(scope)
        if known is None:
            known = self._scopes[scope] = _Around(scope)
        return known

    def is_patched(self, node: ast.expr, scope: Scope) -> bool:
        """Say whether a test gives a namespace one item: `monkeypatch.setitem(f.__globals__, "x", y)`."""
        bound = scope.bindings.get("monkeypatch", ())
        if scope.sites or len(bound) != 1 or not isinstance(bound[0], Parameter):
            return False
        return any(
            call.args[:1] == [node]
            and len(call.args) > 1
            and isinstance(call.func, ast.Attribute)
            and call.func.attr in ("setitem", "delitem")
            and isinstance(call.func.value, ast.Name)
            and call.func.value.id == "monkeypatch"
            and not leads_inside(self._resolver, call.args[1], scope)
            for call in self._around(scope).settings
        )

    def is_tested(self, node: ast.expr, scope: Scope) -> bool:
        """Say whether a class is only compared with: `isinstance(x, name)`, `type(x) is name`, `except name`."""
        is_test = self._around(scope).tests.get(id(node))
        if is_test is not None:
            return is_test
        compares = self._compares.get(node.lineno)
        if compares is None:
            compares = self._compares[node.lineno] = bool(_COMPARING.search(self._line(node.lineno)))
        if not compares:
            return False
        if self._tested is None:
            self._tested = {id(one) for one in _tested(self._resolver.root.node)}
        return id(node) in self._tested

    def _line(self, number: int) -> str:
        """Return the line of a node: comparisons are looked for in the whole file only where one shows there."""
        if self._lines is None:
            # As Python counts lines: a form feed ends none.
            self._lines = self._text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return self._lines[number - 1] if number <= len(self._lines) else ""


def _tested(tree: ast.AST) -> list[ast.expr]:
    found: list[ast.expr] = []
    for node in nodes_of(tree, _KINDS):
        if isinstance(node, ast.Compare):
            if all(isinstance(operator, _COMPARED) for operator in node.ops):
                found.extend(_parts([node.left, *node.comparators]))
        elif isinstance(node, ast.ExceptHandler) and node.type is not None:
            found.extend(_parts([node.type]))
    return found


def _parts(nodes: list[ast.expr]) -> list[ast.expr]:
    """Return the alternatives of a test: the items of tuples, the sides of `|`."""
    found, waiting = [], list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            waiting.extend(node.elts)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            waiting.extend((node.left, node.right))
        else:
            found.append(node)
    return found
