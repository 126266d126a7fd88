"""OpenCode, and Kilo which is made of it: what is loaded into its process from a working folder, and what it starts.

A plugin is a module that OpenCode imports at start; npm packages in `plugin` are installed by Bun at start, and so is
what `.opencode/package.json` asks for. No trust is asked before any of it. Nothing says what a plugin may do: it can do
all that OpenCode can.

See: https://opencode.ai/docs/plugins
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.systems.components.parts import gated, in_process, prose_at, unasked
from plugseal.systems.components.prose import files_below
from plugseal.systems.components.servers import argument_vector, environment, launch_places, server_components
from plugseal.systems.components.settings import setting_components
from plugseal.systems.launching.launch import entry_file, exact_variable
from plugseal.systems.opencode.packages import (
    fetched_texts,
    installed_packages,
    named_plugins,
    provider_packages,
)
from plugseal.systems.opencode.prompts import prompt_lines, template_lines
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, dotted, kind_of, lookup
from plugseal.systems.reading.texts import READS, texts_in
from plugseal.systems.reading.units import folders_with, make_configuration
from plugseal.systems.system import Listing, System

_MODULES: Final = ("plugin", "plugins", "tool", "tools")
_SUFFIXES: Final = (".js", ".ts", ".mjs", ".mts", ".cjs", ".cts", ".jsx", ".tsx")
_GATE: Final = "none"
_VARIABLE: Final = lazy(r"(?<!\$)\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
_FILE: Final = lazy(r"\{file:([^{}\n]{1,1000})\}", needs=("{file:",))
_ROLES: Final = """
skip: mcp plugin plugins lsp.** formatter.** command.** commands.** agent.** agents.** mode.** instructions
skip: reference references skills.urls
quiet: $schema theme keybinds.** tui.** share autoshare model small_model username layout disabled_providers
quiet: enabled_providers snapshot watcher.** compaction.** logLevel default_agent enterprise.** autoupdate
quiet: tools.** experimental.disable_paste_summary experimental.batch_tool experimental.openTelemetry
quiet: attachment.** tool_output.** json_response.** experimental.policies
quiet: experimental.primary_tools experimental.continue_loop_on_deny experimental.mcp_timeout small_model server.port
grant: permission.**=allow permission=allow permissions.**=allow permissions=allow
grant: agent.*.permission.**=allow agent.*.permission=allow agents.*.permissions.**=allow mode.*.permission.**=allow
program: shell
path: skills.paths skills.external
grant: server.hostname server.mdns server.cors
endpoint: provider.*.options.baseURL provider.*.api
skip: provider.*.npm provider.*.models.*.provider.npm
quiet: provider.*.name provider.*.models.** provider.*.options.** provider.*.env provider.*.whitelist
quiet: provider.*.blacklist provider.*.id
prose: provider.*.options.apiKey
skip: experimental.hook
"""
_SCREEN: Final = ("tui.json", "tui.jsonc")
"""Settings of the screen, which bring plugins of their own."""
_SCREEN_ROLES: Final = """
skip: plugin tui.plugin
quiet: $schema theme keybinds.** scroll_speed scroll_acceleration.** diff_style prompt_bar_animation.** tui.** mouse
path: attention.sounds.** tui.attention.sounds.**
quiet: attention.**
"""


class OpenCode:
    """Configuration and in-process plugins of OpenCode, or of a client that keeps to its layout."""

    def __init__(self, name: str = "opencode", folder: str = ".opencode", stem: str = "opencode") -> None:
        """Take the client's name, its folder, and what its configuration is called without `.json`."""
        self.name = name
        self._folder = folder
        self._names = (f"{stem}.json", f"{stem}.jsonc")
        self._files = (*self._names, *(f"{folder}/{name}" for name in (*self._names, *_SCREEN)), *_SCREEN)

    def keeps(self, path: str) -> bool:
        """Keep configurations, and the prose and the package of the client's folder."""
        *folders, name = path.split("/")
        return name in (*self._names, *_SCREEN) or (
            self._folder in folders and (name.endswith(".md") or name == "package.json")
        )

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every folder's configuration."""
        roots = dict.fromkeys(folders_with(listing, self._folder))
        for name in self._names:
            roots.update(dict.fromkeys(r for r in folders_with(listing, name) if r.rpartition("/")[2] != self._folder))
        for name in _SCREEN:
            roots.update(dict.fromkeys(r for r in folders_with(listing, name) if _brings_plugins(listing, r, name)))
        for root in roots:
            plugin = self._describe(PluginReader(listing, root))
            if plugin is not None:
                yield plugin

    def _describe(self, reader: PluginReader) -> Plugin | None:
        configs = [file for file in self._files if reader.exists(file)]
        components = tuple(_components(reader, configs, self._folder))
        if not configs and not components:
            return None  # Skills alone, which are units of their own.
        return make_configuration(
            self.name,
            reader,
            manifest=configs[0] if configs else self._folder,
            covers=(self._folder, *configs),
            components=unasked(gated(components, _GATE)),
        )


