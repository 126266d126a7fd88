"""What is written so that a reader does not see what it says: names put together, text unpacked and run.

Only where it serves to reach something: pieces of a path or of a sentence hide nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import Text
from plugseal.lang.python.resolving.texts import DECODERS
from plugseal.lang.python.resolving.values import Made
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.python.collecting.scope import Scope
    from plugseal.lang.python.judging.places import Places
    from plugseal.lang.python.resolving.resolver import Resolver

_ESCAPED_LETTER: Final = lazy(
    r"\\(?:x[2-7][0-9A-Fa-f]|u00[2-7][0-9A-Fa-f]|U000000[2-7][0-9A-Fa-f]|1[0-7]{2}|[4-7][0-7]|N\{)"
)
_ADJACENT: Final = lazy(r"""['"]\s*[A-Za-z]?['"]""")
_LATIN: Final = lazy("[A-Za-z]")
_ALIKE: Final = lazy("[\u0370-\u03ff\u0400-\u052f\u0530-\u058f]")
_UNPACKING: Final = frozenset(
    "b64decode b32decode b16decode b85decode a85decode urlsafe_b64decode standard_b64decode decodebytes decompress "
    "unhexlify a2b_hex a2b_base64 fromhex translate getencoder getdecoder".split()
)
_ORIGINS: Final = (
    *(f"{name}()" for name in DECODERS),
    "codecs.decode()",
    "marshal.loads()",
    "builtins.bytes.fromhex()",
)
_PLAIN_CODECS: Final = frozenset(("utf-8", "utf8", "ascii", "latin-1", "latin1", "utf_8"))
_SIMPLE: Final = (ast.Name, ast.Constant, ast.Attribute)
_MAX_NODES: Final = 200
_MIN_ESCAPES: Final = 3


def is_disguised_name(resolver: Resolver, places: Places, node: ast.expr, scope: Scope) -> bool:
    """Say whether an expression that folds to one name was written so as not to show it."""
    texts = [v for v in resolver.value(node, scope) if isinstance(v, Text) and isinstance(v.value, str) and v.whole]
    if len(texts) != 1:
        return False
    if isinstance(node, ast.Name):
        bound = scope.bindings.get(node.id, ())
        if len(bound) != 1 or not isinstance(bound[0], ast.expr):
            return False
        node = bound[0]
    if isinstance(node, ast.Constant):
        written = places.source(node)
        return _ESCAPED_LETTER.search(written) is not None or _ADJACENT.search(written[1:-1]) is not None
    return isinstance(node, (ast.BinOp, ast.Call, ast.Subscript, ast.JoinedStr))


def is_unpacked_code(resolver: Resolver, places: Places, node: ast.expr, scope: Scope) -> bool:
    """Say whether what is run comes out of a decoder, or is put together from numbers."""
    for value in resolver.value(node, scope):
        if isinstance(value, Made) and value.name.startswith(_ORIGINS):
            return True
    if isinstance(node, ast.Name):
        bound = scope.bindings.get(node.id, ())
        if len(bound) == 1 and isinstance(bound[0], ast.expr):
            node = bound[0]
    if node.__class__ in (ast.Name, ast.Attribute):
        return False
    if isinstance(node, ast.Constant):
        return "\\" in places.text and len(_ESCAPED_LETTER.findall(places.source(node))) >= _MIN_ESCAPES
    return any(_unpacks(inner) for inner in _below(node))


def is_split_literal(node: ast.expr) -> bool:
    """Say whether literals are added up on one line, where one literal would do."""
    if node.__class__ in _SIMPLE:
        return False
    return any(
        isinstance(inner, ast.BinOp)
        and isinstance(inner.op, ast.Add)
        and inner.lineno == inner.end_lineno
        and isinstance(inner.left, ast.Constant)
        and isinstance(inner.right, ast.Constant)
        and isinstance(inner.left.value, str)
        and isinstance(inner.right.value, str)
        for inner in _below(node)
    )


def _unpacks(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    if isinstance(function, ast.Name):
        return function.id in _UNPACKING
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr == "join":
        return (
            isinstance(function.value, ast.Constant)
            and not function.value.value
            and bool(node.args)
            and _is_spelled(node.args[0])
        )
    if function.attr in ("decode", "encode"):
        codec = node.args[-1] if node.args else None
        return isinstance(codec, ast.Constant) and isinstance(codec.value, str) and codec.value not in _PLAIN_CODECS
    return function.attr in _UNPACKING


def _is_spelled(node: ast.expr) -> bool:
    """Say whether characters are made one by one: `chr(c) for c in …`, `map(chr, …)`, `reversed(…)`."""
    names = {inner.id for inner in _below(node) if isinstance(inner, ast.Name)}
    return bool(names & {"chr", "unichr", "reversed"})


def _below(node: ast.expr) -> list[ast.AST]:
    found: list[ast.AST] = [node]
    for inner in found:
        if len(found) > _MAX_NODES:
            break
        found.extend(ast.iter_child_nodes(inner))
    return found


def is_disguised_identifier(places: Places, node: ast.expr, name: str) -> bool:
    """Say whether an identifier is written in other letters than Python reads (PEP 3131 folds by NFKC)."""
    if places.is_ascii:
        return False
    written = places.source(node)
    # Inside an f-string a node has the place of the whole string, which ends in a quote.
    return written[-1:].isidentifier() and not written.endswith(name)


def mixed_identifiers(names: set[str]) -> list[str]:
    """Return the identifiers that mix Latin letters with letters of another alphabet that look alike."""
    return sorted(name for name in names if not name.isascii() and _LATIN.search(name) and _ALIKE.search(name))
