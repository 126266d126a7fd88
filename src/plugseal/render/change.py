"""How one state of a plugin differs from another: what it can do first, then its components, then its files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.change import WRAPPED, Change, ComponentChange, FileChange
from plugseal.model.inventory import Capable
from plugseal.model.secrets import mask_secrets
from plugseal.render.text import GAP, Line, Piece, line
from plugseal.shown import shown, shown_path

MAX_SHOWN: Final = 400
"""Characters of one value; a longer one says by how much it was cut."""
CHANGE_WORDS: Final = {
    "none": "nothing differs",
    "line-endings-only": "only line endings differ; see `core.autocrlf` and `.gitattributes` of the checkout",
    "junk-files-only": "only files that file managers leave behind differ",
    "line-endings-and-junk-files-only": "only line endings and files that file managers leave behind differ",
    "prose-only": "only prose differs",
    "metadata-only": "only data differs, nothing that runs",
    WRAPPED: "only what `wrap` wrote differs: it counts as what was trusted",
    "code": "what runs differs",
}
"""What a change comes down to, in words."""


def render_change(change: Change, *, title: str) -> Iterator[Line]:
    """Yield everything that differs, under a title; one line where nothing does.

    Args:
        change: what differs.
        title: ours.
    """
    yield line(Piece(title, "title"), f": {CHANGE_WORDS[change.comes_to]}")
    for capable in change.capabilities_added:
        yield line(GAP, Piece("+ ", "high"), *_capable(capable))
    for capable in change.capabilities_removed:
        yield line(GAP, Piece("- ", "good"), *_capable(capable))
    for kind, name in change.components_added:
        yield line(GAP, Piece("+ ", "high"), f"{kind} ", Piece(shown(name), "literal"))
    for kind, name in change.components_removed:
        yield line(GAP, Piece("- ", "good"), f"{kind} ", Piece(shown(name), "literal"))
    for component in change.components_changed:
        yield from _component(component)
    for field, before, after in change.about:
        yield line(GAP, Piece("~ ", "medium"), f"{field}: {_value(before)} -> {_value(after)}")
    texts = dict(change.added_lines)
    for path in change.files_added:
        what = "" if path in texts else f"{GAP}no text, or too large: its lines are not shown"
        yield line(GAP, Piece("+ ", "high"), Piece(shown_path(path), "path"), what)
        yield from map(_line, texts.get(path, ()))
    for path in change.files_removed:
        yield line(GAP, Piece("- ", "good"), Piece(shown_path(path), "path"))
    for file in change.files_changed:
        yield from _file(file)


def _capable(row: Capable) -> Iterator[str | Piece]:
    yield row.capability
    yield GAP
    yield Piece("?" if row.object is None else shown(mask_secrets(row.object), limit=MAX_SHOWN), "literal")
    yield f"{GAP}{shown(row.trigger)}, {shown(row.channel)}"


def _component(component: ComponentChange) -> Iterator[Line]:
    yield line(GAP, Piece("~ ", "medium"), f"{component.kind} ", Piece(shown(component.name), "literal"))
    for field, before, after in component.fields:
        yield line(f"{GAP}{GAP}{GAP}{shown(field)}: {_value(before)}")
        yield line(f"{GAP}{GAP}{GAP}{' ' * len(shown(field))}> {_value(after)}")


def _file(file: FileChange) -> Iterator[Line]:
    counts = f"{GAP}+{file.added:,} -{file.removed:,}" if file.added or file.removed else ""
    what = "" if file.what == "content" else f"{GAP}{file.what}"
    if file.what == "content" and not counts:
        what = f"{GAP}no text, or too large: its lines are not shown"
    if file.executable is not None:
        what += f"{GAP}{'executable now' if file.executable else 'no longer executable'}"
    yield line(GAP, Piece("~ ", "medium"), Piece(shown_path(file.path), "path"), counts, what)
    yield from map(_line, file.lines)


def _line(text: str) -> Line:
    style = {"+": "high", "-": "good", "@": "dim"}.get(text[:1], "")
    return line(f"{GAP}{GAP}{GAP}", Piece(shown(mask_secrets(text), limit=MAX_SHOWN), style))


def _value(text: str) -> str:
    return shown(mask_secrets(text), limit=MAX_SHOWN)
