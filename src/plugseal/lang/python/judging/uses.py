"""What one use of a name means: a call, a read, a subscript, a decorator, an import."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import Event
from plugseal.lang.folded import Text
from plugseal.lang.judging.tables import top_of
from plugseal.lang.python.collecting.names import GETTERS, REFLECTIVE
from plugseal.lang.python.collecting.scope import CLASS, Scope
from plugseal.lang.python.judging.disguise import (
    is_disguised_identifier,
    is_disguised_name,
    is_split_literal,
    is_unpacked_code,
)
from plugseal.lang.python.judging.evidence import Evidence
from plugseal.lang.python.judging.fed import note_fed
from plugseal.lang.python.judging.items import Items, item_method
from plugseal.lang.python.judging.judge import Judge, Site, is_direct, is_given, is_unbound
from plugseal.lang.python.judging.mentions import Mentions
from plugseal.lang.python.judging.places import Places
from plugseal.lang.python.judging.reflection import is_own_class, is_target, leads_inside, may_reach, opens_outside
from plugseal.lang.python.judging.running import note_code, note_program
from plugseal.lang.python.judging.subject import Subject
from plugseal.lang.python.judging.variables import UPDATES, report_given, report_variables
from plugseal.lang.python.resolving.arguments import Given
from plugseal.lang.python.resolving.calls import named_members
from plugseal.lang.python.resolving.certain import is_certain
from plugseal.lang.python.resolving.members import CALLING, ENVIRONMENTS, base_values, class_member
from plugseal.lang.python.resolving.nearest import nearest_members
from plugseal.lang.python.resolving.values import (
    AnyValue,
    Arguments,
    Getter,
    Instance,
    Made,
    Method,
    Partial,
    Space,
    Values,
    arguments_of,
)

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

_RUNNING: Final = frozenset(("code.dynamic", "code.import", "process.exec", "process.shell"))
_STARTING: Final = frozenset(("process.exec", "process.shell"))
_READING: Final = frozenset(("get", "pop", "setdefault", "__getitem__"))
_CONSTRUCTOR: Final = "().__init__"
_ACTING: Final = frozenset((str, Partial, Getter))


class Uses(Subject):
    """Reports the uses of names in one file."""

    def __init__(
        self, resolver: Resolver, judge: Judge, places: Places, last_names: set[str], imported: dict[str, str]
    ) -> None:
        super().__init__(resolver, judge, places)
        self.last_names = last_names
        self.imported = imported
        self.mentions = Mentions(resolver, places.text)
        self.items = Items(resolver.root.node)
        self._opens: bool | None = None
        """Whether the module's own namespace holds something that matters."""
        self.evidence = Evidence(resolver, places.text, imported)
        self.quiet: set[object] = set()
        """Chains, by their parts, that begin with an import and mean nothing."""
        self.unread: set[str] = set()
        """Names that an import binds and that mean nothing when they are read."""
        self.callees: set[ast.expr] = set()
        """Expressions that are called: what they stand for is not merely mentioned."""

    def imports(self, scope: Scope) -> None:
        """Report the imports of a scope."""
        for statement in scope.imports:
            if isinstance(statement, ast.Import):
                for alias in statement.names:
                    self._import(alias.name, "", alias, statement, scope)
            elif statement.level == 0 and statement.module:
                for alias in statement.names:
                    self._import(f"{statement.module}.{alias.name}", statement.module, alias, statement, scope)

    def _import(self, full: str, module: str, alias: ast.alias, statement: ast.stmt, scope: Scope) -> None:
        report, interest = self.judge.report, self.judge.interest
        capability = self.evidence.of(full, module, alias, statement)
        if capability is not None:
            channel, report.channel = report.channel, "import"
            report.add(self.places.span(alias), capability, None, "possible", scope.trigger)
            report.channel = channel
        if alias.asname == "__getattr__" and scope.parent is None and (verdict := self.judge.verdict(full)).matters:
            self.judge.read(Site(self.places.span(alias), full, None, None, "resolved", scope.trigger), verdict)
        for name in dict.fromkeys((module, full) if module else (full,)) if interest.imports else ():
            if name in interest.imports:
                span = self.places.span(alias)
                report.events.append(Event("import", name, span, (), (), "direct", scope.trigger))

    def call(self, call: ast.Call, scope: Scope) -> bool:
        """Report a call, by each value that its function may be.

        Returns:
            Whether it calls a name outside the file that means nothing, so that the next call written alike need not
            be looked at.
        """
        function = call.func
        values = self.resolver.value(function, scope)
        quiet = bool(values)
        if function.__class__ is ast.Attribute:
            quiet = quiet and function.attr not in REFLECTIVE
            self._chain(function, values, call, scope)
            if len(values) > 1 and function.value.__class__ is ast.Name:
                values = nearest_members(self.resolver, function, scope, values)
        for value in values:
            if value.__class__ is str and value != CALLING and not self.judge.verdict(value).matters:
                if value in GETTERS:
                    self._getattr(call, scope)
                    quiet = False
                continue
            quiet = False
            if self._may_act(value):
                self._called(value, call, arguments_of(call, scope), scope, _names(values))
        return quiet

    def _may_act(self, value: AnyValue) -> bool:
        """Say whether to call a value may be more than to call a function of the file or of everyday objects."""
        kind = value.__class__
        if kind is Scope:
            return value.kind == CLASS and "__init__" not in value.bindings  # type: ignore[union-attr]  # compared
        if kind is Made:
            return self.judge.verdict(value.name.removesuffix(_CONSTRUCTOR)).matters  # type: ignore[union-attr]  # as above
        if kind is Method:
            return value.of.__class__ is Space  # type: ignore[union-attr]  # as above
        if kind is Instance:
            return "__call__" in value.of.bindings  # type: ignore[union-attr]  # as above
        return kind in _ACTING

    def _chain(self, function: ast.Attribute, values: Values, call: ast.Call, scope: Scope) -> None:
        """Look at the parts of a called chain that matter by themselves."""
        if function.attr in REFLECTIVE and not is_own_class(self.resolver, function.value, scope):
            self._reflective(call, None, scope)
        base = function.value
        if isinstance(base, ast.Attribute):
            if base.attr in REFLECTIVE:
                # `f_locals.get("name")` is `f_locals["name"]`.
                if function.attr != "get" or not call.args or leads_inside(self.resolver, call.args[0], scope):
                    self._reflective(base, None, scope)
            elif base.attr in self.last_names:
                self._mention(base, scope, only_reads=True)
        if not values and function.attr in self.judge.tables.methods:
            span = self.places.span(call)
            site = Site(span, function.attr, None, arguments_of(call, scope), "possible", scope.trigger)
            self.judge.call_method(site)

    def _called(self, value: AnyValue, node: ast.expr, arguments: Arguments, scope: Scope, count: int) -> None:
        """Report one value that a call may call.

        Args:
            value: what is called.
            node: the call, or the decorator that is one.
            arguments: what it is called with.
            scope: where it stands.
            count: how many functions the call may call.
        """
        if isinstance(value, Partial):
            merged = arguments.after(value.arguments)
            for target in value.target:
                self._called(target, node, merged, scope, count * len(value.target))
        elif isinstance(value, Scope):
            if value.kind == CLASS and "__init__" not in value.bindings:
                for base in base_values(self.resolver, value):
                    if isinstance(base, str):
                        self._called(base, node, arguments, scope, count)
        elif isinstance(value, Method):
            if isinstance(value.of, Space):
                self._space(value.of, next(iter(arguments.positional), None), node, scope, value.name)
        elif isinstance(value, Instance):
            for held in class_member(self.resolver, value.of, "__call__", 0):
                if isinstance(held, (str, Made, Partial)):
                    self._called(held, node, arguments, scope, count)
        elif isinstance(value, Getter):
            if value.kind == "method":
                for target in named_members(self.resolver, value, arguments):
                    self._called(target, node, value.arguments, scope, count)
        elif value == CALLING:
            for target in (given := Given(self.resolver, arguments, None)).values(0):
                self._called(target, node, given.after(1), scope, count)
        elif isinstance(value, (str, Made)):
            self._called_name(value, node, arguments, scope, count)

    def _called_name(self, value: str | Made, node: ast.expr, arguments: Arguments, scope: Scope, count: int) -> None:
        name = (value.name if isinstance(value, Made) else value).removesuffix(_CONSTRUCTOR)
        verdict = self.judge.verdict(name)
        if not verdict.matters:
            return
        resolution = "resolved" if count == 1 else "possible"
        function = node.func if isinstance(node, ast.Call) else node
        if count == 1 and is_direct(function, name, self.imported):
            resolution = "direct"
        if is_unbound(function, name, self.imported):
            resolution = "possible"
        receiver = value if isinstance(value, Made) else None
        if receiver is None and "()." in name and isinstance(node, ast.Call) and not is_given(function, self.imported):
            receiver, arguments = self._bound(arguments)
        self.judge.call(Site(self.places.span(node), name, receiver, arguments, resolution, scope.trigger), verdict)
        if name in UPDATES:
            report_variables(self.judge, Site(self.places.span(node), name, None, arguments, resolution, scope.trigger))
        if verdict.rules:
            self._look_inside({rule.capability for rule in verdict.rules}, node, arguments, scope)
        if not self.places.is_ascii:
            self._identifier(function, scope)

    def _bound(self, arguments: Arguments) -> tuple[Made | None, Arguments]:
        """Return the object that a method taken from its class is called on, and the arguments after it."""
        given = Given(self.resolver, arguments, None)
        objects = [value for value in given.values(0) if isinstance(value, Made)]
        return (objects[0] if objects else None), given.after(1)

    def _look_inside(self, capabilities: set[str], node: ast.expr, arguments: Arguments, scope: Scope) -> None:
        """Look at what is given to something that runs it."""
        if "code.dynamic" in capabilities:
            note_code(self, arguments)
        if "process.exec" in capabilities:
            note_program(self, arguments)
            note_fed(self, node, arguments, scope)
        if capabilities & _STARTING:
            report_given(self.judge, self.places.span(node), arguments, scope)
        first = arguments.positional[:1]
        if first and is_split_literal(first[0][0]):
            self._disguised(node, scope)
        if not first or not capabilities & _RUNNING:
            return
        if "code.import" in capabilities:
            names = Given(self.resolver, arguments, None).texts(0)
            known = any(self.judge.tables.is_module(top_of(name)) for name in names)
            hidden = known and is_disguised_name(self.resolver, self.places, *first[0])
        else:
            hidden = is_unpacked_code(self.resolver, self.places, *first[0])
        if hidden:
            self._disguised(node, scope)

    def _identifier(self, function: ast.expr, scope: Scope) -> None:
        last = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        if last and is_disguised_identifier(self.places, function, last):
            self._disguised(function, scope)

    def _disguised(self, node: ast.expr, scope: Scope) -> None:
        self.judge.report.add(self.places.span(node), "code.obfuscated", None, "resolved", scope.trigger)

    def decorator(self, decorator: ast.expr, target: Scope, scope: Scope) -> None:
        """Report a decorator: it is called with what it decorates."""
        for value in self.resolver.value(decorator, scope):
            if isinstance(value, (str, Made, Partial)):
                self._called(value, decorator, Arguments((), (), bare=(target,), scope=scope), scope, 1)

    def read(self, node: ast.Name | ast.Attribute, scope: Scope, *, is_alias: bool = False) -> bool:
        """Report a name or chain that is read and not called; return whether it means nothing, wherever it is read."""
        if isinstance(node, ast.Attribute):
            is_reflective = node.attr in REFLECTIVE and not self.mentions.is_patched(node, scope)
            if is_reflective and not self.mentions.is_plain_item(node, scope):
                self._reflective(node, None, scope)
            if node.attr not in self.last_names:
                return False
        return self._mention(node, scope, is_alias=is_alias)

    def _mention(self, node: ast.expr, scope: Scope, *, is_alias: bool = False, only_reads: bool = False) -> bool:
        """Report names that an expression stands for, without a call; return whether all of them mean nothing."""
        values = self.resolver.value(node, scope)
        quiet = bool(values)
        for value in values:
            name = value.name if isinstance(value, Made) else value
            if not isinstance(name, str):
                continue
            verdict = self.judge.verdict(name)
            if not verdict.matters:
                continue
            quiet = False
            handed = self.mentions.handed(node, scope) if verdict.rules and not only_reads else []
            for one in handed:
                self._called(value, node, arguments_of(one.call, scope), scope, len(values) if one.is_sure else 2)
            if handed:
                continue
            if ((is_alias or only_reads) and name in ENVIRONMENTS) or (only_reads and not verdict.is_mere_read):
                continue
            if self.mentions.is_item(node, scope) if name in ENVIRONMENTS else self.mentions.is_tested(node, scope):
                continue
            resolution = "direct" if len(values) == 1 and is_direct(node, name, self.imported) else "resolved"
            self.judge.read(Site(self.places.span(node), name, None, None, resolution, scope.trigger), verdict)
        return quiet

    def subscript(self, node: ast.Subscript | ast.Compare, base: ast.expr, scope: Scope) -> None:
        """Report an item that is read, written or tested for."""
        key = node.left if isinstance(node, ast.Compare) else node.slice
        if isinstance(base, ast.Attribute) and base.attr in REFLECTIVE and leads_inside(self.resolver, key, scope):
            self._reflective(base, None, scope)
        for value in self.resolver.value(base, scope):
            if isinstance(value, Space):
                self._space(value, (key, scope), node, scope)
            elif isinstance(value, (str, Made)):
                self._item(value, base, key, node, scope)

    def _item(
        self, value: str | Made, base: ast.expr, key: ast.expr, node: ast.Subscript | ast.Compare, scope: Scope
    ) -> None:
        name = value.name if isinstance(value, Made) else value
        full = self.judge.tables.canonical(name + item_method(node))
        verdict = self.judge.verdict(full)
        if not verdict.matters:
            return
        resolution = "direct" if is_direct(base, name, self.imported) else "resolved"
        receiver = value if isinstance(value, Made) else None
        arguments = self.items.arguments(node, key, scope)
        self.judge.call(Site(self.places.span(node), full, receiver, arguments, resolution, scope.trigger), verdict)

    def _getattr(self, call: ast.Call, scope: Scope) -> None:
        """Report `getattr` on a sensitive module: what it names, or that it names nothing known."""
        given = Given(self.resolver, arguments_of(call, scope), None)
        if not given.values(0) and not any(isinstance(one, (str, Made)) for one in given.values(2)):
            return  # Of what is unknown, any attribute is.
        is_known = bool(given.texts(1))
        named = given.arguments.positional[1] if given.has(1) else None
        if named is None or not is_known or named[0].__class__ is not ast.Constant:
            modules = [value for value in given.values(0) if isinstance(value, str) and "(" not in value]
            if modules and not (is_known and named is not None and is_certain(self.resolver, *named)):
                for value in modules:
                    self._computed(value, call, scope, named[0] if named is not None else None)
        if not is_known:
            return
        if call not in self.callees:
            self._mention(call, scope)
        written = given.arguments.positional[1]
        sensitive = any(isinstance(v, str) and is_target(self.resolver, v, *written) for v in given.values(0))
        if sensitive and is_disguised_name(self.resolver, self.places, *written):
            self._disguised(call, scope)

    def _space(
        self, space: Space, key: tuple[ast.expr, Scope] | None, node: ast.expr, scope: Scope, method: str = ""
    ) -> None:
        """Report an item of a namespace, by its key; a method's first argument is one too."""
        values = self.resolver.value(*key) if key is not None else ()
        is_known = any(isinstance(value, Text) for value in values)
        if space.of is self.resolver.root:
            is_read = method in _READING if method else isinstance(getattr(node, "ctx", None), ast.Load)
            if is_read and key is not None and not is_certain(self.resolver, *key):
                self._own_space(node, scope)
        elif not is_known or (key is not None and not is_certain(self.resolver, *key)):
            self._computed(space.of, node, scope)
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(space.of, str)
            and is_disguised_name(self.resolver, self.places, node.slice, scope)
        ):
            self._disguised(node, scope)

    def _own_space(self, node: ast.expr, scope: Scope) -> None:
        """Report that something of the module is reached by a computed name, if the module holds what matters."""
        if self._opens is None:
            self._opens = opens_outside(self.resolver)
        if self._opens:
            self._reflective(node, None, scope)

    def _computed(self, value: AnyValue, node: ast.expr, scope: Scope, named: ast.expr | None = None) -> None:
        """Report a computed name in a sensitive module."""
        if isinstance(value, str) and "(" not in value and may_reach(self.resolver, value, named, scope):
            self._reflective(node, value, scope)

    def _reflective(self, node: ast.expr, module: str | None, scope: Scope) -> None:
        self.judge.report.add(self.places.span(node), "code.reflective", module, "resolved", scope.trigger)


def _names(values: Values) -> int:
    """Return how many functions some values name: a method is one, of however many objects of a kind."""
    return len({value.name if isinstance(value, Made) else value for value in values}) if len(values) > 1 else 1
