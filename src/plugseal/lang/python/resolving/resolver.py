"""What the parts of the resolver share: the state of one file's resolving, and the questions that they ask of it.

What a name or an expression may stand for is told in `resolve.py`, which is made of the parts; here stands only that it
can be asked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from plugseal.lang.folded import Text
from plugseal.lang.python.resolving.aliases import spilled_modules
from plugseal.lang.python.resolving.flow import Flow, grown_names
from plugseal.lang.python.resolving.frames import Frames

if TYPE_CHECKING:
    import ast

    from plugseal.lang.judging.tables import Tables
    from plugseal.lang.python.collecting.noting import Collected
    from plugseal.lang.python.collecting.scope import Binding, Scope
    from plugseal.lang.python.resolving.values import AnyValue, Arguments, Values


class Resolver(ABC):
    """One file that is being resolved."""

    def __init__(self, collected: Collected, tables: Tables, fuel: int) -> None:
        self.root = collected.root
        self.scopes = collected.scopes
        self.lambdas = collected.lambdas
        self.tables = tables
        self.fuel = fuel
        """Steps that are left; below 0 nothing more is resolved."""
        self.is_cut = False
        """Whether something was too deep, or too much, to be resolved."""
        self.level = 0
        """How deep evaluation is nested."""
        self.outside: tuple[Resolver, Scope] | None = None
        """For code inside a string: the resolver and the scope of the code that runs it."""
        self.local_modules: frozenset[str] = frozenset()
        self.frames = Frames()
        self.stores: dict[str, list[tuple[ast.expr, Binding, Scope]]] = {}
        """Attributes assigned to something other than `self`, by attribute name: (base, value, scope)."""
        self.star_modules = [star for scope in self.scopes for star in scope.stars] + spilled_modules(self.scopes)
        self.local_stars: list[str] = []
        """Star imports of modules of the same tree; what no other place explains may come from there."""
        self.binders: dict[ast.stmt, frozenset[str]] = {}
        """Which names a statement binds, for those statements that were asked."""
        self._flows: dict[ast.AST, Flow] = {}
        """By what a scope is made of, so that all frames of a function share one."""
        self._grown: dict[Scope, set[str]] = {}

    @property
    @abstractmethod
    def is_settled(self) -> bool:
        """Say whether nothing is being evaluated in a circle, so that a result may be remembered."""

    @abstractmethod
    def name(self, name: str, scope: Scope) -> Values:
        """Return what a name may stand for when it is read in a scope."""

    @abstractmethod
    def own(self, name: str, scope: Scope) -> Values:
        """Return what a scope itself binds a name to: what an attribute of a class is."""

    @abstractmethod
    def value(self, node: ast.AST, scope: Scope) -> Values:
        """Return what an expression may stand for; empty where nothing is known."""

    @abstractmethod
    def bound(self, binding: Binding, owner: Scope) -> Values:
        """Return what one binding of a name gives."""

    @abstractmethod
    def called(self, callee: AnyValue, arguments: Arguments) -> Values:
        """Return what calling one value gives back."""

    def release(self) -> None:
        """Drop everything, for the collector of garbage never to have to look at it; the resolver is dead after it."""
        for scope in self.scopes:
            scope.release()
        self.frames.release()
        self.lambdas.clear()
        self.stores.clear()
        self._grown.clear()
        self._flows.clear()
        self.binders.clear()
        self.outside = None

    def text(self, node: ast.AST, scope: Scope) -> str | None:
        """Return the text that an expression folds to, if it is one text and known in full."""
        for value in self.value(node, scope):
            if isinstance(value, Text) and isinstance(value.value, str) and value.whole:
                return value.value
        return None

    def grown(self, scope: Scope) -> set[str]:
        """Return the names of what a scope adds something to."""
        names = self._grown.get(scope)
        if names is None:
            names = self._grown[scope] = grown_names(scope)
        return names

    def flow(self, scope: Scope) -> Flow:
        """Return the order of a scope's statements."""
        flow: Flow | None = self._flows.get(scope.node)
        if flow is None:
            flow = self._flows[scope.node] = Flow(scope)
        return flow
