"""Where plugins stand in a listing, and how a reader's findings become a `Plugin`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.limits import MAX_ARGUMENTS, MAX_LINE_CHARACTERS
from plugseal.model.plugin import Component, Fault, Plugin
from plugseal.systems.launching.packages import packages_of
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.system import Listing

NAME_OF_ROOT: Final = "unnamed"
"""What a plugin without a name is called that is all of a scanned tree, whose own name is not the tree's."""
ONLY_SHOWN: Final = frozenset("name version description author homepage repository license keywords".split())
"""Keys of a manifest that only say what the plugin is."""
SETTINGS: Final = "settings"
"""What the unit of a client's own configuration in a working folder is called: its place tells it from others."""


def folders_with(listing: Listing, name: str) -> Iterator[str]:
    """Yield every directory, by path, in which something stands under this name: a file, a link, or a mistake.

    Args:
        listing: the tree.
        name: a file name, or a path of several parts such as `.codex-plugin/plugin.json`.
    """
    above, _, last = name.rpartition("/")
    for folder in listing.folders.get(last, ()):
        if not above:
            yield folder
        elif folder == above:
            yield ""
        elif folder.endswith("/" + above):
            yield folder[: -len(above) - 1]


def has_parts_of_clients(reader: PluginReader) -> bool:
    """Say whether folders stand beside a manifest that clients look for and the Agent Plugins specification ignores."""
    return reader.exists("hooks/hooks.json") or any(reader.is_directory(part) for part in ("agents", "commands"))


def folder_of(reader: PluginReader) -> str:
    """Return the name of a plugin's folder; `NAME_OF_ROOT` for the scanned root."""
    return reader.root.rpartition("/")[2] or NAME_OF_ROOT


def make_plugin(
    system: str,
    reader: PluginReader,
    *,
    manifest: str,
    name: str,
    version: str = "",
    description: str = "",
    components: Iterable[Component] = (),
    permissions: Iterable[str] = (),
    extra: Iterable[tuple[str, str]] = (),
    single_file: bool = False,
) -> Plugin:
    """Return the plugin with the reader's faults and documents, everything in its fixed order.

    Args:
        system: the system's name.
        reader: what was read, and what is wrong with it.
        manifest: relative to the reader's root.
        name: as declared.
        version: as declared.
        description: as declared.
        components: in any order.
        permissions: as declared.
        extra: further facts.
        single_file: whether the manifest alone is the unit, then all files in the result are seen from its folder.
    """
    components = tuple(_with_gate(system, _with_packages(component)) for component in components)
    for component in components:
        if not is_bounded(component):
            reader.fault(component.file, f"the command of `{component.name}` is too long", line=component.span.line)
    understood = set(reader.parsed) - reader.not_understood - {fault.file for fault in reader.faults}
    return Plugin(
        system=system,
        name=name,
        version=version,
        root=reader.path(manifest) if single_file else reader.root,
        manifest=manifest.rpartition("/")[2] if single_file else manifest,
        components=tuple(sorted(components, key=_order)),
        permissions=tuple(sorted(set(permissions))),
        faults=tuple(sorted(_faults(reader, manifest), key=lambda f: (f.file, f.line, f.field, f.message))),
        read=tuple(sorted({_seen_from_root(file, single_file=single_file) for file in understood})),
        unknown=tuple(sorted({(_seen_from_root(f, single_file=single_file), k) for f, k in _unknown(reader)})),
        description=description,
        extra=tuple(sorted(extra)),
        single_file=single_file,
    )


def _faults(reader: PluginReader, manifest: str) -> set[Fault]:
    """Return what is wrong: nothing that is wrong with the manifest itself concerns one component alone."""
    return {f._replace(is_narrow=False) if f.file == manifest else f for f in reader.faults}


def make_configuration(
    system: str,
    reader: PluginReader,
    *,
    manifest: str,
    covers: Iterable[str],
    components: Iterable[Component],
    name: str = SETTINGS,
    description: str = "",
    extra: Iterable[tuple[str, str]] = (),
) -> Plugin:
    """Return the unit of a client's own configuration in a working folder, which is no plugin that anybody installs.

    It covers the folders and files that the client reads as its own, and the files of the folder that these start.

    Args:
        system: the client's system.
        reader: at the working folder.
        manifest: the file, relative to the working folder, by which it is known.
        covers: files and folders of the client, relative to the working folder; those that are not there are left out.
        components: in any order.
        name: where `SETTINGS` does not say enough.
        description: as declared.
        extra: further facts.
    """
    plugin = make_plugin(
        system, reader, manifest=manifest, name=name, description=description, components=components, extra=extra
    )
    own = {path for path in covers if reader.exists(path)} | {manifest}
    for component in plugin.components:
        own.update(path for path in (component.file, component.entry) if path and not path.startswith("../"))
    kept = {path for path in own if not any(path.startswith(f"{other}/") for other in own)}
    return plugin._replace(covers=tuple(sorted(kept)))


_GATES: Final = {
    "agent-plugins": "the client's own",
    "amber": "switched on by the user",
    "amness": "approval of its fingerprint",
    "codewhale": "trust of its hash",
    "mcp-config": "differs by client",
}
"""What hosts with one gate for everything ask for before they load a plugin."""


def _with_gate(system: str, component: Component) -> Component:
    gate = "" if component.gate else _GATES.get(system, "")
    return component._replace(gate=gate) if gate else component


def _with_packages(component: Component) -> Component:
    if not component.command or not is_bounded(component):
        return component
    packages = packages_of(component.command, shell=component.shell)  # nosec B604  # a field
    return component._replace(packages=packages) if packages else component


def is_bounded(component: Component) -> bool:
    """Say whether a component's command is short enough to be looked at."""
    words = component.command
    return len(words) <= MAX_ARGUMENTS and all(len(word) <= MAX_LINE_CHARACTERS for word in words)


def _unknown(reader: PluginReader) -> Iterator[tuple[str, str]]:
    yield from ((file, key) for file, keys in reader.unknown.items() for key in keys)


def _seen_from_root(file: str, *, single_file: bool) -> str:
    return file.rpartition("/")[2] if single_file else file


def _order(component: Component) -> tuple[str, str, str, int, int]:
    return (component.kind.value, component.name, component.file, component.span.line, component.span.column)
