"""Places that keep a whole module as a value: items of containers, attributes, results, words of a class.

A module that is kept comes out again under a name that nobody can follow to the end: through an iterator, a thread's
own attributes, an exception, a hook of a class. Looked for once for a file, and only in one that mentions such a
module bare. What is unpacked, looped over or taken out by its index right there is followed, and left out.
"""

from __future__ import annotations

import ast
from typing import Final

from plugseal.lang.python.collecting.noting import nodes_of

_CONTAINERS: Final = (ast.List, ast.Tuple, ast.Set)
_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_KINDS: Final = frozenset(
    (
        *_CONTAINERS,
        *_COMPREHENSIONS,
        *_DEFINITIONS,
        ast.Dict,
        ast.DictComp,
        ast.ClassDef,
        ast.Lambda,
        ast.Assign,
        ast.AnnAssign,
        ast.For,
        ast.AsyncFor,
        ast.comprehension,
        ast.Subscript,
        ast.Compare,
        ast.Call,
        ast.Name,
        ast.Attribute,
        ast.Raise,
    )
)
_RESULTS: Final = frozenset((ast.Return,))


def kept(tree: ast.AST) -> set[int]:
    """Return the identities of the nodes that stand where something is kept."""
    nodes = nodes_of(tree, _KINDS)
    calls = [node for node in nodes if node.__class__ is ast.Call]
    given = {id(one) for call in calls for one in call.args}
    called = {id(call.func) for call in calls if id(call) not in given}
    mentioned = {name for node in nodes if id(node) not in called and (name := _read_name(node))}
    found: set[int] = set()
    followed: set[int] = set()
    for node in nodes:
        followed.update(_followed(node))
        found.update(map(id, _parts(node)))
        if isinstance(node, _DEFINITIONS) and _is_handed_on(node, mentioned):
            found.update(id(one.value) for one in nodes_of(node, _RESULTS) if one.value is not None)
    return found - followed


def _read_name(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id if isinstance(node.ctx, ast.Load) else ""
    return node.attr if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) else ""


def _is_handed_on(node: ast.FunctionDef | ast.AsyncFunctionDef, mentioned: set[str]) -> bool:
    """Say whether somebody else than a call by its name may see what a function gives back."""
    name = node.name
    return bool(node.decorator_list) or (name.startswith("__") and name.endswith("__")) or name in mentioned


def _parts(node: ast.AST) -> list[ast.expr]:
    """Return what a node keeps."""
    if isinstance(node, _CONTAINERS):
        return node.elts
    if isinstance(node, ast.Dict):
        return node.values
    if isinstance(node, _COMPREHENSIONS):
        return [node.elt]
    if isinstance(node, ast.DictComp):
        return [node.value]
    if isinstance(node, ast.ClassDef):
        return [keyword.value for keyword in node.keywords]
    if isinstance(node, ast.Lambda):
        return [node.body]
    if isinstance(node, ast.Raise):
        return node.exc.args if isinstance(node.exc, ast.Call) else []
    if isinstance(node, ast.Assign) and not all(
        isinstance(one, (ast.Name, ast.Tuple, ast.List)) for one in node.targets
    ):
        return [node.value]
    if isinstance(node, ast.AnnAssign) and node.value is not None and not isinstance(node.target, ast.Name):
        return [node.value]
    return []


def _followed(node: ast.AST) -> list[int]:
    """Return what stands in a container that is taken apart right where it stands."""
    containers: list[ast.expr] = []
    if isinstance(node, ast.Assign) and any(isinstance(one, (ast.Tuple, ast.List)) for one in node.targets):
        containers = [node.value]
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        containers = [node.iter]
    elif isinstance(node, ast.Subscript):
        containers = [node.value]
    elif isinstance(node, ast.Compare):
        containers = [node.left, *node.comparators]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Lambda):
        return [id(node.func.body)]
    found: list[int] = []
    while containers:
        one = containers.pop()
        if isinstance(one, _CONTAINERS):
            found.extend(map(id, one.elts))
            containers.extend(one.elts)
        elif isinstance(one, ast.Dict):
            found.extend(map(id, one.values))
    return found
