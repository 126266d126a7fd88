"""Which other files a program names: paths, modules and specifiers that stand in its text.

The unit of a client's own configuration must bind what its scripts load, so a name too many is no harm and one too few
is: nothing here asks whether the line that names a file is ever run. What a program puts together at run time is not
seen; the facts of its reader say that it does. Pure text work over bytes; nothing is opened.

Law: the names of a file depend on its bytes, its path and the names of the tree alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from plugseal.lang.classify import language_of
from plugseal.model.tree import Entry, EntryKind
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_CODE: Final = (
    "py pyw pyx pyd so js mjs cjs jsx ts mts cts tsx node wasm sh bash zsh ksh fish ps1 psm1 psd1 bat cmd vbs exe dll "
    "dylib jar rb pl pm php lua tcl awk scpt applescript groovy kts exs swift go rs sed jq bin run com"
)
_DATA: Final = "json jsonc json5 yaml yml toml ini cfg conf txt dat sql j2 jinja jinja2 tmpl tpl template pkl pickle"
CODE_SUFFIXES: Final = frozenset(_CODE.split())
_SUFFIX: Final = lazy(rb"\.(?:" + "|".join((*_CODE.split(), *_DATA.split())).encode() + rb")(?!\w)")
_PATH_BYTES: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+@/\\") | frozenset(
    range(0x80, 0x100)
)
_MAX_NAME_BYTES: Final = 128
_MAX_NAMES: Final = 20_000
"""Places in one file at which a path is looked for; what comes behind is not seen."""
_IMPORTED: Final = lazy(rb"\b(?:from|import)\b([^#;\n(]*\([^)]{0,4000}\)|[^#;\n]*)")
_NAMING: Final = (b"import_module", b"__import__", b"run_module", b"find_spec", b"-m")
_BY_NAME: Final = lazy(
    rb"(?:import_module|__import__|run_module|find_spec|-m(?<![\w-]-m))\W{1,8}([\w.]+)", needs=_NAMING
)
_SPECIFIER: Final = lazy(
    rb"(?:\bfrom|\brequire|\bimport|\bresolve|\bimportScripts)\s{0,20}\(?\s{0,20}[\"'`]([^\"'`\n\\]{1,200})[\"'`]"
)
_LOADED: Final = lazy(
    rb"(?:require_relative|require_once|include_once|require|include|load|autoload|dofile|loadfile|use|do)\b"
    rb"[\s('\"]{1,4}([\w./:-]+)"
)
_OF_A_TEST: Final = lazy(
    r"(?i)(?:^|/)(?:tests?|__tests__|specs?|e2e)/|(?:^|/)(?:test[-_.][^/]*|[^/]*[-_.](?:test|spec)s?|conftest)"
    r"\.[a-z]{1,5}$"
)
_TOKEN: Final = lazy(rb"[\w@+./\\$-]+")
_SOURCED: Final = lazy(rb"(?:^|[;&|(\s])(?:source|\.)\s+[\"']?([\w@+.-]+)", re.MULTILINE)
_WORD: Final = lazy(rb"[\w@+.-]+")
_DOTTED: Final = lazy(rb"[\w.]+")
_PYTHON: Final = frozenset({"python"})
_SCRIPTS: Final = frozenset({"javascript", "typescript", "component"})
_SHELLS: Final = frozenset({"shell", "batch", "PowerShell", "Makefile", "justfile"})
_OTHERS: Final = frozenset({"Ruby", "Perl", "PHP", "Lua", "Tcl", "awk", "R", "Go", "Rust", "script"})
_PROGRAMS: Final = _PYTHON | _SCRIPTS | _SHELLS | _OTHERS
ALL_SCRIPTS: Final = "*"
"""Stands for every script of a package, where it can't be told which are run."""
_RUN: Final = lazy(rb"(?<![\w./-])(?:npm|pnpm|yarn|bun)\b(?:[ \t]+(?:run|run-script|-\S+))*[ \t]*([\w:.-]*)")
_NPM: Final = lazy(rb"[\"'`](?:npm|pnpm|yarn|bun)\b", needs=(b"npm", b"yarn", b"bun"))
_RUNNERS: Final = (
    (lazy(rb"(?<![\w./-])make\b"), ("Makefile", "makefile", "GNUmakefile")),
    (lazy(rb"(?<![\w./-])just\b"), ("justfile", ".justfile", "Justfile")),
    (lazy(rb"(?<![\w./-])task\b"), ("Taskfile.yml", "Taskfile.yaml")),
    (lazy(rb"(?<![\w./-])deno\b"), ("deno.json", "deno.jsonc")),
    (lazy(rb"(?<![\w./-])bunx?\b"), ("bunfig.toml",)),
    (lazy(rb"(?<![\w./-])(?:uvx?|poetry|pdm|hatch|rye|pipenv)\b"), ("pyproject.toml", "Pipfile", "uv.toml")),
)
"""Programs that run, or load, what a file of a known name lists."""


class Named(NamedTuple):
    """What a program names; everything as text, sorted."""

    paths: tuple[str, ...] = ()
    """Files by path or by name alone, as far as known: `lib/x.sh`, `x.py`; without dots and variables before them."""
    modules: tuple[str, ...] = ()
    """Modules of Python, without the dots before them."""
    specifiers: tuple[str, ...] = ()
    """What JavaScript and its like load, with or without a suffix."""
    scripts: tuple[str, ...] = ()
    """Scripts of packages that it has a package manager run; `ALL_SCRIPTS` where they can't be told."""
    folders: frozenset[str] = frozenset()
    """Words that are names of folders of the tree: a path may be put together from them."""

    def __bool__(self) -> bool:
        """Say whether anything is named."""
        return bool(self.paths or self.modules or self.specifiers)


