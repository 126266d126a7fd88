"""What an expression may stand for, as far as the resolver knows: names, constants, containers, instances.

A value is immutable once made. Plain `str` is a qualified name such as `os.system` or `requests.Session()`; literal
text is `Text`, so that the two can never be confused.
"""

from __future__ import annotations

import ast
from typing import Final, Protocol, TypeAlias

from plugseal.lang.folded import HOLE, Text
from plugseal.lang.judging.telling import MAX_RANKED, most_telling, rank, text_of
from plugseal.lang.python.collecting.scope import Scope
from plugseal.lang.python.resolving.spread import spread_keywords

MAX_ALTERNATIVES: Final = 8
_TELLING: Final = (ast.Constant, ast.Attribute, ast.Name, ast.JoinedStr, ast.BinOp, ast.Lambda)


class Evaluation(Protocol):
    """What a container asks for its items, when it is first asked for them: the resolver of their file."""

    fuel: int

    def value(self, node: ast.AST, scope: Scope) -> Values:
        """Return what an expression may stand for; empty where nothing is known."""


class Sequence:
    """A list, tuple, set or iterator: the possible values of each item, resolved when first asked for."""

    __slots__ = ("_items", "_source")

    def __init__(
        self, items: tuple[Values, ...] | None, source: tuple[Evaluation, list[ast.expr], Scope] | None = None
    ) -> None:
        self._items = items
        self._source = source

    @property
    def items(self) -> tuple[Values, ...]:
        """All items."""
        if self._items is None:
            self._items = ()  # A list may hold itself.
            if self._source is not None:
                resolver, nodes, scope = self._source
                resolver.fuel -= len(nodes) // 4
                self._items = tuple(resolver.value(node, scope) for node in nodes)
        return self._items

    @property
    def size(self) -> int:
        """How many items there are."""
        return len(self._source[1]) if self._items is None and self._source is not None else len(self.items)

    def held(self, limit: int) -> list[AnyValue]:
        """Return what the first items may be, and those behind them that are written out and lead somewhere."""
        found = [one for at in range(min(limit, self.size)) for one in self.at(at)]
        if self.size > limit and self._items is None and self._source is not None:
            behind = [node.value for node in self._source[1][limit:MAX_RANKED] if isinstance(node, ast.Constant)]
            found.extend(Text(text) for text in behind if isinstance(text, str) and rank(text) == 0)
        return found

    def at(self, index: int) -> Values:
        """Return one item; empty outside the range."""
        if not -self.size <= index < self.size:
            return ()
        if self._items is None and self._source is not None:
            resolver, nodes, scope = self._source
            return resolver.value(nodes[index], scope)
        return self.items[index]


class Mapping:
    """A dictionary: pairs of possible keys and possible values, resolved when first asked for."""

    __slots__ = ("_pairs", "_source")

    def __init__(
        self,
        pairs: tuple[tuple[Values, Values], ...] | None,
        source: tuple[Evaluation, list[ast.expr], list[ast.expr], Scope] | None = None,
    ) -> None:
        self._pairs = pairs
        self._source = source

    @property
    def pairs(self) -> tuple[tuple[Values, Values], ...]:
        """All pairs."""
        if self._pairs is None:
            self._pairs = ()  # A dictionary may hold itself.
            if self._source is not None:
                resolver, keys, values, scope = self._source
                resolver.fuel -= len(keys) // 4
                both = zip(keys, values, strict=True)
                self._pairs = tuple((resolver.value(key, scope), resolver.value(value, scope)) for key, value in both)
        return self._pairs

    def held(self, limit: int) -> list[AnyValue]:
        """Return what the first pairs hold."""
        if self._pairs is None and self._source is not None:
            resolver, _, values, scope = self._source
            return [one for value in values[:limit] for one in resolver.value(value, scope)]
        return [one for _, values in self.pairs[:limit] for one in values]

    def find(self, wanted: object) -> Values:
        """Return the values under a key; those under keys that are not known where no known key fits."""
        if self._pairs is None and self._source is not None:
            resolver, keys, values, scope = self._source
            resolver.fuel -= len(keys) // 16
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and key.value == wanted and key.value.__class__ is wanted.__class__:
                    return resolver.value(value, scope)
            if all(key.__class__ is ast.Constant for key in keys):
                return ()
        for possible, held in self.pairs:
            if any(isinstance(one, Text) and one.whole and one.value == wanted for one in possible):
                return held
        return tuple(value for possible, held in self.pairs if not possible for value in held)[:MAX_ALTERNATIVES]


class Instance:
    """An object of a class of this file."""

    __slots__ = ("made_by", "of")

    def __init__(self, of: Scope, made_by: Arguments | None = None) -> None:
        self.of = of
        self.made_by = made_by


