"""Which last names of one file are worth resolving: those that tables know of its modules, and those it gives itself.

`text.split` is no interface of any module that the file loads. It depends on the file and the rules alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.collecting.scope import node_of
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.parsing.literals import unescape
from plugseal.lang.ecmascript.resolving.members import HOSTED, PROMISED
from plugseal.lang.ecmascript.resolving.names import TAGGED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugseal.lang.ecmascript.collecting.scope import Scope
    from plugseal.lang.ecmascript.resolving.resolver import Resolver
    from plugseal.lang.ecmascript.tables import ScriptTables
    from plugseal.lang.facts import Interest

_ALWAYS: Final = (
    "globals",
    "process",
    "child_process",
    "fs",
    "fs/promises",
    "vm",
    "module",
    "net",
    "http",
    "worker_threads",
    "os",
)
"""Modules whose names are looked for even where the file does not load them by their names."""
_MAX_SETS: Final = 256
"""Sets of modules whose names are remembered: the files of one tree mostly load the same ones."""
_LOADING: Final = frozenset(
    b"require import createRequire getBuiltinModule _load resolve load importActual __non_webpack_require__".split()
)
_MOVING: Final = frozenset(
    b"call apply bind constructor get getOwnPropertyDescriptor getOwnPropertyDescriptors construct value values"
    b" entries".split()
)
_HOSTS: Final = (b"ActiveX", b"WScript", b"CreateObject")
_PROMISED: Final = PROMISED.encode()
_TAGGED: Final = frozenset(name.encode() for name in TAGGED)
_READ: Final = frozenset((b"env", b"extensions", b"cache"))


class Chosen:
    """The last names of one file that are worth resolving."""

    __slots__ = ("methods", "names", "reads", "references")
    methods: frozenset[bytes]
    """Methods that tell enough when the receiver is unknown."""
    names: frozenset[bytes]
    reads: frozenset[bytes]
    """Names that matter somewhere in a chain that is read."""
    references: frozenset[bytes]
    """Names that count by being read alone, within a longer chain too."""

    def __init__(self, resolver: Resolver, interest: Interest, modules: tuple[str, ...]) -> None:
        extra = tuple(module for module in modules if module not in _ALWAYS)
        wanted = interest.calls | interest.attributes
        self.methods, self.names, self.references, self.reads = _sets(resolver.tables, extra, wanted)
        if any(mark in resolver.data for mark in _HOSTS):
            hosted = {name.lower() for name in resolver.tables.members_of(HOSTED)} | {"createobject"}
            lasts = (call.last for scope in resolver.collected.scopes for call in scope.calls)
            self.names |= {last for last in lasts if last.decode("utf-8", "replace").lower() in hosted}
        if b"promisifyAll" in resolver.data:
            self.names |= {name + _PROMISED for name in self.names}


@lru_cache(maxsize=_MAX_SETS)
def _sets(
    tables: ScriptTables, extra: tuple[str, ...], wanted: frozenset[str]
) -> tuple[frozenset[bytes], frozenset[bytes], frozenset[bytes], frozenset[bytes]]:
    """Return (methods, names, references, reads) of files that load some modules besides what all may load."""
    methods, names, references = _always(tables)
    if extra:
        known = tables.last_names(extra).all | _text_names(tables, extra)
        names = names | {name.encode() for name in known} | entry_names(tables, extra)
        references = references | {name.encode() for name in tables.read_names(extra)}
    names = names | {name.rpartition(".")[2].encode() for name in wanted}
    return methods, names, references, names | references


def modules_of(resolver: Resolver) -> tuple[str, ...]:
    """Return the modules that have a table and that every file, or this one, may load; sorted."""
    collected, tables = resolver.collected, resolver.tables
    modules = {tables.module_named(one.module) for one in collected.imports if not one.module.startswith(".")}
    modules.update(tables.module_named(module) for module, _ in collected.types.values() if module[:1] != ".")
    for scope in collected.scopes:
        for call in scope.calls:
            if call.root in _TAGGED and owner_of(call.root, scope) is None:
                modules.add(TAGGED[call.root.decode()])
            elif call.last in _LOADING:
                modules.update(tables.module_named(name) for name in _asked(resolver, call.node, scope))
    return tuple(sorted({*_ALWAYS, *(module for module in modules if tables.is_module(module))}))


@lru_cache(maxsize=_MAX_SETS)
def entry_names(tables: ScriptTables, modules: tuple[str, ...]) -> frozenset[bytes]:
    """Return the last names of what takes the functions that a host calls.

    By the modules alone: what other files made the tables load must not change what is found in this one.
    """
    return frozenset(name.encode() for name in tables.entry_names(modules))


def _text_names(tables: ScriptTables, modules: Sequence[str]) -> set[str]:
    """Return the last names of some modules' functions whose argument is code where it is a text."""
    for module in modules:
        tables.load(module)
    return {name.rpartition(".")[2] for name in tables.texts if tables.top_of(name) in modules}


@lru_cache(maxsize=1)
def _always(tables: ScriptTables) -> tuple[frozenset[bytes], frozenset[bytes], frozenset[bytes]]:
    """Return (methods, names, names that count by being read) that every file is looked through for."""
    known = tables.last_names(_ALWAYS).all | _text_names(tables, _ALWAYS)
    methods = frozenset(name.encode() for name in tables.methods)
    names = frozenset(name.encode() for name in known) | methods | _LOADING | _MOVING
    references = frozenset(name.encode() for name in tables.read_names(_ALWAYS)) | _READ
    return methods, names | entry_names(tables, _ALWAYS), references


def _asked(resolver: Resolver, node: object, scope: Scope) -> list[str]:
    """Return the modules that a call of a loader asks for."""
    given = node.child_by_field_id(resolver.grammar.arguments)  # type: ignore[attr-defined]  # a node
    first = node_of(given.named_children[0]) if given is not None and given.named_children else None
    if first is None:
        return []
    if resolver.grammar.codes[first.kind_id] == g.STRING:
        return [unescape(resolver.text_at(first)[1:-1])]
    return resolver.texts(first, scope)
