"""Codewhale: a directory with `plugin.toml` that holds a `[plugin]` table; skills, MCP servers, and future surfaces.

Ours is the judgement of the documented 0.9.1, in which a surface that isn't started yet blocks a bundle: a fault, and
what it holds is described all the same. What 0.9.1 and 0.9.10 would do stands beside it in `Plugin.hosts`.
Codewhale itself looks at the direct folders of `.codewhale/plugins` alone, and follows no link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from plugseal.model.plugin import SKILL_FILE, Plugin
from plugseal.model.tree import EntryKind
from plugseal.patterns import lazy
from plugseal.systems.reading.reader import Document, PluginReader
from plugseal.systems.reading.units import folders_with
from plugseal.systems.system import Listing

_MANIFEST = "plugin.toml"
_HOME = ".codewhale/plugins"
_HEADER = lazy(rb"^[ \t]*\[[ \t]*plugin[ \t]*\]", re.MULTILINE)
_SERVERS = lazy(rb"^[ \t]*\[[ \t]*mcp_servers\b", re.MULTILINE)


class Codewhale:
    """Codewhale's plugin bundles."""

    name = "codewhale"

    def keeps(self, path: str) -> bool:
        """Keep every `plugin.toml`, skills, and files that may belong to a surface of later versions."""
        return path.rpartition("/")[2] in (_MANIFEST, SKILL_FILE) or _keeps_surface(path)

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every Codewhale bundle, and every link in the place of one."""
        roots = frozenset(folders_with(listing, _MANIFEST))
        yield from _linked(listing)
        if not roots:
            return
        # Most trees hold no bundle: they don't pay for the rules of one.
        from plugseal.systems.codewhale.bundle import describe_bundle
        from plugseal.systems.codewhale.paths import measure_bundles

        measures = measure_bundles(listing, roots)
        taken: dict[tuple[str, str], str] = {}
        for root in sorted(roots):
            reader = PluginReader(listing, root)
            document = reader.toml(_MANIFEST)
            home = _home_of(listing.placed(root))
            if home is not None or _is_codewhale(reader, document):
                yield describe_bundle(reader, document, measures[root], home=home, taken=taken)


def _home_of(root: str) -> str | None:
    """Return the discovery root that a bundle is a direct folder of, None where it is in none."""
    parent = root.rpartition("/")[0]
    return parent if parent == _HOME or parent.endswith(f"/{_HOME}") else None


def _is_codewhale(reader: PluginReader, document: Document | None) -> bool:
    if document is None:
        data = reader.listing.kept.get(reader.real(_MANIFEST) or "")
        return data is None or bool(_HEADER.search(data) or _SERVERS.search(data))
    table = document.value if isinstance(document.value, dict) else {}
    return isinstance(table.get("plugin"), dict) or ("mcp_servers" in table and "schema_version" in table)


def _keeps_surface(path: str) -> bool:
    """Say whether the bytes of a file may be asked for because a future surface names it or its folder."""
    folder, _, name = path.rpartition("/")
    if name.endswith(".toml"):
        return name == "hooks.toml" or folder.rpartition("/")[2] == "hooks"
    return name.endswith(".md") and folder.rpartition("/")[2] in ("commands", "agents", "profiles")


def _linked(listing: Listing) -> Iterator[Plugin]:
    """Yield a broken plugin for each link where Codewhale looks for bundles: it loads nothing through one."""
    for path, entry in listing.entries.items():
        if entry.kind is not EntryKind.SYMLINK:
            continue
        place = listing.placed(path)
        is_root = place == _HOME or place.endswith(f"/{_HOME}")
        if is_root or _home_of(place) is not None:
            from plugseal.systems.codewhale.bundle import describe_link

            yield describe_link(listing, path, code="root-symlink" if is_root else "bundle-symlink")
