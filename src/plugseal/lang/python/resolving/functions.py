"""Functions whose result is known from their arguments: those that fetch names, and those that pass things on.

Each takes the call's arguments and returns values, or None to say no more than the table does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import MAX_ITEMS, Text
from plugseal.lang.python.collecting.names import GETTERS
from plugseal.lang.python.collecting.scope import CLASS, FUNCTION, Parameter, Scope
from plugseal.lang.python.resolving.applying import with_names
from plugseal.lang.python.resolving.arguments import Given
from plugseal.lang.python.resolving.combine import combine, items_of
from plugseal.lang.python.resolving.conversions import CONVERSIONS
from plugseal.lang.python.resolving.members import base_values, item, member
from plugseal.lang.python.resolving.path_functions import PATH_FUNCTIONS
from plugseal.lang.python.resolving.unescaping import UNESCAPING
from plugseal.lang.python.resolving.values import (
    NO_ARGUMENTS,
    AnyValue,
    Arguments,
    Getter,
    Instance,
    Made,
    Partial,
    Sequence,
    Space,
    Values,
    unique,
)

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

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


def _map(given: Given) -> Values | None:
    """Apply a known function to each item of a known sequence."""
    for source in given.values(1):
        items = items_of(source)
        if items is None or len(items) > min(MAX_ITEMS, max(given.resolver.fuel, 0)):
            continue
        results: list[Values] = []
        for values in items:
            given.resolver.fuel -= 1
            arguments = Arguments((), (), bare=values)
            results.append(unique([r for f in given.values(0) for r in given.resolver.called(f, arguments)]))
        return (Sequence(tuple(results)),)
    return ()


def _filter(given: Given) -> Values | None:
    return given.values(1)


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
        elif isinstance(value, str):
            found.extend(member(given.resolver, value, "__class__"))
    return unique(found)


def _nothing(_given: Given) -> Values | None:
    return ()


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
    items = [items_of(value) for value in given.values(1)[:1]]
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
    if isinstance(function, str) and function in _OPERATORS:
        return combine(resolver, left, getattr(ast, _OPERATORS[function])(), right)
    if not isinstance(function, Scope) or function.kind != FUNCTION or len(function.exits) != 1:
        return ()
    names = [name for name, b in function.bindings.items() if b and isinstance(b[0], Parameter) and b[0].position >= 0]
    if len(names) < 2:
        return ()
    return with_names(resolver, function, {names[0]: left, names[1]: right}, function.exits[0])


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
    rest = given.after(1)
    return unique([result for function in given.values(0) for result in given.resolver.called(function, rest)])


def _resolve_name(given: Given) -> Values | None:
    """Return what `pkgutil.resolve_name("os:system")` and `pydoc.locate("os.system")` give."""
    names = [name.replace(":", ".").strip(".") for name in given.texts(0, "name", "path")]
    return tuple(given.resolver.tables.canonical(name) for name in names) or None


def _field(given: Given) -> Values | None:
    """Return what a field of a dataclass, of attrs or of pydantic holds where nobody gives it another value."""
    makers = [*given.values(-1, "default_factory"), *given.values(-1, "factory")]
    made = [result for maker in makers for result in given.resolver.called(maker, NO_ARGUMENTS)]
    return unique([*given.values(-1, "default"), *made])


def _positional_field(given: Given) -> Values | None:
    return unique([*given.values(0), *(_field(given) or ())])


def _stream_writer(given: Given) -> Values | None:
    """Return a writer that no table speaks of where it writes to a pipe, such as standard output."""
    transports = given.values(0, "transport")
    is_pipe = bool(transports) and all(isinstance(one, Made) and _PIPE in one.name for one in transports)
    return (Made("asyncio.connect_write_pipe()", given.arguments),) if is_pipe else None


_PIPE: Final = ".connect_write_pipe()"

FUNCTIONS: Final[dict[str, Function]] = {
    **CONVERSIONS,
    **PATH_FUNCTIONS,
    **UNESCAPING,
    **dict.fromkeys(GETTERS, _getattr),
    "builtins.__import__": _import_top,
    "importlib.__import__": _import_top,
    "importlib.import_module": _import_full,
    "builtins.__loader__.load_module": _import_full,
    "importlib.machinery.BuiltinImporter.load_module": _import_full,
    "importlib._bootstrap._gcd_import": _import_full,
    "unittest.mock._importer": _import_full,
    "sys.modules.get": _import_full,
    "sys.modules.__getitem__": _import_full,
    "sys.modules.pop": _import_full,
    "importlib.reload": _first,
    "builtins.reload": _first,
    "builtins.map": _map,
    "builtins.filter": _filter,
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
    "functools.wraps": _nothing,
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
    "os.fsdecode": _first,
    "os.fsencode": _first,
    "typing.cast": _second,
    "copy.copy": _first,
    "copy.deepcopy": _first,
    "asyncio.run": _first,
    "asyncio.wait_for": _first,
    "asyncio.create_task": _first,
    "asyncio.ensure_future": _first,
    "asyncio.StreamWriter": _stream_writer,
    "asyncio.streams.StreamWriter": _stream_writer,
    "contextlib.aclosing": _first,
    **dict.fromkeys(("pkgutil.resolve_name", "pydoc.locate", "logging.config._resolve"), _resolve_name),
    "logging.config.BaseConfigurator().resolve": _resolve_name,
    **dict.fromkeys(("django.utils.module_loading.import_string", "werkzeug.utils.import_string"), _resolve_name),
    **dict.fromkeys(("dataclasses.field", "attr.ib", "attr.field", "attrs.field"), _field),
    "pydantic.Field": _positional_field,
}
"""By canonical name."""
