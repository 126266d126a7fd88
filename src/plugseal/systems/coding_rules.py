"""The rules of `coding-plugin.json`: what Coding's contract checks when it loads a plugin, and how the process starts.

As there, texts are trimmed before they are looked at; unlike there, all faults are told and not the first alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.launch import inner
from plugseal.systems.reading import Document, Path, PluginReader, compact, kind_of
from plugseal.systems.tools import declared_tools

PROTOCOL_VERSION: Final = 1
_SPACES: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f"
    "\u205f\u3000"
)
"""What Go's `strings.TrimSpace` takes away. See: https://pkg.go.dev/strings#TrimSpace"""
_KEYS: Final = frozenset(
    {"id", "name", "version", "description", "protocolVersion", "command", "args", "cwd", "env", "tools"}
)
_TOOL_KEYS: Final = frozenset({"name", "description", "inputSchema", "label", "guidelines", "executionMode"})
_MODES: Final = ("", "parallel", "sequential")


def trimmed(value: object) -> str:
    """Return a text without the spaces around it; empty for what is no text."""
    return value.strip(_SPACES) if isinstance(value, str) else ""


def check_manifest(reader: PluginReader, document: Document) -> None:
    """Remember what is wrong with the identity of a plugin, and every key that has no meaning."""
    for field in ("id", "version"):
        _required(reader, document, (field,))
    for field in ("name", "description"):
        reader.text(document, (field,))
    protocol = reader.table(document).get("protocolVersion", PROTOCOL_VERSION)
    if protocol != PROTOCOL_VERSION or isinstance(protocol, (bool, float)):
        reader.fault_at(document, ("protocolVersion",), f"must be {PROTOCOL_VERSION}, not {compact(protocol)}")
    _check_keys(reader, document, (), _KEYS)


def check_launch(reader: PluginReader, document: Document, argv: Sequence[str], cwd: str | None) -> None:
    """Remember what is wrong with the way a process starts: a path that is written relative must lie in the plugin."""
    command = reader.table(document).get("command")
    if command is None or command == "":
        reader.fault_at(document, ("command",), "is missing")
    elif not isinstance(command, str):
        reader.fault_at(document, ("command",), f"must be text, not {kind_of(command)}")
    base = inner(cwd) if cwd else ""
    if cwd and (base is None or not reader.is_directory(base)):
        reader.fault_at(document, ("cwd",), "names no directory inside the plugin")
    program = argv[0] if argv else ""
    if base is None or "/" not in program or program.startswith("/"):
        return
    path = inner(program, base)
    if path is None or not reader.is_file(path):
        reader.fault_at(document, ("command",), "names no regular file inside the plugin")


def described_tools(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Yield the tools that stand in the manifest, in the contract's `ToolDescriptor` shape."""
    seen: set[str] = set()
    for place, tool in declared_tools(reader, document, ("tools",)):
        name = _required(reader, document, (*place, "name"))
        if name and name in seen:
            reader.fault_at(document, (*place, "name"), f"is the name of an earlier tool: `{name}`")
        seen.add(name)
        _check_tool(reader, document, place, tool)
        yield Component(
            kind=ComponentKind.TOOL,
            name=name,
            file=document.file,
            span=document.locate((*place, "name")),
            trigger="tool",
            extra=tuple(sorted((key, compact(value)) for key, value in tool.items() if key != "name")),
        )


def _check_tool(reader: PluginReader, document: Document, place: Path, tool: dict[str, object]) -> None:
    _check_keys(reader, document, place, _TOOL_KEYS)
    for field in ("description", "label"):
        reader.text(document, (*place, field))
    reader.texts(document, (*place, "guidelines"))
    mode = tool.get("executionMode", "")
    if mode not in _MODES:
        reader.fault_at(document, (*place, "executionMode"), "must be `parallel` or `sequential`")
    schema = tool.get("inputSchema")
    if schema is None:
        reader.fault_at(document, (*place, "inputSchema"), "is missing")
    elif not isinstance(schema, dict):
        reader.fault_at(document, (*place, "inputSchema"), f"must be a table, not {kind_of(schema)}")
    elif schema.get("type") != "object":
        reader.fault_at(document, (*place, "inputSchema", "type"), 'must be `"object"`')


def _required(reader: PluginReader, document: Document, path: Path) -> str:
    return trimmed(reader.text(document, path, required=True))


def _check_keys(reader: PluginReader, document: Document, path: Path, known: frozenset[str]) -> None:
    for key in reader.table(document, path):
        if key not in known:
            reader.fault_at(document, (*path, key), "has no meaning in a Coding plugin")
