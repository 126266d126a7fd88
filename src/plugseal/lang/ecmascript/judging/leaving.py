"""Modules that leave as values: into an array, a map, a promise, out of a getter, by `throw`.

What becomes of them there nobody can follow, so it is said that they went. Left out is what is followed: names for a
module, parameters of the file's own functions, what a plain function gives back, what the file exports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.collecting.scope import Imported, Parameter, Scope, node_of
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.resolving.functions import FUNCTIONS
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.judging.subject import Subject
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_MODULES: Final = frozenset(("child_process", "vm", "module", "worker_threads", "repl"))
_NAMED: Final = lazy(rb"""["'`](?:node:)?(?:child_process|vm|module|worker_threads|repl)["'`]""")
_MAX_BINDING: Final = 256
_MAX_CLIMB: Final = 16
_PASSING: Final = g.WRAPPERS | {"ternary_expression", "sequence_expression", "spread_element", "binary_expression"}
"""What stands for what is in it, or gives it on."""
_LOOKING: Final = frozenset(
    """
    promisify promisifyAll promisifyall spyOn spy stub mock mocked doMock unmock restore replace unstub expect keys log
    debug equal strictEqual deepEqual ok assert isMockFunction defineProperty defineProperties
    """.split()
)
"""Functions that look at a module, or change it for a test, and give nothing of it away."""
_INTEROP: Final = ("__toESM", "__importStar", "__importDefault", "__toModule", "_interop", "__toCommonJS", "__reExport")
_EXPORTED: Final = (b"module.exports", b"exports")
_FUNCTIONS: Final = frozenset(("arrow_function", "function_expression", "function_declaration", "method_definition"))
_THROWN: Final = frozenset(("yield_expression", "throw_statement", "template_substitution"))


def report_leaving(subject: Subject) -> None:
    """Report the expressions that give a whole module to somebody nobody can follow."""
    resolver = subject.resolver
    if _NAMED.search(resolver.data) is None:
        return
    names = _names(subject)
    codes = resolver.grammar.codes
    for scope in resolver.collected.scopes:
        given = [node for node, root in scope.loads if root in names and codes[node.kind_id] in _BARE]
        given += [call.node for call in scope.calls if _is_loading(subject, call.node)]
        for node in given:
            if resolver.fuel < 0:
                return
            if not _leaves(subject, node, scope):
                continue
            for value in resolver.value(node, scope):
                if isinstance(value, str) and value in _MODULES:
                    span = subject.places.span(node)
                    subject.judge.report.add(span, "code.reflective", value, "possible", scope.trigger)


_BARE: Final = frozenset((g.IDENTIFIER, g.SHORTHAND))


def _names(subject: Subject) -> set[bytes]:
    """Return the names that are bound to what loads such a module."""
    data = subject.resolver.data
    found: set[bytes] = set()
    for scope in subject.resolver.collected.scopes:
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                if isinstance(binding, Imported):
                    if not binding.member and binding.module.removeprefix("node:") in _MODULES:
                        found.add(name)
                elif (node := node_of(binding)) is not None:
                    end = min(node.end_byte, node.start_byte + _MAX_BINDING)
                    if _NAMED.search(data, node.start_byte, end) is not None:
                        found.add(name)
    return found


def _is_loading(subject: Subject, node: Node) -> bool:
    """Say whether a call loads such a module by its name."""
    given = node.child_by_field_id(subject.grammar.arguments)
    if given is None or given.end_byte - given.start_byte > _MAX_BINDING:
        return False
    return _NAMED.match(subject.resolver.data, given.start_byte + 1, given.end_byte) is not None


def _leaves(subject: Subject, node: Node, scope: Scope) -> bool:
    """Say whether an expression stands where nobody can follow what it is."""
    inner, parent = node, node.parent
    for _ in range(_MAX_CLIMB):
        if parent is None or parent.type not in _PASSING:
            break
        inner, parent = parent, parent.parent
    if parent is None:
        return False
    kind = parent.type
    if kind in _THROWN:
        return True
    if kind == "array":
        return not _is_taken_apart(parent)
    if kind in ("pair", "object"):
        return inner.type != "spread_element" and not _is_exported(subject, parent)
    if kind == "arguments":
        return parent.parent is not None and not _is_followed(subject, parent.parent, scope)
    if kind == "assignment_expression":
        left = parent.child_by_field_id(subject.grammar.left)
        if left is None or left.type == "identifier":
            return False
        return not (_is_ours(subject, left) or _is_own(subject, left))
    if kind == "variable_declarator":
        return _is_of_namespace(parent)
    if kind == "return_statement":
        return _is_handed_on(_function(parent))
    return kind in _FUNCTIONS and _is_handed_on(parent)


def _is_taken_apart(array: Node) -> bool:
    holder = array.parent
    if holder is None or holder.type in ("subscript_expression", "for_in_statement"):
        return holder is not None
    return holder.type == "variable_declarator" and holder.named_children[0].type == "array_pattern"


def _is_exported(subject: Subject, node: Node) -> bool:
    """Say whether an object is what the file exports: who imports it is followed."""
    inner: Node | None = node
    for _ in range(_MAX_CLIMB):
        if inner is None or inner.type not in ("pair", "object", *g.WRAPPERS):
            break
        inner = inner.parent
    if inner is None or inner.type == "export_statement":
        return True
    left = inner.child_by_field_id(subject.grammar.left) if inner.type == "assignment_expression" else None
    return left is not None and _is_ours(subject, left)


def _is_ours(subject: Subject, left: Node) -> bool:
    data = subject.resolver.data
    return data[left.start_byte : left.start_byte + 16].startswith(_EXPORTED)


def _is_own(subject: Subject, left: Node) -> bool:
    """Say whether a method, or a function used as a class, sets a property of its own object."""
    if not subject.resolver.data.startswith(b"this.", left.start_byte):
        return False
    inner = left.parent
    while inner is not None and inner.type != "class_static_block" and inner.type not in _FUNCTIONS:
        inner = inner.parent
    return inner is not None and inner.type != "class_static_block"


def _is_of_namespace(declarator: Node) -> bool:
    """Say whether a variable is what a namespace of TypeScript gives away."""
    inner = declarator.parent.parent if declarator.parent is not None else None
    if inner is None or inner.type != "export_statement" or inner.parent is None or inner.parent.parent is None:
        return False
    return inner.parent.parent.type in ("internal_module", "module")


def _is_followed(subject: Subject, call: Node, scope: Scope) -> bool:
    """Say whether a call only looks at what it is given, or calls a function whose parameters are followed."""
    grammar, resolver = subject.grammar, subject.resolver
    function = call.child_by_field_id(grammar.function) or call.child_by_field_id(grammar.constructor)
    if function is None or function.type == "import":
        return True
    last = function.child_by_field_id(grammar.property) or function
    name = resolver.text_at(last)
    if name in _LOOKING or name.startswith(_INTEROP) or "nterop" in name:
        return True
    given = call.child_by_field_id(grammar.arguments)
    if name == "assign" and given is not None and given.named_children[0].type != "object":
        return False
    if function.type == "identifier" and not _shows_parameters(resolver, resolver.text_at(function), scope):
        return False
    values = resolver.value(function, scope)
    return any(isinstance(one, Scope) or (isinstance(one, str) and one in FUNCTIONS) for one in values)


def _shows_parameters(resolver: Resolver, name: str, scope: Scope) -> bool:
    """Say whether what becomes of a function's arguments stands in the file under the names of its parameters."""
    key = name.encode("utf-8", "replace")
    owner = owner_of(key, scope)
    bindings = owner.bindings[key] if owner is not None else []
    if any(isinstance(one, Parameter) for one in bindings):
        return False
    nodes = [one.node for one in bindings if isinstance(one, Scope)]
    return not any(resolver.data.find(b"arguments", one.start_byte, one.end_byte) >= 0 for one in nodes)


def _function(node: Node) -> Node | None:
    inner: Node | None = node
    while inner is not None and inner.type not in _FUNCTIONS and not inner.type.startswith("generator"):
        inner = inner.parent
    return inner


def _is_handed_on(function: Node | None) -> bool:
    """Say whether somebody else than a call by its name may see what a function gives back."""
    if function is None:
        return False
    holder = function.parent
    if function.type == "function_declaration":
        return holder is not None and holder.type == "export_statement"  # What it gives other files is not followed.
    while holder is not None and holder.type in g.WRAPPERS:
        holder = holder.parent
    if function.type == "method_definition":
        return True
    return holder is not None and holder.type not in ("variable_declarator", "call_expression")
