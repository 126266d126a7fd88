"""Tools that a manifest declares: names, descriptions and schemas in full, since a model reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.reading import Document, Path, PluginReader, compact, kind_of, lookup


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