def _brings_plugins(listing: Listing, root: str, name: str) -> bool:
    """Say whether a file of this name, which others have too, stands beside OpenCode's own or names plugins."""
    return b'"plugin"' in listing.kept.get(f"{root}/{name}" if root else name, b"") and not root.endswith(".opencode")


def kilo() -> System:
    """Return the system of `kilo.json` and of `.kilo`."""
    return OpenCode("kilo", ".kilo", "kilo")


def _components(reader: PluginReader, configs: Iterable[str], own: str) -> Iterator[Component]:
    for file in configs:
        document = reader.json(file, comments=True)
        if document is not None and file.endswith(_SCREEN):
            yield from setting_components(reader, document, _SCREEN_ROLES)
            for path in (("plugin",), ("tui", "plugin")):
                yield from named_plugins(reader, document, path)
        elif document is not None:
            yield from _config(reader, document)
    for folder in _MODULES:
        for file in sorted(files_below(reader, f"{own}/{folder}", lambda name: name.endswith(_SUFFIXES))):
            name = file.rpartition("/")[2].partition(".")[0]
            trigger = "start" if folder.startswith("plugin") else "tool"
            yield in_process(file, name, trigger=trigger, gate=_GATE)
    for folder, kind, trigger in (
        ("command", ComponentKind.COMMAND, "command"),
        ("commands", ComponentKind.COMMAND, "command"),
        ("agent", ComponentKind.AGENT, "prose"),
        ("agents", ComponentKind.AGENT, "prose"),
        ("mode", ComponentKind.AGENT, "prose"),
        ("modes", ComponentKind.AGENT, "prose"),
    ):
        for component in prose_at(reader, (f"{own}/{folder}",), kind, trigger=trigger):
            yield component
            if component.kind is ComponentKind.COMMAND:
                yield from prompt_lines(reader, component)
    package = f"{own}/package.json"
    if reader.is_file(package):
        yield from installed_packages(reader, package)


