"""Attributes and items: `value.name` and `value[index]`."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE, Text
from plugseal.lang.python.collecting.names import REACHABLE_MODULES, STANDARD_MODULES
from plugseal.lang.python.collecting.scope import CLASS, FUNCTION, Scope
from plugseal.lang.python.resolving.applying import answer, apply, own_attribute
from plugseal.lang.python.resolving.paths import PATH_TYPE
from plugseal.lang.python.resolving.values import (
    MAX_ALTERNATIVES,
    NO_ARGUMENTS,
    AnyValue,
    Getter,
    Instance,
    Made,
    Mapping,
    Method,
    Partial,
    Sequence,
    Space,
    Values,
    unique,
)

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

_SPACES: Final = frozenset(("__dict__", "f_globals", "f_locals", "__globals__"))
CALLING: Final = "operator.call"
"""What calls its first argument."""
_ANY_MODULE: Final = "sys.modules[]"
_KINDS_OF_FUNCTIONS: Final = frozenset(
    ("types.FunctionType", "types.LambdaType", "types.BuiltinFunctionType", "types.MethodType", "builtins.type")
)
"""Types whose `__call__` calls its first argument."""
_HOMES: Final = {"HOME": "~", "USERPROFILE": "%USERPROFILE%", "APPDATA": "%APPDATA%", "LOCALAPPDATA": "%LOCALAPPDATA%"}
ENVIRONMENTS: Final = frozenset(("os.environ", "os.environb"))


def member(resolver: Resolver, value: AnyValue, name: str) -> Values:
    """Return what `value.name` may be."""
    kind = value.__class__
    if kind is str:
        return _of_name(resolver, value, name)  # type: ignore[arg-type]  # the class was compared
    if isinstance(value, Made):
        return _of_made(resolver, value, name)
    if isinstance(value, Instance):
        return _of_instance(resolver, value, name)
    if isinstance(value, Scope):
        return _of_scope(resolver, value, name)
    if isinstance(value, Partial):
        return value.target if name in ("func", "__call__") else ()
    if isinstance(value, Space):
        return (Method(value, name),)
    if isinstance(value, Mapping) and name == "cell_contents":
        return value.find(name)
    if isinstance(value, (Text, Sequence, Mapping)):
        # Neither texts nor lists have a value: those of an enumeration do, whose members are known by what they hold.
        return (value,) if name == "value" else (Method(value, name),)
    if isinstance(value, (Getter, Method)) and name == "__call__":
        return (value,)
    return ()


@cache
def _string_constants() -> dict[str, str]:
    """Return the constants of `string` by qualified name."""
    import string  # few sources mention one

    names = (name for name in string.__all__ if name.islower() and name != "capwords")
    return {f"string.{name}": getattr(string, name) for name in names}


def _of_name(resolver: Resolver, base: str, name: str) -> Values:
    if name in _SPACES:
        return (Space(base if name == "__dict__" else _space_of(resolver, base, name)),)
    if name in ("__builtins__", "f_builtins"):
        return ("builtins",)
    if name == "__loader__" or (name == "loader" and base == "builtins.__spec__"):
        return ("builtins.__loader__",)  # of whichever module: they load the same way
    if name == "__spec__":
        return ("builtins.__spec__",)
    if name == "__self__":
        return ("builtins",) if base.startswith("builtins.") else (base.rpartition(".")[0] or base,)
    if name == "__call__" and (base.endswith(".__class__") or base in _KINDS_OF_FUNCTIONS):
        return (CALLING,)
    if name in ("__call__", "__func__", "__wrapped__"):
        return (base,)
    full = f"{base}{name}" if base.endswith(".") else f"{base}.{name}"
    if base.startswith("."):
        return (full,)
    exposed = exposed_module(resolver, base, name)
    if exposed is not None:
        return (exposed,)
    known = resolver.tables.canonical(full)
    if known.startswith("string.") and known in _string_constants():
        return (Text(_string_constants()[known]),)
    if name == "__class__" and (resolver.tables.is_module(base) or base in STANDARD_MODULES):
        return ("types.ModuleType",)
    return (_unbound_method(resolver, base, name) or known,)


def _unbound_method(resolver: Resolver, base: str, name: str) -> str | None:
    """Return the method that `Class.method` is, which takes its object as the first argument: `Path.unlink`."""
    tables = resolver.tables
    method = tables.canonical(f"{base}().{name}")
    return method if tables.has_exact(method) and not tables.has_below(f"{base}.{name}") else None


def exposed_module(resolver: Resolver, base: str, name: str) -> str | None:
    """Return the module that `base.name` is where `base` only imported it, as `shutil.os` is `os`."""
    bare = name.removeprefix("_")
    if bare not in REACHABLE_MODULES or not _is_exposed(resolver, base, f"{base}.{name}"):
        return None
    return resolver.tables.canonical(name) if name == bare or resolver.tables.canonical(name) != name else bare


def _is_exposed(resolver: Resolver, base: str, full: str) -> bool:
    """Say whether `base.name` is another module that the module `base` imported, not a part of its own."""
    if resolver.tables.has_below(full):
        return False
    return base.partition(".")[0] not in resolver.local_modules and "(" not in base


def _of_made(resolver: Resolver, base: Made, name: str) -> Values:
    if resolver.tables.is_plain(base.name):
        return (base,)
    if name in _SPACES:
        return (Space(_space_of(resolver, base.name, name)),)
    if name in ("__builtins__", "f_builtins"):
        return ("builtins",)
    if name == "__class__" and base.name.endswith("()"):
        return (base.name[:-2],)
    if name in ("__call__", "__func__") and not base.name.endswith("()"):
        return (base,)
    if name == "_module" and base.name == "warnings.catch_warnings()":
        return ("warnings",)
    if base.name in ("types.SimpleNamespace()", "argparse.Namespace()") and base.arguments is not None:
        given = base.arguments.keyword(name)
        if given is not None:
            return resolver.value(*given)
    full = f"{base.name}.{name}"
    known = full if full.startswith(".") else resolver.tables.canonical(full)
    if known == PATH_TYPE:
        return (Made(known, base.arguments, _parent(base.text) if name == "parent" else base.text),)
    return (Made(known, base.arguments, base.text),)


def _space_of(resolver: Resolver, base: str, name: str) -> str | Scope:
    """Return whose names `base.name` holds: a function's globals are those of its module, a frame may be anybody's."""
    is_outside = name == "__globals__" and not base.startswith(".")
    return resolver.tables.top_of(base) if is_outside else resolver.root


def inside_of(resolver: Resolver, name: str) -> Values:
    """Return what an attribute of anything at all is that leads to the interpreter's inside."""
    if name in ("__builtins__", "f_builtins"):
        return ("builtins",)
    return (Space(resolver.root),) if name in ("__globals__", "f_globals") else ()


