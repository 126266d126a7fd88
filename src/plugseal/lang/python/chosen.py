"""Which names of one file can lead to something that matters.

Most calls and reads of a file can't mean anything that a table knows, and the way they are written shows it:
`text.append` is no interface of any module that the file imports. This makes the reader fast. It depends on the file
and the rules alone; where a file fetches modules by name at run time, nothing is left out.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.python.leading import leading_names
from plugseal.lang.python.leads import Leads
from plugseal.lang.python.names import KNOWN_FUNCTIONS, REFLECTIVE, STANDARD_MODULES
from plugseal.lang.python.scope import CLASS, FUNCTION, Opaque, Scope
from plugseal.lang.python.tables import top_of

if TYPE_CHECKING:
    from plugseal.lang.facts import Interest
    from plugseal.lang.python.resolve import Resolver
    from plugseal.lang.python.tables import LastNames

_TELLING: Final = frozenset(("getattr", "setattr", "vars", "globals", "locals", "map", "next", "super"))
_METHODS: Final = frozenset(("__init__", "__call__", "__getattribute__"))
_BUILTINS: Final = "builtins."


class Chosen:
    """The names of one file that are worth resolving."""

    __slots__ = (
        "_aliased",
        "_imported",
        "_other",
        "_stored",
        "any_name",
        "attributes",
        "called",
        "everything",
        "held",
        "holders",
        "leads",
        "local",
        "names",
        "only_imported",
        "watched",
    )

    def __init__(self, resolver: Resolver, last: LastNames, interest: Interest, fetches_anything: bool) -> None:
        last_names = last.all
        self._imported: set[str] = set()
        self._aliased: set[str] = set()
        self._stored: set[str] = set()
        self._other: set[str] = set()
        for scope in resolver.scopes:
            self._look_at(scope, last_names | last.holders)
        wanted = {name[len(_BUILTINS) :] for name in interest.calls | interest.attributes if name.startswith(_BUILTINS)}
        builtins = resolver.tables.builtins | wanted
        self.everything = fetches_anything or any("(" in prefix for prefix in interest.call_prefixes)
        """Whether names may lead anywhere, whatever the file binds."""
        self.any_name = self.everything or bool(resolver.local_stars)
        """Whether a name that nothing binds may come from another file."""
        self.only_imported = self._imported - self._other
        """Names that imports bind, and nothing else."""
        self.names = self._imported | self._aliased | builtins
        """Names that are worth looking at when they are only read."""
        self.called = self.names | self._other | _TELLING | KNOWN_FUNCTIONS.keys()
        """Names that are worth looking at when they are called."""
        self.local = _local_names(resolver)
        """Names that begin with another file of the tree, whose interface nobody knows yet."""
        if resolver.star_modules:
            self.called |= last_names
        self.watched = last_names | REFLECTIVE
        """Last parts of attribute chains that are worth looking at."""
        calls = {name.rpartition(".")[2] for name in interest.calls}
        self.held = last.held - calls
        """Last parts that matter only behind one of `holders`, or behind one of `names`."""
        self.holders = last.holders
        self.leads = Leads(resolver, self._imported, last.holders)
        """Whether something else may be one of those."""
        self.attributes = last.names | self._stored | _METHODS | calls
        """Last parts of called chains that are worth looking at, whatever the chain begins with."""

    @property
    def imported(self) -> set[str]:
        """Names that imports and aliases bind."""
        return self._imported | self._aliased

    def may_hold(self, base: ast.expr, scope: Scope) -> bool:
        """Say whether an item of an expression is worth looking at."""
        if isinstance(base, ast.Name):
            return self.everything or base.id in self.names or self.leads.reaches(base, scope)
        if isinstance(base, ast.Attribute):
            return base.attr in self.watched or base.attr == "__dict__" or self.leads.reaches(base, scope)
        return True

    def _look_at(self, scope: Scope, last_names: set[str]) -> None:
        is_class = scope.kind == CLASS
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                kind = binding.__class__
                if kind is str:
                    self._imported.add(name)
                elif kind is Scope:
                    if binding.kind != FUNCTION:  # type: ignore[union-attr]  # the class was compared
                        self._other.add(name)
                        if is_class:
                            self._stored.add(name)
                elif kind is not Opaque and kind is not ast.Constant:
                    self._other.add(name)
                    if kind is ast.Attribute and binding.attr in last_names:  # type: ignore[union-attr]  # as above
                        self._aliased.add(name)
                    if is_class:
                        self._stored.add(name)
        for store in scope.stores:
            self._stored.add(store.target.attr)
        self._stored.update(scope.attributes)


def _local_names(resolver: Resolver) -> set[str]:
    modules = resolver.local_modules

    def is_local(module: str) -> bool:
        return module.startswith(".") or (top_of(module) in modules and top_of(module) not in STANDARD_MODULES)

    found = any(
        isinstance(binding, str) and is_local(binding)
        for scope in resolver.scopes
        for bindings in scope.bindings.values()
        for binding in bindings
    )
    return leading_names(resolver.scopes, is_local) if found else set()
