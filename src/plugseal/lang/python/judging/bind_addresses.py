"""Addresses that mean every interface, given to something that listens: `host="0.0.0.0"`.

Who listens is often unknown here (a framework, a function of another file, a variable read elsewhere), so the literal
itself is the evidence, and only `possible`. Comparisons and operations on text are not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.judging.report import Report
from plugseal.lang.python.collecting.noting import nodes_of
from plugseal.lang.python.judging.places import Places
from plugseal.patterns import lazy

_METHODS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_EVERYWHERE: Final = frozenset(("0.0.0.0", "::", "[::]"))  # noqa: S104  # nosec B104  # looked for, not listened on
_WRITTEN: Final = "0.0.0.0"  # noqa: S104  # nosec B104  # as above
_QUOTED: Final = ('"::"', "'::'", '"[::]"', "'[::]'")
_KINDS: Final = frozenset((ast.Call, ast.Assign, ast.AnnAssign, ast.arguments, ast.Dict, ast.ClassDef))
_NAME: Final = lazy(
    r"(?:.*_)?(?:host|bind|address|addr|listen|interface|ip|hostname)(?:_(?:host|addr|address|ip))?", re.I
)
_ELSEWHERE: Final = frozenset(
    "replace startswith endswith split rsplit join format append add extend insert remove count index find print "
    "ip_address ip_network ip_interface IPv4Address IPv6Address inet_aton inet_pton isinstance set frozenset list "
    "tuple len str debug info warning error exception assertEqual assertIn assertNotIn skip match search sub compile "
    "fullmatch add_argument getenv get".split()
)
"""Functions that are given an address as text, or under another name."""


def add_bind_addresses(text: str, tree: ast.AST, places: Places, report: Report) -> None:
    """Add `net.listen` for each such address; nothing where the text holds none."""
    if _WRITTEN not in text and not ("::" in text and any(quoted in text for quoted in _QUOTED)):
        return
    listening = {fact.span.line for fact in report.facts if fact.capability == "net.listen"}
    nodes: list[ast.AST] = nodes_of(tree, _KINDS)
    own = {
        one.name for node in nodes if isinstance(node, ast.ClassDef) for one in node.body if isinstance(one, _METHODS)
    }
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in own:
            continue  # A method of this file: what it does with the address shows there.
        for given in _given(node):
            if _is_everywhere(given) and given.lineno not in listening:
                report.add(places.span(given), "net.listen", str(_value(given)), "possible", "unknown")


def _given(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a node gives to a name or a parameter that may be an address to listen on."""
    if isinstance(node, ast.Call):
        yield from _arguments(node)
    elif isinstance(node, ast.Assign):
        if any(_NAME.fullmatch(_last(target)) for target in node.targets):
            yield node.value
    elif isinstance(node, ast.AnnAssign):
        if node.value is not None and _NAME.fullmatch(_last(node.target)):
            yield node.value
    elif isinstance(node, ast.arguments):
        positional = (*node.posonlyargs, *node.args)
        pairs = [*zip(positional[len(positional) - len(node.defaults) :], node.defaults, strict=True)]
        pairs.extend((one, default) for one, default in zip(node.kwonlyargs, node.kw_defaults, strict=True) if default)
        yield from (default for one, default in pairs if _NAME.fullmatch(one.arg))
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and _NAME.fullmatch(key.value):
                yield value


def _arguments(call: ast.Call) -> Iterator[ast.expr]:
    name = _last(call.func)
    told = any(isinstance(one, ast.Constant) and _names(one.value) for one in call.args)
    for keyword in call.keywords:
        if keyword.arg is not None and (_NAME.fullmatch(keyword.arg) or (told and keyword.arg == "default")):
            yield keyword.value
    if told:
        yield from call.args[1:]
    elif name not in _ELSEWHERE:
        for given in call.args:
            yield given
            if isinstance(given, ast.Tuple) and len(given.elts) == 2:
                yield given.elts[0]


def _names(value: object) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value.strip("-").replace("-", "_")) is not None


def _is_everywhere(node: ast.expr) -> bool:
    return _value(node) in _EVERYWHERE


def _value(node: ast.expr) -> object:
    if isinstance(node, ast.JoinedStr) and len(node.values) == 1:
        node = node.values[0]
    return node.value if isinstance(node, ast.Constant) else None


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
