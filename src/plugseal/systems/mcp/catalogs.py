"""What catalogs and services say of a server or an agent: Docker's MCP catalog, `ai-plugin.json`, A2A agent cards.

An entry of Docker's catalog is an image that its gateway starts, with mounts, variables and words of its own, an
address, or a tool that is a container for each call. `ai-plugin.json` and an agent card say where a service answers.

See: https://github.com/docker/mcp-registry/blob/main/CONTRIBUTING.md
https://github.com/docker/mcp-gateway/blob/main/docs/catalog.md
https://a2a-protocol.org/latest/specification/
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, extras, kind_of, lookup
from plugseal.systems.reading.units import make_plugin

ENTRIES: Final = ("server.yaml", "server.yml")
CARDS: Final = ("ai-plugin.json", "agent-card.json", "agent.json")
_KINDS: Final = frozenset({"server", "remote", "poci"})
_KNOWN: Final = frozenset(
    "name title description type image meta about source run config remote dynamic oauth secrets env tools requirement "
    "command volumes user allowHosts disableNetwork longLived dateAdded icon readme toolsUrl upstream ref prompts "
    "resources metadata sha prefix policy".split()
)
_CATALOG: Final = frozenset({"version", "name", "displayName", "registry"})
_RUN: Final = frozenset(
    {"command", "volumes", "user", "env", "allowHosts", "disableNetwork", "ports", "cpus", "memory"}
)
_CONTAINER: Final = ("docker", "run", "-i", "--rm")
_GATE: Final = "the user enables it in the catalog"
_CARD_GATE: Final = "the user adds the service"


def is_entry(value: object) -> bool:
    """Say whether a table is an entry of Docker's catalog."""
    if not isinstance(value, dict) or value.get("type") not in _KINDS:
        return False
    return isinstance(value.get("image"), str) or isinstance(value.get("remote"), dict) or value["type"] == "poci"


def describe_entry(reader: PluginReader, name: str) -> Plugin | None:
    """Return the unit of an entry's own file (`servers/NAME/server.yaml`), None where it is somebody else's."""
    document = reader.yaml(name)
    if document is None or not is_entry(document.value):
        return None
    title = reader.text(document, ("name",))
    return _unit(reader, document, name, title, list(_entry(reader, document, (), title)))


def describe_catalog(reader: PluginReader, name: str) -> Plugin | None:
    """Return the unit of a whole catalog, None where the file is none."""
    document = reader.yaml(name)
    entries = lookup(document.value, ("registry",)) if document is not None else None
    if document is None or not isinstance(entries, dict) or not any(is_entry(entry) for entry in entries.values()):
        return None
    reader.expect_keys(document, reader.table(document), _CATALOG)
    components: list[Component] = []
    for title, entry in reader.declared(document, ("registry",)).items():
        if is_entry(entry):
            components += _entry(reader, document, ("registry", title), title)
        else:
            reader.fault_at(document, ("registry", title), "is no server, remote server or container")
    return _unit(reader, document, name, reader.text(document, ("name",)), components)


def describe_card(reader: PluginReader, name: str) -> Plugin | None:
    """Return the unit of a service that says where it answers, None where the file is something else."""
    document = reader.json(name)
    if document is None:
        return None
    places = list(_addresses(document, name))
    if not places:
        return None
    title = reader.text(document, ("name_for_model",)) or reader.text(document, ("name",))
    components = []
    for at, place in enumerate(places):
        url = reader.text(document, place)
        components.append(
            Component(
                kind=ComponentKind.SERVER,
                name=f"{title or name} {at}" if at else title or name,
                file=document.file,
                span=document.locate(place),
                transport="http",
                endpoint=url or None,
                trigger="tool",
                gate=_CARD_GATE,
                places=(("endpoint", document.locate_value(place)),),
            )
        )
    return _unit(reader, document, name, title, components)


def _addresses(document: Document, name: str) -> Iterator[Path]:
    """Yield where the addresses stand at which a service answers."""
    value = document.value
    if name == "ai-plugin.json":
        if isinstance(lookup(value, ("api", "url")), str):
            yield ("api", "url")
        return
    is_card = isinstance(lookup(value, ("skills",)), list) and isinstance(lookup(value, ("name",)), str)
    if not is_card or not {"capabilities", "protocolVersion", "supportedInterfaces"} & set(_table(value)):
        return
    if isinstance(lookup(value, ("url",)), str):
        yield ("url",)
    for key in ("additionalInterfaces", "supportedInterfaces"):
        listed = lookup(value, (key,))
        for at, item in enumerate(listed if isinstance(listed, list) else []):
            if isinstance(item, dict) and isinstance(item.get("url"), str):
                yield (key, at, "url")


