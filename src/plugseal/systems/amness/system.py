"""Amness: JavaScript or TypeScript files in `.amness/plugins/`, loaded into the host's own process.

One file is one plugin. It may load what lies beside it, so it stands alone as a unit only if the folder holds nothing
but plugin files and it names no relative path; else the whole folder is its unit. A folder with an `index` file is
described too, though Amness documents nothing of it. Files in `amness/plugins/`, from where `amness plugin add` can
copy them, are plugins if their exports have names. The name and what a plugin contributes stand in its default
export (`amness_export`); where that can't be told the file's own name stands in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.lang.isolation import needs_worker
from plugseal.model.location import WHOLE_FILE
from plugseal.model.plugin import Component, ComponentKind, Fault, Plugin
from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.systems.amness.export import REFUSES, Contributions, read_contributions
from plugseal.systems.amness.host import beside_each_other, build_verdict, handed_out
from plugseal.systems.reading.reader import PluginReader, compact
from plugseal.systems.reading.units import make_plugin
from plugseal.systems.system import Listing

MAX_ADDED_BYTES: Final = 300_000
"""Of a file that `amness plugin add` takes: the documented 300 KB. What lies between it and 300 KiB is a fault as well,
since nobody says which is meant. A file that stands in the folder already is loaded whatever its size."""
MAX_PARSED_BYTES: Final = 1_500_000
"""Of all plugin files of one tree together: hostile ones take a second for each 300,000 bytes."""
HOST_SCRIPT: Final = "${PLUGSEAL}/amness/host.mjs"
"""What runs a plugin behind the gate, in a process of its own: plugseal's part, below where that is installed. Amness
itself loads the file into its own process."""
_FILE: Final = lazy(r"(?:\A|/)\.?amness/plugins/[^/]+\.[cm]?[jt]sx?\Z")
_INDEX_FILE: Final = lazy(r"(?:\A|/)\.amness/plugins/[^/]+/index\.[cm]?[jt]sx?\Z")
_INDEX_HOME: Final = lazy(r"(?:\A|/)\.amness/plugins/[^/]+\Z")
_HOME: Final = lazy(r"(?:\A|/)\.amness/plugins\Z")
_HANDED_OUT: Final = lazy(r"(?:\A|/)amness/plugins\Z")
_SUFFIX: Final = lazy(r"(?:\.d)?\.[cm]?[jt]sx?\Z")
_INDEX: Final = lazy(r"index\.[cm]?[jt]sx?\Z")
_LOADED: Final = (".ts", ".js")
_TYPES_ONLY: Final = (".d.ts", ".d.mts", ".d.cts")
_RELATIVE: Final = lazy(rb"\.{1,2}[/\\]|__dirname|import\.meta|__filename")
_SAME_NAME: Final = "has the same name as {other}: Amness skips the one that it finds second"


class _Found(NamedTuple):
    """A plugin, and what of it is no word of its description."""

    plugin: Plugin
    says_name: bool
    """Whether its export tells the name, which is else its file's."""


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
        if _INDEX_HOME.search(listing.placed("")):
            # The folder of one plugin, read by itself.
            yield from (plugin for plugin, _ in _in_index(listing, "", listing.anchor.rpartition("/")[2], left))
        for home in listing.children:
            if _HOME.search(listing.placed(home)):
                yield from beside_each_other(list(_apart(_in_folder(listing, home, left))), listing, home)
            elif _HANDED_OUT.search(listing.placed(home)):
                found = _in_folder(listing, home, left)
                yield from (handed_out(plugin) for plugin, says_name in found if says_name)


def _in_folder(listing: Listing, home: str, left: _Allowance) -> Iterator[_Found]:
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
        yield from _in_index(listing, path, name, left)


def _in_index(listing: Listing, folder: str, name: str, left: _Allowance) -> Iterator[_Found]:
    index = next((n for n in listing.children.get(folder, ()) if _INDEX.fullmatch(n)), None)
    if index is not None:
        yield _describe(PluginReader(listing, folder), index, name, left, single_file=False, loaded=False)


def _in_file(listing: Listing, home: str, name: str, own_name: str, left: _Allowance, *, alone: bool) -> _Found:
    data = listing.kept.get(f"{home}/{name}" if home else name)
    on_its_own = alone and data is not None and _RELATIVE.search(data) is None
    reader = PluginReader(listing, home)
    if not reader.is_file(name):
        reader.fault(name, "is no regular file inside the folder; not read")
    return _describe(reader, name, own_name, left, single_file=on_its_own, loaded=name.endswith(_LOADED))


def _describe(
    reader: PluginReader, file: str, own_name: str, left: _Allowance, *, single_file: bool, loaded: bool
) -> _Found:
    """Describe one plugin.

    Args:
        reader: of the folder that holds the file; takes the faults.
        file: the plugin's file in it.
        own_name: what the plugin is called where its export doesn't tell.
        left: what may still be parsed.
        single_file: whether the file alone is the unit.
        loaded: whether Amness documents that it loads files of this kind.
    """
    data = reader.data(file) if reader.is_file(file) else None
    found = _contributions(reader, file, data, left)
    name = found.name or own_name
    module = Component(
        kind=ComponentKind.MODULE,
        name=name,
        file=file,
        span=WHOLE_FILE,
        transport="in-process",
        trigger="import",
        entry=file,
        extra=_behind_gate(file, found) if loaded else (),
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
    stops = () if loaded else ("Amness loads `*.ts` and `*.js` files of the folder alone",)
    if data is None:
        stops = (*stops, *(fault.message for fault in reader.faults))
    verdict = build_verdict(found._replace(stops=(*stops, *found.stops)), reader.faults)
    return _Found(plugin._replace(hosts=(verdict,)), bool(found.name))


def _behind_gate(file: str, found: Contributions) -> tuple[tuple[str, str], ...]:
    """Return how plugseal itself runs a plugin, and whether all that it may contribute then stands in the review."""
    words = compact(["node", HOST_SCRIPT, f"${{PLUGIN_ROOT}}/{file}"])
    return (("behind_gate", words), ("contributions", compact(found.status)))


def _contributions(reader: PluginReader, file: str, data: bytes | None, left: _Allowance) -> Contributions:
    """Return what a file contributes, as far as it can be parsed right here: a parser that fails ends the scan."""
    if data is None:
        return Contributions()
    if len(data) > MAX_ADDED_BYTES:
        reader.fault(file, f"is larger than {MAX_ADDED_BYTES:,} bytes: {REFUSES}")
    why = ""
    if needs_worker(data, file):
        why = "too large or too odd to be parsed beside other work"
    elif not left.take(len(data)):
        why = f"more than {MAX_PARSED_BYTES:,} bytes of plugin files"
    return Contributions(reason=why, open_because=why) if why else read_contributions(reader, file, data)


def _apart(found: Iterable[_Found]) -> Iterator[Plugin]:
    """Yield the plugins of one folder; of two that Amness loads under one name the second is a fault."""
    first: dict[str, str] = {}
    for plugin, says_name in found:
        loads = plugin.hosts[0].loads is not False
        other = first.setdefault(plugin.name, plugin.manifest) if says_name and loads else plugin.manifest
        if other == plugin.manifest:
            yield plugin
            continue
        fault = Fault(plugin.manifest, _SAME_NAME.format(other=f"`{other}`"), field="name")
        verdict = plugin.hosts[0]._replace(loads=False, summary=f"skipped: `name` {fault.message}")
        yield plugin._replace(faults=(*plugin.faults, fault), hosts=(verdict,))
