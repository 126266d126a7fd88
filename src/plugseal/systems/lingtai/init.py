"""Who mounts what: an agent's `init.json` and the packages of the same tree that it declares or comes across.

`manifest.plugins` is the canonical key, `manifest.capabilities.plugin.paths` its alias; both register, canonical
entries first, each once. `manifest.capabilities.skills.paths` only discovers, and `plugin/` beside `init.json` is
registered without any declaration by newer kernels. A path names one package, or a collection of packages by its
immediate folders. What lies outside the tree is not looked at.

See: https://github.com/Lingtai-AI/lingtai-kernel/blob/main/src/lingtai/services/plugin_registry.py
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from plugseal.records import NamedTuple
from plugseal.systems.agent_plugins.names import INIT_FILE, REGISTRY_FILE
from plugseal.systems.agent_plugins.paths import resolve_inside
from plugseal.systems.lingtai.documents import read_loosely
from plugseal.systems.lingtai.registry import plan_registry
from plugseal.systems.lingtai.system import LingtaiReading
from plugseal.systems.reading.reader import PluginReader, lookup
from plugseal.systems.reading.units import folders_with
from plugseal.systems.system import Listing

CANONICAL = "manifest.plugins"
ALIAS = "manifest.capabilities.plugin.paths"
SKILLS_KEY = "manifest.capabilities.skills.paths"
AUTOMATIC = "<workdir>/plugin"
"""No key: the folder that newer kernels register by themselves."""


class Declaration(NamedTuple):
    """One path that an agent's configuration names."""

    key: str
    path: str


def declared_paths(init: object) -> tuple[Declaration, ...]:
    """Return the paths that an `init.json` registers, in lingtai's order, each once; what is no text is dropped."""
    found: dict[str, Declaration] = {}
    for key in (CANONICAL, ALIAS):
        for path in _texts(init, key):
            found.setdefault(path, Declaration(key, path))
    return tuple(found.values())


def find_mounts(listing: Listing, readings: Mapping[str, LingtaiReading]) -> dict[str, list[dict[str, object]]]:
    """Return, by root, which agents of the tree mount a package, by which key, and what that does to their registry.

    Args:
        listing: the tree.
        readings: all packages of the tree by their roots.
    """
    found: dict[str, list[dict[str, object]]] = {}
    for folder in folders_with(listing, INIT_FILE):
        reader = PluginReader(listing, folder)
        document = read_loosely(reader, INIT_FILE)
        if document is not None and isinstance(lookup(document.value, ("manifest",)), dict):
            for root, mount in _mounts_of(reader, document.value, readings):
                found.setdefault(root, []).append(mount)
    return found


def _mounts_of(
    reader: PluginReader, init: object, readings: Mapping[str, LingtaiReading]
) -> Iterator[tuple[str, dict[str, object]]]:
    registered = _packages(reader, [*declared_paths(init), Declaration(AUTOMATIC, "plugin")], readings)
    discovered = _packages(reader, [Declaration(SKILLS_KEY, p) for p in _texts(init, SKILLS_KEY)], readings)
    plan = plan_registry([record for root in registered for record in readings[root].records], _registry_lines(reader))
    init_file = reader.path(INIT_FILE)
    claimed: dict[object, str] = {}
    for root, declaration in registered.items():
        name = readings[root].package.name
        owned = {record["name"] for record in readings[root].records}
        lost = [n for n in sorted(map(str, owned)) if claimed.setdefault(n, name) != name]
        skipped = [_skip(f"mcp:{n}", f"name already claimed by plugin {claimed[n]!a}") for n in lost]
        skipped += [_skip(c, why) for c, why in plan.skipped if c.removeprefix("mcp:") in owned - set(lost)]
        mine = [line for line in plan.appended if f'"source": "plugin:{name}"' in line]
        yield (
            root,
            {
                "mount": "registered",
                "init": init_file,
                "key": declaration.key,
                "path": declaration.path,
                "registry": {"prune": list(plan.pruned), "append": mine, "skipped": skipped},
            },
        )
    for root, declaration in discovered.items():
        if root not in registered:
            yield root, {"mount": "discovered", "init": init_file, "key": declaration.key, "path": declaration.path}


def _packages(
    reader: PluginReader, declarations: Iterable[Declaration], readings: Mapping[str, LingtaiReading]
) -> dict[str, Declaration]:
    """Return the packages that load, by root, with what declared each first; a second one of a name is dropped."""
    found: dict[str, Declaration] = {}
    names: set[str] = set()
    for declaration in declarations:
        for root in _roots(reader, declaration.path):
            reading = readings.get(root)
            if reading is not None and reading.loads and reading.package.name not in names:
                names.add(reading.package.name)
                found[root] = declaration
    return found


def _roots(reader: PluginReader, path: str) -> Iterator[str]:
    """Yield the real folders of the packages at a declared path: the one that it is, or those of a collection."""
    if path.startswith(("/", "~")):
        return
    listing = reader.listing
    root = resolve_inside(listing, "", f"{reader.root}/{path}" if reader.root else path)
    if root is None or not listing.is_directory(root):
        return
    inner = PluginReader(listing, root)
    if inner.exists("plugin.json"):
        yield root
        return
    for name in inner.names(""):
        folder = resolve_inside(listing, root, name)
        if not name.startswith(".") and folder:
            yield f"{root}/{folder}" if root else folder


def _texts(init: object, key: str) -> tuple[str, ...]:
    value = lookup(init, key.split("."))
    return tuple(text for text in value if isinstance(text, str) and text) if isinstance(value, list) else ()


def _registry_lines(reader: PluginReader) -> tuple[str, ...]:
    real = reader.real(REGISTRY_FILE)
    data = reader.listing.kept.get(real) if real is not None else None
    return tuple(data.decode("utf-8", "replace").splitlines()) if data is not None else ()


def _skip(component: str, reason: str) -> dict[str, str]:
    return {"component": component, "reason": reason}