def _table(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _unit(reader: PluginReader, document: Document, name: str, title: str, components: list[Component]) -> Plugin:
    return make_plugin(
        "mcp-config",
        reader,
        manifest=name,
        name=title or name,
        version=str(_table(document.value).get("version", "")),
        components=components,
        extra=extras(reader.table(document), frozenset()),
        single_file=True,
    )


def _entry(reader: PluginReader, document: Document, path: Path, title: str) -> Iterator[Component]:
    """Yield what the gateway starts or asks for one entry."""
    table = reader.table(document, path)
    reader.expect_keys(document, table, _KNOWN, at=path)
    if isinstance(table.get("remote"), dict):
        yield _remote(reader, document, path, title)
    elif isinstance(table.get("image"), str):
        run = table.get("run")
        holder: Path = (*path, "run") if isinstance(run, dict) else path
        if isinstance(run, dict):
            reader.expect_keys(document, run, _RUN, at=holder)
        yield _image(reader, document, (*path, "image"), holder, title, table)
    tools = table.get("tools")
    for at, tool in enumerate(tools if isinstance(tools, list) else []):
        if isinstance(tool, dict) and isinstance(tool.get("container"), dict):
            place: Path = (*path, "tools", at, "container")
            name = f"{title}.{tool.get('name', at)}"
            component = _image(reader, document, (*place, "image"), place, name, tool)
            yield component._replace(kind=ComponentKind.TOOL, transport="exec", trigger="tool")


def _image(
    reader: PluginReader, document: Document, image: Path, run: Path, name: str, table: Mapping[str, object]
) -> Component:
    """Return the container that an entry runs, as a command of `docker`."""
    settings = reader.table(document, run)
    words = [*_CONTAINER]
    sources = _variables(table)
    for destination, _ in sources:
        words += ["-e", destination]
    for mount in _texts(settings.get("volumes")):
        words += ["-v", mount]
    user = settings.get("user")
    words += ["-u", user] if isinstance(user, str) and user else []
    words += ["--network", "none"] if settings.get("disableNetwork") is True else []
    words += [reader.text(document, image), *_texts(settings.get("command"))]
    return Component(
        kind=ComponentKind.SERVER,
        name=name,
        file=document.file,
        span=document.locate(image),
        transport="stdio",
        command=tuple(words),
        environment=sources,
        trigger="start",
        gate=_GATE,
        extra=extras(table, frozenset()),
    )


def _variables(table: Mapping[str, object]) -> tuple[tuple[str, str | None], ...]:
    """Return the variables and secrets that the container is given, by name, of the entry and of its `config`."""
    found: dict[str, str | None] = {}
    for holder in (table, _table(table.get("config"))):
        for key in ("secrets", "env"):
            listed = holder.get(key)
            for item in listed if isinstance(listed, list) else []:
                name = item.get("env", item.get("name")) if isinstance(item, dict) else None
                if isinstance(name, str):
                    found[name] = name
    return tuple(sorted(found.items()))


def _texts(value: object) -> list[str]:
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []


def _remote(reader: PluginReader, document: Document, path: Path, title: str) -> Component:
    """Return a server at an address."""
    place: Path = (*path, "remote", "url")
    url = reader.text(document, place, required=True)
    declared = lookup(document.value, (*path, "remote", "transport_type"))
    if declared is not None and not isinstance(declared, str):
        reader.fault_at(document, (*path, "remote", "transport_type"), f"must be text, not {kind_of(declared)}")
    headers = reader.table(document, (*path, "remote", "headers"))
    return Component(
        kind=ComponentKind.SERVER,
        name=title,
        file=document.file,
        span=document.locate(place),
        transport="sse" if declared == "sse" else "http",
        endpoint=url or None,
        headers=tuple(sorted((key, v if isinstance(v, str) else compact(v)) for key, v in headers.items())),
        trigger="start",
        gate=_GATE,
        extra=extras(reader.table(document, path), frozenset()),
        places=(("endpoint", document.locate_value(place)),),
    )
