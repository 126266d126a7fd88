"""Amness: JavaScript or TypeScript files in `.amness/plugins/`, loaded into the host's own process.

One file is one plugin. It may load what lies beside it, so it stands alone as a unit only if the folder holds nothing
but plugin files and it names no relative path; else the whole folder is its unit. A folder with an `index` file is
described too, though Amness documents nothing of it. Files in `amness/plugins/`, from where `amness plugin add` can
copy them, are plugins if their exports have names. The name and what a plugin contributes stand in its default
export (`amness_export`); where that can't be told the file's own name stands in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from plugseal.model.location import WHOLE_FILE
from plugseal.model.plugin import Component, ComponentKind, Fault, Plugin
from plugseal.model.verdict import HostVerdict
from plugseal.systems.reading import PluginReader, compact
from plugseal.systems.system import Listing
from plugseal.systems.units import make_plugin

if TYPE_CHECKING:
    from plugseal.systems.amness_export import Contributions

MAX_FILE_BYTES: Final = 300_000
"""The documented 300 KB; what lies between this and 300 KiB is refused as well, since nobody says which is meant."""
MAX_PARSED_BYTES: Final = 1_500_000
"""Of all plugin files of one tree together: hostile ones take a second for each 300,000 bytes."""
_FILE: Final = re.compile(r"(?:\A|/)\.?amness/plugins/[^/]+\.[cm]?[jt]sx?\Z")
_INDEX_FILE: Final = re.compile(r"(?:\A|/)\.amness/plugins/[^/]+/index\.[cm]?[jt]sx?\Z")
_HOME: Final = re.compile(r"(?:\A|/)\.amness/plugins\Z")
_HANDED_OUT: Final = re.compile(r"(?:\A|/)amness/plugins\Z")
_SUFFIX: Final = re.compile(r"(?:\.d)?\.[cm]?[jt]sx?\Z")
_INDEX: Final = re.compile(r"index\.[cm]?[jt]sx?\Z")
_LOADED: Final = (".ts", ".js")
_TYPES_ONLY: Final = (".d.ts", ".d.mts", ".d.cts")
_RELATIVE: Final = re.compile(rb"\.{1,2}[/\\]|__dirname|import\.meta|__filename")
_SAME_NAME: Final = "has the same name as {other}: Amness skips the one that it finds second"


class _Allowance:
    """Bytes that may still be parsed."""

    def __init__(self, size: int) -> None:
        self._left = size

    def take(self, size: int) -> bool:
        """Say whether so much may be parsed, and count it."""
        self._left -= size
        return self._left >= 0


class Amness:
    """Plugins of Amness."""

    name = "amness"

    def keeps(self, path: str) -> bool:
        """Keep plugin files, for their default exports and to see whether they name something beside them."""
        return _FILE.search(path) is not None or _INDEX_FILE.search(path) is not None

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every Amness plugin of the project."""
        left = _Allowance(MAX_PARSED_BYTES)
        for home in listing.children:
            if _HOME.search(listing.placed(home)):
                yield from _apart(list(_in_folder(listing, home, left)))
            elif _HANDED_OUT.search(listing.placed(home)):
                yield from (_handed_out(plugin) for plugin in _in_folder(listing, home, left) if _says_its_name(plugin))


def _says_its_name(plugin: Plugin) -> bool:
    """Say whether a file's export tells a name, which alone makes it a plugin where Amness doesn't look."""
    return dict(plugin.extra)["contributions"] != '"unread"' and not any(f.field == "name" for f in plugin.faults)


def _handed_out(plugin: Plugin) -> Plugin:
    summary = "not loaded from here: `amness plugin add` would copy it"
    return replace(plugin, hosts=(replace(plugin.hosts[0], loads=False, summary=summary),))


