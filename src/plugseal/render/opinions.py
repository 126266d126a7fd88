"""What another scanner says, beside our own findings and marked as its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.opinion import Opinion, Opinions
from plugseal.model.secrets import mask_secrets
from plugseal.render.text import Line, Piece, count, line
from plugseal.shown import shown, shown_path

MAX_ISSUES: Final = 20
"""Issues that are shown; of more the rest are counted."""
_ORDER: Final = {"high": 0, "medium": 1, "low": 2}


def render_opinions(opinions: Opinions | None, *, everything: bool = False) -> Iterator[Line]:
    """Yield what another scanner says, the worst first; what our own facts do not hold is marked.

    Args:
        opinions: None where no other scanner was asked.
        everything: leave nothing out.
    """
    if opinions is None:
        return
    issues = sorted(opinions.issues, key=lambda one: _ORDER.get(one.severity, 3))
    missing = sum(1 for one in issues if one.capability and not one.is_known)
    told = f"{count(len(issues), 'issue')}, part of no verdict here"
    if missing:
        told += f"; {missing} where our facts hold nothing of the kind"
    yield line(Piece(f"second opinion of {shown(opinions.by)}", "heading"), f": {told}")
    shown_issues = issues if everything else issues[:MAX_ISSUES]
    for one in shown_issues:
        yield line(f"  {shown_path(one.file)}:{one.span.line}  ", Piece(_test(one), "dim"), f"  {_message(one)}")
    if len(issues) > len(shown_issues):
        yield line(f"  and {len(issues) - len(shown_issues):,} more: `--verbose`, or `--format json`")
    for file, reason in opinions.unread if everything else opinions.unread[:MAX_ISSUES]:
        yield line(f"  {shown_path(file)}  it could not read: {shown(reason)}")


def _test(one: Opinion) -> str:
    return f"{shown(one.test)} ({shown(one.severity)})"


def _message(one: Opinion) -> str:
    mark = " (not among our facts)" if one.capability and not one.is_known else ""
    return shown(mask_secrets(one.message), limit=200) + mark
