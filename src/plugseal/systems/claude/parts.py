"""What Claude Code's plugins have beyond others: language servers, monitors, `bin/`, settings, channels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.claude.surfaces import ENABLED, INSTALL, INTERACTIVE
from plugseal.systems.components.language_servers import language_server
from plugseal.systems.components.parts import line_component
from plugseal.systems.components.settings import granting
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, kind_of, lookup

_LANGUAGE_SERVER: Final = frozenset(
    "command args transport env initializationOptions settings workspaceFolder startupTimeout shutdownTimeout "
    "restartOnCrash maxRestarts loggingConfig extensionToLanguage diagnostics description".split()
)
_MONITOR: Final = frozenset({"name", "command", "description", "when"})
_ONCE_INVOKED: Final = "on-skill-invoke:"


def language_servers(reader: PluginReader, document: Document, path: Path) -> Iterator[Component]:
    """Describe the language servers of a table by name; the client starts one as soon as a file of its kind is open."""
    for name, spec in reader.declared(document, path).items():
        place = (*path, name)
        if not isinstance(spec, dict):
            reader.fault_at(document, place, f"must be a table, not {kind_of(spec)}")
            continue
        reader.expect_keys(document, spec, _LANGUAGE_SERVER, at=place)
        server = language_server(reader, document, place, spec)
        if not server.command:
            reader.fault_at(document, (*place, "command"), "is missing")
        yield server._replace(transport=reader.text(document, (*place, "transport")) or "stdio", gate=ENABLED)


def monitors(reader: PluginReader, document: Document, path: Path) -> Iterator[Component]:
    """Describe the monitors of a list: shell lines that run as long as the session."""
    listed = lookup(document.value, path)
    if not isinstance(listed, list):
        reader.fault_at(document, path, f"must be a list, not {kind_of(listed)}")
        return
    for at, spec in enumerate(listed):
        place = (*path, at)
        if not isinstance(spec, dict):
            reader.fault_at(document, place, f"must be a table, not {kind_of(spec)}")
            continue
        reader.expect_keys(document, spec, _MONITOR, at=place)
        if not reader.text(document, (*place, "command"), required=True):
            continue
        when = reader.text(document, (*place, "when"))
        line = line_component(
            reader,
            document,
            (*place, "command"),
            kind=ComponentKind.MONITOR,
            name=reader.text(document, (*place, "name"), required=True) or str(at),
            trigger="hook:SkillInvoked" if when.startswith(_ONCE_INVOKED) else "hook:SessionStart",
            gate=INTERACTIVE,
        )
        yield line._replace(extra=tuple((key, compact(spec[key])) for key in sorted(spec.keys() - {"name", "command"})))


def programs(reader: PluginReader, folder: str) -> Iterator[Component]:
    """Describe the programs of a folder that goes before all others in the search path of shell commands."""
    for name in reader.names(folder):
        file = f"{folder}/{name}"
        if reader.executable(file) or name.lower().endswith((".exe", ".cmd", ".bat")):
            yield Component(
                kind=ComponentKind.EXECUTABLE,
                name=name,
                file=file,
                transport="exec",
                trigger="tool",
                gate=ENABLED,
                entry=file,
                extra=(("search-path", compact("first")),),
            )


def plugin_settings(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe the settings that a plugin brings: those that Claude Code honours; it ignores all others."""
    document = reader.json(file) if reader.exists(file) else None
    if document is None:
        return
    agent = reader.text(document, ("agent",))
    if agent:
        yield granting(document, ("agent",), "agent", (f"agent = {agent}",), gate=ENABLED)
    line = ("subagentStatusLine", "command")
    if reader.text(document, line):
        yield line_component(
            reader, document, line, kind=ComponentKind.SETTING, name="subagentStatusLine", trigger="start", gate=ENABLED
        )


def scripts(reader: PluginReader, folder: str, *, gate: str) -> Iterator[Component]:
    """Describe workflow scripts, which direct agents once somebody calls them."""
    files = [f"{folder}/{name}" for name in reader.names(folder)] if reader.is_directory(folder) else [folder]
    for file in files:
        if reader.is_file(file):
            name = file.rpartition("/")[2]
            yield Component(kind=ComponentKind.SCRIPT, name=name, file=file, trigger="command", gate=gate, entry=file)


def channels(reader: PluginReader, document: Document, path: Path) -> Iterator[Component]:
    """Describe the servers that may put messages into the conversation unasked."""
    listed = lookup(document.value, path)
    for at, channel in enumerate(listed if isinstance(listed, list) else []):
        server = channel.get("server") if isinstance(channel, Mapping) else None
        place = (*path, at)
        if not isinstance(server, str):
            reader.fault_at(document, (*place, "server"), "is missing")
            continue
        yield granting(document, place, f"channels.{at}", (f"channel = {server}",), gate=ENABLED)


def dependencies(reader: PluginReader, document: Document, path: Path) -> Iterator[Component]:
    """Describe the plugins that are installed along with one."""
    listed = lookup(document.value, path)
    for at, item in enumerate(listed if isinstance(listed, list) else []):
        name = item.get("name") if isinstance(item, Mapping) else item
        if not isinstance(name, str):
            reader.fault_at(document, (*path, at), "names no plugin")
            continue
        yield Component(
            kind=ComponentKind.SOURCE,
            name=name,
            file=document.file,
            span=document.locate_value((*path, at)),
            trigger="install",
            gate=INSTALL,
            extra=(("dependency", compact(item)),),
        )
