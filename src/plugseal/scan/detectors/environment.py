"""Environment entries that are code: variables by which a loader, a runtime or git runs what they name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.model.variables import LIBRARY_PATHS, MODULE_PATHS, UNKNOWN_PART, loading
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import ManifestHit
from plugseal.scan.launches import launches, shell_line
from plugseal.scan.matching.values import compiled, searches
from plugseal.systems.launching.launch import inner

_FOLDERS: Final = lazy(r";|(?<!\$\{env)(?<!\A[A-Za-z])(?<![;:][A-Za-z]):")
"""Parts the folders of a `PATH`, on Windows too; a drive's colon and that of `${env:PATH}` part nothing."""
_USUAL_FOLDER: Final = lazy(
    r"(?i)(?:\$PATH|\$\{(?:env:)?PATH\}|%PATH%|(?:~|\$HOME|\$\{(?:env:)?HOME\}|%USERPROFILE%)[\\/].*"
    r"|/(?!tmp\b|var/tmp\b|dev/).*|[a-z]:[\\/].*)"
)
_INTERPRETER: Final = lazy(r"(?:python|pypy|node|bun|deno|ruby|perl|lua|java)[0-9.]*(?:\.exe)?")
_WRAPPER: Final = lazy(r"HOME|USERPROFILE|XDG_[A-Z_]+|PLUGSEAL_[A-Z_]+|OPENSSL_[A-Z]+|PYTHON\w+")
_REFERENCE: Final = lazy(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)")
_ASSIGNMENT: Final = lazy(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


def look_for_code_in_environment(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find variables that make a loader or a runtime run something."""
    return _look(plugin, loads_code)


def look_for_module_paths(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find variables that add folders which modules, libraries or programs are loaded from."""
    for hit in _look(plugin, _adds_folder):
        if hit.component is None or not _loads_own(hit.component, hit.word):
            yield hit


def look_for_wrapper_environment(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find variables around plugseal itself that move its state or load code into it.

    A client's own variables are around whatever it starts: those of plugseal count anywhere, the others where the
    client starts plugseal.
    """
    started = {c for c in plugin.components if any(_is_plugseal(one.program, one.arguments) for one in launches(c))}
    for component in plugin.components:
        if component.kind is ComponentKind.SETTING and component not in started:
            for name, _ in _entries(component):
                if name.startswith("PLUGSEAL_") or (
                    started and (_WRAPPER.fullmatch(name) or loads_code(name, UNKNOWN_PART))
                ):
                    yield ManifestHit(component, name, "set around plugseal itself", name)
        if component not in started:
            continue
        for name, _ in _entries(component):
            if _WRAPPER.fullmatch(name) or loads_code(name, UNKNOWN_PART):
                yield ManifestHit(component, name, "set around plugseal itself", name)


def _adds_folder(name: str, value: str) -> bool:
    return name in MODULE_PATHS or name in LIBRARY_PATHS or (name.upper() == "PATH" and _is_odd_path(value))


def _loads_own(component: Component, name: str) -> bool:
    """Say whether a program of the plugin loads its modules from the plugin: what it runs is the plugin's anyway.

    A relative folder is not meant: it is below whatever folder the client starts in.
    """
    if name not in MODULE_PATHS or component.entry is None or component.entry.startswith("../"):
        return False
    if not component.command or _INTERPRETER.fullmatch(component.command[0].rpartition("/")[2]) is None:
        return False  # What fetches a package runs a stranger's program, with these modules in front of its own.
    value = dict(component.literals).get(name, "")
    folders = [folder for folder in _FOLDERS.split(value) if folder and folder != f"${{{name}}}"]
    return bool(folders) and all(folder.startswith("$") and inner(folder) is not None for folder in folders)


def _look(plugin: Plugin, is_wanted: Callable[[str, str], bool]) -> Iterator[ManifestHit]:
    for component in plugin.components:
        for name, value in _entries(component):
            if is_wanted(name, value):
                place = dict(component.places).get(f"env.{name}")  # Its name may stand in another one before it.
                yield ManifestHit(component, name, "", name, line=place.line if place is not None else 0)


def loads_code(name: str, value: str) -> bool:
    """Say whether a variable of this name and value makes what is started run something else."""
    return name not in LIBRARY_PATHS and loading(name, value) is not None


def _is_odd_path(value: str) -> bool:
    """Say whether a search path for programs has a folder that is neither the user's nor the system's.

    What a command gives is not known: `$($SHELL -lc 'echo $PATH')` is the user's own path.
    """
    if "$(" in value or "`" in value:
        return False
    return not all(_USUAL_FOLDER.fullmatch(folder) for folder in _FOLDERS.split(value))


def _entries(component: Component) -> Iterator[tuple[str, str]]:
    """Yield (name, value) of a component's environment, that of `env NAME=value program` included.

    A variable that passes the user's own one on under its own name is the user's and left out.
    """
    literals = dict(component.literals)
    for name, source in component.environment:
        if name in literals or source != name:
            yield name, literals.get(name, f"${{{source}}}")
    line = shell_line(component)
    if line is not None or _is_env(component.command):
        for word in (line or "").split() or component.command[1:]:
            if found := _ASSIGNMENT.fullmatch(word):
                yield found[1], _with_answers(found[2].strip("\"'"), line or "")


def _with_answers(value: str, line: str) -> str:
    """Return a value with `$(` in front if a variable in it holds what a command of the line gives."""
    names = _REFERENCE.findall(value)
    return f"$({value}" if any(searches(compiled(rf"\b{name}=[\"']?(?:\$\(|`)"), line) for name in names) else value


def _is_env(words: tuple[str, ...]) -> bool:
    return bool(words) and words[0].rpartition("/")[2] in ("env", "cross-env")


def _is_plugseal(program: str, arguments: tuple[str, ...]) -> bool:
    if program == "plugseal":
        return True
    return any(arguments[at : at + 2] == ("-m", "plugseal") for at in range(len(arguments)))
