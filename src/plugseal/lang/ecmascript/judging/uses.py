"""What one use of a name means: a call, a read, an item, a property that is set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.scope import CLASS, Call, Scope, node_of
from plugseal.lang.ecmascript.judging.disguise import is_disguised, is_joined, is_split
from plugseal.lang.ecmascript.judging.handed_over import handed_over
from plugseal.lang.ecmascript.judging.judge import Judge, Site
from plugseal.lang.ecmascript.judging.loading import LOADERS, report_load
from plugseal.lang.ecmascript.judging.roundabout import takes_detour, variables_got
from plugseal.lang.ecmascript.judging.running import note_code
from plugseal.lang.ecmascript.judging.setting import report_assigned
from plugseal.lang.ecmascript.judging.subject import Subject
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.resolving.arguments import applied, argument_values
from plugseal.lang.ecmascript.resolving.calls import arguments_of
from plugseal.lang.ecmascript.resolving.names import ENVIRONMENT, GLOBAL_THIS, TAGGED
from plugseal.lang.ecmascript.resolving.textual import is_textual
from plugseal.lang.ecmascript.resolving.values import AnyValue, Arguments, Made, Method, Partial, Values, names_nothing
from plugseal.lang.folded import Text

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.judging.places import Places
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_MAX_DEPTH: Final = 32
_KEYED: Final = frozenset(("globals.Reflect.get", "globals.Object.getOwnPropertyDescriptor"))
_LISTING: Final = frozenset(
    ("globals.Object.values", "globals.Object.entries", "globals.Object.getOwnPropertyDescriptors")
)
"""Functions that give all that an object has, under no name."""
_APPLYING: Final = {"globals.Reflect.apply": 2, "globals.Reflect.construct": 1}
_AROUND: Final = g.WRAPPERS | {"sequence_expression"}
_WRITTEN_OUT: Final = frozenset((g.IDENTIFIER, g.MEMBER))
_MAX_DIRECT_BYTES: Final = 256
_TALKING: Final = frozenset(("process.exec", "process.shell", "net.outbound"))
_WRAPPERS: Final = frozenset(("util.promisify", "util.callbackify", "globals.Object.freeze", "util.deprecate"))
SHELL_TAG: Final = b"$"
"""What hosts hand to plugins as their shell: each line is a template with this tag, `await $`ls``."""
_PAGES: Final = (TAGGED[SHELL_TAG.decode()],)
_SHELL: Final = "bun.$"
_FOLLOWED: Final = LOADERS | _WRAPPERS | _KEYED | _LISTING | _APPLYING.keys()
"""Functions that lead to what they are given."""
_HOSTS: Final = (GLOBAL_THIS, "globals.require", "globals.WScript")
"""Objects of a host that make or load anything: none of them has a table of its own."""


class Uses(Subject):
    """Reports the uses of names in one file."""

    def __init__(self, resolver: Resolver, judge: Judge, places: Places) -> None:
        super().__init__(resolver, judge, places)
        self._depth = 0
        self._silent: dict[str, bool] = {}

    # -- calls

    def call(self, call: Call, scope: Scope) -> None:
        """Report a call, by each value that its function may be."""
        function = call.function
        self._note_callee(function)
        if self.grammar.codes[function.kind_id] == g.MEMBER:
            base = function.child_by_field_id(self.grammar.object)
            if base is not None:
                self._prefixes(base, scope)
        values = self.resolver.value(function, scope)
        if not values or self._is_tagged(call, values):
            self._unknown(call, scope)
        elif not all(self._is_silent(value) for value in values):
            arguments = arguments_of(self.resolver, call.node, scope)
            for value in values:
                self._called(value, call, arguments, scope, len(values))
        if takes_detour(self.resolver, call, values, scope):
            self.judge.report.add(self.places.span(call.node), "code.obfuscated", None, "possible", scope.trigger)

    def _is_silent(self, value: AnyValue) -> bool:
        """Say whether nobody asks for what is called: most functions that are known are everyday ones."""
        if value.__class__ is not str:
            return False
        known = self._silent.get(value)
        if known is None:
            known = self._silent[value] = not (
                value in _FOLLOWED or self.judge.verdict(value).matters or value in self.judge.tables.texts
            )
        return known

    def _note_callee(self, function: Node) -> None:
        """Note what is called, in `(0, cp.exec)(…)` too: that is no mere mention."""
        codes = self.grammar.codes
        inner: Node | None = function
        for _ in range(8):
            if inner is None:
                return
            self.callees.add(inner.id)
            if codes[inner.kind_id] in _WRITTEN_OUT or inner.type not in _AROUND:
                return
            children = [child for child in inner.named_children if child.type != "comment"]
            inner = children[-1 if inner.type == "sequence_expression" else 0] if children else None

    def _unknown(self, call: Call, scope: Scope) -> None:
        """Report a call of a telling method of an unknown object, and one that a computed name leads to."""
        function = call.function
        if call.last == SHELL_TAG:
            self._shell_tag(call, scope)
            return
        rules = self.judge.tables.methods.get(call.last.decode("utf-8", "replace")) if call.last else None
        if rules is not None and self.grammar.codes[function.kind_id] == g.MEMBER:
            arguments = arguments_of(self.resolver, call.node, scope)
            name = call.last.decode("utf-8", "replace")
            site = Site(self.places.span(call.node), name, None, arguments, "possible", scope.trigger)
            self.judge.apply(site, rules)

    def shell_tag(self, call: Call, scope: Scope) -> None:
        """Report a template with the tag `$` where nobody knows what that is."""
        values = self.resolver.value(call.function, scope)
        if self._is_template(call) and (not values or self._is_tagged(call, values)):
            self._shell_tag(call, scope)

    def _is_tagged(self, call: Call, values: Values) -> bool:
        """Say whether a template is tagged by what would be jQuery if it were called: it is some host's shell then."""
        return call.last == SHELL_TAG and values == _PAGES and self._is_template(call)

    def _shell_tag(self, call: Call, scope: Scope) -> None:
        if self._is_template(call):
            arguments = arguments_of(self.resolver, call.node, scope)
            rules = self.judge.verdict(_SHELL).rules
            self.judge.apply(
                Site(self.places.span(call.node), _SHELL, None, arguments, "possible", scope.trigger), rules
            )
            self._look_inside(_SHELL, call, arguments, scope)

    def _is_template(self, call: Call) -> bool:
        given = call.node.child_by_field_id(self.grammar.arguments)
        return given is not None and given.type == "template_string"

    def _called(self, value: AnyValue, call: Call, arguments: Arguments, scope: Scope, count: int) -> None:
        if value.__class__ is str:
            self._called_name(value, None, call, arguments, scope, count)
        elif isinstance(value, Made):
            self._called_name(value.name, value, call, arguments, scope, count)
        elif isinstance(value, (Partial, Method)) and self._depth < _MAX_DEPTH:
            self._depth += 1
            if isinstance(value, Method):
                self._moved(value, call, arguments, scope, count)
            else:
                merged = arguments.behind(value.arguments)
                for target in value.target:
                    self._called(target, call, merged, scope, count * len(value.target))
            self._depth -= 1
        elif isinstance(value, Scope) and value.kind == CLASS and value.superclass is not None:
            owner = value.parent or value
            if not any(isinstance(one, Scope) for one in value.bindings.get(b"constructor", ())):
                for parent in self.resolver.value(value.superclass, owner)[:4]:
                    if isinstance(parent, str):
                        self._called(parent, call, arguments, scope, count)

    def _moved(self, method: Method, call: Call, arguments: Arguments, scope: Scope, count: int) -> None:
        """Report a call through `call`, `apply`, and what a promise hands to a known function."""
        if method.name == "call":
            self._called(method.of, call, arguments.after(1), scope, count)
        elif method.name == "apply":
            self._called(method.of, call, applied(self.resolver, arguments, 1), scope, count)

    def _called_name(
        self, name: str, receiver: Made | None, call: Call, arguments: Arguments, scope: Scope, count: int
    ) -> None:
        if name in LOADERS:
            report_load(self, name, call.node, arguments, scope)
            return
        if name in _FOLLOWED:
            self._reflected(name, call, arguments, scope, count)
            return
        verdict = self.judge.verdict(name)
        is_text = name in self.judge.tables.texts and self._is_text(name, arguments)
        if not verdict.matters and not is_text:
            if receiver is not None and receiver.arguments is None:
                self._unknown(call, scope)  # A type of which no more is known.
            return
        resolution = "resolved" if count == 1 else "possible"
        if count == 1 and self.is_direct(call.function, name):
            resolution = "direct"
        span = self.places.span(call.node)
        self.judge.call(Site(span, name, receiver, arguments, resolution, scope.trigger), verdict)
        if is_text:
            self.judge.report.add(span, "code.dynamic", None, resolution, scope.trigger)
        if verdict.rules or is_text:
            self._look_inside(name, call, arguments, scope)

    def _is_text(self, name: str, arguments: Arguments) -> bool:
        place = self.judge.tables.texts[name]
        given = arguments.positional[place.position : place.position + 1]
        return any(is_textual(self.resolver, one) for one in given)

    def _reflected(self, name: str, call: Call, arguments: Arguments, scope: Scope, count: int) -> None:
        """Report what reflection reaches: a computed property, or a call of what it is given."""
        if name in _APPLYING:
            given = applied(self.resolver, arguments, _APPLYING[name])
            for value in argument_values(self.resolver, arguments, 0):
                self._called(value, call, given, scope, count)
        elif name in _LISTING:
            self._reflective(argument_values(self.resolver, arguments, 0), call.node, scope)
        elif name in _KEYED and len(arguments.positional) > 1:
            key, where = arguments.positional[1]
            if variables_got(self, arguments, call.node, scope):
                return
            if not any(isinstance(one, Text) for one in self.resolver.bound(key, where)):
                self._reflective(argument_values(self.resolver, arguments, 0), call.node, scope)

    def _look_inside(self, name: str, call: Call, arguments: Arguments, scope: Scope) -> None:
        """Look at what is given to something that runs it."""
        capabilities = {rule.capability for rule in self.judge.verdict(name).rules}
        note_code(self, name, capabilities, call.node, arguments, scope)
        first = arguments.positional[:1]
        node = node_of(first[0][0]) if first else None
        if node is not None and self._hides(node, first[0][1], capabilities):
            self.judge.report.add(self.places.span(call.node), "code.obfuscated", None, "resolved", scope.trigger)

    def _hides(self, node: Node, scope: Scope, capabilities: set[str]) -> bool:
        if capabilities & {"code.dynamic", "code.import"}:
            return is_disguised(self.resolver, node, scope)
        if capabilities & _TALKING and not is_joined(self.resolver, node, scope):
            return is_disguised(self.resolver, node, scope) or is_split(self.resolver, node)
        return is_split(self.resolver, node)

    def is_direct(self, function: Node, name: str) -> bool:
        """Say whether a chain is written as it is named, so that nothing had to be followed."""
        if function.end_byte - function.start_byte > _MAX_DIRECT_BYTES:
            return False
        written = self.resolver.text_at(function).replace("?.", ".")
        bare = name.removeprefix("globals.").removesuffix("()")
        return bare == written or bare.endswith((f".{written}", f"/{written}"))

    # -- reads

    def read(self, node: Node, scope: Scope) -> None:
        """Report a name, a chain or an item that is read and not called."""
        code = self.grammar.codes[node.kind_id]
        if code == g.SUBSCRIPT:
            self._item(node, scope)
        elif code == g.MEMBER:
            base = node.child_by_field_id(self.grammar.object)
            if base is not None:
                self._prefixes(base, scope)
                self._property(node, base, scope)
        if node.id in self.callees or node.id in self.silent:
            return
        self._mention(node, scope)

    def _prefixes(self, node: Node, scope: Scope) -> None:
        """Report what counts by being read alone, within a longer chain."""
        grammar, codes = self.grammar, self.grammar.codes
        inner: Node | None = node
        for _ in range(64):
            if inner is None or codes[inner.kind_id] != g.MEMBER:
                return
            base = inner.child_by_field_id(grammar.object)
            if base is None:
                return
            if not self._property(inner, base, scope):
                for value in self.resolver.value(inner, scope):
                    self._mere_read(value, inner, scope)
            inner = base

    def _mere_read(self, value: AnyValue, node: Node, scope: Scope) -> None:
        name = value.name if isinstance(value, Made) else value
        if not isinstance(name, str) or name in (ENVIRONMENT, GLOBAL_THIS):
            return
        verdict = self.judge.verdict(name)
        if verdict.matters and verdict.is_mere_read:
            site = Site(self.places.span(node), name, None, None, self._read_resolution(node, name), scope.trigger)
            self.judge.read(site, verdict, only_reads=True)

    def _property(self, node: Node, base: Node, scope: Scope) -> bool:
        """Report a variable of the environment that a property names; say whether it was one."""
        if ENVIRONMENT not in self.resolver.value(base, scope):
            return False
        name = node.child_by_field_id(self.grammar.property)
        if name is not None and node.id not in self.callees:
            self.variable(node, self.resolver.text_at(name), scope)
        return True

    def _item(self, node: Node, scope: Scope) -> None:
        """Report an item: a variable of the environment, or a computed name of something that matters."""
        base, index = node.child_by_field_id(self.grammar.object), node.child_by_field_id(self.grammar.index)
        if base is None or index is None:
            return
        self._prefixes(base, scope)
        values = self.resolver.value(base, scope)
        if not any(value.__class__ is str or isinstance(value, Made) for value in values):
            return
        keys = self.resolver.value(index, scope)
        texts = [one.value for one in keys if isinstance(one, Text) and one.whole and isinstance(one.value, str)]
        if ENVIRONMENT in values:
            for text in texts:
                self.variable(node, text, scope)
            if len(texts) < len(keys) or not keys:
                self.variable(node, None, scope)
        elif not texts and not any(map(names_nothing, keys)):
            self._reflective(values, node, scope)
        elif texts and is_disguised(self.resolver, index, scope) and self._leads_on(values, texts):
            self.judge.report.add(self.places.span(node), "code.obfuscated", None, "resolved", scope.trigger)

    def _leads_on(self, values: Values, texts: list[str]) -> bool:
        """Say whether a computed property is one that tables know."""
        from plugseal.lang.ecmascript.resolving.members import member_of

        for value in values:
            for text in texts:
                for one in member_of(self.resolver, value, text):
                    name = one.name if isinstance(one, Made) else one
                    if isinstance(name, str) and (self.judge.verdict(name).matters or name == "globals.require"):
                        return True
        return False

    def _reflective(self, values: Values, node: Node, scope: Scope) -> None:
        """Report a property of a sensitive object under a name that is not known."""
        for value in values:
            if not isinstance(value, str) or "#" in value:
                continue
            tables = self.judge.tables
            is_open = value in _HOSTS or (value in tables.sensitive and bool(tables.members_of(value)))
            if is_open:
                found = value.removeprefix("globals.")
                self.judge.report.add(self.places.span(node), "code.reflective", found, "possible", scope.trigger)

    def _mention(self, node: Node, scope: Scope) -> None:
        """Report names that an expression stands for, without a call."""
        values = self.resolver.value(node, scope)
        is_alias = node.id in self.resolver.collected.aliases
        for value in values:
            name = value.name if isinstance(value, Made) else value
            if not isinstance(name, str):
                continue
            if name == ENVIRONMENT:
                self._environment(node, scope, is_alias=is_alias)
                continue
            verdict = self.judge.verdict(name)
            if not verdict.matters or (is_alias and not verdict.is_mere_read):
                continue
            lots = handed_over(self.resolver, node, scope) if verdict.rules else []
            for arguments in lots:
                self._called(value, Call(node, node, None, b""), arguments, scope, len(values))
            if lots:
                continue
            site = Site(self.places.span(node), name, None, None, self._read_resolution(node, name), scope.trigger)
            self.judge.read(site, verdict)

    def _read_resolution(self, node: Node, name: str) -> str:
        return "direct" if self.is_direct(node, name) else "resolved"

    def _environment(self, node: Node, scope: Scope, *, is_alias: bool) -> None:
        """Report the environment as a whole; where a pattern takes it apart, the variables that it names."""
        pattern = self.resolver.collected.taken_apart.get(node.id)
        if pattern is None:
            is_read = not is_alias and node.id not in self.resolver.collected.passed
            if is_read and not report_assigned(self, node, scope):
                resolution = "direct" if self.resolver.text_at(node) == "process.env" else "resolved"
                self.judge.report.add(self.places.span(node), "env.bulk", None, resolution, scope.trigger)
            return
        for child in pattern.named_children:
            if child.type == "rest_pattern":
                self.judge.report.add(self.places.span(child), "env.bulk", None, "resolved", scope.trigger)
            elif child.type != "comment":
                key = child.child_by_field_id(self.grammar.key) or child.child_by_field_id(self.grammar.left) or child
                self.variable_of(key, scope)

    def variable_of(self, key: Node, scope: Scope) -> None:
        """Report the variable that one part of a pattern names."""
        if key.type == "computed_property_name":
            texts = self.resolver.texts(key.named_children[0], scope) if key.named_children else []
            for text in texts or (None,):
                self.judge.report.add(self.places.span(key), "env.read", text, "resolved", scope.trigger)
            return
        text = self.resolver.text_at(key)
        self.judge.report.add(self.places.span(key), "env.read", text.strip("'\""), "resolved", scope.trigger)
