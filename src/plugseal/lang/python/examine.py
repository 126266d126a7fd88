"""Look at everything that the collector noted and hand each use of a known name to the judge."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import Event
from plugseal.lang.python.facing import alternatives
from plugseal.lang.python.functions import Given
from plugseal.lang.python.judge import Judge, Site, is_direct
from plugseal.lang.python.members import ENVIRONMENTS, base_values
from plugseal.lang.python.names import REFLECTIVE
from plugseal.lang.python.places import Places
from plugseal.lang.python.report import python_code
from plugseal.lang.python.scope import CLASS, Scope
from plugseal.lang.python.tables import top_of
from plugseal.lang.python.values import (
    AnyValue,
    Arguments,
    Made,
    Method,
    Partial,
    Space,
    Text,
    Values,
    arguments_of,
)

if TYPE_CHECKING:
    from plugseal.lang.python.resolve import Resolver

_CODE_KEYWORDS: Final = ("source", "stmt", "setup", "code", "cmd", "statement", "object", "expression", "string")


class Examiner:
    """One file's uses of names, scope by scope."""

    def __init__(self, resolver: Resolver, judge: Judge, places: Places, last_names: set[str]) -> None:
        self.resolver = resolver
        self.judge = judge
        self.places = places
        self.last_names = last_names
        self.imported = _single_imports(resolver.scopes)
        self.interesting = set(self.imported) | judge.tables.builtins | _alias_names(resolver.scopes, last_names)
        self.callees: set[ast.expr] = set()
        """Expressions that are called: what they stand for is not merely mentioned."""
        self.code: list[tuple[str, ast.expr, Scope]] = []
        """Texts that are run as Python, where they stand, and who runs them."""

    def run(self) -> None:
        """Examine every scope."""
        for scope in self.resolver.scopes:
            self._imports(scope)
            for call in scope.calls:
                self._call(call, scope)
            for decorator, target in scope.decorated:
                self._decorator(decorator, target, scope)
            for load in scope.loads:
                self._load(load, scope, is_alias=False)
            for load in scope.aliases:
                self._load(load, scope, is_alias=True)
            for node in scope.subscripts:
                self._subscript(node, scope)

    def _imports(self, scope: Scope) -> None:
        for statement in scope.imports:
            module = ""
            if isinstance(statement, ast.ImportFrom):
                module = "." * statement.level + (statement.module or "")
            for alias in statement.names:
                if not module:
                    full = alias.name
                else:
                    full = module + alias.name if module.endswith(".") else f"{module}.{alias.name}"
                self._imported(full, module, alias, scope)

    def _imported(self, full: str, module: str, alias: ast.alias, scope: Scope) -> None:
        report, interest = self.judge.report, self.judge.interest
        if full.startswith("."):
            return
        capability = self.judge.tables.imported(self.judge.tables.canonical(full))
        if capability is not None:
            channel, report.channel = report.channel, "import"
            report.add(self.places.span(alias), capability, None, "possible", scope.trigger)
            report.channel = channel
        if interest.imports:
            for name in dict.fromkeys((module, full) if module else (full,)):
                if name in interest.imports:
                    report.events.append(
                        Event("import", name, self.places.span(alias), (), (), "direct", scope.trigger)
                    )

    def _call(self, call: ast.Call, scope: Scope) -> None:
        function = call.func
        kind = function.__class__
        if kind is ast.Name:
            values = self.resolver.name(function.id, scope)  # type: ignore[attr-defined]  # the class was compared
        else:
            values = self.resolver.value(function, scope)
            if kind is ast.Attribute:
                self._chain(function, values, call, scope)  # type: ignore[arg-type]  # the class was compared
            else:
                self.callees.add(function)
        if values:
            for value in values:
                if value.__class__ is str and not self.judge.verdict(value).matters:  # type: ignore[arg-type]  # as above
                    if value == "builtins.getattr":
                        self._getattr(call, scope)
                    continue
                self._called(value, call, function, arguments_of(call, scope), scope, len(values))

    def _chain(self, function: ast.Attribute, values: Values, call: ast.Call, scope: Scope) -> None:
        """Look at the parts of a called chain that matter by themselves."""
        if function.attr in REFLECTIVE:
            self._reflective(call, None, scope)
        base = function.value
        if base.__class__ is ast.Attribute:
            attribute = base.attr  # type: ignore[attr-defined]  # the class was compared
            if attribute in REFLECTIVE:
                self._reflective(base, None, scope)
            elif attribute in self.last_names:
                self._mention(base, scope, only_reads=True)
        if not values and function.attr in self.judge.tables.methods:
            span = self.places.span(call)
            site = Site(span, function.attr, None, arguments_of(call, scope), "possible", scope.trigger)
            self.judge.call_method(site)

    def _called(
        self,
        value: AnyValue,
        node: ast.expr,
        function: ast.expr,
        arguments: Arguments,
        scope: Scope,
        count: int,
    ) -> None:
        """Report one value that a call may call."""
        if isinstance(value, Partial):
            merged = arguments.after(value.arguments)
            for target in value.target:
                self._called(target, node, function, merged, scope, count * len(value.target))
            return
        if isinstance(value, Scope):
            if value.kind == CLASS and "__init__" not in value.bindings:
                for base in base_values(self.resolver, value):
                    if isinstance(base, str):
                        self._called(base, node, function, arguments, scope, count)
            return
        if isinstance(value, Method) and isinstance(value.of, Space):
            self._space(value.of, Given(self.resolver, arguments, None).values(0), node, scope)
            return
        name = value.name if isinstance(value, Made) else value
        if not isinstance(name, str):
            return
        if name.endswith("().__init__"):
            name = name[: -len("().__init__")]
        verdict = self.judge.verdict(name)
        if not verdict.matters:
            return
        resolution = "resolved" if count == 1 else "possible"
        if count == 1 and is_direct(function, name, self.imported):
            resolution = "direct"
        receiver = value if isinstance(value, Made) else None
        span = self.places.span(node)
        self.judge.call(Site(span, name, receiver, arguments, resolution, scope.trigger), verdict)
        if any(rule.capability == "code.dynamic" for rule in verdict.rules):
            self._note_code(arguments)
        elif any(rule.capability == "process.exec" for rule in verdict.rules):
            self._note_program(arguments)

    def _note_code(self, arguments: Arguments) -> None:
        given = [*arguments.positional[:2], *((n, s) for k, n, s in arguments.keywords if k in _CODE_KEYWORDS)]
        for node, scope in given:
            for value in self.resolver.value(node, scope):
                if isinstance(value, Text) and value.whole and isinstance(value.value, (str, bytes)):
                    text = value.value if isinstance(value.value, str) else value.value.decode("utf-8", "replace")
                    self.code.append((text, node, scope))

    def _note_program(self, arguments: Arguments) -> None:
        for node, scope in arguments.positional[:1]:
            for value in alternatives(self.resolver, node, scope):
                code = python_code(value)
                if code is not None and "\x00" not in code:
                    self.code.append((code, node, scope))

    def _decorator(self, decorator: ast.expr, target: Scope, scope: Scope) -> None:
        for value in self.resolver.value(decorator, scope):
            if isinstance(value, (str, Made, Partial)):
                arguments = Arguments((), (), bare=(target,), scope=scope)
                self._called(value, decorator, decorator, arguments, scope, 1)

    def _load(self, node: ast.Name | ast.Attribute, scope: Scope, *, is_alias: bool) -> None:
        if node.__class__ is ast.Name:
            if node.id not in self.interesting:  # type: ignore[union-attr]  # the class was compared
                return
        else:
            attribute = node.attr  # type: ignore[union-attr]  # as above
            if attribute in REFLECTIVE:
                self._reflective(node, None, scope)
            if attribute not in self.last_names:
                return
        self._mention(node, scope, is_alias=is_alias)

    def _mention(self, node: ast.expr, scope: Scope, *, is_alias: bool = False, only_reads: bool = False) -> None:
        """Report names that an expression stands for, without a call."""
        values = self.resolver.value(node, scope)
        for value in values:
            name = value.name if isinstance(value, Made) else value
            if not isinstance(name, str) or ((is_alias or only_reads) and name in ENVIRONMENTS):
                continue
            verdict = self.judge.verdict(name)
            if not verdict.matters or (only_reads and not verdict.is_mere_read):
                continue
            resolution = "direct" if len(values) == 1 and is_direct(node, name, self.imported) else "resolved"
            span = self.places.span(node)
            self.judge.read(Site(span, name, None, None, resolution, scope.trigger), verdict)

    def _subscript(self, node: ast.Subscript | ast.Compare, scope: Scope) -> None:
        if isinstance(node, ast.Compare):
            base, key, writes = node.comparators[0], node.left, False
        else:
            base, key, writes = node.value, node.slice, node.ctx.__class__ is not ast.Load
        if base.__class__ is ast.Attribute:
            attribute = base.attr  # type: ignore[attr-defined]  # the class was compared
            if attribute in REFLECTIVE:
                self._reflective(base, None, scope)
            if attribute not in self.last_names and attribute != "__dict__":
                return
        elif base.__class__ is ast.Name:
            if base.id not in self.interesting:  # type: ignore[attr-defined]  # as above
                return
        for value in self.resolver.value(base, scope):
            if isinstance(value, Space):
                self._space(value, self.resolver.value(key, scope), node, scope)
                continue
            name = value.name if isinstance(value, Made) else value
            if not isinstance(name, str):
                continue
            self._item(name, value, base, key, writes, node, scope)

    def _item(
        self,
        name: str,
        value: AnyValue,
        base: ast.expr,
        key: ast.expr,
        writes: bool,
        node: ast.expr,
        scope: Scope,
    ) -> None:
        full = f"{name}.__setitem__" if writes else f"{name}[]"
        if name in ENVIRONMENTS and isinstance(node, ast.Compare):
            full = f"{name}.__contains__"
        full = self.judge.tables.canonical(full)
        verdict = self.judge.verdict(full)
        if not verdict.matters:
            return
        direct = is_direct(base, name, self.imported)
        arguments = Arguments(((key, scope),), (), scope=scope)
        receiver = value if isinstance(value, Made) else None
        resolution = "direct" if direct else "resolved"
        self.judge.call(Site(self.places.span(node), full, receiver, arguments, resolution, scope.trigger), verdict)

    def _getattr(self, call: ast.Call, scope: Scope) -> None:
        """Report `getattr` on a sensitive module: what it names, or that it names nothing known."""
        given = Given(self.resolver, arguments_of(call, scope), None)
        if not given.texts(1):
            for value in given.values(0):
                self._computed(value, call, scope)
        elif call not in self.callees:
            self._mention(call, scope)

    def _space(self, space: Space, keys: Values, node: ast.expr, scope: Scope) -> None:
        if not any(isinstance(key, Text) for key in keys):
            self._computed(space.of, node, scope)

    def _computed(self, value: AnyValue, node: ast.expr, scope: Scope) -> None:
        """Report a computed name in a sensitive module."""
        if isinstance(value, str) and "(" not in value and top_of(value) in self.judge.tables.sensitive:
            self._reflective(node, value, scope)

    def _reflective(self, node: ast.expr, module: str | None, scope: Scope) -> None:
        self.judge.report.add(self.places.span(node), "code.reflective", module, "resolved", scope.trigger)


def _single_imports(scopes: list[Scope]) -> dict[str, str]:
    """Return the names that imports bind, with what they mean where the whole file agrees on it."""
    found: dict[str, str] = {}
    for scope in scopes:
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                if binding.__class__ is str:
                    found[name] = binding if found.get(name, binding) == binding else ""
    return found


def _alias_names(scopes: list[Scope], last_names: set[str]) -> set[str]:
    """Return the names that are bound to a chain whose last part some table knows."""
    return {
        name
        for scope in scopes
        for name, bindings in scope.bindings.items()
        for binding in bindings
        if isinstance(binding, ast.Attribute) and binding.attr in last_names
    }
