"""The code that manifests hold: lines for a shell, `python -c`, `node -e`. Each is read by its own language's reader.

Places are exact wherever the manifest holds the text as it is or behind JSON's escapes; anything else has the place of
the word. A text in a language that has no reader yet is left to what the words alone say. Of prose files only what the
front matter declares is here: the reader of prose finds the commands in their text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from plugseal.lang.classify import is_recipe
from plugseal.lang.facts import Anchor, Nested
from plugseal.lang.textkinds import READABLE
from plugseal.model.location import Span
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.scan.nested import ON_SERVER
from plugseal.scan.sources import decode_for_show, split_lines
from plugseal.systems.reading.prose_commands import is_prose
from plugseal.systems.reading.units import is_bounded

_CODE: Final = lazy(r"[\s();=`|&<>]")
"""What every text that does anything holds, in any language, and no name of a file or a package."""
_PLACEHOLDER: Final = lazy(r"\$?\{\{[^{}]*\}\}|\$\{[A-Za-z_][\w-]*(?:\.[\w-]+)+\}|\$\{/\}")
_IN_TREE: Final = lazy(r"(?:\./)?(?:[A-Za-z0-9_][\w.-]*/)*[A-Za-z0-9_][\w.-]*/?")
"""A folder below the place where a manifest's lines begin."""
_OTHER_SHELLS: Final = (".powershell", ".windows", ".commandWindows", ".command_windows")
"""How lines for other shells are named among the parts of a handler."""


def component_texts(plugins: Iterable[Plugin], kept: Mapping[str, bytes]) -> dict[str, tuple[Nested, ...]]:
    """Return the texts of all components by file below the scanned root, each once, in the order of places.

    Args:
        plugins: as their systems describe them.
        kept: bytes of manifests by path.
    """
    found: dict[str, dict[tuple[str, str, Span], Nested]] = {}
    lines: dict[str, list[str]] = {}
    for plugin in plugins:
        for component in plugin.components:
            if not component.command or not is_bounded(component):
                continue
            if component.kind is ComponentKind.COMMAND and is_prose(component.file):
                continue
            if is_recipe(component.file):
                continue
            path = plugin.path_of(component.file)
            for nested in _texts(component):
                if path not in lines:
                    lines[path] = split_lines(decode_for_show(kept.get(path, b"")))
                placed = nested._replace(anchors=find_anchors(lines[path], nested.span, nested.text))
                if nested.language == "shell" and _IN_TREE.fullmatch(component.cwd or ""):
                    placed = _begun_in(placed, component.cwd or "")
                found.setdefault(path, {}).setdefault((nested.language, nested.text, nested.span), placed)
    return {path: tuple(sorted(texts.values(), key=lambda nested: nested.span)) for path, texts in found.items()}


def _begun_in(nested: Nested, folder: str) -> Nested:
    """Return a script that begins in a folder of the tree as one that goes there first: `..` leads back into it."""
    begin = f"cd {folder}\n"
    anchors = tuple(anchor._replace(offset=anchor.offset + len(begin)) for anchor in nested.anchors)
    return nested._replace(text=begin + nested.text, anchors=anchors)


def without_placeholders(line: str) -> str:
    """Return a line in which what a host fills in stands as a variable of the same length: no reader knows its value.

    `${{ expression }}` is what build servers fill in, `{{ name }}` what task runners and commands of clients do,
    `${user_config.name}` and `${/}` what clients do in hooks and monitors: no shell has such variables.
    """
    if "{" not in line:
        return line
    return _PLACEHOLDER.sub(lambda match: "${" + "_" * (len(match[0]) - 3) + "}", line)


def find_anchors(lines: list[str], span: Span, text: str) -> tuple[Anchor, ...]:
    """Return where a text stands character by character inside a place of a file, nothing where that can't be told.

    Args:
        lines: of the file.
        span: the place of the value, quotes and all.
        text: the value, or its end.
    """
    if span.line < 1 or span.line > len(lines):
        return ()
    if span.line != span.end_line:
        return _over_lines(lines, span, text)
    raw = lines[span.line - 1][span.column - 1 : span.end_column - 1]
    if raw.startswith('"'):
        return _escaped(raw, span, text)
    if text not in raw:
        raw = without_placeholders(raw)
    at = raw.find(text)
    return (Anchor(0, span.line, span.column + at),) if at >= 0 and raw.find(text, at + 1) < 0 else ()


def _over_lines(lines: list[str], span: Span, text: str) -> tuple[Anchor, ...]:
    """Return an anchor for each line of a block that stands there as it is, but for its indentation: YAML's `|`."""
    anchors: list[Anchor] = []
    offset = 0
    for number, line in enumerate(text.rstrip("\n").split("\n"), start=span.line + 1):
        if number > len(lines):
            return ()
        raw = without_placeholders(lines[number - 1])
        indent = len(raw) - len(line)
        if not raw.endswith(line) or raw[:indent].strip(" "):
            # Folded, or a line that ends in blanks which the block leaves out.
            return ()
        anchors.append(Anchor(offset, number, indent + 1))
        offset += len(line) + 1
    return tuple(anchors)


def _escaped(raw: str, span: Span, text: str) -> tuple[Anchor, ...]:
    """Return the anchors of a JSON string: one where its text begins, and one around and behind each escape."""
    try:
        value = json.loads(raw)
    except ValueError:
        return ()
    if not isinstance(value, str) or not value.endswith(text):
        return ()
    skip, offset, at = len(value) - len(text), 0, 1
    anchors: list[Anchor] = []
    is_due = True
    while offset < len(value) and at < len(raw):
        if is_due and offset >= skip:
            anchors.append(Anchor(offset - skip, span.line, span.column + at))
        width = _width(raw, at)
        is_due = width > 1 or not anchors
        offset += 1
        at += width
    return tuple(anchors)


def _width(raw: str, at: int) -> int:
    """Return how many characters of a JSON string one of its text takes."""
    if raw[at] != "\\":
        return 1
    if raw[at + 1 : at + 2] != "u":
        return 2
    pair = raw[at + 2 : at + 4].lower() in ("d8", "d9", "da", "db") and raw[at + 6 : at + 8] == "\\u"
    return 12 if pair else 6


def _texts(component: Component) -> Iterator[Nested]:
    places = dict(component.places)
    if component.shell:
        span = places.get("command.0", component.span)
        language = _shell_of(component)
        if language in READABLE:
            line = without_placeholders(component.command[0])
            how = ON_SERVER if _is_on_server(component) else "command line"
            yield Nested(language, line, span, trigger=component.trigger, how=how)
        return
    if not any(_CODE.search(word) for word in component.command[1:]):
        return  # The table of programs takes longer to load than all else of a small scan.
    from plugseal.lang.programs import code_of_words

    for code in code_of_words(component.command):
        if code.is_elsewhere or code.language not in READABLE:
            continue
        span = places.get(f"command.{code.at}", component.span)
        yield Nested(code.language, code.text, span, trigger=component.trigger, how=code.program)


def _is_on_server(component: Component) -> bool:
    """Say whether a line is a step of a build server, whose trigger is not known here."""
    return component.kind is ComponentKind.SCRIPT and component.trigger == "unknown"


def _shell_of(component: Component) -> str:
    shell = dict(component.extra).get("shell", "")
    if "powershell" in shell or "pwsh" in shell or component.name.endswith(_OTHER_SHELLS[0]):
        return "PowerShell"
    return "batch" if component.name.endswith(_OTHER_SHELLS[1:]) else "shell"
