"""The tiles at the top of an HTML report: the numbers of a scan, coloured where they ask for a look."""

from __future__ import annotations

import re
from pathlib import Path

from plugseal.render.html import render_html
from plugseal.verbs.scan import scan_path

SAMPLE = Path(__file__).parents[2] / "fixtures" / "sample" / "agent-tools"


def _tiles(root: Path) -> dict[str, tuple[str, str]]:
    """Return name, to number and style, of each tile."""
    page = "".join(render_html(scan_path(root)))
    listed = page.partition('<ul class="tiles">')[2].partition("</ul>")[0]
    found = re.findall(r'<li><b class="([^"]*)">([\d,]+)</b>([^<]*)</li>', listed)
    return {name: (number, style) for style, number, name in found}


def test_what_was_not_read_and_what_was_found_stand_out() -> None:
    tiles = _tiles(SAMPLE)

    assert tiles["files not read"] == ("1", "medium")
    assert tiles["high"] == ("1", "high")
    assert tiles["low"] == ("0", "")


def test_plugins_are_told_from_configurations(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "a", "scripts": {"postinstall": "node x.js"}}')

    tiles = _tiles(tmp_path)

    assert (tiles["plugins"], tiles["configurations"]) == (("0", ""), ("1", ""))
    assert "configurations" not in _tiles(SAMPLE)
