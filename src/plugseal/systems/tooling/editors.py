"""Files in a working folder by which editors, debuggers and interactive interpreters run something of it.

Run configurations are started by hand; watchers run at each save and start-up tasks at each opening, once the project
is trusted. A start file is run by its program when that is started in the folder.
"""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.location import Span
from plugseal.model.plugin import Component, ComponentKind
from plugseal.patterns import lazy
from plugseal.systems.launching.launch import entry_file
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.tooling.keys import Keys, keyed_components
from plugseal.systems.tooling.parts import run_file, text_of

if TYPE_CHECKING:
    from plugseal.systems.tooling.parts import Reader

_TRUST: Final = "project trust, and the user starts it"
_WATCHED: Final = "project trust; a file is saved"
_OPENED: Final = "project trust; the project is opened"
_ELEMENT: Final = lazy(r"<(configuration|TaskOptions|option)\b([^<>]{0,20000}?)/?>|</(configuration|TaskOptions)>")
_ATTRIBUTE: Final = lazy(r"([\w:.-]{1,100})\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_SCRIPTS: Final = frozenset({"SCRIPT_TEXT", "SCRIPT_PATH", "SCRIPT_NAME", "program", "EXECUTABLE_PATH", "COMMAND"})
_ARGUMENTS: Final = frozenset({"SCRIPT_OPTIONS", "PARAMETERS", "arguments", "PROGRAM_PARAMETERS"})
_FOLDER_VARIABLE: Final = lazy(r"\$(?:PROJECT_DIR|ProjectFileDir|ContentRoot|WORKSPACE_DIR)\$/?")
_START_FILES: Final = {
    ".exrc": ("vim or nvim", "the option `exrc`, and trust of the file"),
    ".nvimrc": ("nvim", "the option `exrc`, and trust of the file"),
    ".nvim.lua": ("nvim", "the option `exrc`, and trust of the file"),
    ".vimrc": ("vim", "the option `exrc`"),
    "_vimrc": ("vim", "the option `exrc`"),
    ".lvimrc": ("vim", "a plugin that asks once"),
    ".dir-locals.el": ("emacs", "emacs asks before values that are not known to be safe"),
    ".dir-locals-2.el": ("emacs", "emacs asks before values that are not known to be safe"),
    ".gdbinit": ("gdb", "the auto-load safe path"),
    ".lldbinit": ("lldb", "the option to load it from the working folder"),
    ".rprofile": ("R", "none: R started in the folder runs it"),
    ".irbrc": ("irb", "none: irb started in the folder runs it"),
    ".pryrc": ("pry", "none: pry started in the folder runs it"),
    ".iex.exs": ("iex", "none: iex started in the folder runs it"),
    ".ghci": ("ghci", "none, unless others may write to the folder"),
    ".octaverc": ("octave", "none: octave started in the folder runs it"),
    ".pdbrc": ("pdb", "none: pdb started in the folder runs it"),
    ".pdbrc.py": ("pdb++", "none: pdb++ started in the folder runs it"),
    "vagrantfile": ("vagrant", "the user calls it"),
    "tiltfile": ("tilt", "the user calls it"),
}
"""File that a program runs when it is started in the folder: the program, and what stands before it."""
_SUBLIME: Final = Keys(
    """
    words: build_systems.*.cmd build_systems.*.variants.*.cmd
    line: build_systems.*.shell_cmd build_systems.*.variants.*.shell_cmd
    environment: build_systems.*.env
    quiet: settings folders
    """,
    "the user builds",
    form="json",
)
_SUBLIME_BUILD: Final = Keys(
    """
    words: cmd variants.*.cmd windows.cmd osx.cmd linux.cmd
    line: shell_cmd variants.*.shell_cmd windows.shell_cmd osx.shell_cmd linux.shell_cmd
    environment: env
    """,
    "the user builds",
    form="json",
)
_FLEET: Final = Keys(
    """
    words: configurations.*.program configurations.*.command
    line: configurations.*.script
    environment: configurations.*.environment
    """,
    "the user starts it",
    form="json",
)
_HELIX: Final = Keys(
    """
    words: language-server.*.command language.*.formatter.command language.*.debugger.command editor.shell
    words: language.*.language-server.command
    line: keys.normal.* keys.insert.* keys.select.*
    environment: language-server.*.environment
    quiet: theme language-server.*.config grammar use-grammars language.*.debugger.templates
    """,
    "a file of the language is opened",
    "open",
    "toml",
)


class _Element:
    """One configuration of a file of JetBrains' editors."""

    def __init__(self, name: str, line: int) -> None:
        self.name = name
        self.line = line
        self.program = ""
        self.script = False
        self.arguments = ""


def _jetbrains(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe run configurations, watchers and start-up tasks of JetBrains' editors."""
    text = text_of(reader, file)
    is_watcher = file.endswith("watcherTasks.xml")
    trigger, gate = ("open", _WATCHED) if is_watcher else ("command", _TRUST)
    for element in list(_elements(text))[:MAX_DECLARED]:
        if element.program:
            yield _configuration(reader, file, element, trigger, gate)
    if file.endswith("startup.xml"):
        yield from _started(reader, file, text)
    reader.parsed.append(file)


def _elements(text: str) -> Iterator[_Element]:
    """Yield the configurations of a file, with what they start."""
    open_one: _Element | None = None
    for found in _ELEMENT.finditer(text):
        if found[3]:
            if open_one is not None:
                yield open_one
            open_one = None
            continue
        given = {name: html.unescape(first or second) for name, first, second in _ATTRIBUTE.findall(found[2])}
        if found[1] in ("configuration", "TaskOptions"):
            open_one = _Element(given.get("name", found[1]), text.count("\n", 0, found.start()) + 1)
        elif open_one is not None:
            _take(open_one, given)


def _take(element: _Element, given: dict[str, str]) -> None:
    """Take an option of a configuration."""
    name, value = given.get("name", ""), given.get("value", "")
    if name in _SCRIPTS and value and not element.program:
        element.program, element.script = value, name in ("SCRIPT_TEXT", "COMMAND")
    elif name in _ARGUMENTS and value:
        element.arguments = value


def _configuration(reader: PluginReader, file: str, element: _Element, trigger: str, gate: str) -> Component:
    program = _FOLDER_VARIABLE.sub("", element.program)
    words: tuple[str, ...] = (program,) if element.script else (program, *_split(element.arguments))
    return Component(
        kind=ComponentKind.SCRIPT,
        name=element.name,
        file=file,
        span=Span(element.line, 1, element.line, 1),
        transport="exec",
        command=words,
        shell=element.script,  # nosec B604  # a field
        trigger=trigger,
        gate=gate,
        entry=program if reader.is_file(program) else entry_file(words, None, reader.is_launchable),
    )


def _split(arguments: str) -> list[str]:
    """Return arguments as words, quotes taken off where they close."""
    try:
        return shlex.split(arguments)
    except ValueError:
        return arguments.split()


def _started(reader: PluginReader, file: str, text: str) -> Iterator[Component]:
    """Yield the configurations that run when the project is opened: those of the names that a file lists."""
    folder = file.removesuffix("startup.xml")
    for listed in _listed(text):
        stem = re.sub(r"\W", "_", listed.name)
        for place in (f"{folder}runConfigurations/{stem}.xml", f"{folder}../.run/{listed.name}.run.xml"):
            path = place.replace(".idea/../", "")
            for element in _elements(text_of(reader, path)) if reader.is_file(path) else ():
                if element.program and element.name == listed.name:
                    element.line = listed.line
                    yield _configuration(reader, file, element, "open", _OPENED)


def _listed(text: str) -> Iterator[_Element]:
    """Yield the configurations that a file names."""
    for found in _ELEMENT.finditer(text):
        if found[1] == "configuration":
            given = {name: html.unescape(first or second) for name, first, second in _ATTRIBUTE.findall(found[2])}
            yield _Element(given.get("name", ""), text.count("\n", 0, found.start()) + 1)


def _start_file(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe a file that a program runs when it is started in the folder."""
    del reader
    program, gate = _START_FILES[file.rpartition("/")[2].lower()]
    yield run_file(file, name=f"{program} {file.rpartition('/')[2]}", trigger="open", gate=gate)


def _by_keys(keys: Keys) -> Reader:
    return lambda reader, file: keyed_components(reader, file, keys)


READERS: Final[dict[str, Reader]] = {
    "editors.jetbrains": _jetbrains,
    "editors.start": _start_file,
    "editors.sublime": _by_keys(_SUBLIME),
    "editors.sublime-build": _by_keys(_SUBLIME_BUILD),
    "editors.fleet": _by_keys(_FLEET),
    "editors.helix": _by_keys(_HELIX),
}
