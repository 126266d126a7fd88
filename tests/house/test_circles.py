"""Modules import each other in one direction: also those that are loaded late, inside a function.

Who must be called from below is handed in (a resolver, a judge), not imported. For annotations alone a part of one
walk may name the whole that hands itself to it; such circles stay inside one room and are no larger than now.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
LARGEST_FOR_TYPES = 18
"""Modules in the largest circle that annotations close: the resolver of Python. May shrink."""


def _modules() -> dict[str, ast.Module]:
    found = {}
    for path in sorted((SOURCE / "plugseal").rglob("*.py")):
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def _imports(node: ast.AST, *, with_types: bool) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom):
            yield from (f"{child.module}.{name.name}" for name in child.names)
            yield child.module or ""
        elif isinstance(child, ast.Import):
            yield from (name.name for name in child.names)
        elif with_types or not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from _imports(child, with_types=with_types)


def _graph(*, with_types: bool) -> dict[str, set[str]]:
    modules = _modules()
    return {
        name: {used for used in _imports(tree, with_types=with_types) if used in modules} - {name, "plugseal"}
        for name, tree in modules.items()
    }


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the sets of modules of which each leads to each other (Kosaraju), the largest first."""
    order: list[str] = []
    _walk(graph, graph, order)
    backwards: dict[str, set[str]] = {name: set() for name in graph}
    for name, used in graph.items():
        for other in used:
            backwards[other].add(name)
    found: list[list[str]] = []
    seen: set[str] = set()
    for name in reversed(order):
        if name not in seen:
            group: list[str] = []
            _walk(backwards, [name], group, seen)
            found.append(sorted(group))
    return sorted((group for group in found if len(group) > 1), key=len, reverse=True)


def _walk(graph: dict[str, set[str]], starts: object, order: list[str], seen: set[str] | None = None) -> None:
    """Append what is reached to the order, each behind all that it leads to."""
    seen = set() if seen is None else seen
    for start in starts:  # type: ignore[attr-defined]
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(sorted(graph[start])))]
        while stack:
            name, rest = stack[-1]
            following = next((one for one in rest if one not in seen), None)
            if following is None:
                stack.pop()
                order.append(name)
            else:
                seen.add(following)
                stack.append((following, iter(sorted(graph[following]))))


def test_no_module_leads_back_to_itself() -> None:
    assert circles(_graph(with_types=False)) == []


def test_circles_for_types_stay_in_one_room_and_do_not_grow() -> None:
    found = circles(_graph(with_types=True))
    assert [circle for circle in found if len({name.rpartition(".")[0] for name in circle}) > 1] == []
    assert len(found[0]) <= LARGEST_FOR_TYPES


def test_a_circle_is_seen() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"a"}}
    assert circles(graph) == [["a", "b", "c"]]