class Made:
    """Something reached through a call: `requests.Session()`, `requests.Session().get`, with the call that made it."""

    __slots__ = ("arguments", "name", "text")

    def __init__(self, name: str, arguments: Arguments | None, text: Text | None = None) -> None:
        self.name = name
        self.arguments = arguments
        """Those of the call that made the receiver."""
        self.text = text
        """For paths: the path itself."""


class Partial:
    """A callable with its first arguments bound."""

    __slots__ = ("arguments", "target")

    def __init__(self, target: Values, arguments: Arguments) -> None:
        self.target = target
        self.arguments = arguments


class Getter:
    """What `operator.attrgetter`, `itemgetter` and `methodcaller` return."""

    __slots__ = ("arguments", "kind", "names")

    def __init__(self, kind: str, names: Values, arguments: Arguments) -> None:
        self.kind = kind
        """`attribute`, `item` or `method`."""
        self.names = names
        self.arguments = arguments


class Space:
    """A namespace as a dictionary: `os.__dict__`, `vars(os)`, `globals()`."""

    __slots__ = ("of",)

    def __init__(self, of: AnyValue) -> None:
        self.of = of


class Method:
    """A method of a known constant or container, taken but not yet called."""

    __slots__ = ("name", "of")

    def __init__(self, of: AnyValue, name: str) -> None:
        self.of = of
        self.name = name


class Arguments:
    """The arguments of a call, each with the scope that it is read in."""

    __slots__ = ("bare", "keywords", "positional", "rest", "scope")

    def __init__(
        self,
        positional: tuple[tuple[ast.expr, Scope], ...],
        keywords: tuple[tuple[str, ast.expr, Scope], ...],
        rest: bool = False,
        bare: Values = (),
        scope: Scope | None = None,
    ) -> None:
        self.positional = positional
        self.keywords = keywords
        self.rest = rest
        """Whether `*args` or `**kwargs` bring more than is known."""
        self.scope = scope
        """Where the call stands, if it stands somewhere."""
        self.bare = bare
        """Values instead of nodes, for calls that no call node stands for (decorators)."""

    def keyword(self, name: str) -> tuple[ast.expr, Scope] | None:
        """Return the argument given by keyword."""
        for key, node, scope in self.keywords:
            if key == name:
                return node, scope
        return None

    def may_tell(self) -> bool:
        """Say whether an argument, by the way it is written, may be a constant or a name that matters."""
        nodes = [node for node, _ in self.positional] + [node for _, node, _ in self.keywords]
        return any(
            node.__class__ in _TELLING
            or (isinstance(node, (ast.List, ast.Tuple)) and bool(node.elts) and isinstance(node.elts[0], ast.Constant))
            for node in nodes
        )

    def after(self, earlier: Arguments) -> Arguments:
        """Return the arguments of a call whose first ones were bound before."""
        return Arguments(
            earlier.positional + self.positional, earlier.keywords + self.keywords, earlier.rest or self.rest, self.bare
        )


NO_ARGUMENTS: Final = Arguments((), ())

AnyValue: TypeAlias = str | Text | Sequence | Mapping | Scope | Instance | Made | Partial | Getter | Space | Method
Values: TypeAlias = tuple[AnyValue, ...]
"""What something may be; empty means unknown."""


def arguments_of(call: ast.Call, scope: Scope) -> Arguments:
    """Return the arguments of a call node; what stands after a `*` is not counted as positional."""
    positional: list[tuple[ast.expr, Scope]] = []
    rest = False
    for node in call.args:
        if node.__class__ is ast.Starred:
            starred = node.value
            if starred.__class__ in (ast.List, ast.Tuple) and not rest:
                positional.extend((item, scope) for item in starred.elts)
                continue
            rest = True
            break
        positional.append((node, scope))
    keywords = []
    for keyword in call.keywords:
        if keyword.arg is not None:
            keywords.append((keyword.arg, keyword.value, scope))
        elif keyword.value.__class__ is ast.Dict:
            rest = rest or None in keyword.value.keys
            keywords.extend(spread_keywords(keyword.value, scope))
        else:
            rest = True
            keywords.extend(spread_keywords(keyword.value, scope))
    return Arguments(tuple(positional), tuple(keywords), rest, scope=scope)


def unique(values: list[AnyValue] | Values) -> Values:
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
        texts = [*most_telling(texts, MAX_ALTERNATIVES, text_of), Text(HOLE, False)]
    elif len(texts) + len(named) < len(seen):
        texts.append(Text(HOLE, False))
    return (*named[: MAX_ALTERNATIVES * 2], *texts)