def _in_folder(listing: Listing, home: str, left: _Allowance) -> Iterator[Plugin]:
    names = listing.children[home]
    files = [name for name in names if _SUFFIX.search(name) and not name.endswith(_TYPES_ONLY)]
    files = [name for name in files if not listing.is_directory(f"{home}/{name}" if home else name)]
    stems = [_SUFFIX.sub("", name) for name in files]
    uses = Counter(stems)
    alone = len(files) == len(names)
    for name, stem in zip(files, stems, strict=True):
        yield _in_file(listing, home, name, stem if uses[stem] == 1 else name, left, alone=alone)
    for name in names:
        path = f"{home}/{name}" if home else name
        index = next((n for n in listing.children.get(path, ()) if _INDEX.fullmatch(n)), None)
        if index is not None:
            yield _describe(PluginReader(listing, path), index, name, left, single_file=False, loaded=False)


def _in_file(listing: Listing, home: str, name: str, own_name: str, left: _Allowance, *, alone: bool) -> Plugin:
    data = listing.kept.get(f"{home}/{name}" if home else name)
    on_its_own = alone and data is not None and _RELATIVE.search(data) is None
    reader = PluginReader(listing, home)
    if not reader.is_file(name):
        reader.fault(name, "is no regular file inside the folder; not read")
    return _describe(reader, name, own_name, left, single_file=on_its_own, loaded=name.endswith(_LOADED))


def _describe(
    reader: PluginReader, file: str, own_name: str, left: _Allowance, *, single_file: bool, loaded: bool
) -> Plugin:
    """Describe one plugin.

    Args:
        reader: of the folder that holds the file; takes the faults.
        file: the plugin's file in it.
        own_name: what the plugin is called where its export doesn't tell.
        left: what may still be parsed.
        single_file: whether the file alone is the unit.
        loaded: whether Amness documents that it loads files of this kind.
    """
    # Loaded here: most trees hold no such plugin.
    from plugseal.systems.amness_export import Contributions, read_contributions

    found = Contributions()
    if reader.is_file(file):
        data = reader.data(file)
        if data is not None and len(data) > MAX_FILE_BYTES:
            found = Contributions(reason="too large")
            reader.fault(file, f"is larger than {MAX_FILE_BYTES:,} bytes, which Amness does not add")
        elif data is not None and not left.take(len(data)):
            found = Contributions(reason=f"more than {MAX_PARSED_BYTES:,} bytes of plugin files")
        elif data is not None:
            found = read_contributions(reader, file, data)
    name = found.name or own_name
    module = Component(
        kind=ComponentKind.MODULE,
        name=name,
        file=file,
        span=WHOLE_FILE,
        transport="in-process",
        trigger="import",
        entry=file,
    )
    plugin = make_plugin(
        "amness",
        reader,
        manifest=file,
        name=name,
        description=found.description,
        components=[module, *found.components],
        extra=[*found.extra, ("contributions", compact(found.status))],
        single_file=single_file,
    )
    why = "" if loaded else "Amness loads `*.ts` and `*.js` files of the folder alone"
    return replace(plugin, hosts=(_verdict(found, why or next((fault.message for fault in reader.faults), "")),))


def _verdict(found: Contributions, why_not: str) -> HostVerdict:
    state = f"not loaded: {why_not}" if why_not else "loads once these exact files are approved"
    data = {"contributes": found.said, "read": found.status, "why_not_read": found.reason}
    return HostVerdict("amness", loads=not why_not, summary=state, data=compact(data))


def _apart(plugins: list[Plugin]) -> Iterator[Plugin]:
    """Yield the plugins of one folder; of two with one name the second is a fault."""
    first: dict[str, str] = {}
    for plugin in plugins:
        other = first.setdefault(plugin.name, plugin.manifest)
        if other == plugin.manifest:
            yield plugin
            continue
        fault = Fault(plugin.manifest, _SAME_NAME.format(other=f"`{other}`"), field="name")
        verdict = replace(plugin.hosts[0], loads=False, summary=f"skipped: {fault.message}")
        yield replace(plugin, faults=(*plugin.faults, fault), hosts=(verdict,))
