"""Rules of Codex for commands (`.codex/rules/*.rules`), and what a skill asks Codex to install (`agents/openai.yaml`).

A rule that allows lets every command that begins with its pattern run outside the sandbox without a question. The
file is Starlark; only calls at its top level count here, and a call that nobody knows leaves it unread. Nothing is
evaluated.

See: https://developers.openai.com/codex/rules
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.location import Span
from plugseal.model.plugin import Component, ComponentKind
from plugseal.patterns import lazy
from plugseal.systems.components.settings import GRANT
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, extras, lookup

_CALL: Final = lazy(r"[A-Za-z_]\w*(?=\s*\()")
_DECISION: Final = lazy(r"decision\s*=\s*[\"'](\w+)[\"']")
_PATTERN: Final = lazy(r"pattern\s*=\s*(\[[^=]*\])")
_KNOWN: Final = frozenset({"prefix_rule", "network_rule", "host_executable"})
_ALLOWING: Final = frozenset({"allow"})
_QUOTES: Final = ('"""', "'''", '"', "'")


def rules_at(reader: PluginReader, files: Iterable[str]) -> Iterator[Component]:
    """Describe the rules of files: what each one allows without a question."""
    for file in files:
        data = reader.data(file)
        if data is None:
            continue
        text = data.decode("utf-8", "replace")
        for number, (name, start, body) in enumerate(_calls(text)):
            if number >= MAX_DECLARED:
                reader.fault(file, f"holds more than {MAX_DECLARED:,} rules: not all were read")
                break
            if name not in _KNOWN:
                reader.not_understood.add(file)
                reader.unknown.setdefault(file, []).append(name)
                continue
            yield _rule(file, text.count("\n", 0, start) + 1, number, name, body)
        reader.parsed.append(file)


def _rule(file: str, line: int, number: int, name: str, body: str) -> Component:
    decision = _DECISION.search(body)
    decided = decision[1] if decision else "allow"
    pattern = _PATTERN.search(body)
    what = " ".join(re.findall(r"[\"']([^\"']*)[\"']", pattern[1] if pattern else body.partition("decision")[0]))
    span = Span(line, 1, line, 1)
    granted = name != "host_executable" and decided in _ALLOWING
    return Component(
        kind=ComponentKind.SETTING,
        name=f"{name}.{number}",
        file=file,
        span=span,
        trigger="tool",
        extra=((GRANT, compact([f"{decided} {what}"])),) if granted else (("rule", compact(body.strip())),),
        places=((f"extra.{GRANT}", span),),
    )


def _calls(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield name, offset and arguments of each call at the top level; a bracket that never closes ends the file."""
    at = 0
    while at < len(text):
        skipped = _past_text(text, at)
        if skipped > at:
            at = skipped
            continue
        match = _CALL.match(text, at) if at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "_.") else None
        if match is None:
            at += 1
            continue
        opening = text.index("(", match.end())
        closing = _closing(text, opening)
        yield match[0], at, text[opening + 1 : closing]
        at = closing + 1


def _closing(text: str, opening: int) -> int:
    """Return where the bracket at `opening` is closed, the end of the text where it is not."""
    depth, at = 0, opening
    while at < len(text):
        skipped = _past_text(text, at)
        if skipped > at:
            at = skipped
            continue
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return at
        at += 1
    return len(text)


def _past_text(text: str, at: int) -> int:
    """Return where a comment or a string that begins here ends; `at` itself where none does."""
    if text[at] == "#":
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    for quote in _QUOTES:
        if text.startswith(quote, at):
            end = at + len(quote)
            while end < len(text) and not text.startswith(quote, end):
                end += 2 if text[end] == "\\" else 1
            return end + len(quote)
    return at


def skill_dependencies(reader: PluginReader, skills: Iterable[Component]) -> Iterator[Component]:
    """Describe the servers that skills ask for in `agents/openai.yaml`: Codex offers to add those with an address."""
    for skill in skills:
        file = f"{skill.file.rpartition('/')[0]}/agents/openai.yaml"
        data = reader.listing.kept.get(reader.real(file) or "", b"")
        if b"dependencies" in data or (reader.is_file(file) and "/." in f"/{reader.path(file)}"):
            yield from skill_dependency(reader, file)


def skill_dependency(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe the servers that one skill's file asks for."""
    document = reader.yaml(file)
    listed = lookup(document.value, ("dependencies", "tools")) if document is not None else None
    for at, tool in enumerate(listed if isinstance(listed, list) else []):
        if document is not None and isinstance(tool, dict) and not {"url", "command"}.isdisjoint(tool):
            yield _dependency(reader, document, ("dependencies", "tools", at), tool)


def _dependency(reader: PluginReader, document: Document, path: Path, tool: dict[str, object]) -> Component:
    command = reader.text(document, (*path, "command"))
    return Component(
        kind=ComponentKind.SERVER,
        name=reader.text(document, (*path, "value")) or "dependency",
        file=document.file,
        span=document.locate(path),
        transport="stdio" if command else "http",
        command=(command, *reader.texts(document, (*path, "args"))) if command else (),
        endpoint=reader.text(document, (*path, "url")) or None,
        trigger="install",
        gate="the user agrees to add it",
        extra=extras(tool, frozenset({"command", "args", "url", "value"})),
        places=(("endpoint", document.locate_value((*path, "url"))),),
    )
