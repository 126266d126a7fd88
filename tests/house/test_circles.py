"""Modules import each other in one direction: those that are loaded late, inside a function, and for annotations too.

What the parts of one walk share stands below them; what they ask of the whole stands there as well, as an abstract
class or a protocol, or it is handed in (a function, a judge).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"


def _modules(source: Path) -> dict[str, ast.Module]:
    found = {}
    for path in sorted((source / "plugseal").rglob("*.py")):
        name = ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def _imports(tree: ast.Module) -> Iterator[str]:
    """Yield every module that may be meant by an import, at any depth, and under `TYPE_CHECKING` like elsewhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def _graph(source: Path) -> dict[str, set[str]]:
    modules = _modules(source)
    return {
        name: {used for used in _imports(tree) if used in modules} - {name, "plugseal"}
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
    assert circles(_graph(SOURCE)) == []


@pytest.mark.parametrize(
    "back",
    [
        pytest.param("from plugseal.a import One", id="at the top"),
        pytest.param("def late():\n    from plugseal.a import One", id="inside a function"),
        pytest.param("if TYPE_CHECKING:\n    from plugseal.a import One", id="for annotations"),
        pytest.param("from plugseal import a", id="from the package"),
        pytest.param("import plugseal.a", id="a plain import"),
    ],
)
def test_a_planted_circle_is_found(tmp_path: Path, back: str) -> None:
    folder = tmp_path / "plugseal"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "a.py").write_text("from plugseal.b import Two\n")
    (folder / "b.py").write_text(f"{back}\n")
    (folder / "c.py").write_text("from plugseal.a import One\nfrom plugseal.b import Two\n")

    assert circles(_graph(tmp_path)) == [["plugseal.a", "plugseal.b"]]


def test_a_circle_is_seen() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"a"}}
    assert circles(graph) == [["a", "b", "c"]]
