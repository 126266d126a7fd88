"""Hooks as clients spell them: a table by event, whose entries are handlers or groups of handlers with a matcher.

Every handler is a component with its event as trigger; handlers that start no program (prompts, tools, requests) are
components too, since they run unasked as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.launch import entry_file, shell_entry
from plugseal.systems.reading import Document, Path, PluginReader, extras, kind_of, lookup
from plugseal.systems.servers import environment, launch_places

_LINES = ("command", "commandWindows", "bash", "powershell", "windows", "linux", "osx", "macos")
_KNOWN = frozenset({"args", "cwd", "env", "url", "hooks", *_LINES})
_UNDERSTOOD = _KNOWN | frozenset(
    "type matcher timeout timeoutSec statusMessage description name once async prompt model tool server input".split()
)
"""Keys whose meaning is known: they start nothing, or a component says what."""


def hook_components(reader: PluginReader, document: Document, path: Path) -> tuple[Component, ...]:
    """Describe all hooks of a table of events."""
    found: list[Component] = []
    for event in reader.table(document, path):
        for number, (place, spec, matcher) in enumerate(_handlers(reader, document, (*path, event))):
            found.extend(_components(reader, document, place, spec, f"{event}.{number}", matcher))
    return tuple(found)


def _handlers(
    reader: PluginReader, document: Document, path: Path
) -> Iterator[tuple[Path, Mapping[str, object], tuple[tuple[str, str], ...]]]:
    """Yield each handler of an event with its place and what its group says of it."""
    entries = _list_at(reader, document, path)
    for index, entry in enumerate(entries):
        place = (*path, index)
        if isinstance(entry, str):
            yield place, {"command": entry}, ()
        elif not isinstance(entry, dict):
            reader.fault_at(document, place, f"must be a table, not {kind_of(entry)}")
        elif isinstance(entry.get("hooks"), list):
            group = extras(entry, frozenset({"hooks"}))
            for inner, handler in enumerate(entry["hooks"]):
                if isinstance(handler, dict):
                    yield (*place, "hooks", inner), handler, group
                else:
                    reader.fault_at(document, (*place, "hooks", inner), f"must be a table, not {kind_of(handler)}")
        else:
            yield place, entry, ()


def _list_at(reader: PluginReader, document: Document, path: Path) -> list[object]:
    value = lookup(document.value, path)
    if isinstance(value, list):
        return value
    if value is not None:
        reader.fault_at(document, path, f"must be a list, not {kind_of(value)}")
    return []


def _components(
    reader: PluginReader,
    document: Document,
    path: Path,
    spec: Mapping[str, object],
    name: str,
    group: tuple[tuple[str, str], ...],
) -> Iterator[Component]:
    event = name.partition(".")[0]
    reader.expect_keys(document, spec, _UNDERSTOOD)
    sources, literals = environment(reader, document, (*path, "env"))
    cwd = reader.text(document, (*path, "cwd")) or None
    extra = tuple(sorted(extras(spec, _KNOWN) + tuple((f"group.{key}", value) for key, value in group)))
    lines = [key for key in _LINES if spec.get(key) is not None]
    for key in lines or [""]:
        line = reader.text(document, (*path, key)) if key and isinstance(spec.get(key), str) else ""
        arguments = reader.texts(document, (*path, "args")) if key == "command" else ()
        shell = "args" not in spec
        words = (line, *arguments) if line else ()
        entry = shell_entry(line, reader.is_file) if shell else entry_file(words, cwd, reader.is_file)
        yield Component(
            kind=ComponentKind.HOOK,
            name=name if key in ("", "command") else f"{name}.{key}",
            file=document.file,
            span=document.locate((*path, key) if key else path),
            transport="exec" if words else "http" if spec.get("url") else "",
            command=words,
            shell=shell and bool(words),
            cwd=cwd,
            environment=sources,
            literals=literals,
            endpoint=reader.text(document, (*path, "url")) or None,
            trigger=f"hook:{event}",
            entry=entry if words else None,
            extra=extra,
            places=launch_places(document, path, spec) if key in ("", "command") else (),
        )
