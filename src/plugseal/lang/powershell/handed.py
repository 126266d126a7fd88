"""Code that a script writes to a file, or feeds to an interpreter through a pipe: its own language's reader reads it.

A file is code by its name, or by its first line where the name is not known. What is written to any other file is data.
Nothing is written, and no interpreter is asked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.powershell.values import Item, Made, Many, TypeName, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugseal.lang.powershell.codes import Codes
    from plugseal.lang.powershell.collect import Use
    from plugseal.lang.powershell.given import Given
    from plugseal.lang.powershell.subject import Subject
    from plugseal.lang.powershell.tree import Node

_LANGUAGES: Final = frozenset("python shell PowerShell batch javascript typescript Ruby Perl PHP Lua".split())
_WRITERS: Final = {
    "set-content": ("value", True),
    "add-content": ("value", True),
    "out-file": ("inputobject", False),
    "tee-object": ("inputobject", False),
    "new-item": ("value", False),
}
"""Cmdlets that write, with the parameter that has the text, and whether it is the next word behind the path."""
_METHODS: Final = frozenset("writealltext appendalltext writealllines appendalllines writealltextasync".split())
_STREAMS: Final = frozenset(("write", "writeline", "writeasync", "writelineasync"))
_ENDING: Final = frozenset("-c -e -m -r -p -E --eval --print --command --version -v -V --help -h".split())
"""Options after which an interpreter does not run what it is fed."""
_POWERSHELLS: Final = frozenset(("powershell", "pwsh"))
_VALUED: Final = frozenset("executionpolicy ex ep windowstyle w version outputformat inputformat".split())
_HOW_WRITTEN: Final = "written to a script"


class Handed:
    """The code that one script hands on."""

    def __init__(self, subject: Subject, codes: Codes) -> None:
        self._subject = subject
        self._codes = codes

    def judge_written(self, name: str, given: Given, use: Use) -> None:
        """Judge what a cmdlet writes to a file."""
        if name not in _WRITERS:
            return
        parameter, is_placed = _WRITERS[name]
        words = list(given.positional)
        path = _named(given, "path", "filepath", "literalpath", "pspath") or (words.pop(0) if words else None)
        value = _named(given, parameter) or (words[0] if words and is_placed else None)
        self._put_file(path, value or self._fed(use), use)

    def judge_redirects(self, use: Use) -> None:
        """Judge what a redirection writes to a file."""
        for part in use.node.parts:
            if part.kind == "redirect" and part.text.lstrip("*1") in (">", ">>") and part.parts:
                value = self._subject.folder.one(use.node, use.frame)
                self._put_file(self._subject.folder.one(part.parts[0], use.frame), value, use)

    def judge_method(self, target: Item, name: str, given: Sequence[Item], use: Use) -> None:
        """Judge what a method of .NET writes to a file."""
        value = target.value
        kind = value.type if isinstance(value, (Made, TypeName)) else ""
        if kind == "io.file" and name in _METHODS and len(given) > 1:
            self._put_file(given[0], given[1], use)
        elif kind == "io.streamwriter" and name in _STREAMS and given and isinstance(value, Made) and value.given:
            self._put_file(value.given[0], given[0], use)

    def judge_pipe(self, program: str, words: Sequence[str], use: Use) -> None:
        """Judge what is fed to an interpreter."""
        language = _interpreted(program)
        if language and use.before and _reads_input(program, words):
            fed = self._fed(use)
            self._codes.put(language, _text(fed), use, program, self._place(use))

    def _put_file(self, path: Item | None, value: Item | None, use: Use) -> None:
        if value is None:
            return
        text = _text(value)
        if not text.replace(HOLE, "").strip():
            return
        language = _language(text_of(path) if path is not None else HOLE, text)
        if language:
            self._codes.put(language, text, use, _HOW_WRITTEN, self._place(use))

    def _fed(self, use: Use) -> Item | None:
        if not use.before:
            return None
        return self._subject.folder.one(use.node._replace(kind="pipeline", parts=use.before), use.frame)

    def _place(self, use: Use) -> Node:
        """Return the command with what stands before it in its pipeline."""
        return use.node._replace(start=use.before[0].start) if use.before else use.node


def _named(given: Given, *parameters: str) -> Item | None:
    return next(
        (item for name, item in given.named.items() if name and any(one.startswith(name) for one in parameters)), None
    )


def _text(item: Item | None) -> str:
    if item is None or isinstance(item.value, Made):
        return ""
    if isinstance(item.value, Many):
        return "\n".join(text_of(one) for one in item.value.items)
    return item.value if isinstance(item.value, str) else ""


def _language(path: str, text: str) -> str:
    """Return the language of a file that is written, empty where it is no program."""
    from plugseal.lang.classify import language_of  # what is written is looked at in few scripts

    name = re.split(r"[/\\]", path)[-1].replace(HOLE, "_")
    found = language_of(name, text[:256].encode("utf-8", "surrogatepass"))
    return found if found in _LANGUAGES else ""


def _interpreted(program: str) -> str:
    from plugseal.lang.interpreters import language_of

    if program in _POWERSHELLS:
        return "PowerShell"
    found = "batch" if program == "cmd" else language_of(program)
    return found if found in _LANGUAGES else ""


def _reads_input(program: str, words: Sequence[str]) -> bool:
    """Say whether an interpreter that is given some words runs what it is fed."""
    if words and words[-1] == "-":
        return True
    if program in _POWERSHELLS:
        return not any(True for _ in _said(words))
    if program == "cmd":
        return not any(word.lower()[:2] in ("/c", "/k", "/r") for word in words)
    return not any(word in _ENDING or not word.startswith("-") for word in words) or "-s" in words


def _said(words: Sequence[str]) -> Iterator[str]:
    """Yield the words by which PowerShell is told what to run."""
    at = 0
    while at < len(words):
        name = words[at].lower().lstrip("-/")
        is_option = words[at].startswith(("-", "/"))
        at += 1
        if not is_option or any(one.startswith(name) for one in ("command", "file", "encodedcommand")):
            yield name
        elif name in _VALUED:
            at += 1
