"""What is written so that a reader does not see what it says: names in pieces, escapes, machine-made names.

Only where it serves to reach something: pieces of a sentence hide nothing, and minified code hides nothing by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.scope import node_of
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.parsing.conditional import MARK, covered_places
from plugseal.lang.folded import Text
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Scope
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_ESCAPED_LETTER: Final = lazy(rb"\\(?:x[2-7][0-9A-Fa-f]|u00[2-7][0-9A-Fa-f]|u\{0*[2-7][0-9A-Fa-f]\}|1[0-7]{2})")
_SPELT: Final = lazy(rb"(?:\\(?:x|u00)(?:[46][1-9a-fA-F]|[57][0-9aA]|5[fF]|2[eEfF])){6,}")
"""A word of which each letter is escaped."""
_MACHINE_NAME: Final = lazy(rb"\b_0x[0-9a-fA-F]{2,6}\b")
_MIN_MACHINE_NAMES: Final = 4
_SQUARE: Final = lazy(rb"[\[\]()!+]{40,}")
"""Code of six characters: brackets, parentheses, `!` and `+`."""
_UNPACKING: Final = frozenset(
    "atob unescape fromCharCode fromCodePoint toString reverse join replace map concat from decode slice substr"
    " substring split decodeURIComponent".split()
)
_CUTS: Final = frozenset(("replace", "slice", "substr", "substring"))
_JOIN_PATHS: Final = "path.join"
_HIDDEN_TEXT: Final = lazy(r"[\U000e0100-\U000e01ef\ufe00-\ufe0f]{3,}")
_PACKER: Final = lazy(rb"eval\(function\(p,a,c,k,e,[rd]\)")
_SHUFFLE: Final = lazy(rb"parseInt\([\w$.]+\((?:0x[0-9a-f]+|\d+)\)\)\s*/\s*(?:0x[0-9a-f]+|\d+)")
"""How a table of texts is turned until its sum is right."""
_BLANKS: Final = b" " * 160
_MIN_REPEATED: Final = 1_600
_HIDING: Final = (
    b"\xe2\x80\x8b",
    b"\xe2\x80\xaa",
    b"\xe2\x80\xab",
    b"\xe2\x80\xac",
    b"\xe2\x80\xad",
    b"\xe2\x80\xae",
    b"\xe2\x81",
    b"\xf3\xa0",
    b"\xef\xb8",
)
_SCHEMES: Final = frozenset(("http:", "https:", "http", "https", "http:/"))
_MAX_NODES: Final = 200


def is_disguised(resolver: Resolver, node: Node, scope: Scope) -> bool:
    """Say whether an expression that folds to one text was written so as not to show it."""
    texts = [v for v in resolver.value(node, scope) if isinstance(v, Text) and isinstance(v.value, (str, bytes))]
    if len(texts) != 1 or not texts[0].whole:
        return False
    node = meant(resolver, node, scope)
    kind = node.type
    if kind == "string":
        return _ESCAPED_LETTER.search(resolver.data, node.start_byte, node.end_byte) is not None
    if kind == "call_expression":
        function = node.child_by_field_id(resolver.grammar.function)
        name = function.child_by_field_id(resolver.grammar.property) if function is not None else None
        last = resolver.text_at(name or function) if function is not None else ""
        if last in _UNPACKING:
            is_path = last == "join" and _is_path(resolver, function, scope)
            return not is_path and not (last in _CUTS and _is_readable(resolver, texts[0]))
    if kind == "call_expression" and function is not None and function.type == "identifier":
        return not _shows(resolver, node, texts[0])
    return kind == "binary_expression" and is_split(resolver, node)


def is_nowhere(resolver: Resolver, path: str) -> bool:
    """Say whether none of a path's words stands in the file that names it: it was decoded, not put together."""
    return not any(word.encode("utf-8") in resolver.data for word in path.replace(".", "/").split("/") if word)


def is_joined(resolver: Resolver, node: Node, scope: Scope) -> bool:
    """Say whether an expression is an array of words that are joined with something between: a line as words."""
    node = meant(resolver, node, scope)
    function = node.child_by_field_id(resolver.grammar.function) if node.type == "call_expression" else None
    given = node.child_by_field_id(resolver.grammar.arguments) if function is not None else None
    if function is None or given is None or not resolver.text_at(function).endswith("join"):
        return node.type == "template_string"
    base = _mapped(resolver, function.child_by_field_id(resolver.grammar.object))
    if base is None or base.type != "array" or resolver.text_at(given).strip("()'\"`") == "":
        return False
    return not any(is_disguised(resolver, word, scope) for word in base.named_children[:_MAX_NODES])


def _mapped(resolver: Resolver, node: Node | None) -> Node | None:
    """Return the array of which each word is changed before they are joined: `words` of `words.map(quoted)`."""
    for _ in range(4):
        function = node.child_by_field_id(resolver.grammar.function) if node is not None else None
        if function is None or not resolver.text_at(function).endswith((".map", ".filter")):
            return node
        node = function.child_by_field_id(resolver.grammar.object)
    return node


def _shows(resolver: Resolver, call: Node, text: Text) -> bool:
    """Say whether the text that a function gives can be read among its arguments."""
    given = call.child_by_field_id(resolver.grammar.arguments)
    written = resolver.text_at(given) if given is not None else ""
    return not written.strip("()") or str(text.value) in written


