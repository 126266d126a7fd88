"""What an import alone suggests: weak evidence, and none where what is imported can do nothing.

A name that a table of the standard library does not know is an exception, a constant or a type. Names of other
packages are only left out where they are written like one of these. Imports that never run, and those that annotations
alone use, suggest nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container
from typing import TYPE_CHECKING, Any, Final

from plugseal.lang.judging.tables import top_of
from plugseal.lang.python.collecting.names import STANDARD_MODULES
from plugseal.lang.python.collecting.scope import Scope
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

_HARMLESS: Final = lazy(
    r"(?:exceptions?|errors?|types?|typing|constants?|version|_version|status|status_codes|codes|models?|schemas?|logger"
    r"|__version__|[A-Z][A-Z0-9_]+|[A-Z]\w*(?:Error|Exception|Warning|Timeout|Type|Enum|Options|Config|Response|Literal))"
)
_ACTOR: Final = lazy(
    r"Client|Session|Connect|Api|API|Service|Server|Agent|Pool|Engine|Bot|App|SDK|Manager|Driver|Transport|Adapter|Loader"
    r"|Runner|Exec|Crawl|Scrap|Browser|Model|LLM|Chat|Process|Shell|Command|Fetch|Download|Upload|Http|HTTP|Socket|Store"
    r"|Request|Hub|Provider|Consumer|Producer|Publish|Subscri|Listen|Worker|Queue|Stream|Remote|Proxy|Tunnel|Embed"
)
"""Names of classes of other packages that may do something; all else in capitals is a thing that is passed about."""
_FIRST_MARK: Final = r"(?:\A|(?<=[\n#]))(?=([^\n#:-]*(?:-(?!>)[^\n#:-]*)*(?::|->)))\1"
"""From the beginning of a line or a comment to its first colon or arrow."""
_CLOSED: Final = frozenset(("code.fetched", "code.dynamic"))
"""Capabilities that only few names of a package have, all of them in its table."""


class Evidence:
    """The imports of one file."""

    def __init__(self, resolver: Resolver, text: str, imported: Container[str]) -> None:
        self._resolver = resolver
        self._text = text
        self._imported = imported
        self._guarded: set[ast.stmt] | None = None
        self._chains: dict[str, set[str]] | None = None
        """The chains of names and attributes that the file reads, by their first names, if an import binds those."""

    def of(self, full: str, module: str, alias: ast.alias, statement: ast.stmt) -> str | None:
        """Return the capability that one imported name suggests, if any.

        Args:
            full: the module, or the name within `module`.
            module: what it is imported from; empty for `import`.
            alias: the name as it is written.
            statement: where it stands.
        """
        capability = self._resolver.tables.imported(full)
        if capability is None or (module and not self._can(full, module, alias.name, capability)):
            return None
        if not module and self._is_harmlessly_used(full, alias, capability):
            return None
        if self._is_guarded(statement) or self._is_only_annotated(alias):
            return None
        return capability

    def _can(self, full: str, module: str, name: str, capability: str) -> bool:
        tables = self._resolver.tables
        known = tables.canonical(full)
        if name == "*" or tables.is_evidence(full):
            return True
        if known != full or tables.has_below(full) or tables.has_result(f"{full}()"):
            is_listed = tables.has_exact(known) and not tables.has_below(f"{known}()")
            return tables.can(known, capability) if is_listed or capability in _CLOSED else True
        if top_of(module) in STANDARD_MODULES or capability in _CLOSED:
            return False
        if any(_HARMLESS.fullmatch(part) for part in (*module.split(".")[1:], name)):
            return False
        return not name[:1].isupper() or _ACTOR.search(name) is not None

    def _is_harmlessly_used(self, module: str, alias: ast.alias, capability: str) -> bool:
        """Say whether all that is used of a module are members that can do nothing; False where it is passed on."""
        used = self._every_chain().get(alias.asname or module.partition(".")[0])
        if not used:
            return False
        stem = "" if alias.asname else module.partition(".")[0]
        for chain in used:
            _, dot, rest = chain.partition(".")
            full = f"{stem}.{rest}" if stem else f"{module}.{rest}"
            if not dot or module.startswith(f"{full}.") or module == full:
                return False
            if not full.startswith(f"{module}."):
                continue
            first = full[len(module) + 1 :].partition(".")[0]
            if first.startswith("__") or self._can(f"{module}.{first}", module, first, capability):
                return False
        return True

    def _every_chain(self) -> dict[str, set[str]]:
        if self._chains is None:
            self._chains = {}
            for scope in self._resolver.scopes:
                for node in _read(scope):
                    if node.__class__ is ast.Attribute:
                        self._add_chain(node, self._chains)
                    elif node.__class__ is ast.Name and node.id in self._imported:
                        self._chains.setdefault(node.id, set()).add(node.id)
        return self._chains

    def _add_chain(self, node: ast.expr, chains: dict[str, set[str]]) -> None:
        """Note the names and attributes that an expression begins with."""
        top: Any = node  # Any: the class is compared, which mypy cannot follow
        while top.__class__ is ast.Attribute:
            top = top.value
        if top.__class__ is ast.Name and top.id in self._imported:
            name: str = top.id
            parts: list[str] = []
            while isinstance(node, ast.Attribute):
                parts.append(node.attr)
                node = node.value
            chains.setdefault(name, set()).add(".".join((name, *reversed(parts))))

    def _is_guarded(self, statement: ast.stmt) -> bool:
        """Say whether a statement stands under `if TYPE_CHECKING:`, which never holds when the file runs."""
        if "TYPE_CHECKING" not in self._text:
            return False
        if self._guarded is None:
            self._guarded = set()
            if self._means_typing():
                for node in ast.walk(self._resolver.root.node):
                    if isinstance(node, ast.If) and _last(node.test) == "TYPE_CHECKING":
                        self._guarded.update(one for one in node.body if isinstance(one, (ast.Import, ast.ImportFrom)))
        return statement in self._guarded

    def _means_typing(self) -> bool:
        bound = self._resolver.root.bindings.get("TYPE_CHECKING", [])
        return all(binding in ("typing.TYPE_CHECKING", "typing_extensions.TYPE_CHECKING") for binding in bound)

    def _is_only_annotated(self, alias: ast.alias) -> bool:
        """Say whether the name is read in annotations and nowhere else."""
        name = alias.asname or alias.name.partition(".")[0]
        if name == "*" or name in self._every_chain():
            return False
        # The first colon or arrow of a line is taken once and for all: no other one says more.
        return re.search(rf"{_FIRST_MARK}[^\n#]*\b{re.escape(name)}\b", self._text) is not None


def _read(scope: Scope) -> list[ast.expr]:
    """Return the expressions of a scope that may begin with a name that is read."""
    nodes: list[ast.expr] = [*scope.loads, *scope.aliases]
    nodes.extend([call.func for call in scope.calls])
    nodes.extend([decorator for decorator, _ in scope.decorated])
    for one in scope.subscripts:
        nodes.extend((one.left, *one.comparators) if isinstance(one, ast.Compare) else (one.value,))
    return nodes


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
