"""Call paths inside a plugin: from where it is entered to the functions that do something, across its files.

Entries are what runs when a file is loaded or started, the functions that a framework registers (tools, hooks,
handlers), and the files that components start. The shortest path wins; of two as short, the one from the entry that a
model or a host uses, then the first by name. The work is bounded for each plugin: where it has more functions than are
followed, it has no paths. Nothing here changes what a plugin can do, its triggers or its token.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from plugseal.lang.facts import MAIN_FUNCTION, EntryPoint, FileFacts, Function
from plugseal.model.factlog import FactLog
from plugseal.model.finding import Finding
from plugseal.model.plugin import Plugin
from plugseal.model.reach import Reached, Step
from plugseal.records import NamedTuple
from plugseal.scan.linking.callings import Callings
from plugseal.scan.linking.link import Places
from plugseal.scan.linking.linkable import Linkables

MODULE_FUNCTION: Final = "<module>"
MAX_NODES: Final = 50_000
MAX_EDGES: Final = 200_000
_RANKS: Final = {"tool": 0, "hook": 1, "command": 2, "open": 3, "install": 3, "start": 4, "import": 5}


_LOADED_ONLY: Final = FileFacts("", "read")
"""A file without functions: whatever it does, it does when it is loaded."""


class _Node(NamedTuple):
    file: str
    function: str


class _Root(NamedTuple):
    rank: int
    node: _Node
    entry: str


def build_reach(
    callings: Callings, linkables: Linkables, plugins: Iterable[Plugin], facts: FactLog, findings: Iterable[Finding]
) -> tuple[Reached, ...]:
    """Return the way to each function of the tree that holds a fact or a finding, sorted by file and line.

    Args:
        callings: which functions call which, by file.
        linkables: which names lead to other files.
        plugins: whose paths end at their own files.
        facts: of all files.
        findings: of all files.
    """
    if not callings:
        return ()
    places = Places(linkables, callings)
    lines: dict[str, set[int]] = {}
    for finding in findings:
        lines.setdefault(finding.file, set()).add(finding.span.line)
    found: list[Reached] = []
    for plugin, files in _grouped({*callings, *linkables}, plugins):
        graph = _Graph(callings, linkables, places, files)
        if graph.is_too_large:
            continue
        ways = _shortest(graph, sorted(_roots(graph, plugin)))
        for file in files:
            told = {fact.span.line for fact in facts.of(file)} | lines.get(file, set())
            found.extend(_reached(file, graph, ways, told))
    return tuple(sorted(found, key=lambda one: (one.file, one.line, one.end_line, one.function)))


def _grouped(all_files: Iterable[str], plugins: Iterable[Plugin]) -> Iterator[tuple[Plugin | None, list[str]]]:
    """Yield each plugin with the files that are its own and no inner plugin's; at last the files of no plugin."""
    by_root: dict[str, Plugin] = {}
    for plugin in plugins:
        by_root.setdefault(plugin.root, plugin)
    groups: dict[str | None, list[str]] = {}
    for file in sorted(all_files):
        root: str | None = file
        while root and root not in by_root:
            root = root.rpartition("/")[0]
        groups.setdefault(root if root in by_root else None, []).append(file)
    for root in sorted(groups, key=lambda root: (root is None, root or "")):
        yield (None if root is None else by_root[root]), groups[root]


class _Graph:
    """The functions of one plugin and what each calls."""

    def __init__(self, callings: Callings, linkables: Linkables, places: Places, files: list[str]) -> None:
        self.functions: dict[str, tuple[Function, ...]] = {}
        self.entries: dict[str, tuple[EntryPoint, ...]] = {}
        self.edges: dict[_Node, dict[_Node, None]] = {}
        self._owners: dict[str, array[int]] = {}
        self._count = 0
        nodes = 0
        for file in files:
            calling = callings.get(file, _LOADED_ONLY)
            self.functions[file] = calling.functions
            self.entries[file] = calling.entries
            self._owners[file] = _owners(calling.functions)
            nodes += len(calling.functions)
            for line, name in calling.calls:
                self._connect(self.at(file, line), _Node(file, name))
            if self.is_too_large or nodes > MAX_NODES:
                self._count = MAX_EDGES + 1
                return
        names = {file: frozenset(one.name for one in functions) for file, functions in self.functions.items()}
        for file in files:
            if file in linkables:
                self._link(file, linkables[file], places, names)

    @property
    def is_too_large(self) -> bool:
        return self._count > MAX_EDGES

    def at(self, file: str, line: int) -> _Node:
        """Return the innermost function around a line."""
        owners = self._owners[file]
        number = owners[line] if line < len(owners) else 0
        return _Node(file, self.functions[file][number - 1].name if number else MODULE_FUNCTION)

    def _connect(self, caller: _Node, callee: _Node) -> None:
        callees = self.edges.setdefault(caller, {})
        if caller != callee and callee not in callees:
            self._count += 1
            callees[callee] = None

    def _link(self, file: str, facts: FileFacts, places: Places, names: Mapping[str, frozenset[str]]) -> None:
        followed: dict[str, list[_Node]] = {}
        for event in facts.pending:
            if self.is_too_large:
                return
            callees = followed.get(event.name)
            if callees is None:
                found = places.of(facts.language, file, event.name)
                nodes = (_Node(target, _function_of(rest, names.get(target, frozenset()))) for target, rest in found)
                callees = followed[event.name] = [node for node in dict.fromkeys(nodes) if node.function]
            for callee in callees:
                self._connect(self.at(file, event.span.line), callee)


