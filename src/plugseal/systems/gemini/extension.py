"""An extension of the Gemini CLI, or of Qwen Code: servers in the manifest, all else at its fixed place beside it.

`trust` of a server is ignored in an extension; `migratedTo` moves where its updates come from without a question.
Hooks and servers are given no variables but the usual ones and those that a setting declares.
Qwen's manifest may say where prose stands, hold hooks and language servers itself, and name modules of channels, which
are loaded into its process.

See: https://geminicli.com/docs/extensions/reference
See: https://qwenlm.github.io/qwen-code-docs/en/users/extension/introduction
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.records import NamedTuple
from plugseal.systems.components.hooks import hook_components
from plugseal.systems.components.parts import (
    METADATA,
    context_file,
    gated,
    hook_files,
    in_process,
    inline_tables,
    named_paths,
    prose_at,
    skills_at,
)
from plugseal.systems.components.servers import server_components
from plugseal.systems.gemini.parts import agents_at, commands_at, policies_at
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


class Kind(NamedTuple):
    """Whose extension it is."""

    system: str
    manifest: str
    context: str
    """The file that is always before the model, where the manifest names none."""
    further: frozenset[str] = frozenset()
    """Keys that only this client knows."""


GEMINI: Final = Kind("gemini", MANIFEST, "GEMINI.md")
QWEN: Final = Kind(
    "qwen",
    "qwen-extension.json",
    "QWEN.md",
    frozenset({"commands", "skills", "agents", "hooks", "lspServers", "channels"}),
)


def describe_extension(reader: PluginReader, kind: Kind = GEMINI) -> Plugin:
    """Return the extension at a root."""
    document = reader.json(kind.manifest)
    components = tuple(gated(_components(reader, document, kind), _GATE))
    if document is None:
        return make_plugin(kind.system, reader, manifest=kind.manifest, name=folder_of(reader), components=components)
    table = reader.table(document)
    names_usual_file = str(table.get("hooks")).removeprefix("./") == _HOOKS
    reader.expect_keys(document, table, _UNDERSTOOD | kind.further | ({"hooks"} if names_usual_file else set()))
    return make_plugin(
        kind.system,
        reader,
        manifest=kind.manifest,
        name=reader.text(document, ("name",), required=True) or folder_of(reader),
        version=reader.text(document, ("version",)),
        description=reader.text(document, ("description",)),
        components=components,
        extra=extras(table, frozenset({"name", "version", "description", "mcpServers", "settings", "migratedTo"})),
    )


def _components(reader: PluginReader, document: Document | None, kind: Kind) -> Iterator[Component]:
    def named(key: str) -> list[str]:
        return named_paths(reader, document, (key,)) if key in kind.further else []

    yield from skills_at(reader, ("skills", *named("skills")))
    for folder in dict.fromkeys(("agents", *named("agents"))):
        yield from agents_at(reader, folder)
    if kind.further:
        yield from prose_at(reader, ("commands", *named("commands")), ComponentKind.COMMAND, trigger="command")
    for folder in dict.fromkeys(("commands", *named("commands"))):
        yield from commands_at(reader, folder)
    yield from policies_at(reader, "policies", may_allow=False)
    yield from hook_files(reader, (_HOOKS, *named("hooks")))
    texts = named_paths(reader, document, ("contextFileName",), missing_is_fault=False)
    for file in texts or [kind.context]:
        yield from context_file(reader, file)
    if document is not None:
        yield from _declared(reader, document)
        if kind.further:
            yield from _of_qwen(reader, document)


def _of_qwen(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe what only a manifest of Qwen holds: hooks and language servers, and modules of channels."""
    for path in inline_tables(document, ("hooks",)):
        yield from hook_components(reader, document, path)
    for server in server_components(reader, document, ("lspServers",)):
        yield server._replace(kind=ComponentKind.LANGUAGE_SERVER, trigger="open")
    for name in reader.table(document, ("channels",)):
        entry = reader.text(document, ("channels", name, "entry"), required=True).removeprefix("./")
        if entry:
            yield in_process(entry, name)._replace(file=document.file, span=document.locate(("channels", name)))


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
