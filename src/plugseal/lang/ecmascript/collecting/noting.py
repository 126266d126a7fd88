"""What the collector notes of one file besides its scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.ecmascript.collecting.scope import MODULE, Scope
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Binding, Store
    from plugseal.lang.ecmascript.parsing.grammar import Grammar
    from plugseal.lang.ecmascript.parsing.parse import Node


MAX_KEYS = 16
"""Values noted of properties of one name; where there are more, one of them may be anything."""
_MAX_CHOICES = 16
_CHOICES = frozenset((*g.WRAPPERS, "ternary_expression"))


class Import(NamedTuple):
    """One module that a statement names."""

    module: str
    names: tuple[str, ...]
    """What is taken out of it; empty for all of it, or for its effects alone."""
    node: Node
    is_export: bool = False


class Export(NamedTuple):
    """One name that the module gives others."""

    name: str
    """`default` for the default, `*` for all of another module's names, `=` for `module.exports` as a whole."""
    binding: Binding
    scope: Scope
    node: Node | None = None
    """The name as it is written, where it passes on what another module has."""


class Collected:
    """One file, collected."""

    def __init__(self, data: bytes, root: Node, grammar: Grammar) -> None:
        self.data = data
        self.grammar = grammar
        self.root = Scope(MODULE, "<module>", root, None)
        self.root.trigger = "import"
        self.root.awaiting = [root]
        self.scopes = [self.root]
        self.is_cut = False
        """Whether some functions were not looked into: the file has too many, or they stand too deep in one another."""
        self.functions: dict[int, Scope] = {}
        """Functions and classes by the number of their node."""
        self.homes: dict[int, Node] = {}
        """Objects, by the number of the function that is one of their properties."""
        self.stores: dict[bytes, list[Store]] = {}
        """Properties that were assigned, by name."""
        self.item_stores: list[Store] = []
        """Items that were assigned under a computed key: the target is the whole `object[key]`."""
        self.keys: dict[bytes, list[tuple[Binding, Scope]]] = {}
        """Names of properties that hold something that is neither a literal nor a function written there."""
        self.types: dict[bytes, tuple[str, str]] = {}
        """Names that may be types: the module they are imported from, and their name there."""
        self.imports: list[Import] = []
        self.exports: list[Export] = []
        self.strings: list[tuple[Node, Scope]] = []
        """String literals and templates, where somebody wants them."""
        self.grown: set[bytes] = set()
        """Names of what items are added to, one by one."""
        self.withs: list[tuple[Node, Scope]] = []
        self.members: list[tuple[Node, Scope]] = []
        """Tests of membership, `key in object`."""
        self.aliases: set[int] = set()
        """Names and chains that are only given another name, by the number of their node."""
        self.passed: set[int] = set()
        """Names and chains that are given to functions of the file, by the number of their node."""
        self.taken_apart: dict[int, Node] = {}
        """Patterns by the number of the expression that they take apart."""
        self.escaped_names: list[tuple[Node, Scope]] = []
        """Identifiers with escapes in them."""

    def type_named(self, name: bytes) -> tuple[str, str]:
        """Return the module that a type is imported from, and its name there; `ns.Type` is a name in `ns`'s module."""
        known = self.types.get(name)
        if known is not None or b"." not in name:
            return known or ("", "")
        space, _, member = name.partition(b".")
        module, of = self.types.get(space, ("", ""))
        return (module, member.decode("utf-8", "replace")) if not of else ("", "")

    def note_key(self, name: bytes, value: Binding, scope: Scope) -> None:
        """Note that a property is given a value."""
        held = self.keys.setdefault(name, [])
        if len(held) <= MAX_KEYS:
            held.append((value, scope))

    def note_alias(self, node: Node) -> None:
        """Note that an expression only gives another name to something, or to one of two things."""
        codes = self.grammar.codes
        waiting = [node]
        while waiting and len(waiting) < _MAX_CHOICES:
            one = waiting.pop()
            code = codes[one.kind_id]
            if code in (g.IDENTIFIER, g.MEMBER):
                self.aliases.add(one.id)
            elif code == g.BINARY or one.type in _CHOICES:
                waiting.extend(one.named_children[-2:])
