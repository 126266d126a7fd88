"""What a Codewhale bundle contributes, with full launch data: skills, servers, and the surfaces of later versions.

0.9.10 gives the `command` of each `[[hooks]]` table to a shell and reads commands and agents from Markdown and TOML;
0.9.1 starts none of them. They are described for both: whoever updates the host must have seen what it would start.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.codewhale.check import Check
from plugseal.systems.codewhale.manifest import component_paths
from plugseal.systems.codewhale.paths import path_fault, plain_path
from plugseal.systems.components.prose import prose_components, skill_components
from plugseal.systems.components.servers import launch_places, not_taken, server_components
from plugseal.systems.launching.launch import shell_entry
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, kind_of, lookup

_KINDS: Final = {
    "commands": ComponentKind.COMMAND,
    "agents": ComponentKind.AGENT,
    "hooks": ComponentKind.HOOK,
    "lsp": ComponentKind.SERVER,
    "native": ComponentKind.MODULE,
}
_PROSE: Final = frozenset({ComponentKind.COMMAND, ComponentKind.AGENT})
_HOOK_FILE: Final = frozenset({"hooks", "enabled", "default_timeout_secs", "working_dir"})
_HOOK: Final = frozenset("event command condition timeout_secs background continue_on_error name".split())


def bundle_components(check: Check, manifest: str) -> Iterator[Component]:
    """Yield every component of a bundle.

    Args:
        check: with the manifest and the reader that takes the faults.
        manifest: its name.
    """
    reader = check.reader
    for path in _contained(check, "skills"):
        yield from skill_components(reader, path)
    for surface, kind in _KINDS.items():
        for path in _contained(check, surface):
            yield from _surface(check, surface, kind, path, manifest)
    for server in server_components(reader, check.document, ("mcp_servers",)):
        transport = check.value(("mcp_servers", server.name, "transport"))
        is_events = isinstance(transport, str) and transport.lower() == "sse"
        yield server._replace(transport="sse") if is_events else server


def _contained(check: Check, surface: str) -> Iterator[str]:
    """Yield the paths of a surface that lead to something in the bundle, each once."""
    good = [path for path in component_paths(check, surface) if path_fault(check.reader, path) is None]
    yield from dict.fromkeys(map(plain_path, good))


def _surface(check: Check, surface: str, kind: ComponentKind, path: str, manifest: str) -> Iterator[Component]:
    reader = check.reader
    files = _files(reader, path)
    if len(files) > MAX_DECLARED:
        check.fault((surface,), f"holds more than {MAX_DECLARED:,} files: none was read")
        files = []
    hooks = [file for file in files if kind is ComponentKind.HOOK and file.endswith(".toml")]
    for file in hooks:
        yield from _hooks(reader, reader.toml(file))
    for file in files:
        if kind in _PROSE and file.endswith(".md"):
            yield from prose_components(reader, file, kind, name=file.rpartition("/")[2].removesuffix(".md"))
        elif file not in hooks:
            yield _named(check, surface, kind, file, manifest)
    if not files:
        yield _named(check, surface, kind, path, manifest)


def _named(check: Check, surface: str, kind: ComponentKind, path: str, manifest: str) -> Component:
    """Describe a file, or an empty folder, of which only the place is known."""
    return Component(
        kind=kind,
        name=path or ".",
        file=manifest,
        span=check.document.locate((surface,)),
        entry=path if check.reader.is_file(path) else None,
        extra=(("surface", compact(surface)),),
    )


def _files(reader: PluginReader, path: str) -> list[str]:
    """Return a file itself, or the files right in a folder."""
    if reader.is_file(path):
        return [path]
    prefix = f"{path}/" if path else ""
    return [prefix + name for name in reader.names(path) if reader.is_file(prefix + name)]


def _hooks(reader: PluginReader, document: Document | None) -> Iterator[Component]:
    if document is None:
        return
    reader.expect_keys(document, reader.table(document), _HOOK_FILE)
    hooks = lookup(document.value, ("hooks",))
    if not isinstance(hooks, list) or len(hooks) > MAX_DECLARED:
        reader.fault_at(document, ("hooks",), f"must be a list of at most {MAX_DECLARED:,} tables")
        return
    for index, spec in enumerate(hooks):
        path: Path = ("hooks", index)
        if not isinstance(spec, dict):
            reader.fault_at(document, path, f"must be a table, not {kind_of(spec)}")
            continue
        reader.expect_keys(document, spec, _HOOK)
        event = reader.text(document, (*path, "event"), required=True)
        line = reader.text(document, (*path, "command"), required=True)
        yield Component(  # nosec B604  # a fact about the plugin, nothing is started
            kind=ComponentKind.HOOK,
            name=reader.text(document, (*path, "name")) or f"{event}.{index}",
            file=document.file,
            span=document.locate((*path, "command")),
            transport="exec",
            command=(line,) if line else (),
            shell=bool(line),
            trigger=f"hook:{event}",
            entry=shell_entry(line, reader.is_file),
            extra=not_taken(spec, frozenset({"command"})),
            places=launch_places(document, path, spec),
        )
