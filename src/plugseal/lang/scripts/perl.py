"""What is Perl's own: a substitution whose other side is code, functions that are called by a text, sockets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE

if TYPE_CHECKING:
    from plugseal.lang.scripts.parse import Node
    from plugseal.lang.scripts.value import Evaluation
    from plugseal.lang.shell.judging.report import Report
    from plugseal.lang.shell.parsing.source import Source
    from plugseal.model.location import Span

_PEERS: Final = ("PeerAddr", "PeerHost")
"""How sockets are told whom they call."""
_AROUND: Final = frozenset(("block", "expression_statement", "code_deref_expression", "parenthesized_expression"))


def code_of_substitution(node: Node, source: Source) -> tuple[Node, bool] | None:
    """Return the code of `s/…/code/e` and whether its result is run again (`ee`); None where it is only text."""
    modifiers = node.child_by_field_name("modifiers")
    letters = source.of(modifiers) if modifiers is not None else ""
    code = next((child for child in node.named_children if child.type == "replacement"), None)
    return (code, letters.count("e") > 1) if "e" in letters and code is not None else None


def called_by_text(function: Node) -> Node | None:
    """Return the expression of `&{…}(…)` that gives the name of what is called."""
    inner = next((child for child in function.named_children if child.type == "code_deref_expression"), None)
    while inner is not None and inner.type in _AROUND:
        inner = inner.named_children[0] if inner.named_child_count else None
    return inner


def judge_socket(given: list[Node], span: Span, source: Source, values: Evaluation, report: Report) -> None:
    """Report a socket, which is told by name whom it calls, or that it waits to be called."""
    named = {source.of(one): more for one, more in zip(given[::2], given[1::2])}  # noqa: B905  # one may be left
    peer = next((named[name] for name in _PEERS if name in named), given[0] if len(given) == 1 else None)
    if "Listen" in named:
        report.add(span, "net.listen", None, "direct", "")
        return
    value = values.value(peer) if peer is not None else None
    text = value.text if value is not None and value.text and value.text.strip(HOLE) else None
    how = "resolved" if value is not None and value.is_followed else "direct"
    report.add_host(span, "net.outbound", text, how, "")
