"""What is PHP's own: functions that call another one by its name, and what comes from whoever calls the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from plugseal.lang.scripts.parse import Node
    from plugseal.lang.scripts.values import Values
    from plugseal.lang.shell.judging.report import Report
    from plugseal.lang.shell.parsing.source import Source
    from plugseal.model.location import Span

INPUT: Final = ("_GET", "_POST", "_REQUEST", "_COOKIE")
"""Where PHP puts what it is sent."""
HANDED: Final = {
    "call_user_func": 0,
    "call_user_func_array": 0,
    "forward_static_call": 0,
    "forward_static_call_array": 0,
    "array_map": 0,
    "register_shutdown_function": 0,
    "register_tick_function": 0,
    "ob_start": 0,
    "set_error_handler": 0,
    "set_exception_handler": 0,
    "spl_autoload_register": 0,
    "array_filter": 1,
    "array_walk": 1,
    "array_walk_recursive": 1,
    "array_reduce": 1,
    "usort": 1,
    "uasort": 1,
    "uksort": 1,
    "iterator_apply": 1,
    "preg_replace_callback": 1,
    "header_register_callback": 0,
    "array_any": 1,
    "array_all": 1,
    "array_find": 1,
    "array_udiff": 2,
    "preg_replace_callback_array": 0,
}
"""Functions of PHP that call another one, by the place of its name."""
SETTING: Final = frozenset(("extract", "parse_str", "mb_parse_str", "import_request_variables"))
"""Functions that set variables by names that they are given."""
CALLING: Final = frozenset(
    "call_user_func forward_static_call register_shutdown_function register_tick_function".split()
)
"""Those that hand it their own words; the others hand it items of lists and what was found."""
_CHOSEN: Final = frozenset(("variable_name", "subscript_expression", "member_access_expression"))
_COMPARING: Final = frozenset(
    "== != <> === !== < > <= >= <=> && || and or xor instanceof & | ^ << >> + - * / % **".split()
)
"""Operators that give a truth or a number, never a text that would be code."""
_MAX_PARTS: Final = 64
_MAX_PLACES: Final = 4


def is_from_outside(node: Node, source: Source, values: Values) -> bool:
    """Tell whether an expression, or what its variable was given last, is something that the page was sent."""
    name = source.of(node)
    places = values.assigned.get(name.lstrip("$"), ())
    written = [name, *(source.of(value) for _, value in places[-_MAX_PLACES:])]
    return any(one.startswith(f"${mark}") for one in written for mark in INPUT)


def report_chosen(node: Node, span: Span, source: Source, values: Values, report: Report) -> None:
    """Report a call whose function comes from whoever calls the page."""
    function = node.child_by_field_name("function")
    if node.type == "object_creation_expression" and node.named_child_count:
        function = node.named_children[0]
    if function is None or function.type not in ("variable_name", "subscript_expression"):
        return
    if is_from_outside(function, source, values):
        report.add(span, "code.reflective", None, "possible", "")
        report.add(span, "net.listen", None, "possible", "")


def is_truth(node: Node) -> bool:
    """Tell whether an expression is a truth or a number whatever stands in it: `assert($x > 1)` runs no text."""
    while node.type in ("argument", "parenthesized_expression") and node.named_child_count == 1:
        node = node.named_children[0]
    if node.type == "binary_expression":
        operator = node.child_by_field_name("operator")
        return operator is not None and operator.type.lower() in _COMPARING
    if node.type == "unary_op_expression":
        return node.child_count > 0 and node.children[0].type == "!"
    return node.type in ("boolean", "integer", "float", "null")


def has_variable(node: Node) -> bool:
    """Tell whether a name that is put together holds a variable; constants and folders of the file are none."""
    waiting = [node]
    for _ in range(_MAX_PARTS):
        if not waiting:
            return False
        one = waiting.pop()
        if one.type in _CHOSEN:
            return True
        if one.type in ("binary_expression", "encapsed_string", "parenthesized_expression"):
            waiting.extend(one.named_children)
    return False