def _is_readable(resolver: Resolver, text: Text) -> bool:
    """Say whether an address that was cut out of another text stands in the file as it is."""
    value = str(text.value)
    return "://" in value and value.encode("utf-8", "surrogatepass") in resolver.data


def _is_path(resolver: Resolver, function: Node | None, scope: Scope) -> bool:
    if function is not None and function.type == "identifier":
        return _JOIN_PATHS in resolver.value(function, scope)
    base = function.child_by_field_id(resolver.grammar.object) if function is not None else None
    return base is not None and base.type not in ("array", "call_expression", "string")


def meant(resolver: Resolver, node: Node, scope: Scope) -> Node:
    """Return the one expression that a name is bound to, else the expression itself."""
    for _ in range(4):
        if node.type in g.WRAPPERS and node.named_children:
            node = node.named_children[0]
        elif node.type == "identifier":
            name = resolver.data[node.start_byte : node.end_byte]
            owner: Scope | None = scope
            while owner is not None and name not in owner.bindings:
                owner = owner.parent
            bound = owner.bindings[name] if owner is not None else []
            inner = node_of(bound[0]) if len(bound) == 1 else None
            if inner is None:
                return node
            node = inner
        else:
            return node
    return node


def is_split(resolver: Resolver, node: Node) -> bool:
    """Say whether literals are added up on one line, where one literal would do."""
    waiting, count = [node], 0
    while waiting and count < _MAX_NODES:
        inner = waiting.pop()
        count += 1
        if inner.type == "array" and _is_joined_address(resolver, inner):
            return True
        if resolver.grammar.codes[inner.kind_id] == g.BINARY and inner.start_point[0] == inner.end_point[0]:
            left = inner.child_by_field_id(resolver.grammar.left)
            right = inner.child_by_field_id(resolver.grammar.right)
            if left is not None and right is not None and right.type == "string" and _ends_in_text(resolver, left):
                between = resolver.data[left.end_byte - 2 : right.start_byte + 2]
                return b"+" in between and not _is_between_words(between)
        waiting.extend(inner.named_children)
    return False


def _is_between_words(meeting: bytes) -> bool:
    """Say whether a blank stands where two literals meet: then no word is in pieces, and a reader sees them all.

    Args:
        meeting: the last character of the first, its quote, what is between, the other's quote and first character.
    """
    return meeting[:1].isspace() or meeting[-1:].isspace()


def _is_joined_address(resolver: Resolver, array: Node) -> bool:
    """Say whether an array holds the pieces of an address: `["https:", "", "host"]`."""
    first = array.named_children[0] if array.named_children else None
    return first is not None and resolver.text_at(first).strip("'\"`").lower() in _SCHEMES


def _ends_in_text(resolver: Resolver, node: Node) -> bool:
    if resolver.grammar.codes[node.kind_id] == g.BINARY:
        right = node.child_by_field_id(resolver.grammar.right)
        return right is not None and right.type == "string"
    return node.type == "string"


def packed_places(data: bytes) -> list[tuple[int, int]]:
    """Return the (start, end) offsets of what shows that a program made the file unreadable."""
    found = _padded_places(data)
    found += covered_places(data) if MARK in data else []
    found += [match.span() for match in _SPELT.finditer(data)][:8] if b"\\x6" in data or b"\\u006" in data else []
    found += [match.span() for match in _SQUARE.finditer(data)][:16] if b"![]" in data or b"+[]" in data else []
    found += [match.span() for match in _PACKER.finditer(data)] if b"p,a,c,k,e" in data else []
    if b"parseInt(" in data and b"/0x" in data:
        found += [match.span() for match in _SHUFFLE.finditer(data)][:4]
    if b"_0x" in data:
        names = {match[0] for match in _MACHINE_NAME.finditer(data)}
        first = _MACHINE_NAME.search(data)
        if first is not None and len(names) >= min(_MIN_MACHINE_NAMES, 3):
            found.append(first.span())
    return found


def _padded_places(data: bytes) -> list[tuple[int, int]]:
    """Return where code stands that a window does not show: behind many blanks, or many times the same thing."""
    found: list[tuple[int, int]] = []
    at = data.find(_BLANKS)
    while at >= 0 and len(found) < 8:
        end = at
        while end < len(data) and data[end] in b" \t":
            end += 1
        if end < len(data) and data[end] not in b"\r\n" and data[max(at - 1, 0)] not in b"\r\n":
            found.append((end, min(end + 1, len(data))))
        at = data.find(_BLANKS, end)
    start = 0
    while len(found) < 8 and len(data) - start > _MIN_REPEATED:
        last = data.rfind(b"\n", start, start + _MIN_REPEATED + 1)
        if last >= 0:  # All lines up to there are short.
            start = last + 1
            continue
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        if _is_repeated(data[start + 64 : start + _MIN_REPEATED]):
            found.append((start, start + 1))
        start = end + 1
    return found


def _is_repeated(text: bytes) -> bool:
    """Say whether a text is one short thing over and over: of blanks and of one character's rows nothing is hidden."""
    if len(set(text)) < 4 or b"=" not in text:
        return False
    return any(text[period:] == text[:-period] for period in range(4, 41))


def may_hide(data: bytes) -> bool:
    """Say whether a source may hold characters that show nothing, by the bytes that these begin with."""
    return any(mark in data for mark in _HIDING)


def invisible_places(text: str) -> list[tuple[int, int]]:
    """Return runs of characters that carry data and show nothing."""
    return [match.span() for match in _HIDDEN_TEXT.finditer(text)]
