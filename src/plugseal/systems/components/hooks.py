"""Hooks as clients spell them: a table by event, whose entries are handlers or groups of handlers with a matcher.

Every handler is a component with its event as trigger; handlers that start no program (prompts, tools, requests) are
components too, since they run unasked as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.components.lines import entry_in
from plugseal.systems.components.servers import environment, launch_places, not_taken
from plugseal.systems.launching.launch import entry_file
from plugseal.systems.reading.reader import Document, Path, PluginReader, extras, kind_of, lookup

_LINES = ("command", "commandWindows", "command_windows", "bash", "powershell", "windows", "linux", "osx", "macos")
_TAKEN = frozenset({"args", "cwd", "env", "url", "headers", *_LINES})
_UNDERSTOOD = _TAKEN | frozenset(
    "type matcher timeout timeoutSec timeout_sec statusMessage status_message description name once async prompt model "
    "tool server input failClosed loop_limit comment disabled allowedEnvVars shell asyncRewake if rewakeMessage "
    "rewakeSummary continueOnBlock show_output working_directory timeout_ms "
    "cache_ttl_seconds max_output_size sequential".split()
)
"""Keys whose meaning is known: they start nothing, or a component says what."""
_TYPES = {"command": (), "prompt": ("prompt",), "agent": ("prompt",), "http": ("url",), "mcp_tool": ("server", "tool")}
"""What a handler may be, and the keys without which it is nothing; of commands the clients differ in the key."""


def hook_components(
    reader: PluginReader, document: Document, path: Path, *, but: frozenset[str] = frozenset()
) -> tuple[Component, ...]:
    """Describe all hooks of a table of events.

    Args:
        reader: takes the faults.
        document: the manifest.
        path: where the table stands in it.
        but: keys of the table that are no events.
    """
    found: list[Component] = []
    table = lookup(document.value, path)
    if isinstance(table, dict) and len(table) > 1 and all(isinstance(value, str) for value in table.values()):
        # One mistake, however many keys it has: a hook described in words of its own stands where events belong.
        reader.fault_at(document, path, "is no table of events: no key of it holds a list")
        return ()
    for event in (event for event in reader.declared(document, path) if event not in but):
        handlers = list(islice(_handlers(reader, document, (*path, event)), MAX_DECLARED + 1))
        if len(handlers) + len(found) > MAX_DECLARED:
            reader.fault_at(document, (*path, event), f"declares more than {MAX_DECLARED:,}: not all were read")
            break
        for number, (place, spec, group) in enumerate(handlers):
            found.extend(_components(reader, document, place, spec, f"{event}.{number}", group))
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
    """Yield a handler as one component, or as one for each platform's line."""
    reader.expect_keys(document, spec, _UNDERSTOOD)
    _check_type(reader, document, path, spec)
    sources, literals = environment(reader, document, (*path, "env"))
    common = Component(
        kind=ComponentKind.HOOK,
        name=name,
        file=document.file,
        span=document.locate(path),
        transport="http" if spec.get("url") else "",
        cwd=reader.text(document, (*path, "cwd")) or reader.text(document, (*path, "working_directory")) or None,
        environment=sources,
        literals=literals,
        endpoint=reader.text(document, (*path, "url")) or None,
        headers=tuple(sorted((name, str(value)) for name, value in reader.table(document, (*path, "headers")).items())),
        trigger=f"hook:{name.partition('.')[0]}",
        extra=tuple(sorted(not_taken(spec, _TAKEN) + tuple((f"group.{key}", value) for key, value in group))),
        places=launch_places(document, path, spec),
    )
    lines = {key: reader.text(document, (*path, key)) for key in _LINES if spec.get(key) is not None}
    if not any(lines.values()):
        yield common
    for key, line in lines.items():
        if line:
            yield _with_line(reader, document, (*path, key), spec, common, line)


def _check_type(reader: PluginReader, document: Document, path: Path, spec: Mapping[str, object]) -> None:
    """Find fault with a handler that lacks what its type needs; a type that nobody knows may run anything."""
    kind = spec.get("type", "command")
    if not isinstance(kind, str) or kind not in _TYPES:
        reader.unknown_key(document, (*path, "type"))
        return
    if kind == "command" and not any(spec.get(key) is not None for key in _LINES):
        reader.fault_at(document, path, "names no command")
    for key in _TYPES[kind]:
        if not spec.get(key):
            reader.fault_at(document, (*path, key), "is missing")


def _with_line(
    reader: PluginReader, document: Document, path: Path, spec: Mapping[str, object], common: Component, line: str
) -> Component:
    """Return a handler with one of its lines: given to a shell, unless its arguments stand apart."""
    key = path[-1]
    is_main = key == "command"
    shell = not (is_main and "args" in spec)
    words = (line,) if shell else (line, *reader.texts(document, (*path[:-1], "args")))
    return common._replace(
        name=common.name if is_main else f"{common.name}.{key}",
        span=document.locate(path),
        transport="exec",
        command=words,
        shell=shell,  # nosec B604  # a fact about the plugin, nothing is started
        entry=entry_in(reader, line, common.cwd) if shell else entry_file(words, common.cwd, reader.is_launchable),
        places=common.places if is_main else (),
    )