def _config(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe what a configuration starts, fetches, grants and says."""
    yield from setting_components(reader, document, _ROLES)
    for server in server_components(reader, document, ("mcp",)):
        yield _with_variables(server._replace(transport="stdio" if server.command else server.transport))
    yield from _hooks(reader, document, ("experimental", "hook"))
    for key in ("plugin", "plugins"):
        yield from named_plugins(reader, document, (key,))
    yield from provider_packages(reader, document)
    yield from fetched_texts(reader, document)
    yield from _files(reader, document)
    for key, kind in (("lsp", ComponentKind.LANGUAGE_SERVER), ("formatter", ComponentKind.SCRIPT)):
        if isinstance(lookup(document.value, (key,)), dict):
            yield from _programs(reader, document, (key,), kind)
    for key, kind in (
        ("command", ComponentKind.COMMAND),
        ("commands", ComponentKind.COMMAND),
        ("agent", ComponentKind.AGENT),
        ("agents", ComponentKind.AGENT),
        ("mode", ComponentKind.AGENT),
    ):
        for name, spec in reader.table(document, (key,)).items():
            yield Component(
                kind=kind,
                name=name,
                file=document.file,
                span=document.locate((key, name)),
                trigger="command" if kind is ComponentKind.COMMAND else "prose",
                extra=(("spec", compact(spec)),),
            )
            if kind is ComponentKind.COMMAND:
                yield from template_lines(reader, document, (key, name, "template"), name)
    for at, place in enumerate(reader.texts(document, ("instructions",))):
        yield Component(
            kind=ComponentKind.INSTRUCTIONS,
            name=place,
            file=document.file,
            span=document.locate_value(("instructions", at)),
            endpoint=place if "://" in place else None,
            trigger="prose",
        )


def _with_variables(component: Component) -> Component:
    """Return a server with `{env:NAME}` spelled `${env:NAME}`, as everywhere else."""
    if not any("{env:" in value for _, value in (*component.literals, *component.headers)):
        return component
    values = {name: _VARIABLE.sub(r"${env:\1}", value) for name, value in component.literals}
    exact = {name: exact_variable(value) for name, value in values.items()}
    sources = {name: exact.get(name) or source for name, source in component.environment}
    return component._replace(
        environment=tuple(sorted(sources.items())),
        literals=tuple((name, value) for name, value in values.items() if exact[name] is None),
        headers=tuple((name, _VARIABLE.sub(r"${env:\1}", value)) for name, value in component.headers),
    )


def _hooks(reader: PluginReader, document: Document, path: Path) -> Iterator[Component]:
    """Describe the commands that run after an edit or a session: lists of tables, below events and endings of names."""
    for key, value in reader.table(document, path).items():
        place = (*path, key)
        if isinstance(value, dict):
            yield from _hooks(reader, document, place)
        for at, item in enumerate(value if isinstance(value, list) else []):
            argv = argument_vector(reader, document, (*place, at), item) if isinstance(item, dict) else ()
            if not argv:
                reader.fault_at(document, (*place, at), "must be a table with a command")
                continue
            yield Component(
                kind=ComponentKind.HOOK,
                name=f"{key}.{at}",
                file=document.file,
                span=document.locate((*place, at)),
                transport="exec",
                command=argv,
                trigger=f"hook:{place[2]}",
                entry=entry_file(argv, None, reader.is_launchable),
                places=launch_places(document, (*place, at), item),
            )


def _files(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe the files whose content is put into the configuration: `{file:path}`."""
    seen = 0
    for path, text in texts_in(document.value):
        found = _FILE.findall(text)
        if not found:
            continue
        seen += 1
        if seen > MAX_DECLARED:
            reader.fault_at(document, path, f"declares more than {MAX_DECLARED:,}: not all were read")
            return
        yield Component(
            kind=ComponentKind.SETTING,
            name=f"{dotted(path)}.file",
            file=document.file,
            span=document.locate_value(path),
            trigger="start",
            extra=((READS, compact(sorted(set(found)))),),
            places=((f"extra.{READS}", document.locate_value(path)),),
        )


def _programs(reader: PluginReader, document: Document, path: Path, kind: ComponentKind) -> Iterator[Component]:
    """Describe language servers or formatters, each with a command as a list."""
    for name, spec in reader.declared(document, path).items():
        place = (*path, name)
        if spec is False:
            continue
        if not isinstance(spec, dict):
            reader.fault_at(document, place, f"must be a table, not {kind_of(spec)}")
            continue
        argv = argument_vector(reader, document, place, spec)
        sources, literals = environment(reader, document, (*place, "environment" if "environment" in spec else "env"))
        if argv:
            yield Component(
                kind=kind,
                name=name,
                file=document.file,
                span=document.locate((*place, "command")),
                transport="exec",
                command=argv,
                environment=sources,
                literals=literals,
                trigger="open" if kind is ComponentKind.LANGUAGE_SERVER else "tool",
                places=launch_places(document, place, spec),
                extra=tuple((key, compact(value)) for key, value in sorted(spec.items()) if key != "command"),
            )
