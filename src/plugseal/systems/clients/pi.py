"""Pi: extensions that it loads into its own process, from packages (`package.json#pi`) and from `.pi` of a folder.

An extension is a TypeScript or JavaScript module; skills, prompts and themes come with it. Nothing limits what an
extension may do, and no trust is asked for those of the working folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Package, Plugin
from plugseal.systems.components.parts import context_file, gated, in_process, prose_at, skills_at, unasked
from plugseal.systems.components.settings import setting_components
from plugseal.systems.launching.launch import inner
from plugseal.systems.launching.pinning import build_package
from plugseal.systems.reading.reader import Document, PluginReader, compact, kind_of, lookup
from plugseal.systems.reading.units import folder_of, folders_with, make_configuration, make_plugin
from plugseal.systems.system import Listing

_PACKAGE: Final = "package.json"
_FOLDER: Final = ".pi"
_SETTINGS: Final = ".pi/settings.json"
_SUFFIXES: Final = (".ts", ".js", ".mts", ".mjs", ".cts", ".cjs")
_PARTS: Final = frozenset({"extensions", "skills", "prompts", "themes"})
_READ: Final = frozenset({"settings.json", "extensions", "prompts", "SYSTEM.md", "APPEND_SYSTEM.md", "hooks", "tools"})
_ROLES: Final = """
skip: packages extensions hooks customTools skills prompts themes
quiet: $schema theme model defaultModel defaultProvider defaultThinkingLevel compaction.** retry.** terminal.**
quiet: images.**
quiet: enabledModels hideThinkingBlock collapseChangelog lastChangelogVersion queueMode branchSummary.**
quiet: thinkingBudgets.**
quiet: doubleEscapeAction steeringMode followUpMode quietStartup editorPaddingX markdown.** autocompleteMaxVisible
quiet: enableSkillCommands showHardwareCursor transport
program: shellPath npmCommand
line: shellCommandPrefix
path: sessionDir
"""


class Pi:
    """Packages and configuration of Pi."""

    name = "pi"

    def keeps(self, path: str) -> bool:
        """Keep packages, and the settings and prose of `.pi`."""
        *folders, name = path.split("/")
        if name in (_PACKAGE, "SKILL.md"):
            return True
        return (name.endswith(".md") and (_FOLDER in folders or "prompts" in folders)) or path.endswith(_SETTINGS)

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every package that says it is one of Pi, and every configuration."""
        for root in folders_with(listing, _PACKAGE):
            reader = PluginReader(listing, root)
            if b'"pi"' in listing.kept.get(reader.real(_PACKAGE) or "", b""):
                document = reader.json(_PACKAGE)
                if document is not None and isinstance(lookup(document.value, ("pi",)), dict):
                    yield _package(reader, document)
        for root in folders_with(listing, _FOLDER):
            reader = PluginReader(listing, root)
            if reader.is_directory(_FOLDER) and not _READ.isdisjoint(reader.names(_FOLDER)):
                yield _configuration(reader)


def _package(reader: PluginReader, document: Document) -> Plugin:
    table = reader.table(document, ("pi",))
    reader.expect_keys(document, table, _PARTS | {"image", "video"}, at=("pi",))
    components: list[Component] = []
    for at, place in enumerate(reader.texts(document, ("pi", "extensions"))):
        found = list(_modules(reader, place))
        if not found and "*" not in place:
            reader.fault_at(document, ("pi", "extensions", at), f"names nothing inside the plugin: {compact(place)}")
        components += found
    components += skills_at(reader, _folders(reader, document, "skills"))
    components += prose_at(reader, _folders(reader, document, "prompts"), ComponentKind.COMMAND, trigger="command")
    reader.parsed.remove(_PACKAGE)  # Who installs it reads the rest: that is the package manager's file.
    return make_plugin(
        "pi",
        reader,
        manifest=_PACKAGE,
        name=reader.text(document, ("name",)) or folder_of(reader),
        version=reader.text(document, ("version",)),
        description=reader.text(document, ("description",)),
        components=gated(components, "install"),
        extra=(("pi", compact(table)),),
    )


def _folders(reader: PluginReader, document: Document, key: str) -> list[str]:
    plain = [inner(place) for place in reader.texts(document, ("pi", key))]
    return [place for place in plain if place is not None and reader.exists(place)]


def _modules(reader: PluginReader, place: str) -> Iterator[Component]:
    """Yield the modules that a place stands for: a file, a folder's own modules, or a folder with an index."""
    path = inner(place.partition("*")[0].rstrip("/") if "*" in place else place)
    if path is None:
        return
    if reader.is_file(path):
        yield in_process(path, path.rpartition("/")[2].partition(".")[0])
        return
    for name in reader.names(path):
        file = f"{path}/{name}" if path else name
        if reader.is_file(file) and name.endswith(_SUFFIXES):
            yield in_process(file, name.partition(".")[0])
        elif reader.is_directory(file):
            for suffix in _SUFFIXES:
                if reader.is_file(f"{file}/index{suffix}"):
                    yield in_process(f"{file}/index{suffix}", name)


def _configuration(reader: PluginReader) -> Plugin:
    return make_configuration(
        "pi",
        reader,
        manifest=_SETTINGS if reader.exists(_SETTINGS) else _FOLDER,
        covers=(_FOLDER,),
        components=unasked(gated(_components(reader), "none")),
    )


def _fetched(source: str) -> Package:
    """Return what a source of a package names: `npm:name@version`, `git:…`, an address, else a folder."""
    kind, colon, name = source.partition(":")
    if "://" in source:
        return build_package(source, "git")
    return build_package(name, kind) if colon and kind in ("npm", "git") else build_package(source, "local")


def _components(reader: PluginReader) -> Iterator[Component]:
    for folder in ("extensions", "hooks", "tools"):
        yield from _modules(reader, f"{_FOLDER}/{folder}")
    yield from prose_at(reader, (f"{_FOLDER}/prompts",), ComponentKind.COMMAND, trigger="command")
    for name in ("SYSTEM.md", "APPEND_SYSTEM.md"):
        yield from context_file(reader, f"{_FOLDER}/{name}")
    document = reader.json(_SETTINGS) if reader.exists(_SETTINGS) else None
    if document is None:
        return
    yield from setting_components(reader, document, _ROLES)
    listed = lookup(document.value, ("packages",))
    for at, package in enumerate(listed if isinstance(listed, list) else []):
        source = package.get("source") if isinstance(package, dict) else package
        if not isinstance(source, str):
            reader.fault_at(document, ("packages", at), f"must be text, not {kind_of(source)}")
            continue
        yield Component(
            kind=ComponentKind.SOURCE,
            name=source,
            file=document.file,
            span=document.locate_value(("packages", at)),
            transport="in-process",
            endpoint=source if "://" in source else None,
            trigger="start",
            extra=(("package", compact(package)),),
            places=(("extra.source", document.locate_value(("packages", at))),),
            packages=(_fetched(source),),
        )
    for key in ("extensions", "hooks", "customTools"):
        for place in reader.texts(document, (key,)):
            yield from _modules(reader, f"{_FOLDER}/{place}" if not place.startswith("/") else place)
