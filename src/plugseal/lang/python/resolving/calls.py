"""What calls give back: constructors, functions of the file, and the built-in functions that move names about."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE, MAX_ITEMS, Text
from plugseal.lang.python.collecting.scope import CLASS, Scope
from plugseal.lang.python.resolving.applying import apply
from plugseal.lang.python.resolving.arguments import Given
from plugseal.lang.python.resolving.certain import grows
from plugseal.lang.python.resolving.functions import FUNCTIONS
from plugseal.lang.python.resolving.members import class_member, from_space, item, member
from plugseal.lang.python.resolving.paths import PATH_TYPE, joined_paths, path_text, renamed
from plugseal.lang.python.resolving.texts import method_results
from plugseal.lang.python.resolving.unescaping import translated
from plugseal.lang.python.resolving.values import (
    MAX_ALTERNATIVES,
    NO_ARGUMENTS,
    AnyValue,
    Arguments,
    Getter,
    Instance,
    Made,
    Mapping,
    Method,
    Partial,
    Sequence,
    Space,
    Values,
    arguments_of,
    unique,
)

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

_NAMELESS: Final = frozenset(
    f"{module}.{name}"
    for module in ("tempfile", "aiofiles.tempfile")
    for name in ("NamedTemporaryFile", "TemporaryFile")
)
"""What gives an open file of a name that no argument says."""


def call_value(resolver: Resolver, node: ast.Call, scope: Scope) -> Values:
    """Return what a call gives back."""
    callees = resolver.value(node.func, scope)
    if not callees:
        return ()
    arguments = arguments_of(node, scope)
    return unique([value for callee in callees for value in called(resolver, callee, arguments)])


def called(resolver: Resolver, callee: AnyValue, arguments: Arguments) -> Values:
    """Return what calling one value with arguments gives back."""
    if isinstance(callee, str):
        return _call_name(resolver, callee, arguments, None)
    if isinstance(callee, Made):
        return _call_name(resolver, callee.name, arguments, callee)
    if isinstance(callee, Scope):
        if callee.kind == CLASS:
            return (Instance(callee, arguments),)
        return apply(resolver, callee, arguments)
    if isinstance(callee, Method):
        return _call_method(resolver, callee, arguments)
    if isinstance(callee, Partial):
        merged = arguments.after(callee.arguments)
        return unique([value for target in callee.target for value in called(resolver, target, merged)])
    if isinstance(callee, Getter):
        return _get(resolver, callee, arguments)
    if isinstance(callee, Instance):
        methods = class_member(resolver, callee.of, "__call__", 0)
        found = [v for m in methods if isinstance(m, Scope) for v in apply(resolver, m, arguments)]
        return unique(found) if methods else (callee,)
    return ()


def _call_name(resolver: Resolver, name: str, arguments: Arguments, receiver: Made | None) -> Values:
    function = FUNCTIONS.get(name)
    if function is not None:
        known = function(Given(resolver, arguments, receiver))
        if known is not None:
            return known
    if receiver is not None and resolver.tables.is_plain(name):
        return (receiver,)
    if name.endswith((".__getattribute__", ".__getattr__")):
        base = name.rpartition(".")[0]
        found = [m for text in Given(resolver, arguments, None).last_texts() for m in member(resolver, base, text)]
        if found:
            return unique(found)
    full = f"{name}()"
    result = full if full.startswith(".") else resolver.tables.canonical(full)
    if result == PATH_TYPE:
        return unique(_paths(resolver, name, arguments, receiver))
    if receiver is not None and name == f"{PATH_TYPE}.open":
        # What is written and read is at the path: the call's own first argument is the mode.
        return (Made(result, receiver.arguments, path_text(receiver)),)
    if receiver is not None and receiver.name.startswith(result):
        return (Made(result, receiver.arguments, receiver.text),)
    return (Made(result, NO_ARGUMENTS if name in _NAMELESS else arguments),)


def _paths(resolver: Resolver, name: str, arguments: Arguments, receiver: Made | None) -> list[AnyValue]:
    """Return the path objects that a constructor or a method of a path may give, each with its text."""
    given = Given(resolver, arguments, receiver)
    if name == "pathlib.Path":
        texts = joined_paths(given.every_path() or [[Text(".")]])
        return [Made(PATH_TYPE, arguments, text) for text in texts]
    if name.endswith(".home"):
        return [Made(PATH_TYPE, arguments, Text("~"))]
    if name.endswith(".cwd"):
        return [Made(PATH_TYPE, arguments, Text("."))]
    if receiver is None:
        return [Made(PATH_TYPE, arguments)]
    method = name.rpartition(".")[2]
    if method == "joinpath":
        texts = joined_paths([[receiver.text], *given.every_path()])
        return [Made(PATH_TYPE, receiver.arguments, text) for text in texts]
    if method in ("with_name", "with_suffix", "with_stem"):
        # Never the receiver's own arguments: `Path(home, "a").with_suffix(".b")` is not `home`.
        return [Made(PATH_TYPE, NO_ARGUMENTS, renamed(receiver.text, method, one)) for one in given.paths(0)]
    if method in ("relative_to", "rename", "replace", "readlink"):
        return [Made(PATH_TYPE, NO_ARGUMENTS, Text(HOLE, whole=False))]
    return [Made(PATH_TYPE, receiver.arguments, receiver.text)]


def _call_method(resolver: Resolver, method: Method, arguments: Arguments) -> Values:
    of, name = method.of, method.name
    given = Given(resolver, arguments, None)
    if isinstance(of, Space):
        if name in ("get", "__getitem__", "pop", "setdefault"):
            return unique([v for key in given.texts(0) for v in from_space(resolver, of, key)])
        if name in ("copy", "items"):
            return (of,)
        return ()
    if isinstance(of, Text):
        return _call_text_method(of, name, given, arguments)
    if isinstance(of, Mapping):
        return _call_mapping_method(of, name, given)
    if isinstance(of, Sequence):
        if name in ("pop", "__getitem__"):
            return item(resolver, of, given.values(0) if arguments.positional else (Text(-1),))
        if name == "__iter__" or name == "copy":
            return (of,)
        if name == "__next__":
            return of.items[0] if of.items else ()
    return ()


def _call_text_method(of: Text, name: str, given: Given, arguments: Arguments) -> Values:
    if not isinstance(of.value, (str, bytes)):
        return _call_number_method(of, name, given)
    if not of.whole:
        if name == "split" and not arguments.positional and not arguments.keywords and isinstance(of.value, str):
            parts = of.value.split()
            return (Sequence(tuple((Text(part, HOLE not in part),) for part in parts[:MAX_ITEMS])),)
        return (of,) if name in ("strip", "encode", "decode", "rstrip", "lower", "format") else ()
    positional = [given.values(at) for at in range(len(arguments.positional))]
    if name == "translate" and isinstance(of.value, str):
        return tuple(found for table in given.values(0) if (found := translated(of.value, table)) is not None)
    keywords = {key: given.resolver.value(node, scope) for key, node, scope in arguments.keywords}
    if name == "join" and positional:
        given.resolver.fuel -= sum(one.size for one in positional[0] if isinstance(one, Sequence)) // 16
    results = method_results(of.value, name, positional, keywords)
    if name == "join" and positional and grows(given.resolver, *arguments.positional[0]):
        results = [_going_on(one, of.value) for one in results]
    return unique(results)


def _going_on(line: AnyValue, glue: str | bytes) -> AnyValue:
    """Return a line to which something was added later, at no one place: it goes on, and nobody knows how."""
    if isinstance(line, Text) and isinstance(line.value, str) and isinstance(glue, str):
        return Text(line.value + glue + HOLE, False)
    return line


def _call_number_method(of: Text, name: str, given: Given) -> Values:
    if name != "to_bytes" or not isinstance(of.value, int):
        return ()
    length, order = given.plain(0, "length"), given.plain(1, "byteorder")
    if not isinstance(length, int) or order not in ("big", "little", None) or not 0 <= length <= 4_096:
        return ()
    try:
        return (Text(of.value.to_bytes(length, "little" if order == "little" else "big")),)
    except OverflowError:
        return ()


def _call_mapping_method(of: Mapping, name: str, given: Given) -> Values:
    if name in ("get", "pop", "__getitem__", "setdefault"):
        key = given.plain(0)
        if key is not None:
            return unique([*of.find(key), *given.values(1)])
        return unique(of.held(64))
    if name == "values":
        return (Sequence(tuple(values for _, values in of.pairs)),)
    if name == "keys":
        return (Sequence(tuple(keys for keys, _ in of.pairs)),)
    if name == "items":
        return (Sequence(tuple((Sequence((keys, values)),) for keys, values in of.pairs)),)
    return (of,) if name == "copy" else ()


def _get(resolver: Resolver, getter: Getter, arguments: Arguments) -> Values:
    """Return what applying `attrgetter`, `itemgetter` or `methodcaller` gives."""
    if getter.kind == "item":
        values = Given(resolver, arguments, None).values(0)
        return unique([found for value in values for found in item(resolver, value, getter.names)])
    reached = named_members(resolver, getter, arguments)
    if getter.kind == "method":
        return unique([result for one in reached for result in called(resolver, one, getter.arguments)])
    return reached


def named_members(resolver: Resolver, getter: Getter, arguments: Arguments) -> Values:
    """Return the members, with dots followed, that a getter takes from the first argument."""
    found: list[AnyValue] = []
    for value in Given(resolver, arguments, None).values(0):
        for name in getter.names[:MAX_ALTERNATIVES]:
            if isinstance(name, Text) and isinstance(name.value, str) and name.whole:
                reached: Values = (value,)
                for part in name.value.split(".")[:16]:
                    reached = unique([one for base in reached for one in member(resolver, base, part)])
                found.extend(reached)
    return unique(found)
