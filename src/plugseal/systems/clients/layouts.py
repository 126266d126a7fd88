"""Plugins of clients that took over Claude Code's layout: Devin, Kimi Code and Oh My Pi.

Each has a folder of its own for the manifest; skills, commands, agents, hooks and servers stand where Claude Code has
them, or where the manifest says. What one of them has besides is a column of its row. A key that nobody is known to
read is a fault: what it means is not known.

See: https://docs.devin.ai/cli/extensibility/plugins
See: https://moonshotai.github.io/kimi-code/en/customization/plugins.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.plugin import SKILL_FILE, Component, ComponentKind, Plugin
from plugseal.records import NamedTuple
from plugseal.systems.components.marketplaces import describe_marketplace
from plugseal.systems.components.parts import (
    HOOKS_FILE,
    METADATA,
    client_plugin,
    context_file,
    gated,
    hook_files,
    hooks_in,
    in_process,
    inline_tables,
    line_component,
    named_paths,
    prose_at,
    server_files,
    servers_in,
    skills_at,
)
from plugseal.systems.reading.reader import Document, PluginReader, compact, lookup
from plugseal.systems.reading.units import folders_with
from plugseal.systems.system import Listing, System

_INSTALL: Final = "install"
_PARTS: Final = frozenset({"skills", "commands", "agents", "rules", "hooks", "mcpServers"})
_SHOWN: Final = METADATA | {"category", "interface", "displayName", "platforms", "icon", "logo", "tags"}
_PROSE: Final = frozenset({"commands", "agents", "rules"})


class PluginLayout(NamedTuple):
    """What one client has of its own."""

    system: str
    manifests: tuple[str, ...]
    """The first that is there counts."""
    marketplaces: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    """Prose that is always before the model."""
    modules: tuple[str, ...] = ()
    """Keys that name modules which the client loads into its own process."""
    installs: tuple[str, ...] = ()
    """Keys that name plugins which are installed along."""
    texts: tuple[str, ...] = ()
    """Keys whose text is put before the model."""
    understood: frozenset[str] = frozenset()
    """Further keys that start nothing."""


_DEVIN: Final = PluginLayout(
    "devin",
    (".devin-plugin/plugin.json",),
    marketplaces=(".devin-plugin/marketplace.json",),
    instructions=("AGENTS.md",),
    installs=("requiredPlugins",),
    understood=frozenset({"optionalPlugins", "forbiddenPlugins"}),
)
_KIMI: Final = PluginLayout(
    "kimi",
    ("kimi.plugin.json", ".kimi-plugin/plugin.json"),
    marketplaces=(".kimi-plugin/marketplace.json",),
    texts=("skillInstructions",),
    understood=frozenset({"sessionStart"}),
)
_OMP: Final = PluginLayout(
    "omp",
    (".omp-plugin/plugin.json",),
    marketplaces=(".omp-plugin/marketplace.json",),
    modules=("extensions", "tools"),
)


class PluginFolders:
    """The plugins and marketplaces of one such client, and what else it reads."""

    def __init__(self, layout: PluginLayout, beside: System | None = None) -> None:
        """Take the layout, and the system of the client's own configuration."""
        self.name = layout.system
        self._layout = layout
        self._beside = beside

    def keeps(self, path: str) -> bool:
        """Keep manifests, hooks, servers and Markdown components."""
        *folders, name = path.split("/")
        if path.endswith((*self._layout.manifests, *self._layout.marketplaces)):
            return True
        if name in ("hooks.json", ".mcp.json", "mcp.json", SKILL_FILE, *self._layout.instructions):
            return True
        if name.endswith(".md") and not _PROSE.isdisjoint(folders):
            return True
        return self._beside is not None and self._beside.keeps(path)

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every plugin, marketplace and configuration."""
        seen: set[str] = set()
        for manifest in self._layout.manifests:
            for root in folders_with(listing, manifest):
                if root not in seen:
                    seen.add(root)
                    yield _plugin(self._layout, PluginReader(listing, root), manifest)
        for file in self._layout.marketplaces:
            for root in folders_with(listing, file):
                yield describe_marketplace(PluginReader(listing, root), self.name, file, gate=_INSTALL)
        if self._beside is not None:
            yield from self._beside.discover(listing)


def devin_plugins() -> System:
    """Return the system of `.devin-plugin` and of `.devin`."""
    from plugseal.systems.clients.windsurf import devin

    return PluginFolders(_DEVIN, devin())


def kimi() -> System:
    """Return the system of `.kimi-plugin`."""
    return PluginFolders(_KIMI)


def omp() -> System:
    """Return the system of `.omp-plugin`."""
    return PluginFolders(_OMP)


def _plugin(layout: PluginLayout, reader: PluginReader, manifest: str) -> Plugin:
    return client_plugin(
        layout.system,
        reader,
        manifest,
        lambda reader, document: gated(_components(layout, reader, document), _INSTALL),
        understood=_SHOWN | _PARTS | {*layout.modules, *layout.installs, *layout.texts} | layout.understood,
        taken=frozenset({"name", "version", "description", "hooks", "mcpServers", *layout.installs, *layout.texts}),
    )


def _components(layout: PluginLayout, reader: PluginReader, document: Document | None) -> Iterator[Component]:
    def named(key: str) -> list[str]:
        return named_paths(reader, document, (key,))

    skills = ["skills", *named("skills")]
    if skills == ["skills"] and not reader.exists("skills") and reader.exists(SKILL_FILE):
        skills = [""]
    yield from skills_at(reader, skills)
    yield from prose_at(reader, ("commands", *named("commands")), ComponentKind.COMMAND, trigger="command")
    yield from prose_at(reader, ("agents", *named("agents")), ComponentKind.AGENT, trigger="prose")
    yield from prose_at(reader, ("rules", *named("rules")), ComponentKind.INSTRUCTIONS, trigger="prose")
    for file in layout.instructions:
        yield from context_file(reader, file)
    yield from _hooks(reader, document)
    for path in inline_tables(document, ("mcpServers",)):
        if document is not None:
            yield from servers_in(reader, document, path)
    yield from server_files(reader, (".mcp.json", "mcp.json", *named("mcpServers")))
    for key in layout.modules:
        for file in named(key):
            yield in_process(file, file)
    if document is None:
        return
    for key in layout.installs:
        yield from _installed(reader, document, key)
    for key in layout.texts:
        if isinstance(lookup(document.value, (key,)), str):
            yield _text(document, key)


def _installed(reader: PluginReader, document: Document, key: str) -> Iterator[Component]:
    """Describe the plugins that are installed along: a short name, an address, or a table that says where one is."""
    listed = lookup(document.value, (key,))
    for at, item in enumerate(listed if isinstance(listed, list) else []):
        said = [item.get(part) for part in ("repo", "url", "path", "name")] if isinstance(item, dict) else [item]
        name = next((one for one in said if isinstance(one, str) and one), None)
        if name is None:
            reader.fault_at(document, (key, at), "names no plugin")
            continue
        yield Component(
            kind=ComponentKind.SOURCE,
            name=name,
            file=document.file,
            span=document.locate_value((key, at)),
            trigger="install",
            gate=_INSTALL,
            extra=(("dependency", compact(item)),),
        )


def _text(document: Document, key: str) -> Component:
    """Return a text of the manifest that the client puts before the model."""
    return Component(
        kind=ComponentKind.INSTRUCTIONS,
        name=key,
        file=document.file,
        span=document.locate((key,)),
        trigger="prose",
        extra=((key, compact(lookup(document.value, (key,)))),),
    )


def _hooks(reader: PluginReader, document: Document | None) -> Iterator[Component]:
    if document is not None:
        for path in inline_tables(document, ("hooks",)):
            table = lookup(document.value, path)
            if (
                isinstance(table, dict)
                and isinstance(table.get("event"), str)
                and isinstance(table.get("command"), str)
            ):
                yield line_component(
                    reader,
                    document,
                    (*path, "command"),
                    kind=ComponentKind.HOOK,
                    name=f"{table['event']}.{path[-1]}",
                    trigger=f"hook:{table['event']}",
                )
            else:
                yield from hooks_in(reader, document, path, known=HOOKS_FILE)
    yield from hook_files(reader, ("hooks/hooks.json", "hooks.json", *named_paths(reader, document, ("hooks",))))
