"""The scan of a user's own folders, as text and as JSON: `plugseal.user/1`, described in `docs/reference/json.md`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import plugseal
from plugseal.model.home import Shadowed, UserRoot, UserScan
from plugseal.render.json import Json, encode, render_scan_json
from plugseal.render.sections import count_units
from plugseal.render.terminal import render_scan
from plugseal.render.text import BLANK, GAP, Line, Piece, count, line
from plugseal.shown import shown, shown_path

USER_FORMAT: Final = "plugseal.user/1"


def render_user_scan(scan: UserScan, *, everything: bool = False, width: int = 100) -> Iterator[Line]:
    """Yield the scan of each folder under its name, then what hides what, then the count line.

    Args:
        scan: the folders.
        everything: leave nothing out.
        width: columns that tables may use.
    """
    for root, inventory in scan.roots:
        yield line(Piece(shown_path(root.path), "title"), f"{GAP}{root.system}, {root.scope}")
        yield from render_scan(inventory, everything=everything, width=width)
        yield BLANK
    yield from _hidden(scan)
    if everything:
        for root in scan.missing:
            yield line("not there: ", Piece(shown_path(root.path), "path"), f"{GAP}{root.system}, {root.scope}")
    yield user_line(scan)


def user_line(scan: UserScan) -> Line:
    """Return the last result line."""
    units = count_units([report for _, inventory in scan.roots for report in inventory.plugins])
    findings = sum(len(inventory.findings) for _, inventory in scan.roots)
    hidden = f"; {count(len(scan.shadowed), 'plugin')} hidden" if scan.shadowed else ""
    clashes = f"; {count(len(scan.conflicts), 'conflict')}" if scan.conflicts else ""
    folders = count(len(scan.roots), "folder")
    return line(f"{folders}, {units}, {count(findings, 'finding')}{hidden}{clashes}")


def _hidden(scan: UserScan) -> Iterator[Line]:
    if scan.shadowed:
        yield line(Piece("Hidden", "title"), " (a host takes the first of a name and leaves the others)")
        for row in scan.shadowed:
            verb = "hidden by" if row.certain else "one of the two is skipped, beside"
            name = Piece(shown(row.name), "literal")
            places = (Piece(shown_path(row.path), "path"), f" {verb} ", Piece(shown_path(row.by), "path"))
            yield line(GAP, name, f"{GAP}{row.system}{GAP}", *places)
        yield BLANK
    if scan.conflicts:
        yield line(Piece("Conflicts", "title"))
        for text in scan.conflicts:
            yield line(GAP, shown(text, limit=400))
        yield BLANK


def render_user_json(scan: UserScan) -> Iterator[str]:
    """Yield the document, ended by a newline; each folder holds a whole `plugseal.scan/1`."""
    yield "{\n" + f'  "format": {encode(USER_FORMAT)},\n  "plugseal": {encode(plugseal.__version__)},\n'
    for key, rows in (
        ("missing", [_root(root) for root in scan.missing]),
        ("shadowed", [_shadowed(row) for row in scan.shadowed]),
        ("conflicts", list(scan.conflicts)),
    ):
        yield f'  "{key}": {encode(rows)},\n'
    yield '  "roots": ['
    for number, (root, inventory) in enumerate(scan.roots):
        yield ",\n" if number else "\n"
        yield f'{{"root": {encode(_root(root))}, "scan": '
        yield "".join(render_scan_json(inventory)).rstrip("\n")
        yield "}"
    yield "]\n}\n"


def _root(root: UserRoot) -> Json:
    return {"system": root.system, "scope": root.scope, "path": root.path}


def _shadowed(row: Shadowed) -> Json:
    return row._asdict()
