"""Names that one script takes from another script of the same tree, followed to what they really are.

A pending name is a relative specifier, `#`, and what is taken: `./util.js#run`. The specifier is looked for as the
runtimes and compilers do: as it is, with the suffixes of scripts, `.js` for a source in `.ts`, and as the index of a
folder. What is found is replaced by what that file says the name may hold, over several hops. Nothing is read here.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from plugseal.lang.ecmascript.exporting.exported import WHOLE
from plugseal.lang.ecmascript.judging.report import ScriptReport
from plugseal.lang.ecmascript.tables import shared_script_tables
from plugseal.lang.facts import UNKNOWN, FileFacts, Interest, Value
from plugseal.lang.linker import Exports, Linker, Search, held_under

_SUFFIXES: Final = (".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx")
_COMPILED: Final = {".js": (".ts", ".tsx", ".jsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}


class ScriptLinker(Linker):
    """All scripts of one tree, by path."""

    def __init__(self, files: Mapping[str, FileFacts]) -> None:
        """Take every script of a tree, by its path below the root."""
        super().__init__(files, shared_script_tables())

    def _report(self) -> ScriptReport:
        report = ScriptReport(Interest())
        report.nested = None
        return report

    def _is_outside(self, name: str, hops: int) -> bool:
        del hops
        return "#" not in name

    def _given(
        self,
        arguments: tuple[Value, ...],
        keywords: Mapping[str, Value],
        position: int,
        names: tuple[str, ...],
        missing: Value,
    ) -> tuple[Value, ...]:
        given = arguments[position] if 0 <= position < len(arguments) else None
        named = next(((keywords[name],) for name in names if name in keywords), None)
        if named is not None and (given is None or given is UNKNOWN):
            return named
        if given is not None:
            return (given,)
        default = next((name[1:] for name in names if name.startswith("=")), None)
        return (missing if default is None else default,)

    def _targets(self, path: str, name: str) -> Sequence[tuple[str, str]]:
        specifier, mark, rest = name.partition("#")
        target = self._target(path, specifier) if mark else None
        return () if target is None else ((target, rest),)

    def _target(self, path: str, specifier: str) -> str | None:
        """Return the file that a specifier means, seen from another file; None where the tree has none."""
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier.partition("?")[0]))
        if joined.startswith("../"):
            return None
        stem, suffix = posixpath.splitext(joined)
        guesses = [joined, *(stem + other for other in _COMPILED.get(suffix, ()))]
        guesses.extend(joined + other for other in _SUFFIXES)
        base = "" if joined == "." else f"{joined}/"
        guesses.extend(f"{base}index{other}" for other in _SUFFIXES)
        return next((guess for guess in guesses if guess in self._files), None)

    def _follow(self, path: str, name: str, hops: int, search: Search) -> Iterator[tuple[str, str]]:
        if name.partition(".")[0].rstrip("()") == "default" and "default" not in self._exports_of(path):
            name = name[len("default") :].lstrip(".")
        return super()._follow(path, name, hops, search)

    def _held(self, exports: Exports, name: str) -> tuple[str, ...] | None:
        return tuple(_exported(exports, name)) or None

    def _is_whole(self, exports: Exports) -> bool:
        return WHOLE in exports

    def _below(self, module: str, name: str) -> str:
        return _below(module, name)


def _exported(exports: Mapping[str, tuple[str, ...]], name: str) -> Iterator[str]:
    held = held_under(exports, name)
    yield from held or ()
    if held is not None:
        return
    for whole_name in (WHOLE, *(("default",) if not name else ())):
        yield from (_below(value, name) for value in exports.get(whole_name, ()))


def _below(value: str, name: str) -> str:
    """Return a name below a value."""
    if not name:
        return value
    return value + name if value.endswith("#") or name[0] in "([" else f"{value}.{name}"