def _owners(functions: tuple[Function, ...]) -> array[int]:
    """Return for each line the number of the innermost function around it, counted from 1."""
    owners = array("H", bytes(2 * (1 + max((one.end_line for one in functions), default=0))))
    for number, one in enumerate(functions, 1):  # Outer ones come first: inner ones take their lines.
        count = one.end_line - one.line + 1
        owners[one.line : one.end_line + 1] = array("H", [number]) * count
    return owners


def _function_of(name: str, known: frozenset[str]) -> str:
    """Return the function of a file that a name inside it leads to, empty for none: the longest that is one."""
    guesses = _guesses(name)
    return "" if known.isdisjoint(guesses) else next(guess for guess in guesses if guess in known)


@lru_cache(maxsize=64)  # One name is looked for in all files behind a star, one after the other.
def _guesses(name: str) -> tuple[str, ...]:
    """Return the functions that a name may lead to, the longest first."""
    parts = name.replace("()", "").replace("[]", "").split(".")[:32]
    joined = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    return tuple(guess for one in joined for guess in (one, f"{one}.__init__", f"{one}.constructor"))


def _roots(graph: _Graph, plugin: Plugin | None) -> Iterator[_Root]:
    """Yield where a plugin is entered."""
    for file, functions in graph.functions.items():
        yield _Root(_RANKS["import"], _Node(file, MODULE_FUNCTION), "import")
        for entry in graph.entries[file]:
            if entry.name != MODULE_FUNCTION:
                node = graph.at(file, entry.line)
                yield _Root(_RANKS.get(entry.trigger.partition(":")[0], 3), node, f"{entry.trigger} {entry.name}")
        if any(one.name == MAIN_FUNCTION for one in functions):
            yield _Root(_RANKS["start"], _Node(file, MAIN_FUNCTION), "start")
    for component in plugin.components if plugin is not None else ():
        file = plugin.path_of(component.entry) if plugin is not None and component.entry else ""
        if file in graph.functions:
            for function in (MODULE_FUNCTION, MAIN_FUNCTION):
                yield _Root(_RANKS["hook"], _Node(file, function), f"{component.kind.value} {component.name}")


def _shortest(graph: _Graph, roots: list[_Root]) -> dict[_Node, tuple[_Node | None, str]]:
    """Return for each function that is reached who calls it on the shortest way, and by which entry."""
    ways: dict[_Node, tuple[_Node | None, str]] = {}
    waiting: deque[_Node] = deque()
    for root in roots:
        if root.node not in ways:
            ways[root.node] = (None, root.entry)
            waiting.append(root.node)
    while waiting:
        node = waiting.popleft()
        for callee in sorted(graph.edges.get(node, ())):
            if callee not in ways:
                ways[callee] = (node, ways[node][1])
                waiting.append(callee)
    return ways


def _reached(
    file: str, graph: _Graph, ways: Mapping[_Node, tuple[_Node | None, str]], lines: Iterable[int]
) -> Iterator[Reached]:
    """Yield the functions of a file that hold one of some lines, with the ways to them."""
    nodes = {graph.at(file, line) for line in lines}
    for one in graph.functions[file]:
        node = _Node(file, one.name)
        if node not in nodes or node not in ways:
            continue
        path: list[Step] = []
        at: _Node | None = node
        while at is not None:
            path.append(Step(*at, _line_of(graph, at)))
            at = ways[at][0]
        yield Reached(file, one.name, one.line, one.end_line, ways[node][1], tuple(reversed(path)))


def _line_of(graph: _Graph, node: _Node) -> int:
    return next((one.line for one in graph.functions[node.file] if one.name == node.function), 1)
