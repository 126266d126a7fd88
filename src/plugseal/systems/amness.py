"""Amness: JavaScript or TypeScript files in `.amness/plugins/`, loaded into the host's own process.

One file is one plugin. It may load what lies beside it, so it stands alone as a unit only if the folder holds nothing
but plugin files and it names no relative path; else the whole folder is its unit. A folder with an `index` file is
one plugin. The name is the file's, until the reader of the language tells the one in the default export.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from plugseal.model.location import WHOLE_FILE
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.reading import PluginReader
from plugseal.systems.system import Listing
from plugseal.systems.units import make_plugin

_FILE = re.compile(r"(?:\A|/)\.amness/plugins/[^/]+\.[cm]?[jt]sx?\Z")
_HOME = re.compile(r"(?:\A|/)\.amness/plugins\Z")
_SUFFIX = re.compile(r"(?:\.d)?\.[cm]?[jt]sx?\Z")
_INDEX = re.compile(r"index\.[cm]?[jt]sx?\Z")
_TYPES_ONLY = (".d.ts", ".d.mts", ".d.cts")
_RELATIVE = re.compile(rb"\.{1,2}[/\\]|__dirname|import\.meta|__filename")


class Amness:
    """Plugins of Amness."""

    name = "amness"

    def keeps(self, path: str) -> bool:
        """Keep plugin files, to see whether they name something beside them."""
        return _FILE.search(path) is not None

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every Amness plugin of the project."""
        for home in listing.children:
            if _HOME.search(home):
                yield from _in_folder(listing, home)


def _in_folder(listing: Listing, home: str) -> Iterable[Plugin]:
    names = listing.children[home]
    files = [name for name in names if _FILE.search(f"{home}/{name}") and not name.endswith(_TYPES_ONLY)]
    stems = [_SUFFIX.sub("", name) for name in files]
    uses = Counter(stems)
    alone = len(files) == len(names)
    for name, stem in zip(files, stems, strict=True):
        own_name = stem if uses[stem] == 1 else name
        yield _single(listing, home, name, own_name, alone=alone)
    for name in names:
        path = f"{home}/{name}"
        index = next((n for n in listing.children.get(path, ()) if _INDEX.fullmatch(n)), None)
        if index is not None:
            reader = PluginReader(listing, path)
            yield make_plugin("amness", reader, manifest=index, name=name, components=[_module(index, name)])


def _single(listing: Listing, home: str, name: str, own_name: str, *, alone: bool) -> Plugin:
    path = f"{home}/{name}"
    data = listing.kept.get(path)
    on_its_own = alone and data is not None and _RELATIVE.search(data) is None
    reader = PluginReader(listing, home)
    if not reader.is_file(name):
        reader.fault(name, "is no regular file inside the folder; not read")
    return make_plugin(
        "amness",
        reader,
        manifest=name,
        name=own_name,
        components=[_module(name, own_name)],
        single_file=on_its_own,
    )


def _module(file: str, name: str) -> Component:
    return Component(
        kind=ComponentKind.MODULE,
        name=name,
        file=file,
        span=WHOLE_FILE,
        transport="in-process",
        trigger="import",
        entry=file,
    )
