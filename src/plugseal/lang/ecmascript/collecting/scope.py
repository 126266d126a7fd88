"""Scopes and what their names are bound to, as the collector notes them and the resolver reads them.

A binding is noted as it stands in the source, unresolved: flow is not followed, every binding of a name counts. Blocks
are no scopes of their own; a name that only blocks bind is asked about where it also means something outside.
Names are bytes, as in the source, escapes resolved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, Union

from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.parsing.parse import Node

MODULE: Final = "module"
FUNCTION: Final = "function"
ARROW: Final = "arrow"
CLASS: Final = "class"


class Imported(NamedTuple):
    """A name that an import binds: a module, or a member of one."""

    module: str
    member: str
    """Empty for the module as a whole."""


class Parameter(NamedTuple):
    """A parameter of the scope's function."""

    position: int
    is_rest: bool = False


class Typed(NamedTuple):
    """A name that is declared to be of a type."""

    name: bytes
    """The type's name in the file."""


class Taken(NamedTuple):
    """A part of something, by its key: what a pattern takes out."""

    source: Binding
    key: bytes | Node | int
    """A property's name, the expression of a computed one, or the place in an array."""


class Rest(NamedTuple):
    """What a pattern leaves: of an array from a place on, of an object all of it."""

    source: Binding
    place: int
    """-1 for an object."""


class Iterated(NamedTuple):
    """Any item of something."""

    source: Binding
    of_entries: bool = False
    """Whether of a `Map` the values are meant, and not its pairs: what `forEach` hands over."""


class Keys(NamedTuple):
    """Any key of something."""

    source: Binding


class Within(NamedTuple):
    """A binding that another scope makes, and is read there."""

    binding: Binding
    scope: Scope


class Added(NamedTuple):
    """An augmented assignment."""

    node: Node


class Stored(NamedTuple):
    """A property that was assigned to what the name holds."""

    key: bytes | Node
    value: Binding


class Opaque(NamedTuple):
    """Something that binds the name to a value nobody knows."""


class Given(NamedTuple):
    """Values that are known already."""

    values: tuple[Any, ...]  # Any: `values.Values`, which are made of scopes


OPAQUE: Final = Opaque()

if TYPE_CHECKING:
    Binding: TypeAlias = Union[  # noqa: UP007  # `|` does not take the name of a class that is only coming
        Node, "Scope", Imported, Parameter, Typed, Taken, Rest, Iterated, Keys, Within, Added, Stored, Opaque, Given
    ]


class Store(NamedTuple):
    """A property that was assigned: `target.name = value`."""

    target: Node
    """What stands before the name."""
    value: Binding
    scope: Scope


class Call(NamedTuple):
    """One call, `new`, or tagged template."""

    node: Node
    function: Node
    root: bytes | None
    """The name that the called chain begins with; None where it begins with something else."""
    last: bytes
    """The name of what is called: the last of the chain; empty for anything else."""


class Scope:
    """One module, function or class."""

    __slots__ = (
        "awaiting",
        "bindings",
        "bodies",
        "calls",
        "declared",
        "depth",
        "exits",
        "home",
        "is_entered",
        "is_method",
        "kind",
        "known",
        "loads",
        "memory",
        "name",
        "node",
        "parameters",
        "parent",
        "receiver",
        "sites",
        "statics",
        "superclass",
        "trigger",
    )

    def __init__(self, kind: str, name: str, node: Node, parent: Scope | None) -> None:
        self.kind = kind
        self.name = name
        self.node = node
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        """How many scopes it stands in: what looking up a name may take."""
        self.awaiting: list[Node] = []
        """Nodes that the collector has still to visit."""
        self.bindings: dict[bytes, list[Binding]] = {}
        self.declared: dict[bytes, Node] = {}
        """For names that mean something outside: what declares them here."""
        self.calls: list[Call] = []
        self.loads: list[tuple[Node, bytes | None]] = []
        """Names, chains and items that are read and not called, with the name that each begins with."""
        self.parameters = 0
        self.exits: list[Node] = []
        """What the function returns."""
        self.sites: list[tuple[tuple[Binding, ...], Scope]] = []
        """For a function: the arguments of calls of it in this file, with the scope that they are read in."""
        self.home: Scope | Node | None = None
        """What `this` is in it: the class, or the object that it is a method of."""
        self.receiver: Scope | Node | None = None
        """For a function that is no method and is called in this file: what `this` is in it; the module's scope where
        it is called without an object."""
        self.is_entered = False
        """Whether something outside of the tree calls it: it is registered as a tool, a hook or a handler."""
        self.is_method = False
        """Whether reading it as a property calls it (a getter)."""
        self.bodies: list[Scope] = []
        """For a class: its methods, where `this.name = value` may stand."""
        self.statics: dict[bytes, list[Binding]] = {}
        """For a class: its static members; its others stand in `bindings`."""
        self.superclass: Node | None = None
        self.trigger = "unknown"
        self.known: dict[bytes, Any] = {}  # Any: values, which are made of scopes
        """The resolver's memory: values of names seen from here."""
        self.memory: dict[int, Any] | None = None  # Any: as above
        """The resolver's memory of a frame: a function's body for one call's arguments."""

    def bind(self, name: bytes, binding: Binding) -> None:
        """Note one binding of a name."""
        bound = self.bindings.get(name)
        if bound is None:
            self.bindings[name] = [binding]
        else:
            bound.append(binding)

    def release(self) -> None:
        """Drop what points at other scopes and at values, so that no circle keeps the tree alive."""
        self.parent = self.home = self.receiver = self.memory = None
        self.bindings, self.known, self.sites = _NOTHING, _NOTHING, _NONE
        if self.kind == CLASS:
            self.statics, self.bodies = {}, []


def owner_of_this(scope: Scope) -> Scope | None:
    """Return the scope whose `this` is meant by one that stands in a scope: arrow functions have none of their own."""
    owner: Scope | None = scope
    while owner is not None and owner.kind == ARROW and owner.home is None:
        owner = owner.parent
    return owner


_NO_NODES: Final = frozenset(
    (Scope, Imported, Parameter, Typed, Taken, Rest, Iterated, Keys, Within, Added, Stored, Opaque, Given, type(None))
)


def node_of(binding: object) -> Node | None:
    """Return a binding that is an expression; None for every other kind."""
    return None if binding.__class__ in _NO_NODES else binding  # type: ignore[return-value]  # all else is a node


PARTS: Final = frozenset((Taken, Rest, Iterated, Keys, Stored, Within))
"""Kinds of bindings that are parts of another one."""
_MAX_PARTS: Final = 24
"""Parts inside parts; what is deeper is taken for the whole."""


def whole_of(binding: Binding, owner: Scope) -> tuple[Binding, Scope]:
    """Return what a binding is a part of, with the scope that it is read in."""
    for _ in range(_MAX_PARTS):
        if isinstance(binding, Within):
            binding, owner = binding
        elif isinstance(binding, Stored):
            binding = binding.value
        elif isinstance(binding, (Taken, Rest, Iterated, Keys)):
            binding = binding.source
        else:
            break
    return binding, owner


_NOTHING: dict[bytes, Any] = {}  # Any: it stands for every table of a scope that is dead; nobody writes to it
_NONE: list[Any] = []  # Any: as above
