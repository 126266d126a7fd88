"""Files of its own language that a script loads: from elsewhere, by a computed name, or by an absolute path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.judging.objects import cut_object
from plugseal.lang.scripts.php import has_variable

if TYPE_CHECKING:
    from plugseal.lang.scripts.parse import Node
    from plugseal.lang.scripts.values import Values
    from plugseal.lang.shell.judging.report import Report
    from plugseal.model.location import Span

_AROUND: Final = frozenset(("parenthesized_expression", "filename"))
_OWN_STREAMS: Final = ("data:", "php://", "expect://")
"""Addresses of PHP that are no other machine's: code that stands there, or that somebody sends."""
_ABSOLUTE: Final = ("/", "~/")


def judge_include(node: Node, span: Span, values: Values, report: Report) -> None:
    """Report what `include`, `require` or Perl's `do` loads."""
    inner = node.named_children[0] if node.named_child_count else None
    while inner is not None and inner.type in _AROUND and inner.named_child_count:
        inner = inner.named_children[0]
    if inner is None or inner.type in ("bareword", "version", "package"):
        return
    value = values.value(inner)
    if value.text is not None and value.text.lower().startswith(_OWN_STREAMS):
        report.add(span, "code.dynamic", None, "direct", "")
    elif value.text is not None and "://" in value.text:
        report.add_host(span, "net.outbound", value.text, "direct", "")
        report.add(span, "code.fetched", cut_object("host", value.text), "direct", "")
    elif (value.text is None or HOLE in value.text) and (inner.type == "scalar" or has_variable(inner)):
        report.add(span, "code.import", None, "possible", "")
    elif value.text is not None:
        add_loaded(value.text, span, report)


def add_loaded(text: str, span: Span, report: Report) -> None:
    """Add a file that is loaded from a folder of the machine; those of the tree say nothing."""
    if text.startswith(_ABSOLUTE) and HOLE not in text:
        report.add(span, "code.import", cut_object("text", text), "direct", "")
        report.add_path(span, "fs.read", text, "direct", "")


def report_fetched(node: Node, span: Span, values: Values, report: Report) -> None:
    """Report `URI(address).open`."""
    receiver = node.child_by_field_name("receiver")
    text = values.value(receiver).text if receiver is not None else None
    if text is not None and "://" in text:
        report.add_host(span, "net.outbound", text, "direct", "")
