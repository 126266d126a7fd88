"""What the unit of a client's own configuration covers besides: the files that its scripts load or run.

A unit covers a client's folder and the files that its manifests start. What those load must be covered too, or a change
in it would leave every receipt as it was. From each program that is covered, the names in its text are followed to
files below the unit's root, and on from these; a name that may lead to several files covers them all. A module of
Python brings the `__init__.py` of its folders, a script of JavaScript every `package.json` above it.

What a program names only while it runs can't be followed, and no more can a name that leads out of the root: the first
makes the unit `unbound`, the second is a path outside of it.

Law: what a unit covers depends on the tree's bytes alone, and only grows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from plugseal.encode.json import parse_json
from plugseal.errors import DataError
from plugseal.lang.naming import ALL_SCRIPTS, Named, TreeNames, folders_in, names_of
from plugseal.limits import MAX_BOUND_FILES
from plugseal.model.inventory import Capable
from plugseal.model.plugin import Plugin
from plugseal.scan.linking.leads import Leads, SpentError
from plugseal.systems.reading.reader import compact
from plugseal.systems.system import Listing

_PACKAGE: Final = "package.json"
_SETTINGS: Final = frozenset(
    {_PACKAGE, "deno.json", "deno.jsonc", "bunfig.toml", "Taskfile.yml", "Taskfile.yaml", "pyproject.toml"}
)
"""Settings in which names of files stand that a runtime or a runner loads."""
_LOADS: Final = frozenset({"code.import", "code.dynamic", "code.reflective", "process.exec", "process.shell"})


def with_bound(plugins: Sequence[Plugin], listing: Listing) -> tuple[Plugin, ...]:
    """Return plugins; one that covers a part of its folder covers all that this part loads, too."""
    binder = _Binder(listing)
    return tuple(plugin if plugin.covers is None else binder.bind(plugin) for plugin in plugins)


def may_load_more(capabilities: Iterable[Capable]) -> bool:
    """Say whether programs may load or run a file whose name they make only when they run."""
    return any(one.object is None and one.capability in _LOADS and one.channel != "manifest" for one in capabilities)


class _Binder:
    """Follow the names that programs of one tree give, from one unit after the other."""

    def __init__(self, listing: Listing) -> None:
        self._listing = listing
        self._tree = TreeNames(listing.entries.values())
        self._leads = Leads(listing, self._tree)
        self._programs = sorted(listing.named)
        self._at: tuple[str, frozenset[str]] | None = None
        """Root and words of the unit that `_known` is about."""
        self._known: dict[str, frozenset[str]] = {}
        """What files lead to, for that unit."""

    def bind(self, plugin: Plugin) -> Plugin:
        """Return a unit that covers besides whatever is loaded by what it covers."""
        words = folders_in(_texts(plugin), self._tree)
        if (plugin.root, words) != self._at:
            self._at, self._known = (plugin.root, words), {}
        self._leads.begin(plugin.root, words)
        covers = {plugin.path_of(cover) for cover in plugin.covers or ()}
        is_whole = self._starts_programs(plugin)
        scripts: set[str] = set()
        try:
            self._follow(covers, self._commanded(plugin, scripts), scripts)
        except SpentError:
            is_whole = False
        return plugin._replace(covers=_topmost(covers, plugin.root), unbound=not is_whole)

    def _follow(self, covers: set[str], reached: set[str], scripts: set[str]) -> None:
        """Add to what is covered all that is reached from it.

        Args:
            covers: files and folders, to be added to.
            reached: where to begin besides.
            scripts: scripts of packages that are run, to be added to.

        Raises:
            SpentError: it is more than is followed.
        """
        waiting = [path for cover in covers | reached for path in self._below(cover)]
        seen = set(waiting)
        covers |= reached
        while waiting:
            while waiting:
                self._leads.spend()
                new = self._reached(waiting.pop(), scripts) - covers
                covers |= new
                fresh = {path for one in new for path in self._below(one)} - seen
                seen |= fresh
                waiting += fresh
                if len(seen) > MAX_BOUND_FILES:
                    raise SpentError
            new = self._run(covers, scripts) - covers
            covers |= new
            waiting += {path for one in new for path in self._below(one)} - seen
            seen.update(waiting)

    def _starts_programs(self, plugin: Plugin) -> bool:
        """Say whether every file that a unit starts is a program in which names are looked for."""
        entries = (c.entry for c in plugin.components if c.entry is not None and not c.entry.startswith("../"))
        return all(plugin.path_of(entry) in self._listing.named for entry in entries)

    def _below(self, path: str) -> Iterator[str]:
        """Yield a file, or the programs at and below a folder."""
        if path not in self._listing.children:
            yield path
            return
        above = f"{path}/" if path else ""
        for at in range(bisect_left(self._programs, above), len(self._programs)):
            if not self._programs[at].startswith(above):
                break
            yield self._programs[at]

    def _commanded(self, plugin: Plugin, scripts: set[str]) -> set[str]:
        """Return what the command lines of a unit lead to, from the folders in which they run.

        Args:
            plugin: the unit.
            scripts: takes the scripts of packages that they run.
        """
        lines: dict[str, list[str]] = {}
        for component in plugin.components:
            is_below = component.cwd and component.cwd[0] not in "/$~%\\"
            folder = plugin.path_of(component.cwd or "") if is_below else plugin.root
            values = (value for _, value in component.literals)
            lines.setdefault(folder.rstrip("/."), []).extend((*component.command, *values))
        found: set[str] = set()
        for folder, words in lines.items():
            data = "\n".join(words).encode("utf-8", "surrogatepass")
            for language in ("shell", "python", "javascript"):
                named = names_of(language, data, self._tree)
                scripts.update(named.scripts if language == "shell" else ())
                found.update(self._leads.of(folder, named))
        return found

    def _reached(self, path: str, scripts: set[str]) -> frozenset[str]:
        """Return what a covered file leads to."""
        named = self._listing.named.get(path)
        if named is None:
            named = self._listed(path)
        if named is None:
            return frozenset()
        scripts.update(named.scripts)
        if path not in self._known:
            folder = path.rpartition("/")[0]
            self._known[path] = frozenset((*self._leads.of(folder, named), *self._leads.before(path)))
        return self._known[path]

    def _listed(self, path: str) -> Named | None:
        """Return what the settings of a runtime or a runner name."""
        name = path.rpartition("/")[2]
        data = self._listing.kept.get(path, b"") if name in _SETTINGS else b""
        if name == _PACKAGE:
            imports = _table(data).get("imports")
            data = compact(imports).encode("utf-8", "surrogatepass") if imports else b""
        return names_of("shell", data, self._tree) if data else None

    def _run(self, covers: set[str], scripts: set[str]) -> frozenset[str]:
        """Return what the scripts of covered packages lead to that a package manager is told to run."""
        found: set[str] = set()
        packages = [path for path in covers if path.rpartition("/")[2] == _PACKAGE]
        count = -1
        while len(scripts) != count:  # A script may run another.
            count = len(scripts)
            for path in packages:
                data = "\n".join(self._lines(path, scripts)).encode("utf-8", "surrogatepass")
                named = names_of("shell", data, self._tree)
                scripts.update(named.scripts)
                found.update(self._leads.of(path.rpartition("/")[0], named))
        return frozenset(found)

    def _lines(self, path: str, scripts: set[str]) -> Iterator[str]:
        """Yield the lines of a package's scripts that are run: of those that are named, what comes before and after."""
        from plugseal.systems.tooling.node import INSTALL  # few units run a package's scripts

        lines = _table(self._listing.kept.get(path, b"")).get("scripts") if scripts else None
        for name, line in lines.items() if isinstance(lines, dict) else ():
            plain = name.removeprefix("pre").removeprefix("post")
            if isinstance(line, str) and (name in INSTALL or not scripts.isdisjoint({name, plain, ALL_SCRIPTS})):
                yield line


def _texts(plugin: Plugin) -> Iterator[str]:
    """Yield what a unit's components say about where they look for what they load."""
    for component in plugin.components:
        yield from component.command
        yield from (value for _, value in component.literals)
        yield component.cwd or ""


def _table(data: bytes) -> dict[str, object]:
    """Return a JSON file as a table, an empty one where it is none."""
    try:
        value = parse_json(data)
    except DataError:
        return {}
    return dict(value) if isinstance(value, dict) else {}


def _topmost(covers: set[str], root: str) -> tuple[str, ...]:
    """Return paths relative to a root, without those below others, sorted."""
    cut = len(root) + 1 if root else 0
    kept = []
    for path in covers:
        above = path.rpartition("/")[0]
        while above and above not in covers:
            above = above.rpartition("/")[0]
        if not above:
            kept.append(path[cut:])
    return tuple(sorted(kept))
