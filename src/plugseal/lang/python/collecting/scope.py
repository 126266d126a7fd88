"""Scopes and what their names are bound to, as the collector notes them and the resolver reads them.

A binding is noted as it stands in the source, unresolved: flow is not followed, every binding of a name counts.
"""

from __future__ import annotations

import ast
from typing import Any, Final, TypeAlias, Union

from plugseal.records import NamedTuple

MODULE: Final = "module"
FUNCTION: Final = "function"
CLASS: Final = "class"
MAIN: Final = "main"
"""The body of `if __name__ == "__main__":`; shares the module's names."""


class Parameter(NamedTuple):
    """A parameter of the scope's function."""

    position: int
    """0-based among the positional ones; -1 where only a keyword reaches it, -2 for `*args`, -3 for `**kwargs`."""
    name: str
    annotation: ast.expr | None


class Default(NamedTuple):
    """A parameter's default: evaluated around the function, where the parameter's own name means another thing."""

    value: ast.expr


class Item(NamedTuple):
    """One element of something: of an unpacked value, of what a loop runs over, of what `with` enters."""

    source: Binding
    how: str
    """`iterate`, `enter`, `rest` (the starred target), or `at`."""
    place: int = 0


class Stored(NamedTuple):
    """A subscript that was assigned: the name holds a container with this item."""

    key: ast.expr
    value: Binding


class Added(NamedTuple):
    """An augmented assignment."""

    statement: ast.AugAssign


class Opaque(NamedTuple):
    """Something that binds the name to a value nobody knows."""


OPAQUE: Final = Opaque()

Binding: TypeAlias = Union[str, ast.expr, "Scope", Parameter, Default, Item, Stored, Added, Opaque]
"""A str is the qualified name of an import, relative ones with their dots."""


class Store(NamedTuple):
    """An attribute that was assigned: `target.attr = value`."""

    target: ast.Attribute
    value: Binding


class Scope:
    """One module, function, lambda, class or main block."""

    __slots__ = (
        "aliases",
        "attributes",
        "awaiting",
        "bindings",
        "called",
        "calls",
        "decorated",
        "depth",
        "exits",
        "imports",
        "is_entered",
        "is_property",
        "kind",
        "known",
        "loads",
        "members",
        "memory",
        "name",
        "node",
        "outer",
        "parent",
        "read",
        "receiver",
        "sites",
        "stars",
        "stores",
        "subscripts",
        "trigger",
        "types",
        "yields",
    )

    def __init__(self, kind: str, name: str, node: ast.AST, parent: Scope | None) -> None:
        self.kind = kind
        self.name = name
        self.node = node
        self.parent = parent
        self.awaiting: list[ast.AST] = _EMPTY
        """Nodes that the collector has still to visit."""
        self.bindings: dict[str, list[Binding]] = {}
        self.types: dict[str, ast.expr] | None = None
        """What annotated variables are said to be that are given a value: `client: Client = make()`."""
        self.calls: list[ast.Call] = []
        self.called: list[str] = []
        """For each of `calls` the last name of what is called, empty where it has none."""
        self.loads: list[ast.Name | ast.Attribute] = []
        """Names and attribute chains that are read and not called."""
        self.read: list[str] = []
        """For each of `loads` its name, or the last part of its chain."""
        self.aliases: list[ast.Name | ast.Attribute] = _EMPTY
        """Chains that are only given another name: `run = os.system`."""
        self.subscripts: list[ast.Subscript | ast.Compare] = _EMPTY
        """Subscripts in every context, and membership tests."""
        self.stores: list[Store] = _EMPTY
        self.imports: list[ast.Import | ast.ImportFrom] = _EMPTY
        self.stars: list[str] = _EMPTY
        self.decorated: list[tuple[ast.expr, Scope]] = _EMPTY
        """Decorators written here, with what they decorate."""
        self.exits: list[ast.expr] = _EMPTY
        """What the function returns."""
        self.yields: list[ast.expr] = _EMPTY
        self.outer: dict[str, str] = _NO_WORDS
        """Names declared `global` or `nonlocal` here, with that word."""
        self.attributes: dict[str, list[tuple[Scope, Binding]]] = {}
        """For a class: attributes assigned through an instance, with the scope of the assignment."""
        self.sites: list[tuple[ast.Call, Scope, int]] = _EMPTY
        """For a function: calls of it in this file, with the number of leading parameters bound already."""
        self.is_property = False
        """Whether reading it as an attribute calls it."""
        self.is_entered = False
        """Whether something outside of the tree calls it: it is registered as a tool, a hook or a handler."""
        self.receiver: tuple[str, Scope] | None = None
        """For a method: the name of its first parameter and its class."""
        self.trigger = "unknown"
        self.depth = 0
        """How deep its node stands in the tree."""
        self.known: dict[str, Any] = {}  # Any: as below
        """The resolver's memory: values of names seen from here."""
        self.members: dict[str, Any] = {}  # Any: as below
        """The resolver's memory: members of this class."""
        self.memory: dict[ast.AST, Any] | None = None  # Any: values, which are made of scopes
        """The resolver's memory of a frame: a function's body for one call's arguments."""

    def release(self) -> None:
        """Drop what points at other scopes and at values, so that no circle keeps the tree alive."""
        self.parent = self.receiver = None
        self.bindings = self.known = self.members = self.attributes = _NOTHING
        self.sites = self.decorated = _EMPTY
        self.memory = None

    def note(self, what: str, thing: object) -> None:
        """Append to one of the lists above; most scopes have most of them empty, so they share one."""
        noted = getattr(self, what)
        if noted is _EMPTY:
            setattr(self, what, [thing])
        else:
            noted.append(thing)


_EMPTY: list[Any] = []  # Any: it stands for every list above that holds nothing; `note` keeps it empty
_NO_WORDS: dict[str, str] = {}
_NOTHING: dict[str, Any] = {}  # Any: it stands for every dictionary above once the scope is dead
