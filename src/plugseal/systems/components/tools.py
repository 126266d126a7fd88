"""Tools that a manifest declares: names, descriptions and schemas in full, since a model reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, kind_of, lookup

MAX_RIVALS: Final = 20
"""Plugins named for one shared tool: a tree may hold thousands that all share it."""


def shared_tools(plugins: Sequence[Plugin], taken: Mapping[str, str] | None = None) -> list[dict[str, list[str]]]:
    """Return for each plugin its tools that others have under the same name, with the names of at most `MAX_RIVALS`.

    Args:
        plugins: of which one host keeps the tools in one list, each under the name of its component.
        taken: names that the host has already, with the host's own name.
    """
    claims: dict[str, list[tuple[int, str]]] = {tool: [(-1, name)] for tool, name in (taken or {}).items()}
    own = [sorted({c.name for c in plugin.components if c.kind is ComponentKind.TOOL}) for plugin in plugins]
    for number, (plugin, tools) in enumerate(zip(plugins, own, strict=True)):
        for tool in tools:
            claimed = claims.setdefault(tool, [])
            if len(claimed) <= MAX_RIVALS:
                claimed.append((number, plugin.name))
    return [_rivals(number, tools, claims) for number, tools in enumerate(own)]


def _rivals(number: int, tools: Sequence[str], claims: Mapping[str, Sequence[tuple[int, str]]]) -> dict[str, list[str]]:
    found = {tool: sorted({name for other, name in claims[tool] if other != number})[:MAX_RIVALS] for tool in tools}
    return {tool: names for tool, names in found.items() if names}


def tool_components(
    reader: PluginReader, document: Document, path: Path, *, keys: Sequence[str], prefix: str = ""
) -> Iterator[Component]:
    """Describe the tools of a list; what is wrong with one is its fault and hides no other.

    Args:
        reader: takes the faults.
        document: the manifest.
        path: where the list stands.
        keys: the keys of its name, of its description, and of its schema.
        prefix: what the host puts before a name.
    """
    name_key, description_key, schema_key = keys
    seen: set[str] = set()
    for place, tool in declared_tools(reader, document, path):
        name = reader.text(document, (*place, name_key), required=True)
        if name and name in seen:
            reader.fault_at(document, (*place, name_key), f"is the name of an earlier tool: `{name}`")
        seen.add(name)
        reader.text(document, (*place, description_key))
        reader.table(document, (*place, schema_key))
        yield Component(
            kind=ComponentKind.TOOL,
            name=prefix + name,
            file=document.file,
            span=document.locate((*place, name_key)),
            trigger="tool",
            extra=tuple(sorted((key, compact(value)) for key, value in tool.items() if key != name_key)),
        )


def declared_tools(reader: PluginReader, document: Document, path: Path) -> Iterator[tuple[Path, dict[str, object]]]:
    """Yield place and table of each tool in a list, with faults for a list or tools that are none."""
    tools = lookup(document.value, path)
    if tools is None:
        return
    if not isinstance(tools, list):
        reader.fault_at(document, path, f"must be a list, not {kind_of(tools)}")
        return
    if len(tools) > MAX_DECLARED:
        reader.fault_at(document, path, f"declares more than {MAX_DECLARED:,}: none was read")
        return
    for index, tool in enumerate(tools):
        if isinstance(tool, dict):
            yield (*path, index), tool
        else:
            reader.fault_at(document, (*path, index), f"must be a table, not {kind_of(tool)}")
