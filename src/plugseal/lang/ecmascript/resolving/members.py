"""Properties and items: `value.name` and `value[index]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.collecting.scope import CLASS, Scope, Typed
from plugseal.lang.ecmascript.resolving.applying import apply
from plugseal.lang.ecmascript.resolving.names import (
    ENVIRONMENT,
    FUNCTION_MAKER,
    GLOBAL_THIS,
    META,
    REQUIRE,
    global_values,
    variable_value,
)
from plugseal.lang.ecmascript.resolving.values import (
    MAX_ALTERNATIVES,
    MAX_QUALIFIED,
    NO_ARGUMENTS,
    AnyValue,
    Instance,
    Made,
    Mapping,
    Method,
    Partial,
    Sequence,
    Table,
    Values,
    unique,
)
from plugseal.lang.folded import HOLE, Text
from plugseal.lang.judging.telling import MAX_RANKED, rank

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Binding, Store
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

CALLERS: Final = frozenset(("call", "apply", "bind"))
_PROTOTYPE: Final = ".prototype"
HOSTED: Final = "globals.ActiveXObject()"
"""An object of Windows, whose names are the same in capitals."""
PROMISED: Final = "Async"
"""What is added to the names of functions that were made to give promises, all of an object at once."""
_PROMISES: Final = frozenset(("then", "catch", "finally"))
_OF_ANY: Final = CALLERS | _PROMISES
"""What every function and every promise has, unless a table says that an object has one of its own: `socket.bind`."""
_MAX_BASES: Final = 8


def member_of(resolver: Resolver, value: AnyValue, name: str) -> Values:
    """Return what `value.name` may be."""
    if value.__class__ is str:
        return _of_name(resolver, value, name)
    if isinstance(value, Made):
        return _of_made(resolver, value, name)
    if isinstance(value, Mapping):
        return _of_mapping(resolver, value, name)
    if isinstance(value, Instance):
        return instance_member(resolver, value.of, name, 0)
    if isinstance(value, Scope):
        return _of_scope(resolver, value, name)
    if isinstance(value, (Text, Sequence)):
        return _of_constant(resolver, value, name)
    if name == "constructor":
        return (FUNCTION_MAKER,)
    return (Method(value, name),) if name in CALLERS else ()


def _of_name(resolver: Resolver, base: str, name: str) -> Values:
    if len(base) > MAX_QUALIFIED:
        return ()
    if base == GLOBAL_THIS:
        return global_values(resolver.tables, name, is_named=True)
    if "#" in base:
        if name in CALLERS or (name in _PROMISES and base.endswith("#")):
            return (Method(base, name),)
        return (f"{base}{name}" if base.endswith("#") else f"{base}.{name}",)
    if base == ENVIRONMENT:
        return (variable_value(name) or Made("process.env[]", None),)
    if base == META:
        return _of_meta(name)
    if name in _OF_ANY and base != "globals.Reflect" and not resolver.tables.has_exact(f"{base}.{name}"):
        return (Method(base, name),)
    if name == "default":
        return (base,)
    if base == "globals.WScript" and name.lower() == "createobject":
        name = "CreateObject"
    full = f"{base}.{name}"
    known = resolver.tables.canonical(full)
    if name.endswith(PROMISED) and known == full and not resolver.tables.has_below(full):
        return (resolver.tables.canonical(full.removesuffix(PROMISED)),)
    if base.endswith(_PROTOTYPE) and known == full and not resolver.tables.has_below(full):
        made = resolver.tables.canonical(f"{base.removesuffix(_PROTOTYPE)}().{name}")
        return (made if resolver.tables.has_below(made) else full,)
    if name == "constructor" and known == full:
        return (base.removesuffix(".prototype") if base.endswith(".prototype") else FUNCTION_MAKER,)
    if name == "__proto__" and known == full:
        return (base,)
    return (known,)


def _of_meta(name: str) -> Values:
    if name == "env":
        return (ENVIRONMENT,)
    if name == "require":
        return (REQUIRE,)
    return (Text(HOLE, whole=False),) if name in ("url", "dirname", "filename", "dir", "path", "file") else ()


def _of_made(resolver: Resolver, base: Made, name: str) -> Values:
    if len(base.name) > MAX_QUALIFIED:
        return ()
    if resolver.tables.is_plain(base.name):
        return (base,)
    if name == "constructor":
        return (base.name.removesuffix("()") if base.name.endswith("()") else FUNCTION_MAKER,)
    if base.text is not None and name in ("href", "pathname", "host", "hostname", "toString"):
        return (base.text,) if name == "href" else (Method(base.text, name),)
    if name in _OF_ANY and not resolver.tables.has_exact(f"{base.name}.{name}"):
        return (Method(base, name),)
    if base.name == HOSTED:
        name = next((one for one in sorted(resolver.tables.members_of(HOSTED)) if one.lower() == name.lower()), name)
    if name.isdigit():
        item = resolver.tables.canonical(f"{base.name}[]")
        if not item.endswith("[]"):
            return (Made(item, base.arguments),)
    known = resolver.tables.canonical(f"{base.name}.{name}")
    return (Made(known, base.arguments),)


def _of_mapping(resolver: Resolver, base: Mapping, name: str) -> Values:
    found = base.find(name)
    if found is not None:
        more = [one for value in base.spread() if isinstance(value, str) for one in member_of(resolver, value, name)]
        return unique([*found, *more])
    return ("globals.Object",) if name == "constructor" else ()


def _of_constant(resolver: Resolver, base: Text | Sequence, name: str) -> Values:
    if name == "length":
        size = len(base.value) if isinstance(base, Text) and isinstance(base.value, (str, bytes)) else None
        size = base.size if isinstance(base, Sequence) else size
        return (Text(size),) if size is not None else ()
    if name == "constructor":
        if isinstance(base, Sequence):
            return ("globals.Array",)
        return ("globals.String" if isinstance(base.value, str) else "globals.Number",)
    if name.isdigit():
        return item_of(resolver, base, int(name[:9]))
    return (Method(base, name),)


def _of_scope(resolver: Resolver, base: Scope, name: str) -> Values:
    if name in CALLERS:
        return (Method(base, name),)
    if name in ("constructor", "__proto__"):
        return (FUNCTION_MAKER,)
    if name == "prototype":
        return (Instance(base),)
    if base.kind != CLASS:
        return ()
    return _static(resolver, base, name, 0)


def _static(resolver: Resolver, of: Scope, name: str, depth: int) -> Values:
    """Return what a static member of a class may be, looked up in what it extends too."""
    found: list[AnyValue] = []
    owner = of.parent or of
    for binding in of.statics.get(name.encode("utf-8", "replace"), ()):
        found.extend(_read(resolver, binding, owner))
    if not found and of.superclass is not None and depth < _MAX_BASES:
        for parent in resolver.value(of.superclass, owner):
            if isinstance(parent, str):
                found.extend(member_of(resolver, parent, name))
            elif isinstance(parent, Scope) and parent is not of and parent.kind == CLASS:
                found.extend(_static(resolver, parent, name, depth + 1))
    return unique(found)


def _read(resolver: Resolver, binding: Binding, owner: Scope) -> Values:
    """Return what a member of a class is when it is read: a getter runs."""
    if isinstance(binding, Scope) and binding.is_method:
        return apply(resolver, binding, NO_ARGUMENTS)
    return resolver.bound(binding, owner)


def instance_member(resolver: Resolver, of: Scope, name: str, depth: int) -> Values:
    """Return what a property of an object of a class, or of a function used as one, may be."""
    if name == "constructor":
        return (of,)
    key = name.encode("utf-8", "replace")
    found: list[AnyValue] = []
    owner = of.parent or of
    declared: Binding | None = None
    if of.kind == CLASS:
        for binding in of.bindings.get(key, ()):
            if binding.__class__ is Typed:
                declared = binding
            else:
                found.extend(_read(resolver, binding, owner))
    for store in resolver.stores.get(key, ())[:MAX_ALTERNATIVES]:
        if _is_this_of(resolver, store, of):
            found.extend(resolver.bound(store.value, store.scope))
    if declared is not None and not any(isinstance(one, Made) for one in found):
        found.extend(resolver.bound(declared, owner))
    if not found and of.superclass is not None and depth < _MAX_BASES:
        for parent in resolver.value(of.superclass, owner):
            if isinstance(parent, Scope) and parent is not of:
                found.extend(instance_member(resolver, parent, name, depth + 1))
            elif isinstance(parent, str):
                base = resolver.tables.canonical(f"{parent}()")
                found.append(Made(resolver.tables.canonical(f"{base}.{name}"), None))
    return unique(found)


def _is_this_of(resolver: Resolver, store: Store, of: Scope) -> bool:
    """Say whether `this.name = value` stands in a method of a class, or in the function itself."""
    base = store.target.child_by_field_id(resolver.grammar.object)
    if base is None or resolver.data[base.start_byte : base.end_byte] != b"this":
        return False
    scope: Scope | None = store.scope
    while scope is not None and scope.home is None and scope is not of and scope.kind == "arrow":
        scope = scope.parent
    return scope is of or (scope is not None and scope.home is of)


def stored_members(resolver: Resolver, node: Node, base: Node, name: str, scope: Scope) -> list[AnyValue]:
    """Return what was assigned to a property of the same object, by the way it is written, or to a prototype's.

    Args:
        resolver: of the file.
        node: the whole expression.
        base: what stands before the name.
        name: the property.
        scope: where it is read.
    """
    key = name.encode("utf-8", "replace")
    if key not in resolver.stores:
        return []
    by_base, hung = _stores_of(resolver, key)
    written = resolver.data[base.start_byte : base.end_byte]
    found: list[AnyValue] = []
    for store in hung:
        if store.target != node:
            found.extend(resolver.bound(store.value, store.scope))
    for store in by_base.get(written, ()):
        if store.target != node and _same_root(written, scope, store.scope):
            found.extend(resolver.bound(store.value, store.scope))
    return found


def _stores_of(resolver: Resolver, key: bytes) -> tuple[dict[bytes, list[Store]], list[Store]]:
    """Return what was assigned to a property, by what is written before it; and what was hung on prototypes."""
    known = resolver.stored.get(key)
    if known is not None:
        return known
    by_base: dict[bytes, list[Store]] = {}
    hung: list[Store] = []
    for store in resolver.stores[key]:
        target = store.target.child_by_field_id(resolver.grammar.object)
        written = resolver.data[target.start_byte : target.end_byte] if target is not None else b""
        these = hung if written.endswith(b".prototype") else by_base.setdefault(written, [])
        if len(these) < MAX_ALTERNATIVES:
            these.append(store)
    resolver.stored[key] = by_base, hung
    return by_base, hung


def _same_root(written: bytes, one: Scope, other: Scope) -> bool:
    root = written.split(b".", 1)[0].split(b"[", 1)[0].strip()
    return root != b"this" and owner_of(root, one) is owner_of(root, other)  # A frame shares its function's bindings.


def item_of(resolver: Resolver, value: AnyValue, index: int) -> Values:
    """Return what `value[index]` may be."""
    if isinstance(value, Sequence):
        return value.at(index)
    if isinstance(value, Text):
        held = value.value
        if isinstance(held, str) and value.whole and 0 <= index < len(held):
            return (Text(held[index]),)
        return (Text(held[index]),) if isinstance(held, bytes) and 0 <= index < len(held) else ()
    if isinstance(value, Mapping):
        return value.find(str(index)) or ()
    return _unknown_item(resolver, value)


_MAX_HELD: Final = 64
"""Items of an array that are looked at whatever they are."""


def items_of(resolver: Resolver, value: AnyValue) -> Values:
    """Return what any item of a value may be."""
    if isinstance(value, Sequence):
        found = [one for at in range(min(value.size, _MAX_HELD)) for one in value.at(at)]
        # Of those behind them what leads to a place of secrets.
        found += [one for at in range(_MAX_HELD, min(value.size, MAX_RANKED)) for one in value.at(at) if _tells(one)]
        return with_more(value, unique(found))
    if isinstance(value, Text) and isinstance(value.value, str) and value.whole:
        return unique([Text(one) for one in value.value[:MAX_ALTERNATIVES]])
    return _unknown_item(resolver, value)


def _tells(value: AnyValue) -> bool:
    return isinstance(value, Text) and rank(value.value) == 0


def with_more(of: Sequence, found: Values) -> Values:
    """Return what some items may be, and that they may be anything else where more is added to the array."""
    if of.is_open and any(isinstance(one, Text) for one in found):
        return (*found, Text(HOLE, whole=False))
    return found


def values_of(resolver: Resolver, value: AnyValue) -> Values:
    """Return what any value of a `Map`, or any item of something else, may be."""
    if isinstance(value, Table):
        return unique([one for pair in items_of(resolver, value) for one in item_of(resolver, pair, 1)])
    return items_of(resolver, value)


def _unknown_item(resolver: Resolver, value: AnyValue) -> Values:
    name = value.name if isinstance(value, Made) else value
    if not isinstance(name, str) or "#" in name or len(name) > MAX_QUALIFIED:
        return ()
    full = resolver.tables.canonical(name + "[]")
    return (Made(full, value.arguments if isinstance(value, Made) else None),)


def rest_of(value: AnyValue, place: int) -> Values:
    """Return what a rest pattern leaves of a value."""
    if isinstance(value, Sequence) and place >= 0:
        return (Sequence(value.items[place:]),)
    return (value,) if place < 0 or isinstance(value, (str, Made, Partial)) else ()
