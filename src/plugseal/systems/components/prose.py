"""Skills, commands and agents: Markdown files that a model reads as instructions, with front matter that may grant.

The whole text is what such a component does, so its digest (line endings aside) is part of its description: a word
changed anywhere, inside a comment too, is another capability document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from plugseal.model.location import WHOLE_FILE, Span
from plugseal.model.plugin import SKILL_FILE, Component, ComponentKind
from plugseal.systems.components.hooks import hook_components
from plugseal.systems.components.servers import server_components
from plugseal.systems.reading.reader import Document, PluginReader, compact, lookup

_MAX_SKILL_DEPTH = 8
"""Groups of groups of skills below `skills/`; deeper ones are units of their own (`agent-skill`)."""


def prose_components(
    reader: PluginReader, file: str, kind: ComponentKind, *, name: str, trigger: str = "prose"
) -> tuple[Component, ...]:
    """Describe one skill, command or agent file, and the hooks and servers that its front matter declares.

    Args:
        reader: takes the faults.
        file: relative to the plugin's root.
        kind: what the host loads it as.
        name: used where the front matter gives none.
        trigger: when the host reads it.
    """
    document = reader.front_matter(file)
    digest = reader.text_digest(file)
    if document is None and digest is None:
        return ()
    if document is None:
        reader.narrow(file)
    extra: list[tuple[str, str]] = [("text.sha256", digest or "unread")]
    inner: tuple[Component, ...] = ()
    places: tuple[tuple[str, Span], ...] = ()
    if document is not None and isinstance(document.value, dict):
        name = reader.text(document, ("name",)) or name
        extra.extend((f"front.{key}", compact(value)) for key, value in document.value.items())
        inner = _declared(reader, document)
        places = tuple((f"extra.front.{key}", document.locate((key,))) for key in document.value)
    span = document.locate(("name",)) if document is not None else WHOLE_FILE
    main = Component(
        kind=kind, name=name, file=file, span=span, trigger=trigger, extra=tuple(sorted(extra)), places=places
    )
    return (main, *inner)


def skill_components(reader: PluginReader, directory: str, *, nested: bool = True) -> tuple[Component, ...]:
    """Describe every skill of a directory that holds one folder for each, or that is a skill itself."""
    if not reader.exists(directory):
        return ()
    if reader.real(directory) is None:
        reader.fault(directory, "is a link that leads out of the plugin or nowhere; not read")
        return ()
    found: list[Component] = []
    for file in _skill_files(reader, directory, nested=nested):
        name = file.split("/")[-2] if "/" in file else reader.root.rpartition("/")[2]
        found.extend(prose_components(reader, file, ComponentKind.SKILL, name=name))
    return tuple(found)


def markdown_components(
    reader: PluginReader, directory: str, kind: ComponentKind, *, trigger: str, suffix: str = ".md"
) -> tuple[Component, ...]:
    """Describe every Markdown file of a directory, folders below it included."""
    found: list[Component] = []
    for file in files_below(reader, directory, lambda name: name.endswith(suffix)):
        name = file[len(directory) :].lstrip("/").removesuffix(suffix).replace("/", ":")
        found.extend(prose_components(reader, file, kind, name=name, trigger=trigger))
    return tuple(found)


def _skill_files(
    reader: PluginReader, directory: str, *, nested: bool, depth: int = 0, groups: set[str] | None = None
) -> Iterator[str]:
    """Yield the skill files below a directory; a folder that links lead to twice is walked once."""
    groups = set() if groups is None else groups
    prefix = f"{directory}/" if directory else ""
    if reader.exists(prefix + SKILL_FILE):
        yield prefix + SKILL_FILE
        return
    real = reader.real(directory)
    if real is None or real in groups:
        return
    groups.add(real)
    for name in reader.names(directory):
        path = prefix + name
        if reader.is_directory(path):
            is_group = not reader.exists(f"{path}/{SKILL_FILE}")
            if not name.startswith(".") and depth < _MAX_SKILL_DEPTH and (nested or not is_group):
                yield from _skill_files(reader, path, nested=nested, depth=depth + 1, groups=groups)
        elif reader.real(path) is None:
            reader.fault(path, "is a link that leads out of the plugin or nowhere; not read")


def files_below(reader: PluginReader, directory: str, wanted: Callable[[str], bool]) -> Iterator[str]:
    """Yield the wanted files below a directory; a folder that links lead to twice is walked once."""
    waiting = [directory]
    walked: set[str] = set()
    while waiting:
        here = waiting.pop()
        real = reader.real(here)
        if real is None or real in walked:
            continue
        walked.add(real)
        for name in reader.names(here):
            path = f"{here}/{name}"
            if reader.is_directory(path):
                waiting.append(path)
            elif wanted(name) and reader.exists(path):
                yield path


def _declared(reader: PluginReader, document: Document) -> tuple[Component, ...]:
    """Describe hooks, servers and installers inside front matter."""
    found: tuple[Component, ...] = ()
    if isinstance(lookup(document.value, ("hooks",)), dict):
        found += hook_components(reader, document, ("hooks",))
    servers = lookup(document.value, ("mcpServers",))
    if isinstance(servers, dict):
        found += server_components(reader, document, ("mcpServers",))
    for at, item in enumerate(servers if isinstance(servers, list) else ()):
        if isinstance(item, dict):  # A name alone means a server that is configured elsewhere.
            found += server_components(reader, document, ("mcpServers", at))
    if isinstance(lookup(document.value, ("metadata",)), dict):
        from plugseal.systems.components.installers import skill_installers  # few skills have any

        found += tuple(skill_installers(reader, document))
    return found