class TreeNames:
    """The names of a tree, to which nothing else can lead."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.files: set[bytes] = set()
        self.stems: set[bytes] = set()
        self.folders: set[bytes] = set()
        self.native: dict[str, list[str]] = {}
        """Module to the files that are it in machine code: `x.cpython-311-x86_64-linux-gnu.so`."""
        for entry in entries:
            text = entry.path.rpartition("/")[2]
            name = text.encode("utf-8", "surrogateescape")
            (self.folders if entry.kind is EntryKind.DIRECTORY else self.files).add(name)
            self.stems.add(name.partition(b".")[0])
            if text.endswith((".so", ".pyd")) and text not in self.native.setdefault(text.partition(".")[0], []):
                self.native[text.partition(".")[0]].append(text)


def names_in(path: str, data: bytes, tree: TreeNames) -> Named | None:
    """Return what a file of the tree names, None for one that is no program of a language known here."""
    language = language_of(path, data)
    return names_of(language, data, tree) if language in _PROGRAMS else None


def names_of(language: str, data: bytes, tree: TreeNames) -> Named:
    """Return what a program names.

    Args:
        language: as `lang.classify` calls it.
        data: the text.
        tree: names that count.
    """
    paths = {path for path in _suffixed(data) if path.rpartition(b"/")[2] in tree.files}
    modules: set[bytes] = set()
    specifiers: set[bytes] = set()
    scripts: set[bytes] = set()
    if language in _PYTHON:
        modules = {name for name in _modules(data) if _leads(name, tree)}
    elif language in _SCRIPTS:
        specifiers = {name.strip(b"/") for name in _SPECIFIER.findall(data)}
    elif language in _SHELLS:
        paths.update(path for path in _slashed(data) if path.rpartition(b"/")[2] in tree.files)
        modules = {name for name in _BY_NAME.findall(data) if _leads(name, tree)}
        paths.update(name.encode() for found, names in _RUNNERS if found.search(data) for name in names)
        scripts = {name or ALL_SCRIPTS.encode() for name in _RUN.findall(data)}
    else:
        loaded = (name.replace(b"::", b"/").lstrip(b"./") for name in _LOADED.findall(data))
        specifiers = {name for name in loaded if name.rpartition(b"/")[2].partition(b".")[0] in tree.stems}
    if language not in _SHELLS and _NPM.search(data):
        scripts = {ALL_SCRIPTS.encode()}
    if scripts:
        paths.add(b"package.json")
    if not (paths or modules or specifiers):
        return Named()
    folders = tree.folders.intersection(_WORD.findall(data)) if paths or b"sys.path" in data else set()
    return Named(_texts(paths), _texts(modules), _texts(specifiers), _texts(scripts), frozenset(_texts(folders)))


def _suffixed(data: bytes) -> Iterator[bytes]:
    """Yield the paths that end in a known suffix, without what goes before the tree: dots, variables, roots."""
    for hit in islice(_SUFFIX.finditer(data), _MAX_NAMES):
        start = hit.start()
        end = max(0, start - _MAX_NAME_BYTES)
        while start > end and data[start - 1] in _PATH_BYTES:
            start -= 1
        found = data[start : hit.end()].replace(b"\\", b"/")
        if start and data[start - 1] == 0x24:  # `$`: the first part is a variable.
            found = found.partition(b"/")[2]
        yield _plain(found)


def _slashed(data: bytes) -> Iterator[bytes]:
    """Yield the paths of a script that may have no suffix, and what it reads into itself."""
    for token in _TOKEN.findall(data):
        if b"/" in token:
            found = token.replace(b"\\", b"/")
            yield _plain(found.partition(b"/")[2] if found.startswith(b"$") else found)
    yield from _SOURCED.findall(data)


def _plain(path: bytes) -> bytes:
    """Return a path without empty parts and dots."""
    return b"/".join(part for part in path.split(b"/") if part not in (b"", b".", b".."))


def _modules(data: bytes) -> Iterator[bytes]:
    """Yield the modules that a Python file may import: those of a statement, and names below the first."""
    for statement in _IMPORTED.findall(data):
        first, *rest = [word.strip(b".") for word in _DOTTED.findall(statement)] or [b""]
        yield first
        for word in rest:
            yield word
            yield (first + b"." + word).strip(b".")
    yield from (name.strip(b".") for name in _BY_NAME.findall(data))


def _leads(module: bytes, tree: TreeNames) -> bool:
    """Say whether the first part of a module is the name of anything in the tree."""
    return module.partition(b".")[0] in tree.stems


def folders_in(texts: Iterable[str], tree: TreeNames) -> frozenset[str]:
    """Return the words of some texts that are names of folders of a tree."""
    data = "\n".join(texts).encode("utf-8", "surrogatepass")
    return frozenset(_texts(tree.folders.intersection(_WORD.findall(data))))


def _texts(found: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(sorted(name.decode("utf-8", "surrogateescape") for name in found if name))


def is_of_a_test(path: str) -> bool:
    """Say whether a file is part of a test, by its folder or its name."""
    return _OF_A_TEST.search(path) is not None
