"""Read a container's build file: what it runs when it is built and started, what it fetches, what it sets.

Source: the Dockerfile reference. Comment lines may stand between the lines of one instruction, a directive at the top
may change the escape character, and here-documents belong to the instruction before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.recipes.found import Found, json_words, shell_of
from plugseal.lang.recipes.mapped import Mapped
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

LANGUAGE: Final = "Dockerfile"
_INSTRUCTION: Final = lazy(r"[ \t]*([A-Za-z]+)(?:[ \t]+|$)")
_DIRECTIVE: Final = lazy(r"#[ \t]*(\w+)[ \t]*=[ \t]*(\S+)[ \t]*$")
_COMMENT: Final = lazy(r"[ \t]*(?:#|$)")
_HEREDOC: Final = lazy(r"(?<!<)<<(-?)[ \t]*([\"']?)([A-Za-z_][\w.]*)\2")
_FLAG: Final = lazy(r"--[a-z][\w-]*(?:=\S*)?[ \t]+")
_URL: Final = lazy(r"(?:https?|ftp|git)://\S+|git@\S+")
_HOST: Final = lazy(r"(?:[a-z]+://|git@)(?:[^/?#\\\s]*@)?([^/:?#\\\s]+)")
_SETTING: Final = lazy(r"([A-Za-z_]\w*)(?:=|[ \t])")
_STARTER: Final = lazy(r"entry|init|start|run|launch|boot|wrap|exec|\.(?:ba|z)?sh$|^--$")
"""How a program ends that may start what it is given."""
_MAX_LINES: Final = 200_000


class _Instruction(NamedTuple):
    name: str
    text: Mapped
    """What stands behind its name, continued lines joined."""
    bodies: tuple[Mapped, ...]
    """Its here-documents with the line ends."""


def read_dockerfile(text: str) -> Found:
    """Return what a build file says.

    Args:
        text: with LF line ends.
    """
    found = Found(LANGUAGE)
    stages: set[str] = set()
    shell: str | None = "shell"
    instructions = list(_instructions(text, found))
    entries = _entries(instructions)
    stage = 0
    for instruction in instructions:
        stage += instruction.name == "FROM"
        given = json_words(instruction.text.text) if instruction.name == "CMD" else None
        if given is not None and stage in entries:
            found.run_words([*entries[stage], *given], instruction.text.span(), "start", "CMD")
        else:
            shell = _take(instruction, found, stages, shell)
    return found


def _entries(instructions: list[_Instruction]) -> dict[int, list[str]]:
    """Return the program that `CMD` only gives words to, by the number of the stage.

    One that starts what it is given, as scripts of images do, is none: there `CMD` names a program.
    """
    entries: dict[int, list[str]] = {}
    stage = 0
    for one in instructions:
        stage += one.name == "FROM"
        if one.name == "ENTRYPOINT":
            words = json_words(one.text.text)
            entries.pop(stage, None)
            if words and not _STARTER.search(words[-1].rpartition("/")[2].lower()):
                entries[stage] = words
    return entries


def _take(one: _Instruction, found: Found, stages: set[str], shell: str | None) -> str | None:
    """Take one instruction, and return the shell of those after it."""
    words = one.text.text
    match one.name:
        case "FROM":
            _from(one, found, stages)
        case "RUN":
            _run(one, found, "install", shell)
        case "CMD" | "ENTRYPOINT":
            _run(one, found, "start", shell)
        case "HEALTHCHECK":
            if not words.strip().upper().startswith("NONE"):
                _run(_behind(one, "CMD"), found, "start", shell)
        case "ONBUILD":
            inner = _INSTRUCTION.match(words)
            if inner is not None and inner[1].upper() == "ONBUILD":
                found.lack("holds `ONBUILD ONBUILD`, which no builder takes")
            elif inner is not None:
                _take(_cut(one, inner[1].upper(), inner.end()), found, stages, shell)
        case "SHELL":
            listed = json_words(words)
            return shell_of(listed[0]) if listed else None
        case "ADD":
            for url in _URL.findall(words):
                host = _HOST.match(url)
                found.fact(one.text.span(), "net.outbound", host[1] if host else None, "install")
                found.fact(one.text.span(), "code.fetched", url, "install", sure=False)
        case "ENV":
            for name in _set_names(words):
                found.fact(one.text.span(), "env.write", name, "start")
        case _:
            pass
    return shell


def _from(one: _Instruction, found: Found, stages: set[str]) -> None:
    words = one.text.text.split()
    words = [word for word in words if not word.startswith("--")]
    if not words:
        return
    if words[0].lower() not in stages and words[0] != "scratch":
        found.fact(one.text.span(), "code.fetched", None if "$" in words[0] else words[0], "install")
    if len(words) >= 3 and words[1].upper() == "AS":
        stages.add(words[2].lower())


def _run(one: _Instruction, found: Found, trigger: str, shell: str | None) -> None:
    one = _without_flags(one)
    listed = json_words(one.text.text)
    how = one.name
    if listed is not None:
        found.run_words(listed, one.text.span(), trigger, how)
        return
    if shell is None:
        found.lack("runs its lines by a shell that is not known")
        return
    marker = _HEREDOC.search(one.text.text)
    if one.bodies and marker is not None and not _HEREDOC.sub("", one.text.text).strip():
        # The documents are the script itself.
        for body in one.bodies:
            found.run(body, trigger, how, language=_language_of(body.text, shell))
        return
    whole = Mapped()
    _append(whole, one.text)
    for body, mark in zip(one.bodies, _HEREDOC.finditer(one.text.text), strict=False):
        whole.end_line()
        _append(whole, body)
        whole.put(mark[3], *_last(body, one))
    found.run(whole, trigger, how, language=shell)


def _language_of(text: str, shell: str) -> str:
    if not text.startswith("#!"):
        return shell
    words = text.split("\n", 1)[0][2:].split()
    name = next((word for word in words if not word.endswith("/env") and not word.startswith("-")), "")
    return shell_of(name) or shell


def _append(whole: Mapped, other: Mapped) -> None:
    """Add all of another text with its places."""
    anchors = other.nested("shell", "", "").anchors
    text = other.text
    for number, anchor in enumerate(anchors):
        end = anchors[number + 1].offset if number + 1 < len(anchors) else len(text)
        part = text[anchor.offset : end]
        for at, line in enumerate(part.split("\n")):
            if at:
                whole.end_line()
            if line:
                whole.add(line, anchor.line, anchor.column)


def _last(body: Mapped, one: _Instruction) -> tuple[int, int]:
    span = body.span() if body.text.strip() else one.text.span()
    return span.end_line, span.end_column


def _without_flags(one: _Instruction) -> _Instruction:
    at = 0
    text = one.text.text
    while (flag := _FLAG.match(text, at)) is not None:
        at = flag.end()
    return _cut(one, one.name, at)


def _behind(one: _Instruction, word: str) -> _Instruction:
    at = one.text.text.upper().find(word)
    return _cut(one, one.name, 0 if at < 0 else at + len(word))


def _cut(one: _Instruction, name: str, at: int) -> _Instruction:
    """Return an instruction without the beginning of its text."""
    rest = Mapped()
    anchors = one.text.nested("shell", "", "").anchors
    text = one.text.text
    for number, anchor in enumerate(anchors):
        end = anchors[number + 1].offset if number + 1 < len(anchors) else len(text)
        skip = max(0, at - anchor.offset)
        if anchor.offset + skip < end:
            rest.add(text[anchor.offset + skip : end], anchor.line, anchor.column + skip)
    return _Instruction(name, rest, one.bodies)


def _set_names(words: str) -> Iterator[str]:
    first = _SETTING.match(words)
    if first is not None and not words[first.end() - 1 :].startswith("="):
        yield first[1]  # the older form: one name, then its value
        return
    for match in re.finditer(r"(?:^|[ \t])([A-Za-z_]\w*)=", words):
        yield match[1]


def _instructions(text: str, found: Found) -> Iterator[_Instruction]:
    lines = text.split("\n")
    if len(lines) > _MAX_LINES:
        found.lack("has more lines than are read")
        lines = lines[:_MAX_LINES]
    escape, at = _escape_of(lines)
    while at < len(lines):
        match = None if _COMMENT.match(lines[at]) else _INSTRUCTION.match(lines[at])
        if match is None:
            if not _COMMENT.match(lines[at]):
                found.lack(f"holds a line that is no instruction (line {at + 1})")
            at += 1
            continue
        body = Mapped()
        at = _join(lines, at, match.end(), escape, body)
        documents = []
        for mark in _HEREDOC.finditer(body.text) if match[1].upper() in ("RUN", "COPY", "ADD") else ():
            document, at = _document(lines, at, mark[3], strips=bool(mark[1]))
            documents.append(document)
        yield _Instruction(match[1].upper(), body, tuple(documents))


def _join(lines: list[str], at: int, column: int, escape: str, body: Mapped) -> int:
    """Take an instruction's lines from a place on, and return the number of the next line."""
    while at < len(lines):
        line = lines[at][column:]
        kept = line.rstrip(" \t")
        continues = kept.endswith(escape)
        body.add(kept[: -len(escape)] if continues else line, at + 1, column + 1)
        at += 1
        if not continues:
            return at
        column = 0
        while at < len(lines) and _COMMENT.match(lines[at]):
            at += 1
    return at


def _document(lines: list[str], at: int, end: str, *, strips: bool) -> tuple[Mapped, int]:
    body = Mapped()
    while at < len(lines):
        line = lines[at]
        bare = line.lstrip("\t") if strips else line
        at += 1
        if bare == end:
            break
        body.add(bare, at, len(line) - len(bare) + 1)
        body.end_line()
    return body, at


def _escape_of(lines: list[str]) -> tuple[str, int]:
    """Return the escape character, and where the instructions may begin."""
    at = 0
    while at < len(lines) and (directive := _DIRECTIVE.match(lines[at])) is not None:
        at += 1
        if directive[1].lower() == "escape" and directive[2] in ("`", "\\"):
            return directive[2], at
    return "\\", at