def _parent(text: Text | None) -> Text | None:
    if text is None or not isinstance(text.value, str):
        return None
    head, slash, _ = text.value.rstrip("/").rpartition("/")
    return Text(head if head or not slash else "/", text.whole)


def _of_instance(resolver: Resolver, value: Instance, name: str) -> Values:
    if name == "__class__":
        return (value.of,)
    if name == "__dict__":
        return (Space(value),)
    found = class_member(resolver, value.of, name, 0)
    calls = [one for one in found if isinstance(one, Scope) and one.is_property]
    if calls:
        return unique([result for one in calls for result in apply(resolver, one, NO_ARGUMENTS)])
    return found or answer(resolver, class_member(resolver, value.of, "__getattr__", 0), name)


def _of_scope(resolver: Resolver, value: Scope, name: str) -> Values:
    if name == "__globals__":
        return (Space(resolver.root),)
    if name in ("__builtins__", "f_builtins"):
        return ("builtins",)
    if name == "__dict__":
        return (Space(value),)
    if value is resolver.root:
        return resolver.own(name, value) if name in value.bindings else ()  # the module itself, by `sys.modules`
    if value.kind == CLASS:
        return class_member(resolver, value, name, 0) or _of_class_of(resolver, value, "__getattr__", name)
    if value.kind == FUNCTION and name in ("__wrapped__", "__call__", "__func__"):
        return (value,)
    return own_attribute(resolver, value, name) if value.kind == FUNCTION else ()


def class_member(resolver: Resolver, of: Scope, name: str, depth: int) -> Values:
    """Return what an attribute of a class of this file may be, looked up in its bases too."""
    known: Values | None = of.members.get(name)
    if known is not None:
        return known
    if depth > MAX_ALTERNATIVES:
        return ()
    found: list[AnyValue] = []
    if name in of.bindings:
        found.extend(resolver.own(name, of))
    of.members[name] = ()  # A base class may lead back here.
    for scope, binding in of.attributes.get(name, ())[:MAX_ALTERNATIVES]:
        found.extend(resolver.bound(binding, scope))
    if not found and name not in of.bindings:
        for base in base_values(resolver, of):
            if isinstance(base, Scope) and base is not of:
                found.extend(class_member(resolver, base, name, depth + 1))
            elif isinstance(base, str):
                full = f"{base}().{name}"
                found.append(Made(full if base.startswith(".") else resolver.tables.canonical(full), None))
    values = unique(found)
    del of.members[name]
    if resolver.is_settled:
        of.members[name] = values
    return values


