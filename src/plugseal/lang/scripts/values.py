"""What the expressions of a script may be: a text with holes, or a name; followed through one assignment each."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.scripts.here import ANNOUNCING, HereDocuments, end_of_body
from plugseal.lang.scripts.lists import words_of
from plugseal.lang.scripts.perl import called_by_text
from plugseal.lang.scripts.text_functions import DECODING, FORMS, folded, joined, unescaped
from plugseal.lang.scripts.value import NOTHING, Value
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.scripts.parse import Node
    from plugseal.lang.shell.parsing.source import Source

MAX_TEXT: Final = 65_536
_MAX_DEPTH: Final = 30
_FUEL: Final = 200_000
_MAX_FOLLOWED: Final = 4
STRINGS: Final = frozenset(
    "string string_literal interpolated_string_literal encapsed_string subshell command_string bare_string "
    "shell_command_expression fileglob_expression".split()
)
_NUMBERS: Final = frozenset(("integer", "number"))
NAMES: Final = frozenset("identifier constant name varname bareword simple_symbol function method".split())
MEMBERS: Final = {
    "scope_resolution": ("scope", "name"),
    "dot_index_expression": ("table", "field"),
    "bracket_index_expression": ("table", "field"),
    "method_index_expression": ("table", "method"),
}
_VARIABLES: Final = frozenset(
    (
        "variable_name",
        "scalar",
        "variable_declaration",
        "container_variable",
        "array",
        "global_variable",
        "instance_variable",
        "class_variable",
    )
)
_HOLES: Final = frozenset(
    "interpolation scalar array variable_name member_access_expression subscript_expression hash_element_expression "
    "array_element_expression dynamic_variable_name method_call_expression".split()
)
_ESCAPED: Final = lazy(r"\\(x[0-9A-Fa-f]{1,2}|u\{[0-9A-Fa-f]{1,6}\}|\d{1,3}|[\s\S])")
_FORM: Final = lazy(r"%[-+0# ]{0,5}\d{0,4}[a-zA-Z]")
_ITS_WORD: Final = frozenset("require URI URI.parse Addressable.URI.parse method instance_method String strval".split())
"""Functions whose value is what their first word says."""
_ADDRESSES: Final = frozenset(
    "url uri base_uri base_url site host hostname server endpoint address curlopt_url".split()
)
"""How an option is called that says where to connect to."""
_JOINING: Final = frozenset(("join", "child"))
_MAKING: Final = _JOINING | {"new", "Pathname", "path"}
"""How functions are called whose first word says which file an object stands for."""
_GLOBAL: Final = frozenset(("_G", "_ENV", "getfenv()", "package.loaded", "Kernel", "Object", "main"))
"""Objects whose members are called as functions of no object are."""


class Values:
    """The values of one script."""

    def __init__(self, language: str, source: Source) -> None:
        self._language = language
        self._source = source
        self.assigned: dict[str, list[tuple[int, Node]]] = {}
        self.here = HereDocuments()
        self._imported: dict[str, str] = {}
        self._busy: set[int] = set()
        self._fuel = _FUEL

    def value(self, node: Node, depth: int = 0) -> Value:
        """Return what an expression may be."""
        self._fuel -= 1
        if depth > _MAX_DEPTH or self._fuel < 0:
            return NOTHING
        kind = node.type
        if kind in STRINGS:
            return Value(self._string(node, depth))
        if kind in ANNOUNCING:
            return Value(self._here_document(node, depth))
        if kind in _NUMBERS:
            return Value(self._source.of(node))
        if kind == "refgen_expression" and node.named_child_count and node.named_children[0].type == "function":
            return self._named(node.named_children[0], depth)
        if kind in ("argument", "parenthesized_expression", "expression_list", "parenthesized_statements"):
            return self.value(node.named_children[0], depth + 1) if node.named_child_count else NOTHING
        if kind in ("binary", "binary_expression"):
            return self._joined(node, depth)
        if kind in _VARIABLES or kind in NAMES:
            return self._named(node, depth)
        if kind == "subscript_expression":
            return self._picked(node, depth)
        if kind in MEMBERS:
            owner, field = (node.child_by_field_name(name) for name in MEMBERS[kind])
            return self._member(owner, field, depth, is_computed=kind == "bracket_index_expression")
        callee = self.callee(node, depth + 1)
        if callee:
            return self._called(callee, node, depth)
        return NOTHING

    def callee(self, node: Node, depth: int = 0) -> str:
        """Return the name of what a call calls, empty where it is no call or none is known."""
        kind = node.type
        if kind in ("call", "method_call_expression", "member_call_expression", "scoped_call_expression"):
            owner = self._owner(node)
            name = node.child_by_field_name("method") or node.child_by_field_name("name")
            if owner is None:
                return self._plain(name)
            return self._member(owner, name, depth).name
        if kind in (
            "function_call_expression",
            "ambiguous_function_call_expression",
            "function_call",
            "func1op_call_expression",
        ):
            function = node.child_by_field_name("function") or node.child_by_field_name("name")
            if function is None and node.child_count:
                function = node.children[0]
            if function is not None and function.type == "qualified_name":
                return self._plain(function).replace("\\", ".")
            made = self._made(node)
            if made is not None:
                return f"{self._plain(made.child_by_field_name('function') or made).replace('::', '.')}.new"
            by_text = called_by_text(function) if function is not None and function.type == "function" else None
            if kind == "func1op_call_expression" and function is not None:
                return self._plain(function)
            named = self.value(by_text or function, depth + 1) if function is not None else NOTHING
            if function is not None and function.type == "variable_name" and not named.is_followed:
                return ""  # PHP's `$f(1)`, of which nothing is known: its own name is no function's
            return named.text if named.text and (by_text or not named.name or named.is_followed) else named.name
        if kind == "coderef_call_expression" and node.named_child_count:
            named = self.value(node.named_children[0], depth + 1)
            return named.name if named.is_followed else ""
        if kind == "object_creation_expression" and node.named_child_count:
            return f"{self._class(node.named_children[0])}.new"
        return ""

    @staticmethod
    def _owner(node: Node) -> Node | None:
        """Return the object or class whose method is called."""
        fields = ("receiver", "invocant", "object", "scope")
        return next((found for field in fields if (found := node.child_by_field_name(field))), None)

    def note_imports(self, node: Node) -> None:
        """Note the classes that PHP's `use` brings in under short names."""
        prefix = next((child for child in node.children if child.type == "namespace_name"), None)
        group = node.child_by_field_name("body")
        for clause in (group or node).named_children[:64]:
            if clause.type == "namespace_use_clause" and clause.named_child_count:
                whole = self._plain(clause.named_children[0]).replace("\\", ".")
                alias = self._plain(clause.child_by_field_name("alias"))
                before = f"{self._plain(prefix)}.".replace("\\", ".") if prefix is not None and group else ""
                self._imported[alias or whole.rpartition(".")[2]] = before + whole

    def _class(self, node: Node) -> str:
        """Return the whole name of PHP's class."""
        first, dot, rest = self._plain(node).replace("\\", ".").partition(".")
        return f"{self._imported.get(first, first)}{dot}{rest}"

    def arguments(self, node: Node) -> list[Node]:
        """Return the arguments of a call."""
        node = self._made(node) or node
        if node.type == "func1op_call_expression":
            inner = [child for child in node.named_children if child.type != "function"]
            return inner[0].named_children[:64] if inner and inner[0].type == "list_expression" else inner[:64]
        given = node.child_by_field_name("arguments")
        if given is None:
            given = next((child for child in node.named_children if child.type in ("arguments", "argument_list")), None)
        if given is None:
            return []
        if given.type in ("arguments", "argument_list", "list_expression", "parenthesized_expression"):
            return [_unwrapped(child) for child in given.named_children[:64]]
        return [given]

    def _made(self, node: Node) -> Node | None:
        """Return the class, with what it is given, in Perl's `new Class(…)`; None for every other call."""
        if self._language != "Perl" or node.type != "ambiguous_function_call_expression":
            return None
        function, made = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or made is None or self._plain(function) != "new":
            return None
        return made if made.type in ("function_call_expression", "bareword") else None

    def value_of_owner(self, node: Node, depth: int = 0) -> Value:
        """Return what the object was made of whose method is called: `Pathname.new("x").join("y").read`."""
        owner = self._owner(node)
        for _ in range(_MAX_FOLLOWED):
            given = self.last_given(owner) if owner is not None and owner.type in NAMES else None
            if given is None:
                break
            owner = given
        method = self.callee(owner).rpartition(".")[2] if owner is not None else ""
        made = self.arguments(owner)[:1] if owner is not None and method in _MAKING else []
        found = self.value(made[0]) if made else NOTHING
        if owner is None or method not in _JOINING or found.text is None or depth > _MAX_FOLLOWED:
            return found
        return Value(f"{self.value_of_owner(owner, depth + 1).text or HOLE}/{found.text}", is_followed=True)

    def named_address(self, given: list[Node]) -> str | None:
        """Return the address among options by name, in a call's own words or in a list of them."""
        for one in given[:8]:
            for pair in (one, *one.named_children[:32]):
                if pair.type not in ("pair", "array_element_initializer", "field") or pair.named_child_count < 2:
                    continue
                key = self._source.of(pair.named_children[0]).strip("'\":,> ").lower()
                if key in _ADDRESSES:
                    return self.value(pair.named_children[-1]).text
        return None

    def assign(self, target: Node, value: Node) -> None:
        """Note what a variable is given."""
        self.assigned.setdefault(self._plain(target), []).append((target.start_byte, value))

    def _plain(self, node: Node | None) -> str:
        if node is None:
            return ""
        return re.sub(r"^(?:my|local|our)\s+", "", self._source.of(node)).lstrip("$@%&\\:").strip()

    def _string(self, node: Node, depth: int) -> str:
        """Return the text of a literal, with holes for what is put into it."""
        content = node.child_by_field_name("content") or node
        parts: list[str] = []
        at = content.start_byte if content is not node else -1
        if self._language == "Perl" and node.child_count > 1:
            # Blanks at the beginning are none of the content's in the tree, though they are in the text.
            last = node.children[-1].start_byte
            opening = [
                child.end_byte for child in node.children[:-1] if child.id != content.id and child.end_byte <= last
            ]
            if content is node and not node.named_child_count:
                return self._source.text(max(opening, default=last), last)
            at = max((end for end in opening if end <= at), default=at)
        for child in content.children:
            if child.type in _HOLES:
                if at >= 0:
                    parts.append(self._source.text(at, child.start_byte))
                parts.append(self._inside(child, depth))
                at = child.end_byte if at >= 0 else -1
            elif at < 0 and child.type in ("string_content", "escape_sequence", "string_value", "nowdoc_string"):
                parts.append(self._source.of(child))
        if at >= 0:
            parts.append(self._source.text(at, content.end_byte))
        return _ESCAPED.sub(unescaped, "".join(parts))[:MAX_TEXT]

    def _here_document(self, node: Node, depth: int) -> str | None:
        """Return the text of the lines that a word announces."""
        body = self.here.body_of(node)
        if body is None:
            return None
        parts: list[str] = []
        at = body.start_byte
        for child in body.children:
            if child.type in _HOLES:
                parts += (self._source.text(at, child.start_byte), self._inside(child, depth))
                at = child.end_byte
        parts.append(self._source.text(at, max(at, end_of_body(body))))
        text = dedent("".join(parts)) if "~" in self._source.of(node)[:3] else "".join(parts)
        return (text if node.type == "nowdoc" else _ESCAPED.sub(unescaped, text)).removeprefix("\n")[:MAX_TEXT]

    def _picked(self, node: Node, depth: int) -> Value:
        """Return an item of a list by its number."""
        if node.named_child_count != 2 or node.named_children[1].type not in _NUMBERS:
            return NOTHING
        words, place = words_of(node.named_children[0], self, depth + 1), self._source.of(node.named_children[1])
        if words is None or not place.isdecimal() or len(place) > 4 or int(place) >= len(words):
            return NOTHING
        text = words[int(place)]
        return Value(text, is_followed=True) if HOLE not in text else NOTHING

    def last_given(self, node: Node) -> Node | None:
        """Return what a variable was given last before a place, None for none or where that leads in a circle."""
        places = [place for place in self.assigned.get(self._plain(node), ()) if place[0] < node.start_byte]
        return places[-1][1] if places else None

    def _inside(self, node: Node, depth: int) -> str:
        inner = node.named_children[0] if node.type == "interpolation" and node.named_child_count else node
        found = self.value(inner, depth + 1).text if inner.type != "interpolation" else None
        return HOLE if found is None else found.replace("\\", "\\\\")

    def _joined(self, node: Node, depth: int) -> Value:
        """Follow a chain of joins to the left without going deeper for each."""
        parts: list[Node] = []
        while node.type in ("binary", "binary_expression"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            sign = node.child_by_field_name("operator")
            if left is None or right is None or sign is None:
                return NOTHING
            if sign.type == "%" and self._language == "Ruby" and not parts:
                form = self.value(left, depth + 1).text
                return Value(_FORM.sub(HOLE, form), is_followed=True) if form is not None else NOTHING
            if self._language == "Ruby" and sign.type in ("+", "/") and not parts:
                name = self.value(left, depth + 1).name
                if name.startswith("Pathname"):
                    return Value(name="Pathname.new()")
            if sign.type not in ("+", ".", ".."):
                return NOTHING
            parts.append(right)
            node = left
            if len(parts) > 2_000:
                return NOTHING
        texts = [self.value(part, depth + 1).text for part in (node, *reversed(parts))]
        if all(text is None for text in texts):
            return NOTHING
        joined = "".join(HOLE if text is None else text for text in texts)
        return Value(joined if len(joined) <= MAX_TEXT else HOLE, is_followed=True)

    def _named(self, node: Node, depth: int) -> Value:
        name = self._plain(node)
        if node.type == "simple_symbol":
            return Value(name, name)
        places = [place for place in self.assigned.get(name, ()) if place[0] < node.start_byte]
        if node.type == "bareword":
            return Value(name=name.replace("::", "."))
        if not places or places[-1][0] in self._busy:
            return Value(name=name.replace("::", "."))
        self._busy.add(places[-1][0])
        found = self.value(places[-1][1], depth + 1)
        self._busy.discard(places[-1][0])
        return found._replace(is_followed=True) if found != NOTHING else Value(name=name)

    def _member(self, owner: Node | None, field: Node | None, depth: int, *, is_computed: bool = False) -> Value:
        if owner is None or field is None:
            return NOTHING
        is_class = self._language.startswith("PHP") and owner.type in ("name", "qualified_name")
        base = Value(name=self._class(owner)) if is_class else self.value(owner, depth + 1)
        is_value = is_computed or field.type in STRINGS or field.type in _VARIABLES
        inside = self.value(field, depth + 1) if is_value else NOTHING
        name = inside.text if inside.text is not None else HOLE if is_computed else self._plain(field)
        if HOLE in name:
            return Value(name=f"{base.name}.?") if base.name else NOTHING
        head = base.name if base.name else "?"
        return Value(name=name if head in _GLOBAL else f"{head}.{name}")

    def _called(self, callee: str, node: Node, depth: int) -> Value:
        given = self.arguments(node)
        if given and (callee in _ITS_WORD or (callee == "assert" and self._language == "Lua")):
            found = self.value(given[0], depth + 1)
            if callee == "require" and found.text:
                return Value(name=found.text)
            return found
        if callee in ("ReflectionFunction.new", "Closure.fromCallable") and given:
            found = self.value(given[0], depth + 1)
            return Value(name=found.text) if found.text else NOTHING
        text = self._made_of_texts(callee, given, node, depth)
        if text is not None:
            is_hidden = callee in DECODING or callee.rpartition(".")[2] in DECODING
            return Value(text, "decoded()" if is_hidden else "", is_followed=True)
        if callee in ("File.expand_path", "File.join") and given:
            parts = [self._part(one, depth) for one in (given if callee == "File.join" else given[:1])]
            return Value("/".join(parts), is_followed=True) if any(part != HOLE for part in parts) else NOTHING
        if callee in ("base64_decode", "Base64.decode64", "decode_base64", "MIME.Base64.decode_base64"):
            return Value(name="decoded()")
        return Value(name=f"{callee}()")

    def _made_of_texts(self, callee: str, given: list[Node], node: Node, depth: int) -> str | None:
        """Return what a function, or a method of a text or of a list, makes of what is known."""
        owner = node.child_by_field_name("receiver")
        if owner is None and node.type == "function_call":
            name = node.child_by_field_name("name")
            owner = name.child_by_field_name("table") if name is not None and "method" in name.type else None
        method = callee.rpartition(".")[2]
        if owner is not None and callee not in DECODING and callee not in FORMS:
            if method == "join":
                between = self.value(given[0], depth + 1).text if given else ""
                return joined(method, between, words_of(owner, self, depth + 1))
            known = self.value(owner, depth + 1).text
            return folded(method, [known]) if known is not None and method not in DECODING else None
        if callee in ("implode", "join", "table.concat") and given:
            places = given[::-1] if callee == "table.concat" else given
            lists = [words_of(one, self, depth + 1) for one in places]
            if lists[-1] is None and self._language == "Perl":
                words = [self.value(one, depth + 1).text for one in places[1:]]
                lists = [None if None in words else [word for word in words if word is not None]]
            return joined(callee, self.value(places[0], depth + 1).text if len(places) > 1 else "", lists[-1])
        return folded(callee, [self.value(one, depth + 1).text for one in given])

    def _part(self, node: Node, depth: int) -> str:
        """Return a part of a path of Ruby; the folder of the file itself is `.`."""
        found = self.value(node, depth + 1)
        if found.text is not None:
            return found.text
        return "." if found.name in ("__dir__", "File.dirname()") or self._source.of(node) == "__dir__" else HOLE


def _unwrapped(node: Node) -> Node:
    """Return what an argument holds."""
    return node.named_children[0] if node.type == "argument" and node.named_child_count == 1 else node
