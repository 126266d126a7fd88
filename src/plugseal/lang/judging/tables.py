"""What the interfaces of a language's modules can do: its `tables/*.toml`, each read at the first use of its module.

Names are qualified: `os.system`, `requests.Session().get`. `X()` is what calling X gives, `X[]` an item of X. A
trailing `.*` names everything directly reachable below, behind no call. The format stands in
`docs/reference/python-tables.md`. Nothing here depends on what is scanned: a table is chosen by the name of a module,
but only from the files that are there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from plugseal.lang.judging.table_rule import Place, Rule, parse_place, parse_rule
from plugseal.lang.recorded import read_table
from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

_NOTHING: Final[frozenset[str]] = frozenset()
_MAX_MEMORY: Final = 50_000
"""Names remembered; the memory is dropped when it is full."""


class LastNames(NamedTuple):
    """Last parts of names that are worth resolving in one file."""

    names: set[str]
    held: set[str]
    """Only behind one of `holders`, or behind a name that an import or an alias binds."""
    holders: set[str]

    @property
    def all(self) -> set[str]:
        """Return both kinds."""
        return self.names | self.held


class Tables:
    """All tables of one folder, each read when its module is first asked for."""

    always: tuple[str, ...] = ()
    """Tables that every file needs."""
    common_methods: frozenset[str] = frozenset()
    """Names of everyday methods, which lead to a module's function only behind the module."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = frozenset(entry.name[:-5] for entry in os.scandir(folder) if entry.name.endswith(".toml"))
        self._loaded: set[str] = set()
        self._exact: dict[str, tuple[Rule, ...]] = {}
        self._below: dict[str, tuple[Rule, ...]] = {}
        self._tails: dict[tuple[str, str], tuple[Rule, ...]] = {}
        """By module and last name, from `*.name`."""
        self._returns: dict[str, str] = {}
        self._same: dict[str, str] = {}
        self._prefixes: set[str] = set()
        """Every dotted beginning of an exact name, with its final dot."""
        self._plain: set[str] = set()
        self._imports: dict[str, str] = {}
        self._suggests: dict[str, str | None] = {}
        self._canonical: dict[str, str] = {}
        self._rules: dict[str, tuple[Rule, ...]] = {}
        self._members: dict[str, frozenset[str]] = {}
        self._can: dict[tuple[str, str], bool] = {}
        self._renamed: set[str] = set()
        """Top-level modules of which a name, or all, is known under another name or gives back a known type."""
        self.callbacks: dict[str, Place] = {}
        self.entries: dict[str, str] = {}
        """By a name that registers functions, the trigger that it gives them."""
        self._entry_names: dict[str, set[str]] = {}
        """Last parts of those names by module."""
        self.registering: dict[str, str] = {}
        """The same by the name of a method, whatever its receiver is."""
        self.given: dict[str, str] = {}
        """By decorator, what the first parameter of the function it registers is."""
        self.methods: dict[str, tuple[Rule, ...]] = {}
        """By method name, for receivers that are not known."""
        self._held_names: dict[str, set[str]] = {}
        """Those that are also names of everyday methods, such as `replace`, and belong to a module, not to objects."""
        self._holders: dict[str, set[str]] = {}
        """What stands before such a name: `os`, `environ`, `path`."""
        self._leads_to: dict[str, set[str]] = {}
        """Other top-level modules whose types a module's functions return."""
        self._last_names: dict[str, set[str]] = {}
        """Last parts of the exact names by top-level module."""
        self.sensitive: set[str] = set()
        """Modules with a table of their own."""
        self.builtins: set[str] = set()
        """Built-in names with a rule."""
        for always in self.always:
            self.load(always)

    def top_of(self, name: str) -> str:
        """Return the module whose table knows a qualified name."""
        return top_of(name)

    def file_of(self, module: str) -> str:
        """Return the name of the file that holds a module's table."""
        return f"{module}.toml"

    def is_module(self, name: str) -> bool:
        """Say whether there is a table for a top-level module of this name."""
        return name in self._files

    def load(self, top: str) -> None:
        """Read the table of a top-level module, where there is one and it was not read yet."""
        if top in self._loaded:
            return
        self._loaded.add(top)
        if top not in self._files:
            return
        table = read_table(self._folder, self.file_of(top))
        module = str(table.get("module", ""))
        last_names = self._last_names.setdefault(module, set())
        for group in table.get("api", ()):
            self._add_group(module, group)
        leads_to = self._leads_to.setdefault(module, set())
        for name, type_name in table.get("returns", {}).items():
            leads_to.add(self.top_of(type_name))
            self._renamed.add(self.top_of(_full(module, name)))
            self._returns[_full(module, name)] = type_name
        for name, other in table.get("same", {}).items():
            if _full(module, name) != other:
                leads_to.add(self.top_of(other))
                self._renamed.add(self.top_of(_full(module, name)))
                self._same[_full(module, name)] = other
                last_names.add(_last(name))
        self._plain.update(_full(module, name) for name in table.get("members", {}).get("plain", ()))
        self.callbacks.update((_full(module, n), parse_place(p)) for n, p in table.get("callbacks", {}).items())
        self.entries.update((_full(module, n), trigger) for n, trigger in table.get("entry", {}).items())
        self._entry_names[module] = {name.rpartition(".")[2] for name in table.get("entry", {})}
        self.registering.update(table.get("registers", {}))
        self.given.update((_full(module, n), type_name) for n, type_name in table.get("given", {}).items())
        for type_name in table.get("given", {}).values():
            leads_to.add(self.top_of(type_name))
        if module and table.get("imports"):
            self._imports[module] = table["imports"]
        self._imports.update(table.get("import_of", {}))
        if module and table.get("api"):
            self.sensitive.add(module)
        self.take_more(module, table)
        self._canonical.clear()
        self._rules.clear()
        self._members.clear()
        self._can.clear()

    def take_more(self, module: str, table: dict[str, Any]) -> None:  # Any: TOML, turned into ours at once
        """Take what only one language's tables have."""

    def _add_group(self, module: str, group: dict[str, Any]) -> None:  # Any: TOML, turned into ours at once
        rule = parse_rule(group)
        for name in group["names"]:
            if not module:
                method = name.lstrip(".")
                self.methods[method] = (*self.methods.get(method, ()), rule)
                continue
            if name.startswith("*."):
                # Of whatever the module holds: classes of which there are too many to name.
                self._tails[module, name[2:]] = (*self._tails.get((module, name[2:]), ()), rule)
                self._last_names.setdefault(module, set()).add(name[2:])
                continue
            full = _full(module, name)
            if full.endswith(".*"):
                self._prefixes.add(full[:-1])
                self._below[full[:-1]] = (*self._below.get(full[:-1], ()), rule)
                continue
            cut = full.find(".")
            while cut > 0:
                self._prefixes.add(full[: cut + 1])
                cut = full.find(".", cut + 1)
            self._exact[full] = (*self._exact.get(full, ()), rule)
            last = _last(full)
            held = last in self.common_methods and "(" not in full
            (self._held_names if held else self._last_names).setdefault(module, set()).add(last)
            if held:
                self._holders.setdefault(module, set()).add(_last(full.rpartition(".")[0]))
            if module == "builtins" and "." not in name:
                self.builtins.add(name)

    def last_names(self, modules: Iterable[str]) -> LastNames:
        """Return the last parts of all names of some top-level modules: mentions of others need no resolving.

        It depends on the modules alone, not on what happens to be loaded, so that no file's facts depend on another's.
        """
        names = set(self._last_names.get("builtins", ()))
        held: set[str] = set()
        holders: set[str] = set()
        waiting, seen = sorted(modules), {"builtins"}
        while waiting:
            top = waiting.pop()
            if top not in seen:
                seen.add(top)
                self.load(top)
                names |= self._last_names.get(top, _NOTHING)
                held |= self._held_names.get(top, _NOTHING)
                holders |= self._holders.get(top, _NOTHING)
                waiting.extend(sorted(self._leads_to.get(top, _NOTHING)))
        return LastNames(names, held - names, holders)

    def entry_names(self, modules: Iterable[str]) -> set[str]:
        """Return the last parts of the names that register functions, of some modules and of types they return.

        By the modules alone, as `last_names`.
        """
        found: set[str] = set()
        waiting, seen = list(modules), set[str]()
        while waiting:
            module = waiting.pop()
            if module not in seen:
                seen.add(module)
                self.load(module)
                found |= self._entry_names.get(module, set())
                waiting.extend(self._leads_to.get(module, ()))
        return found

    def canonical(self, name: str) -> str:
        """Return the name under which tables know `name`: other spellings replaced, results by their types."""
        known = self._canonical.get(name)
        if known is None:
            top = self.top_of(name)
            self.load(top)
            known = self._find_canonical(name) if top in self._renamed else name
            if len(self._canonical) > _MAX_MEMORY:
                self._canonical.clear()
            self._canonical[name] = known
        return known

    def _find_canonical(self, name: str) -> str:
        for _ in range(4):
            before = name
            name = self._replace_same(name)
            name = self._returns.get(name, name)
            if name == before:
                break
            self.load(self.top_of(name))
        return name

    def _replace_same(self, name: str) -> str:
        cut = len(name)
        while cut > 0:
            other = self._same.get(name[:cut])
            if other is not None:
                return other + name[cut:]
            cut = name.rfind(".", 0, cut)
        return name

    def rules(self, name: str) -> tuple[Rule, ...]:
        """Return what a canonical name can do when it is called or mentioned; empty where it can do nothing."""
        known = self._rules.get(name)
        if known is None:
            self.load(self.top_of(name))
            known = self._exact.get(name)
            if known is None:
                known = self._rules_of_tail(name) or self._rules_below(name)
            if len(self._rules) > _MAX_MEMORY:
                self._rules.clear()
            self._rules[name] = known
        return known

    def has_exact(self, name: str) -> bool:
        """Say whether the name stands in a table itself, not only below a `.*`."""
        self.load(self.top_of(name))
        return name in self._exact or bool(self._rules_of_tail(name))

    def has_result(self, expression: str) -> bool:
        """Say whether a table says what an expression gives."""
        self.load(self.top_of(expression))
        return expression in self._returns

    def has_below(self, name: str) -> bool:
        """Say whether tables know the name itself or something below it as the module's own."""
        self.load(self.top_of(name))
        return name in self._exact or f"{name}." in self._prefixes or f"{name}()." in self._prefixes

    def _rules_of_tail(self, name: str) -> tuple[Rule, ...]:
        """Return what stands in the module's table as `*.name`."""
        path, _, last = name.rpartition(".")
        if not self._tails or "." not in path or "(" in path:
            return ()
        return self._tails.get((self.top_of(name), last), ())

    def _rules_below(self, name: str) -> tuple[Rule, ...]:
        cut = name.rfind(".")
        while cut > 0:
            found = self._below.get(name[: cut + 1])
            if found is not None:
                return () if "(" in name[cut:] or "[" in name[cut:] else found
            cut = name.rfind(".", 0, cut)
        return ()

    def is_plain(self, name: str) -> bool:
        """Say whether a canonical name is mere data, below which nothing is looked for."""
        return name in self._plain

    def members_of(self, name: str) -> frozenset[str]:
        """Return the direct members of a module or class that lead to something a table knows, by their names."""
        self.load(self.top_of(name))
        known = self._members.get(name)
        if known is None:
            if len(self._members) > _MAX_MEMORY:
                self._members.clear()
            known = self._members[name] = self._find_members(name)
        return known

    def _find_members(self, name: str) -> frozenset[str]:
        found: set[str] = set()
        for stem in (f"{name}.", f"{name}()."):
            for table in (self._exact, self._same, self._prefixes):
                found.update(_first(known[len(stem) :]) for known in table if known.startswith(stem))
        return frozenset(found - {""})

    def can(self, name: str, capability: str) -> bool:
        """Say whether a name of a module, or something reached through it, has a capability for more than a guess."""
        self.load(self.top_of(name))
        known = self._can.get((name, capability))
        if known is None:
            if len(self._can) > _MAX_MEMORY:
                self._can.clear()
            known = self._can[name, capability] = self._find_can(name, capability)
        return known

    def _find_can(self, name: str, capability: str) -> bool:
        stems = (f"{name}.", f"{name}()")
        return any(
            rule.capability == capability and not (rule.possible and known == name)
            for known, rules in self._exact.items()
            if known == name or known.startswith(stems)
            for rule in rules
        )

    def is_evidence(self, name: str) -> bool:
        """Say whether a table says what importing this very module suggests."""
        return name in self._imports

    def imported(self, module: str) -> str | None:
        """Return the capability that importing a module, or a name of one, suggests, if any."""
        if module in self._suggests:
            return self._suggests[module]
        name = self.canonical(module)
        self.load(self.top_of(name))
        found = None
        while name and found is None:
            found = self._imports.get(name)
            name = name.rpartition(".")[0]
        if len(self._suggests) > _MAX_MEMORY:
            self._suggests.clear()
        self._suggests[module] = found
        return found


def top_of(name: str) -> str:
    """Return the top-level module of a qualified name."""
    top = name.partition(".")[0]
    cut = top.find("(")
    return top if cut < 0 else top[:cut]


def _first(name: str) -> str:
    return name.partition(".")[0].partition("(")[0].partition("[")[0]


def _last(name: str) -> str:
    return name.rpartition(".")[2].partition("(")[0].partition("[")[0]


def _full(module: str, name: str) -> str:
    if not module:
        return name
    if not name:
        return module
    return module + name if name[0] in "([" else f"{module}.{name}"
