"""The grammars' kinds and fields as numbers, made once for each grammar: what the readers of trees compare.

A kind may have several numbers (aliases); all of them are mapped. Kinds that only one of the grammars has are simply
not there in the others.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.parsing.parse import language_of

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.parsing.parse import Language, Node

DESCEND: Final = 0
"""Nothing by itself: look at what it holds."""
IDENTIFIER: Final = 1
SKIP: Final = 2
MEMBER: Final = 3
SUBSCRIPT: Final = 4
CALL: Final = 5
NEW: Final = 6
DECLARATOR: Final = 7
ASSIGNMENT: Final = 8
AUGMENTED: Final = 9
IMPORT: Final = 10
EXPORT: Final = 11
FUNCTION: Final = 12
FUNCTION_EXPRESSION: Final = 13
METHOD: Final = 14
CLASS: Final = 15
CLASS_EXPRESSION: Final = 16
FOR_IN: Final = 17
SHORTHAND: Final = 18
RETURN: Final = 19
UNARY: Final = 20
BINARY: Final = 21
CATCH: Final = 22
STRING: Final = 23
META: Final = 24
STATIC_BLOCK: Final = 25
FIELD: Final = 26
ENUM: Final = 27
NAMESPACE: Final = 28
YIELD: Final = 29
JSX_OPENING: Final = 30
EXPRESSION_STATEMENT: Final = 31
WITH: Final = 32
PAIR: Final = 33
IMPORT_ALIAS: Final = 34
OBJECT: Final = 35
CODES: Final = 36
"""How many there are."""

_CODES: Final = {
    IDENTIFIER: "identifier",
    SKIP: """comment html_comment number regex property_identifier string_fragment escape_sequence true false null
        undefined hash_bang_line statement_identifier private_property_identifier type_identifier predefined_type
        type_annotation type_arguments type_parameters interface_declaration type_alias_declaration jsx_text
        empty_statement super jsx_closing_element optional_chain template_literal_type ambient_declaration type_query
        implements_clause asserts_annotation type_predicate_annotation function_signature abstract_method_signature
        method_signature index_signature shorthand_property_identifier_pattern import_attribute break_statement
        continue_statement this import abstract_class_heritage debugger_statement""",
    MEMBER: "member_expression nested_identifier",
    SUBSCRIPT: "subscript_expression",
    CALL: "call_expression",
    NEW: "new_expression",
    DECLARATOR: "variable_declarator",
    ASSIGNMENT: "assignment_expression",
    AUGMENTED: "augmented_assignment_expression",
    IMPORT: "import_statement",
    EXPORT: "export_statement",
    FUNCTION: "function_declaration generator_function_declaration",
    FUNCTION_EXPRESSION: "function_expression arrow_function generator_function",
    METHOD: "method_definition",
    CLASS: "class_declaration abstract_class_declaration",
    CLASS_EXPRESSION: "class",
    FOR_IN: "for_in_statement",
    SHORTHAND: "shorthand_property_identifier",
    RETURN: "return_statement",
    UNARY: "unary_expression",
    BINARY: "binary_expression",
    CATCH: "catch_clause",
    STRING: "string",
    META: "meta_property",
    STATIC_BLOCK: "class_static_block",
    FIELD: "field_definition public_field_definition",
    ENUM: "enum_declaration",
    NAMESPACE: "internal_module module",
    YIELD: "yield_expression",
    JSX_OPENING: "jsx_opening_element jsx_self_closing_element",
    EXPRESSION_STATEMENT: "expression_statement",
    WITH: "with_statement",
    PAIR: "pair",
    IMPORT_ALIAS: "import_alias",
    OBJECT: "object",
}
_FIELDS: Final = """function arguments object property index name value left right constructor parameters parameter body
    source alias key declaration argument condition consequence alternative operator pattern decorator type""".split()
WRAPPERS: Final = frozenset(
    "parenthesized_expression as_expression satisfies_expression non_null_expression await_expression "
    "type_assertion instantiation_expression".split()
)
"""Expressions that have the value of the one inside them."""


_TYPED = ("required_parameter", "optional_parameter", "public_field_definition", "variable_declarator")
"""What TypeScript may say the type of."""


_GENERATORS = ("generator_function", "generator_function_declaration")


class Grammar:
    """One grammar's numbers."""

    def __init__(self, language: Language) -> None:
        self.ids: dict[str, tuple[int, ...]] = {}
        """Numbers of each named kind."""
        for number in range(language.node_kind_count):
            if language.node_kind_is_named(number):
                kind = language.node_kind_for_id(number) or ""
                self.ids[kind] = (*self.ids.get(kind, ()), number)
        self.arrows = frozenset(self.ids.get("arrow_function", ()))
        self.generators = frozenset(number for one in _GENERATORS for number in self.ids.get(one, ()))
        self.methods = frozenset(self.ids.get("method_definition", ()))
        self.blocks = frozenset(self.ids.get("statement_block", ()))
        self.parentheses = frozenset(self.ids.get("parenthesized_expression", ()))
        self.sequences = frozenset(self.ids.get("sequence_expression", ()))
        self.argument_lists = frozenset(self.ids.get("arguments", ()))
        self.spreads = frozenset(self.ids.get("spread_element", ()))
        self.comment = frozenset(self.ids.get("comment", ()))
        self.comments = frozenset((*self.ids.get("comment", ()), *self.ids.get("html_comment", ())))
        self.typed_parameters = frozenset(self.ids.get("required_parameter", ()))
        self.typed = self.typed_parameters and frozenset(number for one in _TYPED for number in self.ids.get(one, ()))
        self.codes = [DESCEND] * 65_536
        for code, kinds in _CODES.items():
            for kind in kinds.split():
                for number in self.ids.get(kind, ()):
                    self.codes[number] = code
        fields = {name: language.field_id_for_name(name) or 0 for name in _FIELDS}
        self.function = fields["function"]
        self.arguments = fields["arguments"]
        self.object = fields["object"]
        self.property = fields["property"]
        self.index = fields["index"]
        self.name = fields["name"]
        self.value = fields["value"]
        self.left = fields["left"]
        self.right = fields["right"]
        self.constructor = fields["constructor"]
        self.parameters = fields["parameters"]
        self.parameter = fields["parameter"]
        self.body = fields["body"]
        self.source = fields["source"]
        self.alias = fields["alias"]
        self.key = fields["key"]
        self.declaration = fields["declaration"]
        self.argument = fields["argument"]
        self.condition = fields["condition"]
        self.consequence = fields["consequence"]
        self.alternative = fields["alternative"]
        self.operator = fields["operator"]
        self.pattern = fields["pattern"]
        self.decorator = fields["decorator"]
        self.type = fields["type"]

    def is_kind(self, node: Node, kind: str) -> bool:
        """Say whether a node is of a named kind."""
        return node.kind_id in self.ids.get(kind, ())


@lru_cache(maxsize=3)
def _grammar(suffix: str) -> Grammar:
    return Grammar(language_of(suffix))


def grammar_of(suffix: str) -> Grammar:
    """Return the grammar of files with a suffix."""
    return _grammar(suffix if suffix == ".tsx" else ".ts" if suffix in (".ts", ".mts", ".cts") else "")
