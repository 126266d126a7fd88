"""A review as one HTML page: what changed since trust first, then everything that the text of a review says.

Pictures stand where looking beats reading: what changed, what runs when, the call paths. All else is the review's own
text, line for line, so that the page can't say less. The rules of `html` hold: no script, nothing loads, no links.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from plugseal.model.change import Change
from plugseal.model.reach import Paths
from plugseal.model.review import Review
from plugseal.model.secrets import mask_secrets
from plugseal.render.change import CHANGE_WORDS, render_change
from plugseal.render.html import finding_article, heading, page, table
from plugseal.render.html_build import Node, Text, element, join
from plugseal.render.html_pictures import timeline
from plugseal.render.html_ways import draw_ways, ways_of
from plugseal.render.review import review_parts
from plugseal.render.text import Line, plain
from plugseal.shown import shown

_WIDTH: Final = 120
"""Columns of the text."""
_TITLES: Final = {
    "source": "Source",
    "components": "Components",
    "abilities": "What it can do",
    "unread": "Not read",
    "broken": "Broken",
    "refused": "Refused",
    "left out": "Left out",
    "receipts": "Receipts",
    "ending": "To trust it",
}
_MARKS: Final = {"high": "added", "good": "gone", "dim": "soft"}
"""Style of a piece of text to the class of a line of the page."""


def render_review_html(review: Review) -> Iterator[str]:
    """Yield the page in pieces of text in ASCII."""
    yield from page("plugseal review", _sections(review))


def _sections(review: Review) -> Iterator[Node]:
    look = review.look
    yield element("h1", None, Text(f"Review of {shown(look.title)}"))
    about = "Read and not run. What is trusted runs with your own rights; trust is not a sandbox."
    yield element("p", {"class": "soft"}, Text(about))
    parts = review_parts(review, width=_WIDTH)
    if review.change is not None:
        yield heading("Changed since trust", f"{CHANGE_WORDS[review.change.comes_to].capitalize()}.")
        yield from _change(review.change)
    elif review.change_unknown:
        yield heading("Changed since trust", f"Can't be told: {shown(review.change_unknown)}")
    for name, lines in parts.items():
        if name == "runs":
            yield from _runs(review)
        elif name == "findings":
            yield from _findings(review)
        elif name != "change":
            yield from _as_text(_TITLES[name], list(lines))
        if name == "abilities":
            yield from _ways(review)


def _change(change: Change) -> Iterator[Node]:
    counts = (
        ("capabilities", len(change.capabilities_added), len(change.capabilities_removed), 0),
        (
            "components",
            len(change.components_added),
            len(change.components_removed),
            len(change.components_changed),
        ),
        ("files", len(change.files_added), len(change.files_removed), len(change.files_changed)),
    )
    yield element("ul", {"class": "tiles"}, *(_tile(*row) for row in counts))
    rows = [(f"{field} of the plugin", _value(before), _value(after)) for field, before, after in change.about]
    for component in change.components_changed:
        name = f"{component.kind} {shown(component.name)}"
        rows += [(f"{name}: {shown(field)}", _value(old), _value(new)) for field, old, new in component.fields]
    if rows:
        yield table(("What", "Then", "Now"), rows)
    lines = list(render_change(change, title=""))[1:]
    if lines:
        yield _marked(lines)


def _tile(name: str, added: int, removed: int, changed: int) -> Node:
    told = [
        element("b", {"class": kind if number else ""}, Text(f"{sign}{number:,}"))
        for sign, number, kind in (("+", added, "high"), ("\u2212", removed, "good"), ("~", changed, "medium"))
    ]
    return element("li", None, *told, Text(name))


def _runs(review: Review) -> Iterator[Node]:
    when = timeline([review.look.report])
    if when is not None:
        yield heading("What runs when", "What a host starts, in the order of its life, and what it asks for before.")
        yield when


def _ways(review: Review) -> Iterator[Node]:
    plugin, inventory = review.look.plugin, review.look.inventory
    root = "" if plugin.single_file else plugin.root
    facts = [
        (file, fact)
        for file, fact in inventory.facts
        if plugin.single_file or plugin.holds(file[len(root) + 1 :] if root else file)
    ]
    found = ways_of(facts, Paths(inventory.reach), root=root)
    if found:
        yield heading("Ways to capabilities", "From what enters it, over its functions, to what it can do there.")
        yield draw_ways(found, f"from what enters {shown(review.look.title)} to what it can do")


def _findings(review: Review) -> Iterator[Node]:
    found = sorted(review.look.findings, key=lambda finding: -finding.severity.rank)
    yield heading("Findings", "" if found else f"None by {review.look.inventory.rules:,} rules.")
    yield from map(finding_article, found)


def _as_text(title: str, lines: Sequence[Line]) -> Iterator[Node]:
    """Yield a part of the text; where it has a title of its own, what stands beside that is said under ours."""
    if not lines:
        return
    is_titled = bool(lines[0]) and lines[0][0].style == "title"
    beside = plain(lines[0][1:]).removeprefix(":").strip() if is_titled else ""
    yield heading(title, f"{beside[:1].upper()}{beside[1:]}." if beside else "")
    rest = lines[1:] if is_titled else lines
    if rest:
        yield _marked(rest)


def _marked(lines: Sequence[Line]) -> Node:
    """Return lines as text that wraps, those of differences in their colours; the signs say the same without.

    What stands in a review must not lie beyond the edge of a box.
    """
    rows = [element("span", {"class": _mark(row)} if _mark(row) else None, Text(plain(row) + "\n")) for row in lines]
    return element("pre", {"class": "said"}, join(rows))


def _mark(row: Line) -> str:
    styles = [piece.style for piece in row if piece.text.strip()]
    return _MARKS.get(styles[0], "") if styles else ""


def _value(text: str) -> str:
    return shown(mask_secrets(text), limit=400)
