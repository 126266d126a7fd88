"""Find every regular expression of the product: of its modules, rules and tables, each with how it is used.

A pattern's methods are those that the product calls on its name; where it has none, as one of several in a table, all
that its module calls on names of no module. A pattern of a class is matched where its object is asked to look.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import plugseal
from plugseal.patterns import LazyPattern

SOURCE = Path(plugseal.__file__).parent
METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
_MAKERS = frozenset({"lazy", "compile"})


class Used(NamedTuple):
    """One pattern with how it is used."""

    place: str
    source: str | bytes
    flags: int
    methods: tuple[str, ...]


@cache
def patterns() -> tuple[Used, ...]:
    """Return all patterns of the product's modules, rules and tables, each once."""
    found: dict[tuple[str | bytes, int], Used] = {}
    for used in (*_in_modules(), *_in_rules(), *_in_tables(), *_of_secrets()):
        known = found.get((used.source, used.flags))
        methods = tuple(sorted({*used.methods, *(known.methods if known else ())}))
        found[used.source, used.flags] = (known or used)._replace(methods=methods)
    return tuple(found.values())


def _in_modules() -> Iterator[Used]:
    trees = {name: ast.parse(path.read_text("utf-8")) for name, path in _modules()}
    calls = _methods_by_name(trees)
    for name, tree in trees.items():
        module = importlib.import_module(name)
        loose = tuple(sorted(calls.get((name, ""), set()) - {"split"}))  # Texts can be split, too.
        for target in _made_in(tree):
            methods = tuple(sorted(calls.get((name, target), ()))) or loose or ("fullmatch", "search")
            for source, flags in _compiled_in(getattr(module, target, None)):
                yield Used(f"{name}.{target}", source, flags, methods)
        for held in vars(module).values():
            if isinstance(held, type) and held.__module__ == name:
                for source, flags in _compiled_in(dict(vars(held))):
                    yield Used(f"{name}.{held.__name__}", source, flags, ("match",))
        yield from _called_in(tree, name, vars(module))


def _modules() -> Iterator[tuple[str, Path]]:
    for found in pkgutil.walk_packages([str(SOURCE)], "plugseal."):
        parts = found.name.split(".")[1:]
        path = SOURCE.joinpath(*parts)
        file = path / "__init__.py" if found.ispkg else path.with_suffix(".py")
        if parts[-1] != "__main__" and file.is_file():
            yield found.name, file


def _made_in(tree: ast.Module) -> Iterator[str]:
    """Yield the module's names whose values hold patterns."""
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        if value is not None and any(_is_making(inner) for inner in ast.walk(value)):
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def _is_making(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    return (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) in _MAKERS


def _methods_by_name(trees: dict[str, ast.Module]) -> dict[tuple[str, str], set[str]]:
    """Return which methods are asked of each (module, name); of what has no name of its module under an empty one."""
    found: dict[tuple[str, str], set[str]] = {}
    for module, tree in trees.items():
        made = {name: (module, name) for name in _made_in(tree)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                made.update({one.asname or one.name: (node.module, one.name) for one in node.names})
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                name = node.value.id if isinstance(node.value, ast.Name) else ""
                if name != "re":
                    found.setdefault(made.get(name, (module, "")), set()).add(node.attr)
    return found


def _compiled_in(value: object, depth: int = 0) -> Iterator[tuple[str | bytes, int]]:
    if isinstance(value, LazyPattern):
        yield value._source
    elif isinstance(value, re.Pattern):
        yield value.pattern, value.flags & ~re.UNICODE.value if isinstance(value.pattern, str) else value.flags
    elif depth < 5:
        inner: Iterable[object] = ()
        if isinstance(value, dict):
            inner = (*value.keys(), *value.values())
        elif isinstance(value, (tuple, list, set, frozenset)):
            inner = value
        elif hasattr(value, "__dict__") and type(value).__module__.startswith("plugseal"):
            inner = vars(value).values()
        for one in inner:
            yield from _compiled_in(one, depth + 1)


def _called_in(tree: ast.Module, name: str, values: dict[str, Any]) -> Iterator[Used]:
    """Yield what is handed to the functions of `re` itself, an unknown part of a text as a letter."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.func.attr in METHODS):
            continue
        source = _text_of(node.args[0], values)
        if isinstance(source, (str, bytes)) and source:
            yield Used(f"{name}:{node.lineno}", source, _flags_of(node), (node.func.attr,))


def _text_of(node: ast.expr, values: dict[str, Any]) -> str | bytes | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
        return node.value
    if isinstance(node, ast.Name):
        known = values.get(node.id)
        return known if isinstance(known, (str, bytes)) else None
    if isinstance(node, ast.JoinedStr):
        parts = (
            _text_of(part.value, values) or "x" if isinstance(part, ast.FormattedValue) else _text_of(part, values)
            for part in node.values
        )
        return "".join(part for part in parts if isinstance(part, str))
    return None


def _flags_of(node: ast.Call) -> int:
    text = " ".join(ast.unparse(one) for one in (*node.args[2:], *(one.value for one in node.keywords)))
    names = ("IGNORECASE", "DOTALL", "MULTILINE", "ASCII", "VERBOSE")
    return sum(int(getattr(re, one)) for one in names if f"re.{one}" in text)


def _in_rules() -> Iterator[Used]:
    from plugseal.rules.load import load_rules, patterns_of

    for source in sorted({pattern for rule in load_rules().rules for pattern in patterns_of(rule)}):
        yield Used("rules", source, 0, ("search",))


def _in_tables() -> Iterator[Used]:
    from plugseal.lang.programs.tables import programs

    tables = programs()
    for table in (tables.rules, tables.wraps):
        for name in table:
            for rule in table[name]:
                for source in (getattr(rule, "match", ""), getattr(rule, "none", "")):
                    if source:
                        yield Used(f"programs:{name}", source, 0, ("search",))


def _of_secrets() -> Iterator[Used]:
    from plugseal.model import secrets

    yield Used("plugseal.model.secrets.SHAPES", secrets._SHAPES.pattern, 0, ("finditer",))
    for name in ("_PLACEHOLDER", "_RANDOM", "_MADE_UP"):
        yield Used(f"plugseal.model.secrets.{name}", getattr(secrets, name).pattern, 0, ("search",))
    for name in ("_ORDINARY", "_DEFAULT"):
        yield Used(f"plugseal.model.secrets.{name}", getattr(secrets, name).pattern, 0, ("match",))
    for source in secrets._BESIDE:
        yield Used("plugseal.model.secrets._BESIDE", source.pattern, 0, ("finditer",))
