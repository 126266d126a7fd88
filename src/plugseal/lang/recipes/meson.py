"""Read Meson's files: what configuring, building and installing start and fetch.

Only calls count, with the words among their arguments; a name that is given one text or one program is that.

See: https://mesonbuild.com/Reference-manual.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.lang.recipes.arguments import is_builtin, shell_line, shown
from plugseal.lang.recipes.found import Found
from plugseal.lang.recipes.mapped import Mapped
from plugseal.lang.recipes.sources import add_file, add_source
from plugseal.model.location import Span
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

LANGUAGE: Final = "Meson"
WRAP: Final = "Meson wrap"
_TOKEN: Final = lazy(
    r"#[^\n]*|f?'''(?P<long>.*?)'''|f?'(?P<text>(?:[^'\\\n]|\\.)*)'|"
    r"f?'(?:[^'\\\n]|\\.)*|(?P<name>[A-Za-z_][\w.]*)|(?P<mark>[()\[\],:=+])|\s+|.",
    re.DOTALL,
)
_FIELD: Final = lazy(r"@[^@\s]*@")
_ENTRY: Final = lazy(r"\s*([\w-]+)\s*=\s*(\S.*)")
_MAX_TOKENS: Final = 200_000
_UNASKED: Final = {
    "run_command": 0,
    "custom_target": -1,
    "vcs_tag": -1,
    "configure_file": -1,
    "generator": 0,
    "meson.add_install_script": 0,
    "meson.add_postconf_script": 0,
    "meson.add_dist_script": 0,
    "meson.run_command": 0,
}
"""Functions that start what they are given, by the position of the program; -1 where `command:` names it."""
_ASKED: Final = frozenset(("run_target", "test", "benchmark"))
_WANTED: Final = frozenset(_UNASKED) | _ASKED | {"subdir", "import"}
_MAX_WORK: Final = 1_000_000
"""Tokens that are looked at for the arguments of all calls."""
_GIVES_WORD: Final = frozenset(("find_program", "files", "join_paths", "meson.current_source_dir"))


class _Token(NamedTuple):
    kind: str
    text: str
    line: int
    column: int


def read_meson(text: str, path: str) -> Found:
    """Return what a file of Meson says.

    Args:
        text: with LF line ends.
        path: of the file, below the scanned root.
    """
    found = Found(LANGUAGE)
    tokens = list(_tokens(text, found))
    values = _values(tokens)
    work = _MAX_WORK
    for at, token in enumerate(tokens[:-1]):
        if token.kind == "name" and token.text in _WANTED and tokens[at + 1].text == "(":
            arguments, looked = _arguments(tokens, at + 2, values)
            work -= looked
            if work < 0:
                found.lack("holds more than is read")
                break
            _take_call(token, arguments, found, path.count("/"))
    return found


def _take_call(token: _Token, arguments: dict[str, list[str]], found: Found, folders: int) -> None:
    name = token.text
    span = Span(token.line, token.column, token.line, token.column + len(name))
    if name in _UNASKED or name in _ASKED:
        key = "command" if _UNASKED.get(name, -1) == -1 and name not in ("test", "benchmark") else ""
        words = arguments.get(key, []) if key else arguments[""]
        words = words[1:] + arguments.get("args", []) if name in ("test", "benchmark") else words
        words = words + arguments.get("arguments", []) if name == "generator" else words
        if not words or not words[0].strip(HOLE):
            if name.endswith("run_command"):
                found.fact(span, "process.exec", None, "install", sure=False)
            return
        line = Mapped()
        line.put(shell_line(words), token.line, token.column)
        trigger = "install" if name in _UNASKED else "command"
        if is_builtin(words[0]):
            found.fact(span, "process.exec", words[0], trigger)
        found.run(line, trigger, name)
        if name in _UNASKED:
            found.fact(span, "autorun", shown(words[0]), "install")
    elif name in ("subdir", "import") and arguments[""]:
        add_file(found, span, arguments[""][0], folders=folders)


def read_wrap(text: str, _path: str) -> Found:
    """Return where a wrap of Meson takes a project from.

    Args:
        text: with LF line ends.
    """
    found = Found(WRAP)
    for number, line in enumerate(text.split("\n"), 1):
        entry = _ENTRY.match(line)
        if entry is not None and entry[1] in ("source_url", "url", "patch_url", "source_fallback_url"):
            add_source(found, Span(number, 1, number, len(line) + 1), entry[2].rstrip())
    return found


def _tokens(text: str, found: Found) -> Iterator[_Token]:
    line, start = 1, 0
    for count, match in enumerate(_TOKEN.finditer(text)):
        if count > _MAX_TOKENS:
            found.lack("holds more than is read")
            return
        kind = match.lastgroup
        if kind is not None:
            word = match[kind]
            if kind in ("long", "text"):
                word = _FIELD.sub(HOLE, word.replace("\\'", "'").replace("\\\\", "\\"))
            yield _Token("text" if kind == "long" else kind, word, line, match.start() - start + 1)
        newlines = match[0].count("\n")
        if newlines:
            line += newlines
            start = match.start() + match[0].rfind("\n") + 1


def _values(tokens: list[_Token]) -> dict[str, str]:
    """Return the names that are given one text, or a program by its name, once."""
    seen: dict[str, list[str]] = {}
    for at in range(len(tokens) - 2):
        name, equals, value = tokens[at : at + 3]
        if name.kind != "name" or equals.text != "=":
            continue
        if value.text in _GIVES_WORD and at + 4 < len(tokens) and tokens[at + 4].kind == "text":
            value = tokens[at + 4]
        seen.setdefault(name.text, []).append(value.text if value.kind == "text" else HOLE)
    return {name: values[0] for name, values in seen.items() if len(values) == 1}


def _arguments(tokens: list[_Token], at: int, values: dict[str, str]) -> tuple[dict[str, list[str]], int]:
    """Return the words among a call's arguments, and how many tokens they are.

    Words without a key stand under an empty one; lists are laid flat.
    """
    start = at
    found: dict[str, list[str]] = {"": []}
    key, depth = "", 0
    while at < len(tokens):
        token = tokens[at]
        following = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if token.text in ("(", "[") and token.kind == "mark":
            depth += 1
        elif token.text in (")", "]") and token.kind == "mark":
            if depth == 0:
                break
            depth -= 1
        elif token.kind == "mark" and token.text == "," and depth == 0:
            key = ""
        elif token.kind == "name" and following == ":" and depth == 0:
            key = token.text
            at += 1
        elif token.kind == "text":
            found.setdefault(key, []).append(token.text)
        elif token.kind == "name" and token.text not in _GIVES_WORD:
            found.setdefault(key, []).append(values.get(token.text, HOLE))
        at += 1
    return found, at - start
