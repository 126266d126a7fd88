"""What the names of one file are bound to, told apart in one walk for all who ask. Nothing is resolved."""

from __future__ import annotations

import ast
from collections.abc import Set
from typing import Final

from plugseal.lang.python.collecting.scope import CLASS, FUNCTION, MAIN, Opaque, Parameter, Scope

_MAX_RENAMED: Final = 8


class Bound:
    """The names of one file, by the kinds of what they are bound to."""

    __slots__ = ("_root", "acting", "chains", "functions", "imports", "members", "others", "renamed")

    def __init__(self, scopes: list[Scope]) -> None:
        self._root = scopes[0]
        self.imports: dict[str, list[str]] = {}
        """Names that imports bind, with all that they mean, each once."""
        self.functions: set[str] = set()
        """Names of functions and classes of the file."""
        self.acting: set[str] = set()
        """Those of `others` of which a call may do more than to make an object of the file's own."""
        self.others: set[str] = set()
        """Names bound to something that may mean anything: no import, no function, no constant."""
        self.members: set[str] = set()
        """Names that classes bind so, and attributes that are set on anything."""
        self.chains: list[tuple[str, str]] = []
        """Names that are other names for chains of attributes, with the chain's last part."""
        self.renamed: list[tuple[str, str]] = []
        """Names that are other names for names, with those."""
        for scope in scopes:
            if scope.kind != MAIN:  # It shares the names of the module.
                self._look_at(scope)

    def meanings(self) -> dict[str, str]:
        """Return the names that imports bind, with what they mean; an empty text where imports do not agree on it."""
        return {name: known[0] if len(known) == 1 else "" for name, known in self.imports.items()}

    def renamed_as(self, names: Set[str]) -> set[str]:
        """Return the names that are other names for these."""
        found: set[str] = set()
        for _ in range(_MAX_RENAMED):
            more = {name for name, other in self.renamed if other in names or other in found} - found
            if not more:
                break
            found |= more
        return found

    def only_imported(self) -> set[str]:
        """Return the names that mean the same wherever the file reads them: what one import says, and nothing else.

        An import inside a function is no such name, unless it gives the name the meaning that it has unbound too.
        """
        bound = self._root.bindings
        return {
            name
            for name, meanings in self.imports.items()
            if len(meanings) == 1
            and name not in self.others
            and name not in self.functions
            and (name in bound or meanings[0] == name)
        }

    def _look_at(self, scope: Scope) -> None:
        """Note what one scope binds; every binding of a file passes here, so classes are compared by identity."""
        noted: set[str] = self.others if scope.kind != CLASS else set()
        acting = self.acting
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                kind = binding.__class__
                if kind is Parameter:
                    noted.add(name)
                    acting.add(name)
                elif kind is str:
                    self.add_import(name, binding)  # type: ignore[arg-type]  # the class was compared
                elif kind is Scope:
                    self.functions.add(name)
                    if binding.kind != FUNCTION:  # type: ignore[union-attr]  # as above
                        noted.add(name)
                        if "__init__" not in binding.bindings and binding.node.bases:  # type: ignore[union-attr]  # as above
                            acting.add(name)
                elif kind is not Opaque and kind is not ast.Constant:
                    noted.add(name)
                    acting.add(name)
                    if kind is ast.Attribute:
                        self.chains.append((name, binding.attr))  # type: ignore[union-attr]  # as above
                    elif kind is ast.Name:
                        self.renamed.append((name, binding.id))  # type: ignore[union-attr]  # as above
                    elif kind is ast.Lambda:
                        self.functions.add(name)
        if scope.kind == CLASS:
            self.others |= noted
            self.members.update(noted, scope.attributes)
        if scope.stores:
            self.members.update([store.target.attr for store in scope.stores])

    def add_import(self, name: str, meaning: str) -> None:
        """Note that a name may mean something outside the file."""
        known = self.imports.setdefault(name, [])
        if meaning not in known:
            known.append(meaning)
