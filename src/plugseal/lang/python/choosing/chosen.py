"""Which names of one file can lead to something that matters.

Most calls and reads of a file can't mean anything that a table knows, and the way they are written shows it:
`text.append` is no interface of any module that the file imports. This makes the reader fast. It depends on the file
and the rules alone; where a file fetches modules by name at run time, nothing is left out.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from plugseal.lang.judging.tables import top_of
from plugseal.lang.python.choosing.leading import leading_names, roots
from plugseal.lang.python.choosing.leads import Leads
from plugseal.lang.python.collecting.bound import Bound
from plugseal.lang.python.collecting.names import KNOWN_FUNCTIONS, MODULE_NAMES, REFLECTIVE, STANDARD_MODULES
from plugseal.lang.python.collecting.scope import CLASS, Scope

if TYPE_CHECKING:
    from plugseal.lang.facts import Interest
    from plugseal.lang.judging.tables import LastNames
    from plugseal.lang.python.resolving.resolver import Resolver

_TELLING: Final = frozenset(("getattr", "setattr", "vars", "globals", "locals", "map", "next", "super"))
_METHODS: Final = frozenset(("__init__", "__call__", "__getattribute__"))
_BUILTINS: Final = "builtins."


@lru_cache(maxsize=4)
def _built_in(names: frozenset[str]) -> frozenset[str]:
    """Return those of the names that rules ask for which are built in, without what stands before."""
    return frozenset(name[len(_BUILTINS) :] for name in names if name.startswith(_BUILTINS))


@lru_cache(maxsize=4)
def _last_parts(names: frozenset[str]) -> frozenset[str]:
    return frozenset(name.rpartition(".")[2] for name in names)


class Chosen:
    """The names of one file that are worth resolving."""

    __slots__ = (
        "any_name",
        "attributes",
        "bases",
        "called",
        "everything",
        "held",
        "holders",
        "imported",
        "leads",
        "local",
        "looked_for",
        "names",
        "only_imported",
        "plain_getattr",
        "watched",
    )

    def __init__(
        self, resolver: Resolver, bound: Bound, last: LastNames, interest: Interest, *, fetches_anything: bool
    ) -> None:
        last_names = last.all
        telling = last_names | last.holders
        imported = bound.imports.keys()
        builtins = resolver.tables.builtins | _built_in(interest.calls | interest.attributes)
        self.everything = fetches_anything or any("(" in prefix for prefix in interest.call_prefixes)
        """Whether names may lead anywhere, whatever the file binds."""
        self.any_name = self.everything or bool(resolver.local_stars)
        """Whether a name that nothing binds may come from another file."""
        self.only_imported = bound.only_imported()
        """Names that mean the same wherever the file reads them: something that an import binds."""
        self.imported = imported | {name for name, attribute in bound.chains if attribute in telling}
        """Names that imports and aliases bind."""
        self.names = self.imported | builtins
        """Names that are worth looking at when they are only read."""
        self.bases = self.names | bound.renamed_as(self.imported) | MODULE_NAMES.keys()
        """Names behind which every called attribute is worth looking at."""
        self.called = self.names | bound.acting | _TELLING | KNOWN_FUNCTIONS.keys()
        """Names that are worth looking at when they are called."""
        self.local = _local_names(resolver, bound)
        """Names that begin with another file of the tree, whose interface nobody knows yet."""
        if resolver.star_modules:
            self.called |= last_names
        self.watched = last_names | REFLECTIVE
        """Last parts of attribute chains that are worth looking at."""
        self.looked_for = self.watched | self.names
        calls = _last_parts(interest.calls)
        self.held = last.held - calls
        """Last parts that matter only behind one of `holders`, or behind one of `names`."""
        self.holders = last.holders
        self.leads = Leads(resolver, imported | last.holders if resolver.star_modules else imported, last.holders)
        """Whether something else may be one of those."""
        self.plain_getattr = not (self.everything or self.local) and not any(
            "getattr" in names for names in (bound.imports, bound.others, bound.functions)
        )
        """Whether `getattr` is the built-in function everywhere, so that a literal name is as good as a dot."""
        self.attributes = last.names | bound.members | _METHODS | calls
        """Last parts of called chains that are worth looking at, whatever the chain begins with."""

    def is_plain_getattr(self, call: ast.Call, scope: Scope) -> bool:
        """Say whether a call of `getattr` reads an attribute that would not be worth looking at behind a dot."""
        given = call.args
        if not self.plain_getattr or call.keywords or len(given) not in (2, 3):
            return False
        name = given[1]
        if (
            not isinstance(name, ast.Constant)
            or not isinstance(name.value, str)
            or given[-1].__class__ is not ast.Constant
        ):
            return False
        if name.value in self.watched or name.value in self.attributes:
            return False
        return not self.leads.reaches(given[0], scope)

    def may_be_module(self, name: str, scope: Scope) -> bool:
        """Say whether a name that modules have may be one where it is read: the file binds it to nothing it made."""
        if self.local:
            return True  # What other files give back is followed by the way it is used alone.
        owner: Scope | None = scope
        while owner is not None and (name not in owner.bindings or (owner.kind == CLASS and owner is not scope)):
            owner = owner.parent
        return owner is None

    def own_name(self, scope: Scope) -> str | None:
        """Return a method's name for its object, if its class is derived from something of another file of the tree."""
        if scope.receiver is None or not self.local:
            return None
        name, of = scope.receiver
        bases = of.node.bases if isinstance(of.node, ast.ClassDef) else []
        return name if any(root in self.local for base in bases for root in roots(base)) else None

    def may_hold(self, base: ast.expr, scope: Scope) -> bool:
        """Say whether an item of an expression is worth looking at."""
        if isinstance(base, ast.Name):
            return self.everything or base.id in self.names or self.leads.reaches(base, scope)
        if isinstance(base, ast.Attribute):
            return base.attr in self.watched or base.attr == "__dict__" or self.leads.reaches(base, scope)
        return True


def _local_names(resolver: Resolver, bound: Bound) -> set[str]:
    modules = resolver.local_modules

    def is_local(module: str) -> bool:
        return module.startswith(".") or (top_of(module) in modules and top_of(module) not in STANDARD_MODULES)

    found = any(is_local(meaning) for meanings in bound.imports.values() for meaning in meanings)
    return leading_names(resolver.scopes, is_local) if found else set()
