"""The rules of `coding-plugin.json`: what Coding's contract checks when it loads a plugin, and how the process starts.

The contract's own rules come first, then those of the file format, which is ours: what breaks the second alone is no
word of the host's. As in the contract, texts are trimmed before they are looked at, and null is what was left out;
unlike there, all faults are told and not the first alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.components.tools import declared_tools
from plugseal.systems.launching.launch import inner
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, kind_of, lookup
from plugseal.systems.reading.texts import trim

PROTOCOL_VERSION: Final = 1
_KEYS: Final = frozenset(
    {"id", "name", "version", "description", "protocolVersion", "command", "args", "cwd", "env", "tools"}
)
_TOOL_KEYS: Final = frozenset({"name", "description", "inputSchema", "label", "guidelines", "executionMode"})
_MODES: Final = ("", "parallel", "sequential")


def trimmed(value: object) -> str:
    """Return a text without the spaces around it; empty for what is no text."""
    return trim(value) if isinstance(value, str) else ""


def check_contract(reader: PluginReader, document: Document) -> None:
    """Remember what the contract refuses: an identity, a protocol or a tool that its adapter takes for an error."""
    for field in ("id", "version"):
        _required(reader, document, (field,))
    reader.text(document, ("name",))
    _check_protocol(reader, document)
    seen: set[str] = set()
    for place, tool in declared_tools(reader, document, ("tools",)):
        name = _required(reader, document, (*place, "name"))
        if name and name in seen:
            reader.fault_at(document, (*place, "name"), f"is the name of an earlier tool: `{name}`")
        seen.add(name)
        _check_tool(reader, document, place, tool)


def check_format(reader: PluginReader, document: Document, argv: Sequence[str], cwd: str | None) -> None:
    """Remember what breaks the file format alone: keys without meaning, and a process that can't be started."""
    reader.text(document, ("description",))
    _check_keys(reader, document, (), _KEYS)
    tools = lookup(document.value, ("tools",))
    for number, tool in enumerate(tools if isinstance(tools, list) else ()):
        if isinstance(tool, dict):
            _check_keys(reader, document, ("tools", number), _TOOL_KEYS)
    for name, value in reader.table(document, ("env",)).items():
        if not isinstance(value, (str, dict, list)):
            reader.fault_at(document, ("env", name), f"must be text, not {kind_of(value)}")
    _check_launch(reader, document, argv, cwd)


def described_tools(document: Document) -> Iterator[Component]:
    """Yield the tools that stand in the manifest, in the contract's `ToolDescriptor` shape, as the contract keeps them.

    Names, descriptions and labels are trimmed there, and guidelines that are blank dropped.
    """
    tools = lookup(document.value, ("tools",))
    for number, tool in enumerate(tools if isinstance(tools, list) else ()):
        if isinstance(tool, dict):
            yield Component(
                kind=ComponentKind.TOOL,
                name=trimmed(tool.get("name")),
                file=document.file,
                span=document.locate(("tools", number, "name")),
                trigger="tool",
                extra=tuple(sorted((key, compact(_kept(key, value))) for key, value in tool.items() if key != "name")),
            )


def _kept(key: str, value: object) -> object:
    """Return a field of a tool as the contract keeps it."""
    if key in ("description", "label") and isinstance(value, str):
        return trim(value)
    if key == "guidelines" and isinstance(value, list):
        return [line for line in value if line is not None and not (isinstance(line, str) and not trim(line))]
    return value


def _check_protocol(reader: PluginReader, document: Document) -> None:
    protocol = reader.table(document).get("protocolVersion", PROTOCOL_VERSION)
    if protocol != PROTOCOL_VERSION or isinstance(protocol, (bool, float)):
        reader.fault_at(document, ("protocolVersion",), f"must be {PROTOCOL_VERSION}, not {compact(protocol)}")


def _check_tool(reader: PluginReader, document: Document, place: Path, tool: dict[str, object]) -> None:
    for field in ("description", "label"):
        reader.text(document, (*place, field))
    guidelines = tool.get("guidelines")
    if guidelines is not None and not _is_list_of_texts(guidelines):
        reader.fault_at(document, (*place, "guidelines"), "must be a list of texts")
    if tool.get("executionMode") not in (None, *_MODES):
        reader.fault_at(document, (*place, "executionMode"), "must be `parallel` or `sequential`")
    schema = tool.get("inputSchema")
    if schema is None:
        reader.fault_at(document, (*place, "inputSchema"), "is missing")
    elif not isinstance(schema, dict):
        reader.fault_at(document, (*place, "inputSchema"), f"must be a table, not {kind_of(schema)}")
    elif schema.get("type") != "object":
        reader.fault_at(document, (*place, "inputSchema", "type"), 'must be `"object"`')


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(line is None or isinstance(line, str) for line in value)


def _check_launch(reader: PluginReader, document: Document, argv: Sequence[str], cwd: str | None) -> None:
    """Remember what is wrong with the way a process starts: a path that is written relative must lie in the plugin."""
    command = reader.table(document).get("command")
    if command is None:
        reader.fault_at(document, ("command",), "is missing")
    elif not isinstance(command, str):
        reader.fault_at(document, ("command",), f"must be text, not {kind_of(command)}")
    elif not trim(command):
        reader.fault_at(document, ("command",), "must not be blank")
    base = inner(cwd) if cwd else ""
    if cwd and (base is None or not reader.is_directory(base)):
        reader.fault_at(document, ("cwd",), "names no directory inside the plugin")
    program = argv[0] if argv else ""
    if base is None or "/" not in program or program.startswith("/"):
        return
    path = inner(program, base)
    if path is None or not reader.is_file(path):
        reader.fault_at(document, ("command",), "names no regular file inside the plugin")


def _required(reader: PluginReader, document: Document, path: Path) -> str:
    """Return a text that may not be blank, trimmed; what Python alone takes for white space is none."""
    value = lookup(document.value, path)
    if value is None:
        reader.fault_at(document, path, "is missing")
        return ""
    text = trim(reader.text(document, path))
    if isinstance(value, str) and not text:
        reader.fault_at(document, path, "must not be blank")
    return text


def _check_keys(reader: PluginReader, document: Document, path: Path, known: frozenset[str]) -> None:
    for key in reader.table(document, path):
        if key not in known:
            reader.fault_at(document, (*path, key), "has no meaning in a Coding plugin")
