"""Read CMake's files: what configuring and building start, fetch, read and write.

A file is a list of commands with words; nothing of it is computed but variables that are set once, to one word. What
configures runs as soon as somebody asks for a build.

See: https://cmake.org/cmake/help/latest/manual/cmake-language.7.html
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.lang.recipes.arguments import is_builtin, shell_line, shown
from plugseal.lang.recipes.cmake_text import REFERENCE, Command, commands_in, fill, groups, pairs, single_values
from plugseal.lang.recipes.found import Found
from plugseal.lang.recipes.mapped import Mapped
from plugseal.lang.recipes.sources import add_file, add_source, host_of, source_address

LANGUAGE: Final = "CMake"


def read_cmake(text: str, path: str) -> Found:
    """Return what a file of CMake says.

    Args:
        text: with LF line ends.
        path: of the file, below the scanned root.
    """
    found = Found(LANGUAGE)
    commands = list(commands_in(text, found))
    variables = single_values(commands)
    for command in commands:
        for word in command.words:
            for kind, name in REFERENCE.findall(word.text):
                if kind == "ENV":
                    found.fact(command.span, "env.read", shown(name), "install")
        handler = _HANDLERS.get(command.name)
        if handler is not None:
            filled = [word._replace(text=fill(word.text, variables)) for word in command.words]
            handler(command._replace(words=filled), found, path.count("/"))
    return found


def _run(words: list[str], command: Command, found: Found, *, unasked: bool = True, how: str = "") -> None:
    if not words or not words[0]:
        return
    if not words[0].strip(HOLE):
        found.fact(command.span, "process.exec", None, "install", sure=False)
        return
    line = Mapped()
    line.put(shell_line(words), command.span.line, command.span.column)
    if is_builtin(words[0]):
        found.fact(command.span, "process.exec", words[0], "install" if unasked else "command")
    found.run(line, "install" if unasked else "command", how or command.name)
    if unasked:
        found.fact(command.span, "autorun", shown(words[0]), "install")


def _execute_process(command: Command, found: Found, folders: int) -> None:
    del folders
    for words in groups(command.texts, "COMMAND"):
        _run(words, command, found)


def _exec_program(command: Command, found: Found, folders: int) -> None:
    del folders
    texts = command.texts
    arguments = next(iter(groups(texts, "ARGS")), [])
    if texts:
        _run([texts[0], *arguments], command, found)


def _custom(command: Command, found: Found, folders: int) -> None:
    del folders
    unasked = command.name == "add_custom_command" or "ALL" in command.texts
    for words in groups(command.texts, "COMMAND"):
        _run(words, command, found, unasked=unasked)


def _external(command: Command, found: Found, folders: int) -> None:
    del folders
    texts = command.texts
    for key, value in pairs(texts):
        if key in ("URL", "GIT_REPOSITORY", "SVN_REPOSITORY", "HG_REPOSITORY") and value:
            for place in value[:4] if key == "URL" else value[:1]:
                if "://" in place or place.startswith("git@"):
                    add_source(found, command.span, (source_address(place) or place).replace(HOLE, "$"))
        elif key in ("GITHUB_REPOSITORY", "GITLAB_REPOSITORY") and value:
            short = "github:" if key.startswith("GITHUB") else "gitlab:"
            add_source(found, command.span, source_address(short + value[0]) or value[0])
        elif key.endswith("_COMMAND") and key != "TEST_COMMAND":
            for words in groups(["COMMAND", *value], "COMMAND"):
                _run(words, command, found, how=key)
    if command.name == "cpmaddpackage" and len(texts) == 1:
        written_out = source_address(texts[0].partition("@")[0].partition("#")[0])
        if written_out is not None:
            add_source(found, command.span, written_out)


def _file(command: Command, found: Found, folders: int) -> None:
    texts = command.texts
    if len(texts) < 2:
        return
    what, rest = texts[0], texts[1:]
    if what in ("DOWNLOAD", "UPLOAD"):
        at = 0 if what == "DOWNLOAD" else 1
        address = rest[at] if len(rest) > at else ""
        found.fact(command.span, "net.outbound", host_of(address.replace(HOLE, "$")), "install")
        other = next(iter(rest[1 - at :]), "") if len(rest) > 1 else ""
        _path(other, "fs.write" if what == "DOWNLOAD" else "fs.read", command, found, folders)
        return
    capability = _FILE_ACTS.get(what)
    if capability is None:
        return
    listed = rest if what.startswith("REMOVE") else rest[-1:] if what in ("RENAME", "COPY", "INSTALL") else rest[:1]
    if what in ("COPY", "INSTALL"):
        listed = next(iter(groups(rest, "DESTINATION")), [])[:1]
    for path in listed:
        _path(path, capability, command, found, folders)


def _path(path: str, capability: str, command: Command, found: Found, folders: int) -> None:
    if not path:
        return
    if not add_file(found, command.span, path.replace(HOLE, "*"), folders=folders, capability=capability):
        found.fact(command.span, capability, shown(path), "install")


def _include(command: Command, found: Found, folders: int) -> None:
    for path in command.texts[:1]:
        if "/" in path:
            add_file(found, command.span, path.replace(HOLE, "*"), folders=folders)


def _language_call(command: Command, found: Found, folders: int) -> None:
    del folders
    texts = command.texts
    if texts[:1] == ["EVAL"] or (texts[:1] == ["CALL"] and HOLE in "".join(texts[1:2])):
        found.fact(command.span, "code.dynamic", None, "install")


def _try_run(command: Command, found: Found, folders: int) -> None:
    del folders
    found.fact(command.span, "process.exec", None, "install")
    found.fact(command.span, "autorun", None, "install")


def _install(command: Command, found: Found, folders: int) -> None:
    del folders
    for key, value in pairs(command.texts):
        if key == "CODE":
            for code in value[:1]:
                inner = Mapped()
                inner.put(code.replace(HOLE, "${_}"), command.span.line, command.span.column)
                found.run(inner, "install", "install(CODE)", language=LANGUAGE)
        elif key == "SCRIPT":
            found.fact(command.span, "autorun", shown(value[0]) if value else None, "install")


def _set(command: Command, found: Found, folders: int) -> None:
    del folders
    match = re.match(r"ENV\{([^}]*)\}", command.texts[0]) if command.words else None
    if match is not None and len(command.words) > 1:
        found.fact(command.span, "env.write", shown(match[1]), "install")


_FILE_ACTS: Final = {
    "WRITE": "fs.write",
    "APPEND": "fs.write",
    "TOUCH": "fs.write",
    "COPY": "fs.write",
    "INSTALL": "fs.write",
    "RENAME": "fs.write",
    "READ": "fs.read",
    "STRINGS": "fs.read",
    "REMOVE": "fs.delete",
    "REMOVE_RECURSE": "fs.delete",
    "CHMOD": "fs.meta",
    "CHMOD_RECURSE": "fs.meta",
    "CREATE_LINK": "fs.meta",
}
_HANDLERS: Final[dict[str, Callable[[Command, Found, int], None]]] = {
    "execute_process": _execute_process,
    "exec_program": _exec_program,
    "add_custom_command": _custom,
    "add_custom_target": _custom,
    "add_test": _custom,
    "externalproject_add": _external,
    "externalproject_add_step": _custom,
    "fetchcontent_declare": _external,
    "fetchcontent_populate": _external,
    "cpmaddpackage": _external,
    "file": _file,
    "include": _include,
    "cmake_language": _language_call,
    "try_run": _try_run,
    "install": _install,
    "set": _set,
}