def _of_class_of(resolver: Resolver, of: Scope, hook: str, key: str | bytes | int | float | None) -> Values:
    """Return what the class of a class answers: a method of `metaclass=…`."""
    node = of.node
    if not isinstance(node, ast.ClassDef) or of.parent is None:
        return ()
    given = [word.value for word in node.keywords if word.arg == "metaclass"]
    classes = [one for held in given for one in resolver.value(held, of.parent) if isinstance(one, Scope)]
    return unique([one for held in classes for one in answer(resolver, class_member(resolver, held, hook, 0), key)])


def base_values(resolver: Resolver, of: Scope) -> Values:
    """Return what a class is derived from."""
    node = of.node
    if not isinstance(node, ast.ClassDef) or of.parent is None:
        return ()
    parent = of.parent
    return unique([value for base in node.bases[:MAX_ALTERNATIVES] for value in resolver.value(base, parent)])


def item(resolver: Resolver, value: AnyValue, index: Values) -> Values:
    """Return what `value[index]` may be."""
    keys = [one.value for one in index if isinstance(one, Text) and one.whole]
    if isinstance(value, Space):
        return unique([found for key in keys if isinstance(key, str) for found in from_space(resolver, value, key)])
    if isinstance(value, (str, Made)):
        return _item_of_name(resolver, value, keys)
    if isinstance(value, Mapping):
        if not keys:
            return unique(value.held(64))
        is_open = any(isinstance(one, Text) and one.value == HOLE for one in index)
        return unique([one for key in keys for one in value.find(key)] + (value.held(64) if is_open else []))
    if isinstance(value, Sequence):
        return _item_of_sequence(value, keys)
    if isinstance(value, Instance):
        hooks = class_member(resolver, value.of, "__getitem__", 0)
        return unique([one for key in keys for one in answer(resolver, hooks, key)])
    if isinstance(value, Scope):
        own = class_member(resolver, value, "__class_getitem__", 0) if value.kind == CLASS else ()
        found = [one for key in keys for one in answer(resolver, own, key)]
        return unique(found or [one for key in keys for one in _of_class_of(resolver, value, "__getitem__", key)])
    if isinstance(value, Text) and isinstance(value.value, (str, bytes)):
        text = value.value
        numbers = [key for key in keys if isinstance(key, int) and -len(text) <= key < len(text)]
        return unique([Text(text[number]) for number in numbers])
    return ()


def _item_of_sequence(value: Sequence, keys: list[str | bytes | int | float | None]) -> Values:
    numbers = [key for key in keys if isinstance(key, int)]
    if numbers:
        return unique([one for number in numbers for one in value.at(number)])
    named: list[AnyValue] = [one for one in value.held(64) if not isinstance(one, Text)]
    return unique(named)


def _item_of_name(resolver: Resolver, value: str | Made, keys: list[str | bytes | int | float | None]) -> Values:
    name = value.name if isinstance(value, Made) else value
    texts = [key for key in keys if isinstance(key, str)]
    if name == "sys.modules":
        return tuple(resolver.tables.canonical(text) for text in texts) or (Made(_ANY_MODULE, None),)
    if name == "builtins":
        return tuple(resolver.tables.canonical(f"builtins.{text}") for text in texts)
    if resolver.tables.is_plain(name):
        return (value,)
    arguments = value.arguments if isinstance(value, Made) else None
    home = _HOMES.get(texts[0]) if name in ENVIRONMENTS and texts else None
    known = f"{name}[]" if name.startswith(".") else resolver.tables.canonical(f"{name}[]")
    numbers = [key for key in keys if isinstance(key, int)]
    if numbers and known == f"{name}[]":
        known = resolver.tables.canonical(f"{name}[{numbers[0]}]").replace(f"[{numbers[0]}]", "[]")
    return (Made(known, arguments, Text(home) if home is not None else None),)


def home_of(variable: str) -> Text | None:
    """Return the folder that an environment variable is known to hold."""
    home = _HOMES.get(variable)
    return Text(home) if home is not None else None


def from_space(resolver: Resolver, space: Space, key: str) -> Values:
    """Return what a namespace holds under a name."""
    of = space.of
    if isinstance(of, Scope) and of is resolver.root:
        found = resolver.name(key, of)
        if found or key not in resolver.tables.sensitive:
            return found
        return (key,)
    if isinstance(of, str) and key in resolver.tables.sensitive and not resolver.tables.has_below(f"{of}.{key}"):
        return (key,)
    return member(resolver, of, key)
