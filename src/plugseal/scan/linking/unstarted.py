"""Which programs of a tree only its developers start: tests that nothing names, and what a publishing script runs.

A weakness there is none of the plugin that somebody installs: a line that a test hands to a shell holds what the test
made. A name alone never makes a program such a one. It must look like a test as runners collect them, or like what
makes a release (or be what `prepublishOnly` and its like run), and nothing that may run it, or tell to run it, may name
it: no component, no program that is not such a one itself, no text that a model obeys or that says how to use the tree,
no configuration besides. One that anything else names is started, and so is whatever it names in turn.

A name that is put together only at run time can't be followed (`docs/limits.md`). No fact depends on this.

Law: a file more that names a program never makes more programs unstarted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from plugseal.lang.naming import CODE_SUFFIXES, Named, is_of_a_test
from plugseal.model.plugin import Component, Plugin
from plugseal.model.tree import Entry, EntryKind
from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.systems.system import Listing

_RELEASES: Final = lazy(r"(?i)(?:^|[-_.])(?:release|publish)(?:[-_.][\w.-]{0,60})?\.(?:sh|bash|ps1|py|[cm]?[jt]s)$")
"""What those who make a release start, as it is usually called."""
_LOADED_BY_NAME: Final = frozenset({"sitecustomize.py", "usercustomize.py"})
"""What an interpreter loads though nobody names it."""
_STANDS_FOR_FOLDER: Final = frozenset({"__init__", "__main__", "index"})
_PUBLISHING: Final = frozenset({"hook:publish", "hook:version"})
"""Triggers of scripts that run when a package is published: with npm, never at its install or use."""
_RUNNERS: Final = lazy(r"(?:^|[^\w.-])(?:pytest|unittest|nose2|tox|nox|jest|vitest|mocha|ava|bats|--test)(?![\w-])")
_NAME: Final = lazy(rb"[\w@+.-]+")
_WORD: Final = lazy(r"[\w@+.-]+")
_SETTINGS: Final = (".json", ".jsonc", ".yaml", ".yml", ".toml")
_DEVELOPERS_SETTINGS: Final = lazy(
    r"(?i)(?:^|/)(?:\.github/(?:workflows/)?[^/]+\.ya?ml|package(?:-lock)?\.json|tsconfig[^/]*\.json|pyproject\.toml)$"
)
"""Settings that name tests; what they run are components."""
_HOW_TO_USE: Final = lazy(r"(?i)(?:^|/)(?:readme|install|usage|getting[-_]?started|quick[-_]?start)[^/]*$")


class Told:
    """Gather, while a tree is read, which of its programs are named outside of programs."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        """Look for the names of a tree's programs."""
        names = (entry.path.rpartition("/")[2] for entry in entries if entry.kind is EntryKind.FILE)
        self._names = frozenset(name.encode() for name in names if _is_plain(name))
        self.names: set[str] = set()

    def visit(self, path: str, data: bytes, *, is_obeyed: bool) -> None:
        """Take a file.

        Args:
            path: of the file.
            data: all of it.
            is_obeyed: whether a model obeys it.
        """
        if _DEVELOPERS_SETTINGS.search(path):
            return
        if is_obeyed or path.lower().endswith(_SETTINGS) or _HOW_TO_USE.search(path):
            words = {word.strip(b".-") for word in _NAME.findall(data)}
            self.names.update(name.decode() for name in self._names & words)


class _Line(NamedTuple):
    """What a component runs."""

    text: str
    component: Component
    is_developers: bool
    """Whether it runs only for those who work on the tree: on a build server, or as they type it."""


def unstarted(listing: Listing, plugins: Iterable[Plugin], told: Told) -> frozenset[str]:
    """Return the programs that only developers start, by path.

    Args:
        listing: with what each program names.
        plugins: of the tree.
        told: what is named outside of programs.
    """
    lines = list(_lines(plugins))
    started = [line.text for line in lines if not line.is_developers]
    published = _published(lines)
    found = {path for path in listing.named if _is_candidate(path, published)}
    if not found or any(_RUNNERS.search(text) for text in started):
        return frozenset()
    called = {*told.names, *(word for text in started for word in _words(text))}
    for path, named in listing.named.items():
        if path not in found:
            called.update(_called(named))
    return frozenset(_without_called(found, called, listing))


def _without_called(found: set[str], called: set[str], listing: Listing) -> set[str]:
    """Return programs without those that are called by something, or by one that is."""
    waiting = [path for path in found if not called.isdisjoint(_own_names(path))]
    while waiting:
        path = waiting.pop()
        if path not in found:
            continue
        found.discard(path)
        more = set(_called(listing.named[path])) - called
        called |= more
        waiting += [one for one in found if not more.isdisjoint(_own_names(one))] if more else []
    return found


def _is_candidate(path: str, published: frozenset[str]) -> bool:
    name = path.rpartition("/")[2]
    if not _is_plain(name) or name in _LOADED_BY_NAME:
        return False
    return name in published or is_of_a_test(path) or _RELEASES.search(name) is not None


def _is_plain(name: str) -> bool:
    """Say whether a name is one of a program and would be found in a text as it is written."""
    is_code = name.rpartition(".")[2].lower() in CODE_SUFFIXES
    return is_code and name.isascii() and _WORD.fullmatch(name) is not None and name == name.strip(".-")


def _lines(plugins: Iterable[Plugin]) -> Iterator[_Line]:
    for plugin in plugins:
        for component in plugin.components:
            texts = [*component.command, component.entry or "", *(value for _, value in component.literals)]
            yield _Line("\n".join(texts), component, _is_developers(plugin, component))


def _is_developers(plugin: Plugin, component: Component) -> bool:
    if plugin.system == "github-actions":
        return True
    return plugin.system == "tooling" and (component.trigger == "command" or component.trigger in _PUBLISHING)


def _published(lines: Sequence[_Line]) -> frozenset[str]:
    """Return the words of what runs when a package is published, and at no other time."""
    inside: set[str] = set()
    outside: set[str] = set()
    for line in lines:
        (inside if line.is_developers and line.component.trigger in _PUBLISHING else outside).update(_words(line.text))
    return frozenset(inside - outside)


def _words(text: str) -> Iterator[str]:
    """Yield the words of a line, and the parts of names with dots: modules."""
    for word in _WORD.findall(text):
        yield word.strip(".-")
        if "." in word:
            yield from word.split(".")


def _own_names(path: str) -> Iterator[str]:
    """Yield what a program may be called by."""
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0]
    yield name
    yield stem
    if stem in _STANDS_FOR_FOLDER:
        yield folder.rpartition("/")[2]


def _called(named: Named) -> Iterator[str]:
    """Yield by which names a program calls others: the last parts of paths, every part of modules."""
    for path in named.paths:
        yield path.rpartition("/")[2]
    for module in named.modules:
        yield from module.split(".")
    for specifier in named.specifiers:
        name = specifier.rstrip("/").rpartition("/")[2]
        yield name
        stem, _, suffix = name.rpartition(".")
        if suffix.lower() in CODE_SUFFIXES:
            yield stem
