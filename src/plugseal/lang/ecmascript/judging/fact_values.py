"""From the resolver's values to the ones that facts and events carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.scope import Scope, node_of
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.resolving.names import ENVIRONMENT
from plugseal.lang.ecmascript.resolving.values import AnyValue, Arguments, Made, Mapping, Sequence, Values
from plugseal.lang.facts import UNKNOWN, Ref, Value
from plugseal.lang.folded import Text, whole
from plugseal.lang.judging.telling import most_telling, text_of
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Binding
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_MAX_DEPTH: Final = 4
_UNSEEN: Final = (_MAX_DEPTH + 1, "")
_MAX_ITEMS: Final = 64
_MAX_CHOICES: Final = 4
_MAX_TEXT: Final = 4_096
_COSTLY: Final = frozenset((g.CALL, g.NEW, g.MEMBER, g.SUBSCRIPT, g.FUNCTION_EXPRESSION, g.UNARY, g.FUNCTION))
_PASSING: Final = frozenset(
    f"{name}()"
    for name in """globals.JSON.stringify globals.Object.entries globals.Object.values globals.Object.assign
    globals.Object.fromEntries globals.Buffer globals.Buffer.from globals.btoa globals.encodeURIComponent globals.String
    globals.URLSearchParams querystring.stringify util.inspect globals.Buffer().toString""".split()
)
"""Calls that give on what they are given, in another form."""
_CARRIERS: Final = frozenset(("globals.Request()", "undici.Request()", "node-fetch.Request()"))
"""What only carries an address to whoever opens it."""


def fact_values(resolver: Resolver, values: Values) -> tuple[Value, ...]:
    """Return values as facts carry them; one `UNKNOWN` where there is none."""
    found: dict[Value, None] = {}
    for value in values:
        if isinstance(value, Made) and value.name in _CARRIERS and value.arguments is not None:
            given = value.arguments.positional[:1]
            for binding, scope in given:
                found.update(dict.fromkeys(fact_values(resolver, resolver.bound(binding, scope))))
        elif resolver.takes_whole_environment and _carries(resolver, value, 0, {}):
            found[Ref(ENVIRONMENT)] = None
        elif isinstance(value, Sequence):
            found.update(dict.fromkeys(_choices(value)))
        else:
            found[fact_value(value, 0)] = None
    return tuple(found) or (UNKNOWN,)


def _choices(value: Sequence) -> list[Value]:
    """Return a list of words once for each thing that its first open word may be: `for (n of NAMES) spawn(p, [n])`."""
    words = fact_value(value, 0)
    for at, item in enumerate(value.items[:_MAX_ITEMS]):
        if len(item) > 1 and all(isinstance(one, Text) for one in item) and isinstance(words, tuple):
            chosen = most_telling(item, _MAX_CHOICES, text_of)[:_MAX_CHOICES]
            return [(*words[:at], fact_value(one, 1), *words[at + 1 :]) for one in chosen]
    return [words]


def _carries(resolver: Resolver, value: AnyValue, depth: int, seen: dict[int, tuple[int, AnyValue]]) -> bool:
    """Say whether a value is made of the whole environment: spread, listed, written as a text.

    Args:
        resolver: of the file.
        value: what is asked about.
        depth: how many others it was spread into.
        seen: what was asked already, by identity: how deep, and itself, so that it stays what it is.
    """
    if isinstance(value, str):
        return value == ENVIRONMENT
    if depth > _MAX_DEPTH or seen.get(id(value), _UNSEEN)[0] <= depth:
        return False
    seen[id(value)] = depth, value
    resolver.spend(1)
    if isinstance(value, Mapping):
        return any(_carries(resolver, one, depth + 1, seen) for one in value.spread())
    if isinstance(value, Made) and value.name in _PASSING and value.arguments is not None:
        given = [one for each in value.arguments.positional[:4] for one in resolver.bound(*each)]
        return any(_carries(resolver, one, depth + 1, seen) for one in given)
    return False


def fact_value(value: AnyValue, depth: int) -> Value:
    """Return one value as facts carry it."""
    if isinstance(value, Text):
        given = value.value
        if isinstance(given, bytes):
            given = given.decode("latin-1")
        return given[:_MAX_TEXT] if isinstance(given, str) else given
    if isinstance(value, str):
        return Ref(value)
    if isinstance(value, Made):
        return str(value.text.value) if value.text is not None else Ref(value.name)
    if isinstance(value, Sequence) and depth < _MAX_DEPTH:
        items = value.items[:_MAX_ITEMS]
        return tuple(fact_value(item[0], depth + 1) if len(item) == 1 else UNKNOWN for item in items)
    return UNKNOWN


def single(found: tuple[Value, ...]) -> Value:
    """Return the one value that an event carries: a literal, an origin, or `UNKNOWN`."""
    named = [value for value in found if value is not UNKNOWN]
    return named[0] if len(named) == 1 else UNKNOWN


_OPTIONS: Final = lazy(r"(?i)opt(?:ion)?s|conf|cfg|param|setting|init|props|args")
_MAX_NAME: Final = 80


class Given:
    """The arguments of one call as rules see them: by position, and by the names of an options object's properties."""

    __slots__ = ("arguments", "resolver")

    def __init__(self, resolver: Resolver, arguments: Arguments | None) -> None:
        self.resolver = resolver
        self.arguments = arguments

    def values(self, position: int, keywords: tuple[str, ...], missing: Value) -> tuple[Value, ...]:
        """Return the values that an argument may have; `missing` where it is surely not given."""
        default = next((word[1:] for word in keywords if word.startswith("=")), None)
        absent = default if default is not None else missing
        arguments = self.arguments
        if arguments is None:
            return (UNKNOWN,)
        if 0 <= position < len(arguments.positional):
            return self._at(arguments.positional[position], keywords, absent)
        found = self._named(keywords) if keywords else None
        if found is not None:
            return found
        if arguments.rest or (keywords and self._may_hold_more(position, has_default=default is not None)):
            return (UNKNOWN,)
        return (absent,)

    def _at(self, given: tuple[Binding, Scope], keywords: tuple[str, ...], absent: Value) -> tuple[Value, ...]:
        values = self.resolver.bound(*given)
        options = [value for value in values if isinstance(value, Mapping)]
        if not options:
            stands_in = absent is None or absent.__class__ is str
            if stands_in and values and all(value.__class__ is Scope for value in values):
                return (absent,)  # A function that is called back stands where the argument would.
            return fact_values(self.resolver, values)
        found_here = self._of_options(options, keywords)
        if found_here is not None:
            return found_here
        if any(value.is_open() for value in options) or not keywords:
            return (UNKNOWN,)
        named = self._named(keywords)
        return named if named is not None else (absent,)

    def _of_options(self, options: list[Mapping], keywords: tuple[str, ...]) -> tuple[Value, ...] | None:
        for name in keywords:
            for mapping in options:
                found = mapping.find(name)
                if found is not None:
                    return fact_values(self.resolver, found)
        return None

    def _named(self, keywords: tuple[str, ...]) -> tuple[Value, ...] | None:
        if self.arguments is None:
            return None
        for binding, scope in self.arguments.positional:
            options = [value for value in self.resolver.bound(binding, scope) if isinstance(value, Mapping)]
            found = self._of_options(options, keywords)
            if found is not None:
                return found
        return None

    def _may_hold_more(self, position: int, *, has_default: bool) -> bool:
        """Say whether an options object that is not known may hold what is asked for."""
        arguments = self.arguments
        for at, (binding, scope) in enumerate(arguments.positional if arguments is not None else ()):
            values = self.resolver.bound(binding, scope)
            if any(isinstance(value, Mapping) and value.is_open() for value in values):
                return True
            if not values and position < 0 and (at >= 2 or (has_default and self._is_options(binding))):
                return True
        return False

    def _is_options(self, binding: Binding) -> bool:
        """Say whether an argument of which nothing is known is called as people call objects of options."""
        node = node_of(binding)
        return node is not None and _OPTIONS.search(self.resolver.text_at(node)[:_MAX_NAME]) is not None

    def plain_values(self) -> tuple[tuple[Value, ...], tuple[tuple[str, Value], ...]]:
        """Return the same for a call that waits for the linker, without what other calls give back."""
        return self.event_values(_COSTLY)

    def event_values(
        self, beyond: frozenset[int] = frozenset()
    ) -> tuple[tuple[Value, ...], tuple[tuple[str, Value], ...]]:
        """Return the arguments as an event carries them: positions, and the properties of options objects.

        Args:
            beyond: kinds of expressions that are not looked at.
        """
        positions: list[Value] = []
        keywords: list[tuple[str, Value]] = []
        if self.arguments is None:
            return (), ()
        resolver, codes = self.resolver, self.resolver.grammar.codes
        for binding, scope in self.arguments.positional[:16]:
            if beyond and ((node := node_of(binding)) is None or codes[node.kind_id] in beyond):
                positions.append(UNKNOWN)
                continue
            values = resolver.bound(binding, scope)
            positions.append(self._carried(values))
            for value in values[:1]:
                if isinstance(value, Mapping):
                    keywords += [(name, self._carried(value.find(name) or ())) for name in value.names()[:16]]
        return tuple(positions), tuple(keywords[:32])

    def _carried(self, values: Values) -> Value:
        """Return the one value that an event carries for an argument."""
        return single(tuple(map(whole, fact_values(self.resolver, values)))) if values else UNKNOWN
