"""Functions whose result is known from their arguments: those that fetch names, decode text, and pass things on.

Each takes the call's arguments and returns values, or None to say no more than the table does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from plugseal.lang.python.combine import combine, items_of, text_or_hole
from plugseal.lang.python.members import base_values, home_of, item, member
from plugseal.lang.python.paths import join_paths
from plugseal.lang.python.scope import CLASS
from plugseal.lang.python.texts import DECODERS, call_method, decode, plain, unpack
from plugseal.lang.python.values import (
    HOLE,
    MAX_ITEMS,
    MAX_TEXT,
    NO_ARGUMENTS,
    AnyValue,
    Arguments,
    Getter,
    Instance,
    Made,
    Mapping,
    Partial,
    Sequence,
    Space,
    Text,
    Values,
    unique,
)

if TYPE_CHECKING:
    from plugseal.lang.python.resolve import Resolver


class Given:
    """The arguments of one call, resolved when asked for."""

    __slots__ = ("arguments", "receiver", "resolver")

    def __init__(self, resolver: Resolver, arguments: Arguments, receiver: Made | None) -> None:
        self.resolver = resolver
        self.arguments = arguments
        self.receiver = receiver

    def values(self, position: int, *keywords: str) -> Values:
        """Return what an argument may be; empty where it is missing or unknown."""
        if 0 <= position < len(self.arguments.positional):
            return self.resolver.value(*self.arguments.positional[position])
        if position == 0 and self.arguments.bare:
            return self.arguments.bare
        for keyword in keywords:
            found = self.arguments.keyword(keyword)
            if found is not None:
                return self.resolver.value(*found)
        return ()

    def has(self, position: int) -> bool:
        """Say whether a positional argument was given."""
        return position < len(self.arguments.positional)

    def plain(self, position: int, *keywords: str) -> str | bytes | int | float | None:
        """Return the constant that an argument folds to."""
        return plain(self.values(position, *keywords))

    def texts(self, position: int, *keywords: str) -> list[str]:
        """Return every text that an argument may be."""
        values = self.values(position, *keywords)
        return [v.value for v in values if isinstance(v, Text) and v.whole and isinstance(v.value, str)]

    def last_texts(self) -> list[str]:
        """Return every text that the last positional argument may be."""
        return self.texts(len(self.arguments.positional) - 1)

    def path(self, position: int) -> Text:
        """Return an argument as text, holes included."""
        for value in self.values(position):
            return text_or_hole(value)
        return Text(HOLE, whole=False)

    def after(self, count: int) -> Arguments:
        """Return the arguments without the first ones."""
        arguments = self.arguments
        return Arguments(arguments.positional[count:], arguments.keywords, arguments.rest)


Function = Callable[[Given], Values | None]


def _getattr(given: Given) -> Values | None:
    names = given.texts(1)
    found: list[AnyValue] = []
    for value in given.values(0):
        for name in names:
            found.extend(member(given.resolver, value, name))
    if given.has(2):
        found.extend(given.values(2))
    return unique(found)


def _import_top(given: Given) -> Values | None:
    names = given.texts(0, "name")
    full = given.values(3, "fromlist")
    return tuple(given.resolver.tables.canonical(n if full else n.partition(".")[0]) for n in names) or None


def _import_full(given: Given) -> Values | None:
    package = given.plain(1, "package")
    names = given.texts(0, "name")
    if any(name.startswith(".") for name in names):
        return tuple(f"{package}{name}" if isinstance(package, str) else name for name in names)
    return tuple(given.resolver.tables.canonical(name) for name in names) or None


def _unpacker(name: str) -> Function:
    def unpack_given(given: Given) -> Values | None:
        value = given.plain(0, "s", "data")
        result = unpack(name, value) if isinstance(value, (str, bytes)) else None
        return (result,) if result is not None else None

    return unpack_given


def _codecs(given: Given) -> Values | None:
    value, encoding = given.plain(0, "obj"), given.plain(1, "encoding")
    if not isinstance(value, (str, bytes)):
        return None
    try:
        result = decode(value, encoding if encoding is not None else "utf-8")
    except (ValueError, TypeError, LookupError):
        return None
    return (result,) if result is not None else None


def _from_hex(given: Given) -> Values | None:
    value = given.plain(0)
    try:
        return (Text(bytes.fromhex(value)),) if isinstance(value, str) and len(value) <= MAX_TEXT else None
    except ValueError:
        return None


def _chr(given: Given) -> Values | None:
    codes = [v.value for v in given.values(0) if isinstance(v, Text) and isinstance(v.value, int)]
    return unique([Text(chr(code)) for code in codes if 0 <= code < 0x110000])


def _ord(given: Given) -> Values | None:
    value = given.plain(0)
    return (Text(ord(value)),) if isinstance(value, (str, bytes)) and len(value) == 1 else ()


def _int(given: Given) -> Values | None:
    value, base = given.plain(0), given.plain(1, "base")
    if isinstance(value, bool) or not isinstance(value, (str, int)) or (isinstance(value, str) and len(value) > 64):
        return ()
    try:
        return (Text(int(value, base) if isinstance(base, int) and isinstance(value, str) else int(value)),)
    except ValueError:
        return ()


def _str(given: Given) -> Values | None:
    value = given.plain(0)
    encoding = given.plain(1, "encoding")
    if isinstance(value, bytes):
        try:
            result = decode(value, encoding) if encoding is not None else None
        except (ValueError, LookupError):
            return ()
        return (result,) if result is not None else ()
    if isinstance(value, (str, int)):
        return (Text(str(value)),)
    texts = [text_or_hole(value) for value in given.values(0)]
    known = unique([text for text in texts if text.value != HOLE])
    return known or tuple(value for value in given.values(0) if isinstance(value, Made))


def _bytes(given: Given) -> Values | None:
    for value in given.values(0):
        if isinstance(value, Text) and isinstance(value.value, bytes):
            return (value,)
        if isinstance(value, Text) and isinstance(value.value, str) and value.whole:
            try:
                result = decode(value.value, given.plain(1, "encoding"))
            except (ValueError, LookupError):
                return ()
            return (result,) if result is not None else ()
        if isinstance(value, Sequence):
            codes = [plain(item) for item in value.items]
            if all(isinstance(code, int) and 0 <= code < 256 for code in codes):
                return (Text(bytes(codes)),)  # type: ignore[arg-type]  # all are int
    return tuple(value for value in given.values(0) if isinstance(value, Made))


def _listed(given: Given) -> Values | None:
    found: list[AnyValue] = []
    for value in given.values(0):
        items = items_of(given.resolver, value)
        found.append(value if items is None else Sequence(items))
    return unique(found)


def _reversed(given: Given) -> Values | None:
    found = [items_of(given.resolver, value) for value in given.values(0)]
    return unique([Sequence(items[::-1]) for items in found if items is not None])


def _next(given: Given) -> Values | None:
    from plugseal.lang.python.combine import item_of
    from plugseal.lang.python.scope import OPAQUE, Item

    how = Item(OPAQUE, "iterate")
    return unique([v for value in given.values(0) for v in item_of(given.resolver, value, how)])


def _range(given: Given) -> Values | None:
    numbers = [given.plain(at) for at in range(len(given.arguments.positional))]
    if not 1 <= len(numbers) <= 3 or not all(isinstance(number, int) for number in numbers):
        return ()
    if len(numbers) == 3 and numbers[2] == 0:
        return ()
    span = range(*numbers)  # type: ignore[arg-type]  # all are int
    return (Sequence(tuple((Text(n),) for n in span)),) if len(span) <= MAX_ITEMS else ()


def _len(given: Given) -> Values | None:
    for value in given.values(0):
        if isinstance(value, Sequence):
            return (Text(value.size),)
        return (Text(len(value.value)),) if isinstance(value, Text) and isinstance(value.value, (str, bytes)) else ()
    return ()


def _map(given: Given) -> Values | None:
    """Apply a known function to each item of a known sequence."""
    from plugseal.lang.python.calls import called

    for source in given.values(1):
        items = items_of(given.resolver, source)
        if items is None or len(items) > min(MAX_ITEMS, max(given.resolver.fuel, 0)):
            continue
        results: list[Values] = []
        for values in items:
            given.resolver.fuel -= 1
            arguments = Arguments((), (), bare=values)
            results.append(unique([r for f in given.values(0) for r in called(given.resolver, f, arguments)]))
        return (Sequence(tuple(results)),)
    return ()


def _filter(given: Given) -> Values | None:
    return given.values(1)


def _zip(given: Given) -> Values | None:
    columns: list[tuple[Values, ...]] = []
    for at in range(len(given.arguments.positional)):
        found = [items_of(given.resolver, value) for value in given.values(at)[:1]]
        if not found or found[0] is None:
            return ()
        columns.append(found[0])
    rows = zip(*columns, strict=False)
    return (Sequence(tuple((Sequence(tuple(row)),) for row in rows)),) if columns else ()


def _enumerate(given: Given) -> Values | None:
    for value in given.values(0):
        items = items_of(given.resolver, value)
        if items is None:
            return ()
        pairs = tuple((Sequence(((Text(at),), values)),) for at, values in enumerate(items))
        return (Sequence(pairs),)
    return ()


def _dict(given: Given) -> Values | None:
    pairs: list[tuple[Values, Values]] = []
    for value in given.values(0):
        if isinstance(value, Mapping):
            pairs.extend(value.pairs)
        elif isinstance(value, Made) or isinstance(value, str):
            return (value,)
    arguments = given.arguments
    pairs.extend(((Text(key),), given.resolver.value(node, scope)) for key, node, scope in arguments.keywords)
    return (Mapping(tuple(pairs)),)


def _vars(given: Given) -> Values | None:
    if not given.arguments.positional:
        return (Space(given.resolver.root),)
    return tuple(Space(value) for value in given.values(0))


def _globals(given: Given) -> Values | None:
    return (Space(given.resolver.root),)


def _super(given: Given) -> Values | None:
    node = given.arguments
    scope = node.positional[0][1] if node.positional else node.scope
    receiver = scope.receiver if scope is not None else None
    if receiver is None:
        return ()
    found: list[AnyValue] = []
    for base in base_values(given.resolver, receiver[1]):
        if isinstance(base, str):
            found.append(Made(given.resolver.tables.canonical(base + "()"), None))
        elif getattr(base, "kind", "") == CLASS:
            found.append(Instance(base))  # type: ignore[arg-type]  # only scopes have that kind
    return unique(found)


def _type(given: Given) -> Values | None:
    found: list[AnyValue] = []
    for value in given.values(0):
        if isinstance(value, Instance):
            found.append(value.of)
        elif isinstance(value, Made) and value.name.endswith("()"):
            found.append(value.name[:-2])
    return unique(found)


def _first(given: Given) -> Values | None:
    return given.values(0)


def _second(given: Given) -> Values | None:
    return given.values(1)


def _partial(given: Given) -> Values | None:
    target = given.values(0)
    return (Partial(target, given.after(1)),) if target else ()


def _partial_unbound(given: Given) -> Values | None:
    return (Partial(given.values(0), NO_ARGUMENTS),) if given.values(0) else ()


def _reduce(given: Given) -> Values | None:
    """Fold `reduce(getattr, names, start)` and sums of known text."""
    functions = given.values(0)
    items = [items_of(given.resolver, value) for value in given.values(1)[:1]]
    if not functions or not items or items[0] is None or len(items[0]) > 1_000:
        return ()
    rest = list(items[0])
    current = given.values(2) if given.has(2) else (rest.pop(0) if rest else ())
    for values in rest:
        if "builtins.getattr" in functions:
            names = [v.value for v in values if isinstance(v, Text) and isinstance(v.value, str)]
            current = unique([one for base in current for name in names for one in member(given.resolver, base, name)])
        else:
            current = _two(given.resolver, functions[0], current, values)
    return current


def _two(resolver: Resolver, function: AnyValue, left: Values, right: Values) -> Values:
    """Apply a function of two values: a lambda or function of the file, or an operator."""
    import ast

    from plugseal.lang.python.scope import FUNCTION, Parameter, Scope

    if isinstance(function, str) and function in _OPERATORS:
        return combine(resolver, left, getattr(ast, _OPERATORS[function])(), right)
    if not isinstance(function, Scope) or function.kind != FUNCTION or len(function.exits) != 1:
        return ()
    names = [name for name, b in function.bindings.items() if b and isinstance(b[0], Parameter) and b[0].position >= 0]
    if len(names) < 2:
        return ()
    return resolver.with_names(function, {names[0]: left, names[1]: right}, function.exits[0])


_OPERATORS: Final = {
    "operator.add": "Add",
    "operator.concat": "Add",
    "operator.iadd": "Add",
    "operator.xor": "BitXor",
    "operator.sub": "Sub",
    "operator.mul": "Mult",
    "operator.mod": "Mod",
    "operator.truediv": "Div",
}


def _operator(name: str) -> Function:
    def combine_given(given: Given) -> Values | None:
        return _two(given.resolver, name, given.values(0), given.values(1))

    return combine_given


def _getter(kind: str) -> Function:
    def make(given: Given) -> Values | None:
        return (Getter(kind, given.values(0), given.after(1)),)

    return make


def _getitem(given: Given) -> Values | None:
    index = given.values(1)
    return unique([found for value in given.values(0) for found in item(given.resolver, value, index)])


def _call(given: Given) -> Values | None:
    from plugseal.lang.python.calls import called

    rest = given.after(1)
    return unique([result for function in given.values(0) for result in called(given.resolver, function, rest)])


def _unbound_method(name: str) -> Function:
    """Return `str.join(", ", x)` and the like: a method taken from its class."""

    def call(given: Given) -> Values | None:
        of = given.plain(0)
        if not isinstance(of, (str, bytes)):
            return None
        count = len(given.arguments.positional)
        result = call_method(of, name, [given.values(at) for at in range(1, count)], {})
        return (result,) if result is not None else None

    return call


def _join(given: Given) -> Values | None:
    parts: list[Text | None] = [given.path(at) for at in range(len(given.arguments.positional))]
    if given.arguments.rest:
        parts.append(None)
    joined = join_paths(parts)
    return (joined,) if joined.value != HOLE else ()


def _same_path(given: Given) -> Values | None:
    text = given.path(0)
    return (text,) if text.value != HOLE else ()


def _folder(given: Given) -> Values | None:
    text = given.path(0)
    if not isinstance(text.value, str) or "/" not in text.value:
        return None
    head = text.value.rpartition("/")[0]
    return (Text(head, text.whole),) if HOLE not in text.value.rpartition("/")[2] else None


def _expanded(given: Given) -> Values | None:
    text = given.path(0)
    if text.value == HOLE or not isinstance(text.value, str):
        return None
    return (Text(text.value.replace("$HOME", "~", 1).replace("${HOME}", "~", 1), text.whole),)


def _environment(given: Given) -> Values | None:
    name = given.plain(0, "key")
    home = home_of(name) if isinstance(name, str) else None
    origin = given.receiver.name if given.receiver is not None else "os.getenv"
    return (Made(f"{origin}()", given.arguments, home),) if home is not None else None


def _split_words(given: Given) -> Values | None:
    import shlex

    text = given.plain(0, "s")
    if not isinstance(text, str) or len(text) > 4_096:
        return None
    try:
        words = shlex.split(text)
    except ValueError:
        return None
    return (Sequence(tuple((Text(word),) for word in words)),)


FUNCTIONS: Final[dict[str, Function]] = {
    "builtins.getattr": _getattr,
    "inspect.getattr_static": _getattr,
    "builtins.__import__": _import_top,
    "importlib.__import__": _import_top,
    "importlib.import_module": _import_full,
    "builtins.__loader__.load_module": _import_full,
    "importlib.machinery.BuiltinImporter.load_module": _import_full,
    "sys.modules.get": _import_full,
    "sys.modules.__getitem__": _import_full,
    "sys.modules.pop": _import_full,
    "importlib.reload": _first,
    "builtins.reload": _first,
    **{name: _unpacker(name) for name in DECODERS},
    "codecs.decode": _codecs,
    "codecs.encode": _codecs,
    "builtins.bytes.fromhex": _from_hex,
    "builtins.bytearray.fromhex": _from_hex,
    "builtins.chr": _chr,
    "builtins.unichr": _chr,
    "builtins.ord": _ord,
    "builtins.int": _int,
    "builtins.str": _str,
    "builtins.unicode": _str,
    "builtins.bytes": _bytes,
    "builtins.bytearray": _bytes,
    "builtins.memoryview": _bytes,
    "builtins.list": _listed,
    "builtins.tuple": _listed,
    "builtins.set": _listed,
    "builtins.frozenset": _listed,
    "builtins.sorted": _listed,
    "builtins.iter": _listed,
    "builtins.reversed": _reversed,
    "builtins.next": _next,
    "builtins.range": _range,
    "builtins.len": _len,
    "builtins.map": _map,
    "builtins.filter": _filter,
    "builtins.zip": _zip,
    "builtins.enumerate": _enumerate,
    "builtins.dict": _dict,
    "builtins.vars": _vars,
    "builtins.globals": _globals,
    "builtins.locals": _globals,
    "builtins.super": _super,
    "builtins.type": _type,
    "builtins.staticmethod": _first,
    "builtins.classmethod": _first,
    "builtins.property": _first,
    "functools.partial": _partial,
    "functools.partialmethod": _partial,
    "functools.wraps": lambda given: (),
    "functools.lru_cache": _partial_unbound,
    "functools.cache": _first,
    "functools.reduce": _reduce,
    "builtins.reduce": _reduce,
    "operator.attrgetter": _getter("attribute"),
    "operator.itemgetter": _getter("item"),
    "operator.methodcaller": _getter("method"),
    "operator.getitem": _getitem,
    "operator.call": _call,
    **{name: _operator(name) for name in _OPERATORS},
    **{
        f"builtins.{kind}.{name}": _unbound_method(name)
        for kind in ("str", "bytes")
        for name in (
            "join",
            "format",
            "replace",
            "lower",
            "upper",
            "decode",
            "encode",
            "strip",
            "__add__",
            "__getitem__",
            "split",
        )
    },
    "os.path.join": _join,
    "os.path.expanduser": _same_path,
    "os.path.expandvars": _expanded,
    "os.path.abspath": _same_path,
    "os.path.normpath": _same_path,
    "os.path.realpath": _same_path,
    "os.path.dirname": _folder,
    "os.fspath": _same_path,
    "os.fsdecode": _first,
    "os.fsencode": _first,
    "os.getenv": _environment,
    "os.environ.get": _environment,
    "shlex.split": _split_words,
    "typing.cast": _second,
    "copy.copy": _first,
    "copy.deepcopy": _first,
    "asyncio.run": _first,
    "asyncio.wait_for": _first,
    "asyncio.create_task": _first,
    "asyncio.ensure_future": _first,
    "contextlib.aclosing": _first,
}
"""By canonical name."""
