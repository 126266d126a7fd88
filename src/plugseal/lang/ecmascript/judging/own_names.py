"""Names that nobody but the program chooses: of its own file and folder, of a folder that it makes for the while."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.owners import owner_of

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Scope
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_NAMES: Final = {b"__dirname": ".", b"__filename": "./own.js"}
_CHAINS: Final = {
    b"import.meta.dirname": ".",
    b"import.meta.filename": "./own.js",
    b"import.meta.url": "./own.js",
    b"process.execPath": "node",
}
_FOLDER: Final = frozenset(("os.tmpdir",))
_PATHS: Final = frozenset(
    "path.join path.resolve path.dirname path.normalize path.basename url.fileURLToPath fs.mkdtempSync "
    "fs.realpathSync fs.promises.mkdtemp fs.mkdtemp".split()
)
"""What makes one path of others."""


def own_name(resolver: Resolver, node: Node, scope: Scope) -> str:
    """Return what stands for a name that the program itself makes, empty for any other expression."""
    text = resolver.data[node.start_byte : min(node.end_byte, node.start_byte + 32)]
    known = _NAMES.get(text)
    if known is not None:
        return known if owner_of(text, scope) is None else ""
    known = _CHAINS.get(text)
    if known is not None:
        return known if owner_of(text.partition(b".")[0], scope) is None else ""
    return "/tmp" if _called(resolver, node, scope) in _FOLDER else ""  # noqa: S108  # nosec B108  # a word of its own


def parts_of_own(resolver: Resolver, node: Node, scope: Scope) -> list[Node]:
    """Return the arguments of a call that makes a path of them, nothing for any other call."""
    if _called(resolver, node, scope) not in _PATHS:
        return []
    given = node.child_by_field_id(resolver.grammar.arguments)
    return [] if given is None else [one for one in given.named_children if one.type != "comment"]


def _called(resolver: Resolver, node: Node, scope: Scope) -> str:
    """Return the one function that a call calls, empty where that is not known."""
    function = node.child_by_field_id(resolver.grammar.function)
    values = resolver.value(function, scope) if function is not None else ()
    return values[0] if len(values) == 1 and isinstance(values[0], str) else ""
