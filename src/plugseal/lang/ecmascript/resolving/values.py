"""What an expression may stand for, as far as the resolver knows: names, constants, containers, functions, instances.

A value is immutable once made. Plain `str` is a qualified name such as `child_process.exec` or `globals.eval`, or
`./util.js#run` for what another file of the tree exports; literal text is `Text`, so that the two can never be
confused. Bytes (`Buffer`) are `Text` with bytes, numbers and booleans `Text` with those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from plugseal.lang.ecmascript.collecting.scope import Scope
from plugseal.lang.folded import HOLE, MAX_ITEMS, Text
from plugseal.lang.judging.telling import most_telling, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugseal.lang.ecmascript.collecting.scope import Binding

MAX_ALTERNATIVES: Final = 8
MAX_QUALIFIED: Final = 300
"""Characters of a qualified name, to which nothing is added any more: no table knows one that is half as long."""
_MAX_SPREADS: Final = 8
"""Objects that were spread into one another; an object may be spread into itself."""


class Sequence:
    """An array: the possible values of each item, resolved when first asked for."""

    __slots__ = ("_items", "_make", "is_open", "size")

    def __init__(
        self, items: tuple[Values, ...] | None, size: int = 0, make: Callable[[int], Values] | None = None
    ) -> None:
        self._items = items
        self._make = make
        self.size = len(items) if items is not None else size
        self.is_open = False
        """Whether more is added to it, by `push` and its like."""

    def opened(self) -> Sequence:
        """Return the same, of which it is known that more is added to it."""
        made = self.__class__(self._items, self.size, self._make)
        made.is_open = True
        return made

    @property
    def items(self) -> tuple[Values, ...]:
        """All items."""
        if self._items is None:
            self._items = ()  # A list may hold itself.
            make = self._make
            self._items = tuple(make(at) for at in range(min(self.size, MAX_ITEMS))) if make is not None else ()
        return self._items

    def at(self, index: int) -> Values:
        """Return one item; empty outside the range."""
        if not 0 <= index < self.size:
            return ()
        if self._items is None and self._make is not None:
            return self._make(index)
        return self.items[index] if index < len(self.items) else ()


class Table(Sequence):
    """A `Map` whose entries are written out: an array of pairs, but for what its own methods give."""

    __slots__ = ()


class Mapping:
    """An object written out: its properties, resolved when asked for; `more` are values that were spread into it."""

    __slots__ = ("_computed", "_found", "_known", "_make", "_more")

    def __init__(
        self,
        known: dict[str, list[object]],
        make: Callable[[object], Values],
        computed: list[tuple[object, object]] | None = None,
        more: list[object] | None = None,
    ) -> None:
        self._known = known
        self._make = make
        self._computed = computed or []
        self._more = more or []
        self._found: dict[str, Values | None] = {}

    def find(self, name: str, depth: int = 0) -> Values | None:
        """Return what a property may be; None where the object surely has none of that name."""
        if name in self._found:
            return self._found[name]
        self._found[name] = None  # An object may hold itself.
        values = self._found[name] = self._find(name, depth)
        return values

    def _find(self, name: str, depth: int) -> Values | None:
        found: list[AnyValue] = []
        is_there = name in self._known
        for one in self._known.get(name, ()):
            found.extend(self._make(one))
        for key, value in self._computed:
            names = [v.value for v in self._make(key) if isinstance(v, Text) and v.whole]
            if not names or name in names:
                is_there = True
                found.extend(self._make(value))
        if not is_there and depth < _MAX_SPREADS:
            for spread in self._more:
                for value in self._make(spread):
                    if isinstance(value, Mapping):
                        inner = value.find(name, depth + 1)
                        if inner is not None:
                            is_there = True
                            found.extend(inner)
                    elif isinstance(value, str):
                        is_there = True
        return unique(found) if is_there else None

    def is_open(self, depth: int = 0) -> bool:
        """Say whether it may have properties that are not known."""
        if depth > _MAX_SPREADS:
            return True
        if any(not isinstance(value, Mapping) or value.is_open(depth + 1) for value in self.spread()):
            return True
        return bool(self._computed) or any(not self._make(one) for one in self._more)

    def names(self) -> list[str]:
        """Return the names of the properties that are written out."""
        return list(self._known)

    def all_names(self, depth: int = 0) -> list[str]:
        """Return the names of its properties, computed ones and those of what was spread into it included."""
        texts = [
            one.value for key, _ in self._computed for one in self._make(key) if isinstance(one, Text) and one.whole
        ]
        found = [*self._known, *(text for text in texts if isinstance(text, str))]
        for value in self.spread() if depth < _MAX_SPREADS else ():
            if isinstance(value, Mapping):
                found += value.all_names(depth + 1)
        return found

    def spread(self) -> list[AnyValue]:
        """Return what was spread into it."""
        return [value for one in self._more for value in self._make(one)]

    def held(self, limit: int) -> list[AnyValue]:
        """Return what the first properties hold."""
        found = [value for parts in list(self._known.values())[:limit] for one in parts for value in self._make(one)]
        found.extend(value for _, one in self._computed[:limit] for value in self._make(one))
        return found


class Instance:
    """An object of a class, or of a function used as one, of this file."""

    __slots__ = ("of",)

    def __init__(self, of: Scope) -> None:
        self.of = of


class Made:
    """What calling a known name gives: its arguments may name the object of a later fact."""

    __slots__ = ("arguments", "name", "text")

    def __init__(self, name: str, arguments: Arguments | None, text: Text | None = None) -> None:
        self.name = name
        self.arguments = arguments
        self.text = text


class Partial:
    """A function whose first arguments are bound already."""

    __slots__ = ("arguments", "target")

    def __init__(self, target: Values, arguments: Arguments) -> None:
        self.target = target
        self.arguments = arguments


class Method:
    """A method of a known constant, container or function, taken but not yet called."""

    __slots__ = ("name", "of")

    def __init__(self, of: AnyValue, name: str) -> None:
        self.of = of
        self.name = name


class Arguments:
    """The arguments of a call, each with the scope that it is read in."""

    __slots__ = ("positional", "rest", "scope")

    def __init__(
        self, positional: tuple[tuple[Binding, Scope], ...], rest: bool = False, scope: Scope | None = None
    ) -> None:
        self.positional = positional
        self.rest = rest
        """Whether a spread brings more than is known."""
        self.scope = scope

    def after(self, count: int) -> Arguments:
        """Return the arguments without the first ones."""
        return Arguments(self.positional[count:], self.rest, self.scope)

    def behind(self, earlier: Arguments) -> Arguments:
        """Return the arguments of a call whose first ones were bound before."""
        return Arguments(earlier.positional + self.positional, earlier.rest or self.rest, self.scope)


NO_ARGUMENTS: Final = Arguments(())

AnyValue: TypeAlias = str | Text | Sequence | Mapping | Scope | Instance | Made | Partial | Method
Values: TypeAlias = "tuple[AnyValue, ...]"
"""What something may be; empty means unknown."""


def unique(values: list[AnyValue]) -> Values:
    """Return the values without repetition, in order, about `MAX_ALTERNATIVES` at most; a hole says there are more."""
    if len(values) < 2:
        return tuple(values)
    seen: dict[object, AnyValue] = {}
    for value in values:
        kind = value.__class__
        if kind is str:
            key: object = value
        elif kind is Text:
            key = (value.value.__class__, value.value, value.whole)  # type: ignore[union-attr]  # the class was compared
        elif kind is Instance:
            key = (Instance, value.of)  # type: ignore[union-attr]  # as above
        else:
            key = id(value)
        if key not in seen:
            seen[key] = value
    if len(seen) <= MAX_ALTERNATIVES:
        return tuple(seen.values())
    named = [value for value in seen.values() if value.__class__ is not Text]
    texts = [value for value in seen.values() if value.__class__ is Text and value.value != HOLE]
    if len(texts) > MAX_ALTERNATIVES:
        texts = [*most_telling(texts, MAX_ALTERNATIVES, text_of), Text(HOLE, whole=False)]
    elif len(texts) + len(named) < len(seen):
        texts.append(Text(HOLE, whole=False))
    return (*named[: MAX_ALTERNATIVES * 2], *texts)


def names_nothing(key: AnyValue) -> bool:
    """Say whether a key is a number or a symbol, under which no known function stands."""
    if isinstance(key, Made):
        return key.name in ("globals.Symbol()", "globals.Symbol.for()")
    return isinstance(key, Text) and not isinstance(key.value, str)
