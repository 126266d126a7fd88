"""An extension of the Gemini CLI: servers in the manifest, all else at its fixed place beside it.

`trust` of a server is ignored in an extension; `migratedTo` moves where its updates come from without a question.
Hooks and servers are given no variables but the usual ones and those that a setting declares.

See: https://geminicli.com/docs/extensions/reference
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.parts import (
    METADATA,
    context_file,
    gated,
    hook_files,
    named_paths,
    prose_at,
    skills_at,
)
from plugseal.systems.components.servers import server_components
from plugseal.systems.gemini.parts import commands_at, policies_at
from plugseal.systems.reading.reader import Document, PluginReader, extras, lookup
from plugseal.systems.reading.units import folder_of, make_plugin

MANIFEST: Final = "gemini-extension.json"
_UNDERSTOOD: Final = METADATA | frozenset(
    "mcpServers contextFileName excludeTools settings themes plan migratedTo".split()
)
_SETTING: Final = frozenset({"name", "description", "envVar", "sensitive", "type", "default", "options"})
"""The last three say how a value is asked for, and start nothing."""
_HOOKS: Final = "hooks/hooks.json"
_GATE: Final = "install, with consent"
_CONTEXT: Final = "GEMINI.md"


def describe_extension(reader: PluginReader) -> Plugin:
    """Return the extension at a root."""
    document = reader.json(MANIFEST)
    components = tuple(gated(_components(reader, document), _GATE))
    if document is None:
        return make_plugin("gemini", reader, manifest=MANIFEST, name=folder_of(reader), components=components)
    table = reader.table(document)
    names_usual_file = str(table.get("hooks")).removeprefix("./") == _HOOKS
    reader.expect_keys(document, table, _UNDERSTOOD | ({"hooks"} if names_usual_file else set()))
    return make_plugin(
        "gemini",
        reader,
        manifest=MANIFEST,
        name=reader.text(document, ("name",), required=True) or folder_of(reader),
        version=reader.text(document, ("version",)),
        description=reader.text(document, ("description",)),
        components=components,
        extra=extras(table, frozenset({"name", "version", "description", "mcpServers", "settings", "migratedTo"})),
    )


def _components(reader: PluginReader, document: Document | None) -> Iterator[Component]:
    yield from skills_at(reader, ("skills",))
    yield from prose_at(reader, ("agents",), ComponentKind.AGENT, trigger="prose")
    yield from commands_at(reader, "commands")
    yield from policies_at(reader, "policies", may_allow=False)
    yield from hook_files(reader, (_HOOKS,))
    named = named_paths(reader, document, ("contextFileName",), missing_is_fault=False)
    for file in named or [_CONTEXT]:
        yield from context_file(reader, file)
    if document is not None:
        yield from _declared(reader, document)


def _declared(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe the servers, settings and the move of a manifest."""
    for server in server_components(reader, document, ("mcpServers",)):
        extra = tuple((f"{key} (ignored)" if key == "trust" else key, value) for key, value in server.extra)
        yield server._replace(extra=tuple(sorted(extra)))
    settings = lookup(document.value, ("settings",))
    for at, setting in enumerate(settings if isinstance(settings, list) else []):
        path = ("settings", at)
        if not isinstance(setting, dict):
            reader.fault_at(document, path, "must be a table")
            continue
        reader.expect_keys(document, setting, _SETTING, at=path)
        variable = reader.text(document, (*path, "envVar"), required=True)
        yield Component(
            kind=ComponentKind.SETTING,
            name=variable,
            file=document.file,
            span=document.locate((*path, "envVar")),
            environment=((variable, variable),) if variable else (),
            trigger="install",
            gate="asks the user for the value",
            extra=extras(setting, frozenset({"envVar"})),
        )
    moved = reader.text(document, ("migratedTo",))
    if moved:
        yield Component(
            kind=ComponentKind.SOURCE,
            name="migratedTo",
            file=document.file,
            span=document.locate(("migratedTo",)),
            endpoint=moved,
            trigger="install",
            gate="none: updates follow it unasked",
        )
