"""Continue: the `.continue` of a working folder, and `.continuerc.json` beside it.

Configurations and blocks are YAML files in folders by what they hold; a block may stand elsewhere (`uses`), on
Continue's hub, from where it is fetched by its name. Servers that are written as other clients have them are read too.

See: https://github.com/continuedev/continue/blob/main/packages/config-yaml/src/schemas/index.ts
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind, Package, Pinning
from plugseal.systems.clients.settled import documents_at, model_addresses
from plugseal.systems.components.folders import FolderClient, Layout, Settings
from plugseal.systems.components.parts import servers_in
from plugseal.systems.components.prose import files_below
from plugseal.systems.components.servers import server_component
from plugseal.systems.components.settings import setting_components
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, lookup
from plugseal.systems.system import System

_FOLDERS: Final = ("agents", "assistants", "context", "data", "docs", "mcpServers", "models", "prompts", "rules")
_RC: Final = ".continuerc.json"
_ROLES: Final = """
skip: models mcpServers rules prompts data
quiet: name version schema metadata.** docs context $schema
environment: env
endpoint: requestOptions.proxy
deny: requestOptions.verifySsl
path: requestOptions.caBundlePath requestOptions.clientCertificate.**
quiet: requestOptions.**
"""
_RC_ROLES: Final = """
skip: models mcpServers experimental.modelContextProtocolServers
quiet: $schema mergeBehavior allowAnonymousTelemetry embeddingsProvider.** reranker.** tabAutocompleteOptions.** ui.**
quiet: disableIndexing disableSessionTitles docs completionOptions.** tabAutocompleteModel.** contextProviders
quiet: experimental.** data slashCommands userToken
prose: systemMessage customCommands
endpoint: requestOptions.proxy analytics.url
deny: requestOptions.verifySsl
path: requestOptions.caBundlePath
quiet: requestOptions.** analytics.**
"""
_LAYOUT: Final = Layout(
    folder=".continue",
    instructions=("rules",),
    commands=("prompts",),
    more=("agents", "assistants", "mcpServers", "models", "context", "data", "docs", "checks", "config.yaml"),
    beside=(".continuerules",),
    settings=(Settings(_RC, _RC_ROLES),),
    gate="none",
)
_TEXTS: Final = (
    ("rules", ComponentKind.INSTRUCTIONS, "rule", "prose"),
    ("prompts", ComponentKind.COMMAND, "prompt", "command"),
)


def continue_dev() -> System:
    """Return the system of `.continue`."""
    return FolderClient("continue", _LAYOUT, _more)


def _more(reader: PluginReader, folder: str) -> Iterator[Component]:
    files = [f"{folder}/config.yaml"]
    for name in _FOLDERS:
        files += sorted(files_below(reader, f"{folder}/{name}", lambda file: file.endswith((".yaml", ".yml"))))
    for file in files:
        document = reader.yaml(file) if reader.exists(file) else None
        if document is not None:
            yield from _configuration(reader, document)
    servers = sorted(files_below(reader, f"{folder}/mcpServers", lambda file: file.endswith(".json")))
    for document in documents_at(reader, servers):
        yield from servers_in(reader, document, ())
    for document in documents_at(reader, (_RC,)):
        yield from model_addresses(document, ("models",), "apiBase")
        for path in (("mcpServers",), ("experimental", "modelContextProtocolServers")):
            yield from _servers(reader, document, path)


def _configuration(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe a configuration or a block: servers, models at addresses of their own, texts, and what is fetched."""
    yield from setting_components(reader, document, _ROLES)
    yield from _servers(reader, document, ("mcpServers",))
    yield from model_addresses(document, ("models",), "apiBase")
    yield from model_addresses(document, ("data",), "destination")
    for key, kind, text, trigger in _TEXTS:
        for path, item in _items(document, (key,)):
            said = item.get(text) if isinstance(item, Mapping) else item
            if isinstance(said, str):
                yield Component(
                    kind=kind,
                    name=str(item.get("name", path[-1])) if isinstance(item, Mapping) else f"{key}.{path[-1]}",
                    file=document.file,
                    span=document.locate_value(path),
                    trigger=trigger,
                    extra=((text, compact(said)),),
                )
    for key in ("models", "mcpServers", "rules", "prompts", "context", "data", "docs"):
        for path, item in _items(document, (key,)):
            if isinstance(item, Mapping) and isinstance(item.get("uses"), str):
                yield _fetched(document, path, item)


def _items(document: Document, path: Path) -> Iterator[tuple[Path, object]]:
    listed = lookup(document.value, path)
    for at, item in enumerate(listed[:MAX_DECLARED] if isinstance(listed, list) else []):
        yield (*path, at), item


def _servers(reader: PluginReader, document: Document, path: Path) -> Iterator[Component]:
    """Describe the servers of a list; those of an older form have their launch in a table `transport`."""
    for place, item in _items(document, path):
        inner = item.get("transport") if isinstance(item, dict) else None
        where = (*place, "transport") if isinstance(inner, dict) else place
        spec = inner if isinstance(inner, dict) else item
        if isinstance(spec, dict) and "uses" not in spec:
            name = item.get("name", place[-1]) if isinstance(item, dict) else place[-1]
            yield server_component(reader, document, where, spec)._replace(name=str(name))


def _fetched(document: Document, path: Path, item: Mapping[str, object]) -> Component:
    """Return a block that is fetched by its name on the hub, or read from a file beside."""
    uses = str(item["uses"])
    place = document.locate_value((*path, "uses"))
    is_local = uses.startswith(("file://", ".", "/"))
    package = Package(uses, "local" if is_local else "registry", Pinning.FLOATING.value)
    return Component(
        kind=ComponentKind.SOURCE,
        name=uses,
        file=document.file,
        span=place,
        trigger="start",
        extra=(("source", compact(item)),),
        places=(("extra.source", place),),
        packages=(package,),
    )
