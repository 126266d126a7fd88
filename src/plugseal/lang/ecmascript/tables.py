"""What the interfaces of JavaScript's modules and of the global scope can do: the data of `tables/*.toml`.

The same format as Python's, with three differences. A module is a specifier (`fs/promises`, `@scope/name`), so a name
belongs to the longest specifier that it begins with, not to what stands before its first dot. What stands in the
global scope belongs to the module `globals`. `[texts]` names functions whose argument is code only where it is a text.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, TypeVar

from plugseal.lang.judging.table_rule import Place, parse_place
from plugseal.lang.judging.tables import Tables
from plugseal.patterns import lazy

_FOLDER: Final = Path(__file__).parent / "tables"
GLOBALS: Final = "globals"
_SCHEME: Final = lazy(r"^(?:node|npm|jsr|bun):(?=.)")
_VERSION: Final = lazy(r"(?<=.)@[^/@]*(?=/|$)")
_MAX_ANSWERS: Final = 20_000
_Key = TypeVar("_Key")
_Answer = TypeVar("_Answer")
_OWN_SCHEMES: Final = frozenset(("bun:ffi", "bun:sqlite", "bun:jsc", "bun:test"))


class ScriptTables(Tables):
    """The tables of JavaScript."""

    always = ("_methods", GLOBALS)

    def __init__(self, folder: Path = _FOLDER) -> None:
        self._tops: dict[str, str] = {}
        self._read: dict[str, set[str]] = {}
        self.texts: dict[str, Place] = {}
        """Functions whose argument at a place is code where it is a text."""
        self.handed: dict[str, str] = {}
        """By registration, what the second parameter of the functions is that it takes."""
        self.passing: dict[str, int] = {}
        """Functions that give back the function, or the object of functions, that they are given first: how many
        arguments of theirs stand before those that they bind to it, 0 where they bind none."""
        self._alone: set[str] = set()
        """Packages whose paths are other things than the package."""
        self._modules: dict[str, str] = {}
        self._globals: dict[str, str | None] = {}
        self._able: dict[tuple[str, str], bool] = {}
        super().__init__(folder)
        self._files = frozenset(name.replace("+", "/") for name in self._files)
        self._tops.clear()

    def take_more(self, module: str, table: dict[str, Any]) -> None:  # Any: TOML, turned into ours at once
        """Take what only these tables have: functions that run texts, what is handed on."""
        if table.get("exact"):
            self._alone.add(module)
        self.handed.update((f"{module}{name}", given) for name, given in table.get("handed", {}).items())
        self.passing.update(
            (f"{module}.{name}" if name else module, at) for name, at in table.get("passing", {}).items()
        )
        self.texts.update((f"{module}.{name}", parse_place(place)) for name, place in table.get("texts", {}).items())

    def is_module(self, name: str) -> bool:
        """Say whether there is a table for a module of this name."""
        return name in self._files

    def file_of(self, module: str) -> str:
        """Return the name of the file that holds a module's table."""
        return module.replace("/", "+") + ".toml"

    def top_of(self, name: str) -> str:
        """Return the module whose table knows a qualified name: the longest specifier that it begins with."""
        known = self._tops.get(name)
        if known is not None:
            return known
        cut = _first_of(name, "([")
        head = name[:cut] if cut >= 0 else name
        while head and head not in self._files:
            at = head.rfind(".")
            head = head[:at] if at > 0 else ""
        return _remember(self._tops, name, head)

    def global_name(self, name: str) -> str | None:
        """Return the qualified name of what stands in the global scope under a name, if tables know anything of it."""
        if name in self._globals:
            return self._globals[name]
        full = f"{GLOBALS}.{name}"
        known = self.canonical(full)
        is_known = known != full or self.has_below(full) or f"{full}()" in self._returns
        return _remember(self._globals, name, known if is_known else None)

    def can(self, name: str, capability: str) -> bool:
        """Say whether a name of a module, or something reached through it, has a capability for more than a guess."""
        known = self._able.get((name, capability))
        if known is None:
            known = _remember(self._able, (name, capability), super().can(name, capability))
        return known

    def read_names(self, modules: Iterable[str]) -> set[str]:
        """Return the last parts of the names of some modules that count by being read."""
        found: set[str] = set()
        for module in modules:
            self.load(module)
            known = self._read.get(module)
            if known is None:
                stem = f"{module}."
                known = self._read[module] = {
                    name.rpartition(".")[2]
                    for name, rules in self._exact.items()
                    if name.startswith(stem) and any(rule.use == "reference" for rule in rules)
                }
            found |= known
        return found

    def module_named(self, specifier: str) -> str:
        """Return the module that an import of a specifier means, as tables name it.

        `node:` and registries' prefixes and versions are left away; a path inside a package that has no table of its
        own means the package.
        """
        known = self._modules.get(specifier)
        return _remember(self._modules, specifier, self._find_module(specifier)) if known is None else known

    def _find_module(self, specifier: str) -> str:
        if specifier in _OWN_SCHEMES:
            return specifier.replace(":", "/")
        bare = _SCHEME.sub("", specifier)
        if bare != specifier or "@" in bare[1:]:
            bare = (
                _VERSION.sub("", bare, count=1)
                if not bare.startswith("@")
                else "@" + _VERSION.sub("", bare[1:], count=1)
            )
        bare = bare.rstrip("/") or specifier
        if self.is_module(bare):
            return bare
        head = bare.removesuffix(".js")
        while "/" in head:
            if self.is_module(head):
                return bare if self._is_alone(head) else head
            head = head.rpartition("/")[0]
        return head if self.is_module(head) and not self._is_alone(head) else bare

    def _is_alone(self, package: str) -> bool:
        """Say whether paths inside a package mean other things: `next/image` starts no server, `next` does."""
        self.load(package)
        return package in self._alone


def _remember(answers: dict[_Key, _Answer], question: _Key, answer: _Answer) -> _Answer:
    """Remember what was found out for files to come, which mostly ask the same."""
    if len(answers) > _MAX_ANSWERS:
        answers.clear()
    answers[question] = answer
    return answer


def _first_of(text: str, characters: str) -> int:
    places = [at for at in map(text.find, characters) if at >= 0]
    return min(places) if places else -1


_shared: ScriptTables | None = None


def shared_script_tables() -> ScriptTables:
    """Return the tables that come with plugseal, made at the first call."""
    global _shared
    if _shared is None:
        _shared = ScriptTables()
    return _shared
