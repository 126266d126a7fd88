"""What the parts of the resolver share: the state of one file's resolving, and the questions that they ask of it.

What a name or an expression may stand for is told in `resolve.py`, which is made of the parts; here stands only that it
can be asked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.parsing.literals import unescape
from plugseal.lang.ecmascript.resolving.bundles import Modules, bundled_modules
from plugseal.lang.ecmascript.resolving.fuel import Fuel
from plugseal.lang.ecmascript.resolving.names import WHOLE_ENVIRONMENT
from plugseal.lang.folded import Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugseal.lang.ecmascript.collecting.noting import Collected
    from plugseal.lang.ecmascript.collecting.scope import Binding, Scope, Store
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.values import AnyValue, Arguments, Values
    from plugseal.lang.ecmascript.tables import ScriptTables

MAX_LEVEL: Final = 72
"""How deep evaluation may nest; each level takes three to six frames of the interpreter's stack."""
_FRAMES_PER_FILE: Final = 400


class Resolver(Fuel, ABC):
    """One file that is being resolved."""

    def __init__(self, collected: Collected, tables: ScriptTables, fuel: int) -> None:
        super().__init__(fuel)
        self.collected = collected
        self.data = collected.data
        self.grammar = collected.grammar
        self.root = collected.root
        self.functions = collected.functions
        self.stores = collected.stores
        self.stored: dict[bytes, tuple[dict[bytes, list[Store]], list[Store]]] = {}
        """The same, by what is written before the name; and those of prototypes."""
        self.tables = tables
        self.takes_whole_environment = WHOLE_ENVIRONMENT.search(self.data) is not None
        """Whether the file may take all variables at once."""
        self.frames: set[Scope] = set()
        """Functions that are being looked at for one call's arguments."""
        self.frames_left = _FRAMES_PER_FILE
        self.framed: list[Scope] = []
        """Scopes that were made for one call each."""
        self.level = 0
        """How deep evaluation nests at this moment."""

    @abstractmethod
    def name(self, name: bytes, scope: Scope) -> Values:
        """Return what a name may stand for when it is read in a scope."""

    @abstractmethod
    def unbound(self, name: bytes) -> Values:
        """Return what a name means that nothing in the file binds."""

    @abstractmethod
    def value(self, node: Node, scope: Scope) -> Values:
        """Return what an expression may stand for; empty where nothing is known."""

    @abstractmethod
    def bound(self, binding: Binding, owner: Scope) -> Values:
        """Return what one binding of a name gives."""

    @abstractmethod
    def called(self, callee: AnyValue, arguments: Arguments, *, is_new: bool = False) -> Values:
        """Return what calling one value gives back."""

    @cached_property
    def is_plain_script(self) -> bool:
        """Whether the file is no module by its statements (words prove nothing): at its top, `this` may be global."""
        return not (self.collected.imports or self.collected.exports)

    @cached_property
    def bundled(self) -> Modules:
        """What the modules of a bundle give as a whole, by their numbers; empty for other files."""
        return bundled_modules(self.collected)

    def text_at(self, node: Node) -> str:
        """Return the source of a node, escapes in identifiers resolved."""
        text = self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")
        return unescape(text) if "\\" in text else text

    def texts(self, node: Node, scope: Scope) -> list[str]:
        """Return every text that an expression may be, those known in full only."""
        return [
            v.value for v in self.value(node, scope) if isinstance(v, Text) and v.whole and isinstance(v.value, str)
        ]

    def deeper(self, evaluate: Callable[[], Values]) -> Values:
        """Return what something evaluates to, one level further down; nothing where that is too deep."""
        self.fuel -= 1
        if self.level >= MAX_LEVEL or self.fuel < 0:
            self.is_cut = True
            return ()
        self.level += 1
        values = evaluate()
        self.level -= 1
        return values
