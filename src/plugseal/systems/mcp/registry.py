"""What registries know of a server: `server.json` (the official registry) and `smithery.yaml`.

An entry says how clients should start the server: they run the package of that name with these arguments. The command
of `smithery.yaml` is put together by a function in JavaScript, which nobody reads here: the file stays unread.

See: https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/generic-server-json.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, extras, lookup
from plugseal.systems.reading.units import make_plugin

_ENTRY: Final = frozenset(
    "$schema name title description version websiteUrl website_url status repository packages remotes "
    "icons _meta".split()
)
_RUNNERS: Final = {
    "npm": ("npx", "-y"),
    "pypi": ("uvx",),
    "oci": ("docker", "run", "-i", "--rm"),
    "docker": ("docker", "run", "-i", "--rm"),
    "nuget": ("dnx", "--yes"),
}
_SEPARATORS: Final = {"npm": "@", "pypi": "@", "nuget": "@", "oci": ":", "docker": ":"}
_SMITHERY: Final = frozenset({"version", "name", "runtime", "target", "build", "startCommand", "env", "configSchema"})
_GATE: Final = "the user installs it from a registry"


def describe_entry(reader: PluginReader, name: str) -> Plugin | None:
    """Return the unit of a registry's file, None where it is somebody else's of that name."""
    if name == "server.json":
        document = reader.json(name)
        if document is None or not _is_entry(document.value):
            return None
        reader.expect_keys(document, reader.table(document), _ENTRY)
        components = [*_packages(reader, document), *_remotes(reader, document)]
        title = reader.text(document, ("name",))
        version = reader.text(document, ("version",))
    else:
        document = reader.yaml(name)
        if document is None:
            return None
        reader.expect_keys(document, reader.table(document), _SMITHERY)
        components, title, version = list(_smithery(reader, document)), name, ""
    return make_plugin(
        "mcp-config",
        reader,
        manifest=name,
        name=title or name,
        version=version,
        components=components,
        extra=extras(reader.table(document), frozenset({"packages", "remotes", "startCommand"})),
        single_file=True,
    )


def _is_entry(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return False
    schema = value.get("$schema")
    of_registry = isinstance(schema, str) and "modelcontextprotocol" in schema
    return of_registry or ("/" in value["name"] and not {"packages", "remotes"}.isdisjoint(value))


def _packages(reader: PluginReader, document: Document) -> Iterator[Component]:
    listed = lookup(document.value, ("packages",))
    for at, package in enumerate(listed if isinstance(listed, list) else []):
        if isinstance(package, dict):
            yield _package(document, ("packages", at), package)
        else:
            reader.fault_at(document, ("packages", at), "must be a table")


def _package(document: Document, path: Path, table: Mapping[str, object]) -> Component:
    """Return the server that clients start from a package."""
    kind = str(table.get("registryType", table.get("registry_type", table.get("registry_name", ""))))
    name = str(table.get("identifier", table.get("name", "")))
    version = table.get("version")
    package = f"{name}{_SEPARATORS.get(kind, '@')}{version}" if isinstance(version, str) and version else name
    hint = table.get("runtimeHint", table.get("runtime_hint"))
    runner = _RUNNERS.get(kind, ())
    if isinstance(hint, str) and hint:
        runner = (hint, *runner[1:])
    before = _arguments(lookup(table, ("runtimeArguments",)) or lookup(table, ("runtime_arguments",)))
    after = _arguments(lookup(table, ("packageArguments",)) or lookup(table, ("package_arguments",)))
    variables = lookup(table, ("environmentVariables",)) or lookup(table, ("environment_variables",))
    names = [
        v["name"] for v in (variables if isinstance(variables, list) else []) if isinstance(v, dict) and "name" in v
    ]
    return Component(
        kind=ComponentKind.SERVER,
        name=name or str(path[-1]),
        file=document.file,
        span=document.locate((*path, "identifier")),
        transport="stdio",
        command=(*runner, *before, package, *after) if runner and name else (),
        environment=tuple(sorted((str(each), str(each)) for each in names)),
        trigger="start",
        gate=_GATE,
        extra=extras(table, frozenset()),
    )


def _arguments(value: object) -> tuple[str, ...]:
    """Return the words of arguments that have a value of their own; what is asked of the user stands as `{name}`."""
    words: list[str] = []
    for item in value if isinstance(value, list) else []:
        if not isinstance(item, dict):
            continue
        if item.get("type") == "named" and isinstance(item.get("name"), str):
            words.append(str(item["name"]))
        given = item.get("value", item.get("default"))
        if isinstance(given, str):
            words.append(given)
        elif item.get("type") != "named":
            words.append("{" + str(item.get("valueHint", item.get("value_hint", "value"))) + "}")
    return tuple(words)


def _remotes(reader: PluginReader, document: Document) -> Iterator[Component]:
    listed = lookup(document.value, ("remotes",))
    for at, remote in enumerate(listed if isinstance(listed, list) else []):
        path: Path = ("remotes", at)
        if not isinstance(remote, dict):
            reader.fault_at(document, path, "must be a table")
            continue
        url = reader.text(document, (*path, "url"))
        yield Component(
            kind=ComponentKind.SERVER,
            name=f"remote {at}",
            file=document.file,
            span=document.locate((*path, "url")),
            transport="http",
            endpoint=url or None,
            trigger="start",
            gate=_GATE,
            extra=extras(remote, frozenset({"url"})),
            places=(("endpoint", document.locate_value((*path, "url"))),),
        )


def _smithery(reader: PluginReader, document: Document) -> Iterator[Component]:
    start = reader.table(document, ("startCommand",))
    if start:
        if "commandFunction" in start:
            reader.unknown_key(document, ("startCommand", "commandFunction"))
        yield Component(
            kind=ComponentKind.SERVER,
            name="startCommand",
            file=document.file,
            span=document.locate(("startCommand",)),
            transport=str(start.get("type", "")),
            trigger="start",
            gate=_GATE,
            extra=(("startCommand", compact(start)),),
        )
