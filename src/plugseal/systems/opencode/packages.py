"""What OpenCode fetches and loads into its own process: plugins, providers' packages, and texts from elsewhere.

A provider's package (`npm`) is installed by Bun and imported when a model of it is used; those that OpenCode brings
itself are not fetched. A path in its place is imported as it lies there.

See: https://opencode.ai/docs/plugins and https://opencode.ai/docs/providers
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from plugseal.model.plugin import Component, ComponentKind
from plugseal.patterns import lazy
from plugseal.systems.components.parts import in_process
from plugseal.systems.components.sources import source_package
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, dotted, lookup
from plugseal.systems.reading.texts import READS

_GATE: Final = "none"
_BROUGHT: Final = lazy(
    r"@ai-sdk/[a-z-]+(?:/[a-z]+)?|@openrouter/ai-sdk-provider|@gitlab/gitlab-ai-provider|gitlab-ai-provider"
    r"|venice-ai-sdk-provider|ai-gateway-provider"
)
"""Packages of providers that are part of OpenCode, or of the makers of its library."""


def installed_packages(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe the install that OpenCode runs at start for the packages that its plugins use."""
    document = reader.json(file)
    if document is None:
        return
    wanted = {
        name: version
        for key in ("dependencies", "devDependencies")
        for name, version in reader.table(document, (key,)).items()
    }
    yield Component(
        kind=ComponentKind.SCRIPT,
        name="bun install",
        file=file,
        span=document.locate(("dependencies",)),
        transport="exec",
        command=("bun", "install"),
        cwd=file.rpartition("/")[0],
        trigger="start",
        extra=(("dependencies", compact(wanted)),),
    )
    if not reader.table(document).keys() <= {"name", "version", "private", "type", "dependencies", "devDependencies"}:
        reader.unknown_key(document, ("scripts",))


def named_plugins(reader: PluginReader, document: Document, where: Path) -> Iterator[Component]:
    """Describe the plugins of a list: names, each alone or before its options."""
    value = lookup(document.value, where)
    if value is not None and not isinstance(value, list):
        reader.texts(document, where)  # It says what is wrong.
    for at, item in enumerate(value if isinstance(value, list) else []):
        path: Path = (*where, at)
        if isinstance(item, list) and item:
            path, item = (*path, 0), item[0]  # the name is what is looked at
        if isinstance(item, str):
            yield _named_plugin(reader, document, path, item)
        else:
            reader.fault_at(document, path, "must be a name, or a name and its options")


def _named_plugin(reader: PluginReader, document: Document, path: Path, name: str) -> Component:
    """Return a plugin that the configuration names: a file of the tree, or a package that is fetched at start."""
    local = name.removeprefix("file://").removeprefix("./")
    if reader.is_file(local):
        return in_process(local, name, gate=_GATE)._replace(file=document.file, span=document.locate_value(path))
    if name.startswith(("file://", ".", "/", "~")):
        elsewhere = in_process(document.file, name, gate=_GATE)
        return elsewhere._replace(
            span=document.locate_value(path), entry=None, extra=(*elsewhere.extra, (READS, compact([local])))
        )
    return Component(
        kind=ComponentKind.MODULE,
        name=name,
        file=document.file,
        span=document.locate_value(path),
        transport="in-process",
        command=("bun", "add", name),
        trigger="start",
        places=(("command.2", document.locate_value(path)),),
        extra=(("authority", compact("full: runs inside the host; fetched at start")),),
    )


def provider_packages(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe the packages of providers and of single models that are imported to reach them."""
    for name, provider in reader.table(document, ("provider",)).items():
        if not isinstance(provider, dict):
            continue
        path: Path = ("provider", name)
        models = provider.get("models")
        places = [(*path, "npm")]
        places += [
            (*path, "models", model, "provider", "npm") for model in (models if isinstance(models, dict) else ())
        ]
        for place in places:
            package = lookup(document.value, place)
            if isinstance(package, str) and package and not _BROUGHT.fullmatch(package):
                yield _named_plugin(reader, document, place, package)._replace(trigger="tool")


def fetched_texts(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe skills and references that are fetched: addresses of skills, repositories, folders, other machines."""
    for at, address in enumerate(reader.texts(document, ("skills", "urls"))):
        yield Component(
            kind=ComponentKind.INSTRUCTIONS,
            name=address,
            file=document.file,
            span=document.locate_value(("skills", "urls", at)),
            endpoint=address,
            trigger="prose",
            gate=_GATE,
            places=(("endpoint", document.locate_value(("skills", "urls", at))),),
        )
    for key in ("reference", "references"):
        for name, spec in reader.table(document, (key,)).items():
            yield _reference(document, (key, name), spec)


def _reference(document: Document, path: Path, spec: object) -> Component:
    """Return what a name stands for that people may mention: a repository, a folder, a folder of another machine."""
    said = spec if isinstance(spec, Mapping) else {"repository" if _is_repository(spec) else "path": spec}
    repository, host = said.get("repository"), said.get("host")
    package = source_package({"source": "git", "url": repository}) if isinstance(repository, str) else None
    return Component(
        kind=ComponentKind.SETTING if package is None else ComponentKind.SOURCE,
        name=dotted(path),
        file=document.file,
        span=document.locate(path),
        endpoint=f"ssh://{host}" if isinstance(host, str) else None,
        trigger="start",
        gate=_GATE,
        extra=(("value", compact(spec)),),
        packages=(package,) if package is not None else (),
    )


def _is_repository(text: object) -> bool:
    return isinstance(text, str) and not text.startswith((".", "/", "~"))
